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

/// Calls change(op, atEnd, amount) for everything a stage takes at an op's start and frees at its end, in order.
template <class Op, class Weight, class Change>
void forEachChange(const std::vector<Op>& ops, Weight weight, Change change)
{
    for (const Op& op : ops) {
        if (hasForward(op.kind)) {
            change(op, false, weight(op.chunk));
        }
        if (const double share = released(op.kind); share > 0) {
            change(op, true, -share * weight(backwardChunk(op)));
        }
    }
}

template <class Op, class Weight> double peak(const std::vector<Op>& ops, Weight weight)
{
    double live = 0;
    double most = 0;
    forEachChange(ops, weight, [&](const Op&, bool, double amount) {
        live += amount;
        most = std::max(most, live);
    });
    return most;
}

double whole(std::int16_t)
{
    return 1;
}

} // namespace

std::vector<ActivationPoint> liveActivations(const Timeline& timeline, int stage)
{
    const double share = timeline.placement.stageShare();
    std::vector<ActivationPoint> points{{0, 0}};
    forEachChange(
        timeline.stages[static_cast<std::size_t>(stage)].ops, [share](std::int16_t) { return share; },
        [&](const TimelineOp& op, bool atEnd, double amount) {
            const double time = atEnd ? op.end : op.start;
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
    return peak(stage.ops, [&](std::int16_t chunk) { return weights[static_cast<std::size_t>(chunk)]; });
}

double peakActivations(const std::vector<ScheduleOp>& program, double share)
{
    return peak(program, whole) * share; // whole and half chunks add up exactly
}

} // namespace partita
