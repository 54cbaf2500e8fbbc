// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/scaling.h"

#include "core/advice/advise.h"
#include "core/base/format.h"
#include "core/training/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace partita {

namespace {

constexpr int octavesBelow = 3;
constexpr int octavesAbove = 4;

/// Halvings and doublings of a count; only whole numbers.
std::vector<double> countsAround(std::int64_t count, std::int64_t unit)
{
    std::vector<double> values;
    for (int octave = octavesBelow; octave > 0; --octave) {
        if (count % (std::int64_t{1} << octave) == 0) {
            values.push_back(static_cast<double>(unit * (count >> octave)));
        }
    }
    for (int octave = 0; octave <= octavesAbove; ++octave) {
        values.push_back(static_cast<double>(unit) * std::ldexp(static_cast<double>(count), octave));
    }
    return values;
}

/// First of the levels an axis scales.
std::size_t levelOf(ScalingAxis axis)
{
    return axis == ScalingAxis::NetworkBandwidth ? 1 : 0;
}

void setDevices(Scenario& scenario, double devices)
{
    Cluster& cluster = scenario.cluster;
    cluster.nodes = static_cast<std::int64_t>(devices) / std::max<std::int64_t>(1, cluster.devicesPerNode);
    scenario.layout.dp =
        static_cast<int>(std::min<std::int64_t>(solvedDp(scenario.layout, cluster.devices()), mostDevices));
}

void setSequence(Scenario& scenario, double length)
{
    const double tokens =
        static_cast<double>(scenario.layout.globalBatch) * static_cast<double>(scenario.workload.sequenceLength);
    scenario.workload.sequenceLength = static_cast<std::int64_t>(length);
    scenario.layout.globalBatch = std::max<std::int64_t>(1, static_cast<std::int64_t>(tokens / length));
}

void setBandwidth(Scenario& scenario, ScalingAxis axis, double bandwidth)
{
    std::vector<Level>& levels = scenario.cluster.levels;
    const std::size_t first = levelOf(axis);
    const double factor = bandwidth / levels[first].bandwidth;
    const std::size_t end = axis == ScalingAxis::FastBandwidth ? 1 : levels.size();
    for (std::size_t i = first; i < end; ++i) {
        levels[i].bandwidth *= factor;
    }
}

} // namespace

double quantityOf(const ScalingPoint& point, PlaneQuantity quantity)
{
    switch (quantity) {
    case PlaneQuantity::Mfu:
        return point.cost.mfu;
    case PlaneQuantity::StepTime:
        return point.cost.stepTime;
    case PlaneQuantity::PeakMemory:
        return point.cost.memory.total();
    case PlaneQuantity::TokensPerDevice:
        return point.tokensPerSecondPerDevice();
    case PlaneQuantity::Bubble:
    case PlaneQuantity::Exposed:
    case PlaneQuantity::Cost:
        break;
    }
    return 0;
}

std::vector<double> scalingValues(const Scenario& scenario, ScalingAxis axis)
{
    switch (axis) {
    case ScalingAxis::Devices:
    case ScalingAxis::DevicesAndBatch: {
        std::vector<double> values = countsAround(scenario.cluster.nodes, scenario.cluster.devicesPerNode);
        values.erase(std::remove_if(values.begin(), values.end(),
                                    [](double devices) { return devices > static_cast<double>(mostDevices); }),
                     values.end());
        return values;
    }
    case ScalingAxis::GlobalBatch:
        return countsAround(scenario.layout.globalBatch, 1);
    case ScalingAxis::SequenceLength:
        return countsAround(scenario.workload.sequenceLength, 1);
    case ScalingAxis::FastBandwidth:
    case ScalingAxis::NetworkBandwidth:
        break;
    }
    std::vector<double> values;
    const std::vector<Level>& levels = scenario.cluster.levels;
    if (levels.size() > levelOf(axis) && levels[levelOf(axis)].bandwidth > 0) {
        for (int octave = -octavesBelow; octave <= octavesBelow; ++octave) {
            values.push_back(std::ldexp(levels[levelOf(axis)].bandwidth, octave));
        }
    }
    return values;
}

Scenario scaledTo(const Scenario& scenario, ScalingAxis axis, double value)
{
    Scenario scaled = scenario;
    switch (axis) {
    case ScalingAxis::Devices:
        setDevices(scaled, value);
        break;
    case ScalingAxis::DevicesAndBatch: {
        const double perDevice =
            static_cast<double>(scenario.layout.globalBatch) / static_cast<double>(scenario.cluster.devices());
        setDevices(scaled, value);
        scaled.layout.globalBatch = std::max<std::int64_t>(1, std::llround(perDevice * value));
        break;
    }
    case ScalingAxis::GlobalBatch:
        scaled.layout.globalBatch = static_cast<std::int64_t>(value);
        break;
    case ScalingAxis::SequenceLength:
        setSequence(scaled, value);
        break;
    case ScalingAxis::FastBandwidth:
    case ScalingAxis::NetworkBandwidth:
        setBandwidth(scaled, axis, value);
        break;
    }
    return scaled;
}

ScalingPoint scalingPoint(const Scenario& scenario, ScalingAxis axis, double value, ScalingMode mode,
                          const std::function<bool()>& stop)
{
    const Scenario scaled = scaledTo(scenario, axis, value);
    ScalingPoint point;
    point.value = value;
    point.devices = scaled.cluster.devices();
    point.tokensPerStep =
        static_cast<double>(scaled.layout.globalBatch) * static_cast<double>(scaled.workload.sequenceLength);
    point.cost = mode == ScalingMode::Advised ? advise(scaled, Voice::ConstraintFirst, stop).pick
                                              : costOf(scaled.layout, evaluate(scaled));
    return point;
}

ScalingCurve scalingCurve(const Scenario& scenario, ScalingAxis axis, ScalingMode mode,
                          const std::function<bool()>& stop)
{
    ScalingCurve curve{axis, mode, {}};
    for (const double value : scalingValues(scenario, axis)) {
        ScalingPoint point = scalingPoint(scenario, axis, value, mode, stop);
        if (stop()) {
            break;
        }
        curve.points.push_back(std::move(point));
    }
    return curve;
}

std::string scalingValueText(ScalingAxis axis, double value)
{
    switch (axis) {
    case ScalingAxis::Devices:
    case ScalingAxis::DevicesAndBatch:
    case ScalingAxis::GlobalBatch:
        return formatCount(std::llround(value));
    case ScalingAxis::SequenceLength:
        return fmt::format("{} tokens", formatCount(std::llround(value)));
    case ScalingAxis::FastBandwidth:
    case ScalingAxis::NetworkBandwidth:
        break;
    }
    return fmt::format("{} GB/s", formatSignificant(value / 1e9));
}

} // namespace partita
