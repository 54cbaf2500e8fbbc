// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/advice/layout_costs.h"
#include "core/base/names.h"
#include "core/search/plane.h"

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace partita {

/// What grows along the x axis.
enum class ScalingAxis {
    Devices, ///< whole nodes, the global batch kept: strong scaling
    DevicesAndBatch, ///< the batch grows with the devices: weak scaling
    GlobalBatch,
    SequenceLength, ///< tokens of a step kept as far as sequences divide
    FastBandwidth, ///< of the innermost level
    NetworkBandwidth ///< of all levels outside it
};

template <> struct Names<ScalingAxis> {
    static constexpr std::array table{
        Name<ScalingAxis>{ScalingAxis::Devices, "devices", "devices, same batch"},
        Name<ScalingAxis>{ScalingAxis::DevicesAndBatch, "devices-and-batch", "devices, batch in step"},
        Name<ScalingAxis>{ScalingAxis::GlobalBatch, "batch", "global batch"},
        Name<ScalingAxis>{ScalingAxis::SequenceLength, "sequence", "sequence length, same tokens"},
        Name<ScalingAxis>{ScalingAxis::FastBandwidth, "fast-link", "innermost link"},
        Name<ScalingAxis>{ScalingAxis::NetworkBandwidth, "network", "network"},
    };
};

/// Whether layouts follow.
enum class ScalingMode {
    Held, ///< the scenario's layout, dp solved anew
    Advised ///< the constraint-first advice for every point
};

template <> struct Names<ScalingMode> {
    static constexpr std::array table{
        Name<ScalingMode>{ScalingMode::Held, "held", "layout held"},
        Name<ScalingMode>{ScalingMode::Advised, "advised", "layout advised anew"},
    };
};

struct ScalingPoint {
    double value = 0; ///< devices, sequences, tokens, or bytes/s of the level
    std::int64_t devices = 1;
    double tokensPerStep = 0;
    LayoutCost cost; ///< illegal where the layout cannot be had there

    double tokensPerSecondPerDevice() const
    {
        return cost.stepTime > 0 ? tokensPerStep / cost.stepTime / static_cast<double>(devices) : 0;
    }
    bool operator==(const ScalingPoint&) const = default;
};

/// The quantities that follow from a point.
inline constexpr std::array scalingQuantities{PlaneQuantity::Mfu, PlaneQuantity::StepTime,
                                              PlaneQuantity::TokensPerDevice, PlaneQuantity::PeakMemory};

/// In the quantity's own unit, as quantityOf(Report); 0 for one that is not among scalingQuantities.
double quantityOf(const ScalingPoint& point, PlaneQuantity quantity);

/// Values of an axis around a scenario, ascending, its own among them; empty where there is nothing to grow (no network
/// outside the innermost level).
std::vector<double> scalingValues(const Scenario& scenario, ScalingAxis axis);

/// The scenario with one value of an axis, its layout held.
Scenario scaledTo(const Scenario& scenario, ScalingAxis axis, double value);

ScalingPoint scalingPoint(
    const Scenario& scenario, ScalingAxis axis, double value, ScalingMode mode,
    const std::function<bool()>& stop = [] { return false; });

struct ScalingCurve {
    ScalingAxis axis = ScalingAxis::Devices;
    ScalingMode mode = ScalingMode::Held;
    std::vector<ScalingPoint> points; ///< by value; fewer when stopped

    bool operator==(const ScalingCurve&) const = default;
};

ScalingCurve scalingCurve(
    const Scenario& scenario, ScalingAxis axis, ScalingMode mode,
    const std::function<bool()>& stop = [] { return false; });

/// A value as people read it: "64", "8,192 tokens", "50 GB/s".
std::string scalingValueText(ScalingAxis axis, double value);

} // namespace partita
