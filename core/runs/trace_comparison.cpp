// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/trace_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace partita {

namespace {

std::size_t pipelineOps(const TraceLane& lane)
{
    return static_cast<std::size_t>(std::count_if(lane.spans.begin(), lane.spans.end(), [](const TraceSpan& span) {
        return span.kind && isPipelineOp(*span.kind);
    }));
}

/// The lane of each stage, and how many lanes of it were left out.
struct StageLane {
    const TraceLane* lane = nullptr;
    std::size_t others = 0;
};

std::map<std::int32_t, StageLane> lanesByStage(const ImportedTrace& trace)
{
    std::map<std::int32_t, StageLane> stages;
    std::int32_t unnamed = 0;
    for (const TraceLane& lane : trace.lanes) {
        if (pipelineOps(lane) == 0) {
            continue;
        }
        const std::int32_t stage = lane.stage >= 0 ? lane.stage : unnamed;
        unnamed = std::max(unnamed, stage + 1);
        StageLane& found = stages[stage];
        if (found.lane == nullptr) {
            found.lane = &lane;
            continue;
        }
        ++found.others;
        found.lane = pipelineOps(lane) > pipelineOps(*found.lane) ? &lane : found.lane;
    }
    return stages;
}

TimelineOp opOf(const TraceSpan& span)
{
    TimelineOp op;
    op.kind = *span.kind;
    op.start = span.start;
    op.end = span.start + span.duration;
    op.microBatch = span.microBatch;
    op.chunk = std::max<std::int16_t>(span.chunk, 0);
    op.partner = span.partner;
    op.partnerChunk = op.kind == OpKind::ForwardBackward ? std::max<std::int16_t>(span.partnerChunk, 0) : -1;
    return op;
}

/// Fills a stage from its lane; how many spans had to be cut, because they reached into the one before.
std::size_t fillStage(StageTimeline& stage, const TraceLane& lane)
{
    std::size_t cut = 0;
    double free = 0;
    for (const TraceSpan& span : lane.spans) {
        if (!span.kind) {
            continue;
        }
        TimelineOp op = opOf(span);
        if (op.start < free) {
            cut += op.start < free - 1e-9 ? 1 : 0; // less is rounding of microseconds
            op.start = free;
            op.end = std::max(op.end, free);
        }
        free = op.end;
        if (isPipelineOp(op.kind)) {
            stage.ops.insert(stage.ops.end(), stage.after.begin(), stage.after.end()); // of an earlier step
            stage.after.clear();
        }
        (isPipelineOp(op.kind) ? stage.ops : stage.after).push_back(op);
    }
    return cut;
}

void sumUp(Timeline& timeline)
{
    int chunks = 1;
    for (StageTimeline& stage : timeline.stages) {
        for (const TimelineOp& op : stage.ops) {
            chunks = std::max({chunks, op.chunk + 1, op.partnerChunk + 1});
            timeline.microBatches = std::max({timeline.microBatches, op.microBatch + 1, op.partner + 1});
            stage.busy += isPipelineOp(op.kind) ? op.end - op.start : 0;
        }
        timeline.makespan = std::max(timeline.makespan, stage.ops.empty() ? 0 : stage.ops.back().end);
        timeline.ideal = std::max(timeline.ideal, stage.busy);
    }
    Placement& placement = timeline.placement;
    placement.stages = static_cast<int>(timeline.stages.size());
    placement.chunks = chunks;
    placement.modelChunks = placement.stages * chunks;
    for (StageTimeline& stage : timeline.stages) {
        stage.idle = timeline.makespan - stage.busy;
    }
}

} // namespace

Result<MeasuredTimeline> measuredTimeline(const ImportedTrace& trace)
{
    MeasuredTimeline measured;
    measured.remarks = trace.ignored;
    const std::map<std::int32_t, StageLane> stages = lanesByStage(trace);
    if (stages.empty()) {
        return Problem{"trace", fmt::format("{} lanes", trace.lanes.size()),
                       "has no span that is a forward or a backward of a micro-batch",
                       "name them, e.g. \"F0\", \"forward 0\" or \"backward_step mb=3\""};
    }
    std::size_t cut = 0;
    std::size_t others = 0;
    for (const auto& [number, found] : stages) {
        StageTimeline stage;
        cut += fillStage(stage, *found.lane);
        others += found.others;
        measured.timeline.stages.push_back(std::move(stage));
    }
    if (stages.rbegin()->first + 1 != static_cast<std::int32_t>(stages.size())) {
        measured.remarks.push_back(fmt::format("stages are named up to {}, but {} have lanes: they count through",
                                               stages.rbegin()->first, stages.size()));
    }
    if (others > 0) {
        measured.remarks.push_back(fmt::format("{} more lanes of the same stages left out", others));
    }
    if (cut > 0) {
        measured.remarks.push_back(fmt::format("{} spans start before the one before has ended: cut", cut));
    }
    sumUp(measured.timeline);
    return measured;
}

namespace {

void addTimeline(TraceComparison& comparison, const Timeline& timeline, bool isMeasured)
{
    const auto of = [isMeasured](auto& figure) -> auto&
    {
        return isMeasured ? figure.measured : figure.predicted;
    };
    of(comparison.makespan) = timeline.makespan;
    of(comparison.bubbleFraction) = timeline.bubbleFraction();
    comparison.stages.resize(std::max(comparison.stages.size(), timeline.stages.size()));
    for (std::size_t i = 0; i < timeline.stages.size(); ++i) {
        const StageTimeline& stage = timeline.stages[i];
        of(comparison.stages[i].busy) = stage.busy;
        of(comparison.stages[i].idle) = stage.idle;
        of(comparison.stages[i].ops) = stage.ops.size();
        for (const std::vector<TimelineOp>* ops : {&stage.ops, &stage.after}) {
            for (const TimelineOp& op : *ops) {
                KindTimes& kind = of(comparison.kinds[static_cast<std::size_t>(op.kind)]);
                ++kind.count;
                kind.seconds += op.end - op.start;
            }
        }
    }
}

} // namespace

TraceComparison compareWithTrace(const Timeline& predicted, const MeasuredTimeline& measured)
{
    TraceComparison comparison;
    comparison.remarks = measured.remarks;
    addTimeline(comparison, predicted, false);
    addTimeline(comparison, measured.timeline, true);
    const auto differ = [&](std::string_view what, std::size_t here, std::size_t there) {
        if (here != there) {
            comparison.remarks.push_back(fmt::format("{} {} predicted, {} measured", here, what, there));
        }
    };
    differ("stages", predicted.stages.size(), measured.timeline.stages.size());
    differ("micro-batches", static_cast<std::size_t>(predicted.microBatches),
           static_cast<std::size_t>(measured.timeline.microBatches));
    return comparison;
}

double relativeError(const PredictedMeasured<double>& figure)
{
    return figure.predicted > 0 ? figure.measured / figure.predicted - 1 : 0;
}

} // namespace partita
