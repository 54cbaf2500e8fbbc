// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/names.h"
#include "core/scenario/rules.h"
#include "core/scenario/scenario.h"
#include "core/search/search_space.h"

#include <array>
#include <optional>
#include <vector>

namespace partita {

/// What one side of a plane of layouts varies.
enum class PlaneAxis {
    Tp,
    Pp,
    Cp,
    Ep,
    Dp,
    Vpp,
    Etp,
    MicroBatch,
    MicroBatches,
    GlobalBatch,
    Devices,
    Sequence,
    ModelSize
};

template <> struct Names<PlaneAxis> {
    static constexpr std::array table{
        Name<PlaneAxis>{PlaneAxis::Tp, "tp", "TP"},
        Name<PlaneAxis>{PlaneAxis::Pp, "pp", "PP"},
        Name<PlaneAxis>{PlaneAxis::Cp, "cp", "CP"},
        Name<PlaneAxis>{PlaneAxis::Ep, "ep", "EP"},
        Name<PlaneAxis>{PlaneAxis::Dp, "dp", "DP"},
        Name<PlaneAxis>{PlaneAxis::Vpp, "vpp", "VPP"},
        Name<PlaneAxis>{PlaneAxis::Etp, "etp", "ETP"},
        Name<PlaneAxis>{PlaneAxis::MicroBatch, "micro-batch", "micro-batch"},
        Name<PlaneAxis>{PlaneAxis::MicroBatches, "micro-batches", "micro-batches"},
        Name<PlaneAxis>{PlaneAxis::GlobalBatch, "global-batch", "global batch"},
        Name<PlaneAxis>{PlaneAxis::Devices, "devices", "devices"},
        Name<PlaneAxis>{PlaneAxis::Sequence, "sequence", "sequence"},
        Name<PlaneAxis>{PlaneAxis::ModelSize, "model", "model size"},
    };
};

/// What becomes of the degrees that are not on a plane's axes.
enum class PlaneRest { Kept, Searched };

template <> struct Names<PlaneRest> {
    static constexpr std::array table{
        Name<PlaneRest>{PlaneRest::Kept, "kept", "rest kept"},
        Name<PlaneRest>{PlaneRest::Searched, "searched", "best of the rest"},
    };
};

/// The value a scenario has on an axis: devices, sequences, tokens, parameters of the model.
std::int64_t valueOn(const Scenario& scenario, PlaneAxis axis);

/// The control of the layout that an axis moves; none where it moves what surrounds the layout, or counts
/// micro-batches.
std::optional<LayoutField> layoutField(PlaneAxis axis);
/// What limits an axis in a search; null where that is not a limit of layouts.
Bounds SearchSpace::*boundsOn(PlaneAxis axis);
/// Whether all scenarios along an axis share the model, the devices and the workload.
bool movesLayoutOnly(PlaneAxis axis);

/// Sets the field itself and nothing that follows from it; nothing where the axis has none.
void setField(Layout& layout, PlaneAxis axis, std::int64_t value);
/// The model, devices or workload at a place of an axis that moves them, the layout fitted to the devices. False where
/// the model's family has none of that size.
bool setSurroundings(Scenario& scenario, PlaneAxis axis, std::int64_t value);

/// The stops of an axis, ascending, when the other axis, and what a search varies, leave it all the room there is.
std::vector<std::int64_t> stopsOf(const Scenario& scenario, PlaneAxis axis, PlaneAxis other, PlaneRest rest);

} // namespace partita
