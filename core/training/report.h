// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"
#include "core/model/parameters.h"
#include "core/pipeline/timeline.h"

#include <array>
#include <string>
#include <vector>

namespace partita {

/// What a byte of device memory is held for. The order is the order of the stacked bars.
enum class MemoryKind {
    Weights,
    Gradients,
    OptimizerStates,
    Activations,
    HeadAndLoss,
    WorkingSet, ///< recomputed layer, gathered weights, temporaries of the largest operator
    CommunicationBuffers,
    Framework,
    Fragmentation
};

template <> struct Names<MemoryKind> {
    static constexpr std::array table{
        Name<MemoryKind>{MemoryKind::Weights, "weights", "weights"},
        Name<MemoryKind>{MemoryKind::Gradients, "gradients", "gradients"},
        Name<MemoryKind>{MemoryKind::OptimizerStates, "optimizer_states", "optimizer states"},
        Name<MemoryKind>{MemoryKind::Activations, "activations", "activations"},
        Name<MemoryKind>{MemoryKind::HeadAndLoss, "head_and_loss", "head and loss"},
        Name<MemoryKind>{MemoryKind::WorkingSet, "working_set", "working set"},
        Name<MemoryKind>{MemoryKind::CommunicationBuffers, "communication_buffers", "communication buffers"},
        Name<MemoryKind>{MemoryKind::Framework, "framework", "framework"},
        Name<MemoryKind>{MemoryKind::Fragmentation, "fragmentation", "fragmentation"},
    };
};

/// Bytes by category on one device of a pipeline stage.
struct MemoryBreakdown {
    std::array<double, Names<MemoryKind>::table.size()> bytes{};

    double& operator[](MemoryKind kind) { return bytes[static_cast<std::size_t>(kind)]; }
    double operator[](MemoryKind kind) const { return bytes[static_cast<std::size_t>(kind)]; }
    double total() const;
    bool operator==(const MemoryBreakdown&) const = default;
};

/// Where a second of the step goes. Compute is that of the stage that ends the step; communication
/// counts only what nothing hides.
enum class TimeKind {
    Gemm,
    Attention,
    Scan, ///< state-space and linear-attention cores
    Elementwise,
    Recompute,
    Host, ///< device idle because the host has not launched the next kernel
    TpExposed,
    CpExposed,
    EpExposed,
    PpExposed,
    DpExposed,
    Bubble,
    Optimizer
};

template <> struct Names<TimeKind> {
    static constexpr std::array table{
        Name<TimeKind>{TimeKind::Gemm, "gemm", "GEMM"},
        Name<TimeKind>{TimeKind::Attention, "attention", "attention"},
        Name<TimeKind>{TimeKind::Scan, "scan", "state-space scan"},
        Name<TimeKind>{TimeKind::Elementwise, "elementwise", "element-wise"},
        Name<TimeKind>{TimeKind::Recompute, "recompute", "recompute"},
        Name<TimeKind>{TimeKind::Host, "host", "host launch"},
        Name<TimeKind>{TimeKind::TpExposed, "tp_exposed", "TP exposed"},
        Name<TimeKind>{TimeKind::CpExposed, "cp_exposed", "CP exposed"},
        Name<TimeKind>{TimeKind::EpExposed, "ep_exposed", "EP exposed"},
        Name<TimeKind>{TimeKind::PpExposed, "pp_exposed", "PP exposed"},
        Name<TimeKind>{TimeKind::DpExposed, "dp_exposed", "DP exposed"},
        Name<TimeKind>{TimeKind::Bubble, "bubble", "bubble"},
        Name<TimeKind>{TimeKind::Optimizer, "optimizer", "optimizer"},
    };
};

/// Seconds by part; total() is the step time.
struct TimeBreakdown {
    std::array<double, Names<TimeKind>::table.size()> seconds{};

    double& operator[](TimeKind kind) { return seconds[static_cast<std::size_t>(kind)]; }
    double operator[](TimeKind kind) const { return seconds[static_cast<std::size_t>(kind)]; }
    double total() const;
    double exposedCommunication() const; ///< TP + CP + EP + PP + DP exposed
    double compute() const; ///< GEMM + attention + scan + element-wise + recompute + host
    TimeBreakdown& operator+=(const TimeBreakdown& other);
    TimeBreakdown scaled(double factor) const;
    bool operator==(const TimeBreakdown&) const = default;
};

/// Model or hardware FLOPs over peak, by the convention in which attention is counted.
struct Utilization {
    double full = 0; ///< attention core not halved
    double causal = 0; ///< halved
    double sixN = 0; ///< 6 N per token, no attention

    bool operator==(const Utilization&) const = default;
};

struct StageReport {
    int layers = 0;
    MemoryBreakdown memory; ///< of its fullest device
    double inFlight = 0; ///< most micro-batches of this stage's activations held at once
    double forward = 0; ///< s per micro-batch of the whole stage; of one copy where it holds two of the model
    double backwardInput = 0;
    double backwardWeight = 0;
    double parameters = 0; ///< held by one device of this stage

    bool operator==(const StageReport&) const = default;
};

/// What a scenario costs. When problems is not empty the model or the layout is illegal and at most `parameters` is
/// filled.
struct Report {
    Problems problems;
    std::vector<std::string> warnings; ///< legal, but unwise; or what the model does not cover
    ModelParameters parameters;
    bool fits = false;
    std::vector<StageReport> stages;
    int peakStage = 0; ///< index of the fullest stage
    double memoryLimit = 0; ///< bytes a device has
    double stepTime = 0; ///< s
    TimeBreakdown time; ///< parts; sums to stepTime
    double tokensPerStep = 0;
    double tokensPerSecond = 0;
    double tokensPerSecondPerDevice = 0;
    Utilization mfu;
    Utilization hfu;
    double modelFlopsPerStep = 0; ///< causal convention, whole cluster
    double bubbleFraction = 0; ///< idle / (stages * pipeline makespan)
    double trainingDays = 0; ///< for the token budget; 0 = none stated
    double trainingCost = 0; ///< USD; 0 = no price known
    Timeline timeline;

    bool legal() const { return problems.empty(); }
    double peakMemory() const
    {
        return stages.empty() ? 0 : stages[static_cast<std::size_t>(peakStage)].memory.total();
    }
    bool operator==(const Report&) const = default;
};

} // namespace partita
