// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/live_activations.h"

#include <algorithm>

namespace partita {

namespace {

/// Share of a chunk's activations that the end of an op frees.
double released(OpKind kind)
{
    switch (kind) {
    case OpKind::Forward:
        return 0;
    case OpKind::BackwardInput:
        return releasedByInputGradient;
    case OpKind::BackwardWeight:
        return 1 - releasedByInputGradient;
    case OpKind::Backward:
    case OpKind::ForwardBackward:
        return 1;
    default:
        return 0;
    }
}

/// Calls change(time, amount) for everything a stage takes and frees, in order of time.
template <class Weight, class Change> void forEachChange(const StageTimeline& stage, Weight weight, Change change)
{
    for (const TimelineOp& op : stage.ops) {
        if (hasForward(op.kind)) {
            change(op.start, weight(op.chunk));
        }
        if (const double share = released(op.kind); share > 0) {
            change(op.end, -share * weight(backwardChunk(op)));
        }
    }
}

template <class Weight> double peak(const StageTimeline& stage, Weight weight)
{
    double live = 0;
    double most = 0;
    forEachChange(stage, weight, [&](double, double amount) {
        live += amount;
        most = std::max(most, live);
    });
    return most;
}

} // namespace

std::vector<ActivationPoint> liveActivations(const Timeline& timeline, int stage)
{
    const double share = timeline.placement.stageShare();
    std::vector<ActivationPoint> points{{0, 0}};
    forEachChange(
        timeline.stages[static_cast<std::size_t>(stage)], [share](std::int16_t) { return share; },
        [&](double time, double amount) {
            const double live = points.back().microBatches + amount;
            if (points.back().time < time) {
                points.push_back({time, live});
            } else {
                points.back().microBatches = live;
            }
        });
    return points;
}

double peakActivations(const StageTimeline& stage, const std::vector<double>& weights)
{
    return peak(stage, [&](std::int16_t chunk) { return weights[static_cast<std::size_t>(chunk)]; });
}

double peakActivations(const StageTimeline& stage, double share)
{
    return peak(stage, [](std::int16_t) { return 1.0; }) * share; // whole and half chunks add up exactly
}

} // namespace partita
