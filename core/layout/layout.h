// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/names.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace partita {

/// What the backward pass computes again: nothing; the attention core (arXiv:2205.05198 section 5); element-wise work
/// and every second matrix product, as torchtitan's selective activation checkpointing does; whole layers.
enum class Recompute { None, Selective, Experts, PerOperator, Full };

template <> struct Names<Recompute> {
    static constexpr std::array table{
        Name<Recompute>{Recompute::None, "none", "none"},
        Name<Recompute>{Recompute::Selective, "selective", "selective"},
        Name<Recompute>{Recompute::Experts, "experts", "expert layers"},
        Name<Recompute>{Recompute::PerOperator, "per-operator", "per operator"},
        Name<Recompute>{Recompute::Full, "full", "full"},
    };
};

enum class ScheduleKind {
    GPipe,
    OneFOneB,
    Interleaved,
    OneFOneBOverlap,
    BreadthFirst,
    ZbH1,
    ZbH2,
    ZbV,
    VHalf,
    VMin,
    DualPipe,
    DualPipeV
};

template <> struct Names<ScheduleKind> {
    static constexpr std::array table{
        Name<ScheduleKind>{ScheduleKind::GPipe, "gpipe", "GPipe"},
        Name<ScheduleKind>{ScheduleKind::OneFOneB, "1f1b", "1F1B"},
        Name<ScheduleKind>{ScheduleKind::Interleaved, "interleaved", "Interleaved 1F1B"},
        Name<ScheduleKind>{ScheduleKind::OneFOneBOverlap, "1f1b-a2a-overlap", "1F1B with all-to-all overlap"},
        Name<ScheduleKind>{ScheduleKind::BreadthFirst, "breadth-first", "Breadth-first"},
        Name<ScheduleKind>{ScheduleKind::ZbH1, "zb-h1", "ZB-H1"},
        Name<ScheduleKind>{ScheduleKind::ZbH2, "zb-h2", "ZB-H2"},
        Name<ScheduleKind>{ScheduleKind::ZbV, "zb-v", "ZB-V"},
        Name<ScheduleKind>{ScheduleKind::VHalf, "v-half", "V-Half"},
        Name<ScheduleKind>{ScheduleKind::VMin, "v-min", "V-Min"},
        Name<ScheduleKind>{ScheduleKind::DualPipe, "dualpipe", "DualPipe"},
        Name<ScheduleKind>{ScheduleKind::DualPipeV, "dualpipe-v", "DualPipeV"},
    };
};

/// The dimensions in which ranks are numbered, innermost first.
enum class Axis { Tp, Cp, Ep, Dp, Pp };

template <> struct Names<Axis> {
    static constexpr std::array table{
        Name<Axis>{Axis::Tp, "tp", "tensor"},   Name<Axis>{Axis::Cp, "cp", "context"},
        Name<Axis>{Axis::Ep, "ep", "expert"},   Name<Axis>{Axis::Dp, "dp", "data"},
        Name<Axis>{Axis::Pp, "pp", "pipeline"},
    };
};

/// How the model and the batch are split over the devices. tp * cp * pp * dp = devices.
struct Layout {
    int tp = 1;
    int cp = 1;
    int pp = 1;
    int vpp = 1; ///< virtual stages (model chunks) per pipeline rank
    int dp = 1;
    int ep = 1; ///< folds across tp * cp * dp: etp * ep * expert-dp = tp * cp * dp
    int etp = 1; ///< tensor parallel degree inside an expert
    bool sequenceParallel = true; ///< has no effect when tp = 1
    int zeroStage = 1; ///< 0 replicated, 1 optimizer states, 2 + gradients, 3 + weights (FSDP)
    int shardGroup = 0; ///< devices a ZeRO/HSDP shard spans; 0 = all of dp * cp
    std::int64_t microBatch = 1; ///< sequences
    std::int64_t globalBatch = 1; ///< sequences per step over all replicas
    Recompute recompute = Recompute::None;
    ScheduleKind schedule = ScheduleKind::OneFOneB;
    std::array<Axis, 5> rankOrder{Axis::Tp, Axis::Cp, Axis::Ep, Axis::Dp, Axis::Pp};
    std::vector<int>
        layersPerStage; ///< by model chunk in model order (ranks: see Placement); empty = as even as possible

    std::int64_t devices() const { return std::int64_t{tp} * cp * pp * dp; }
    std::int64_t microBatches() const { return globalBatch / (microBatch * dp); } ///< per replica and step
    bool operator==(const Layout&) const = default;
};

/// The dp that balances tp * cp * pp * dp = devices, rounded down; at least 1. Degrees below 1 count as 1.
constexpr std::int64_t solvedDp(const Layout& layout, std::int64_t devices)
{
    // Divided one by one: the product of hostile degrees does not fit into 64 bits.
    for (const int degree : {layout.tp, layout.cp, layout.pp}) {
        devices /= degree > 1 ? degree : 1;
    }
    return devices > 1 ? devices : 1;
}

} // namespace partita
