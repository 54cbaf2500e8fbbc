// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/pipeline_figures.h"

#include "core/pipeline/timeline.h"

#include <algorithm>

namespace partita {

namespace {

double hiddenByPairs(const Timeline& timeline, std::size_t stage)
{
    double hidden = 0;
    if (timeline.hiddenInPair.empty()) {
        return hidden;
    }
    const std::vector<double>& inPair = timeline.hiddenInPair[stage];
    for (const TimelineOp& op : timeline.stages[stage].ops) {
        if (op.kind == OpKind::ForwardBackward) {
            hidden += inPair[static_cast<std::size_t>(op.chunk * timeline.placement.chunks + op.partnerChunk)];
        }
    }
    return hidden;
}

} // namespace

PipelineFigures figuresOf(const Timeline& timeline)
{
    PipelineFigures figures;
    for (std::size_t i = 0; i < timeline.stages.size(); ++i) {
        const StageTimeline& stage = timeline.stages[i];
        figures.ranks.push_back({stage.ops.empty() ? 0 : stage.ops.back().end, stage.busy, stage.transferWait,
                                 hiddenByPairs(timeline, i), stage.peakActivations});
    }
    return figures;
}

double PipelineFigures::bubbleFraction() const
{
    double makespan = 0;
    for (const RankFigures& rank : ranks) {
        makespan = std::max(makespan, rank.end);
    }
    double idle = 0;
    for (const RankFigures& rank : ranks) {
        idle += makespan - rank.busy;
    }
    return idleShare(idle, makespan, ranks.size());
}

double idleShare(double idle, double makespan, std::size_t ranks)
{
    constexpr double rounding = 1e-10; // of ends and busy times of many thousand ops
    const double total = makespan * static_cast<double>(ranks);
    return idle > rounding * total ? idle / total : 0;
}

} // namespace partita
