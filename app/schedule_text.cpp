// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/schedule_text.h"

#include "core/base/format.h"
#include "core/formats/timeline_json.h"
#include "core/pipeline/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace partita {

namespace {

constexpr int labelColumns = 4;
constexpr int mostGanttStages = 32;
constexpr char idleMark = '.';

/// One letter an op kind where opText has no room.
char letterOf(OpKind kind)
{
    return kind == OpKind::ForwardBackward ? 'X' : opText(kind, 0, 0, -1, -1).front();
}

double shortestOp(const Timeline& timeline)
{
    double shortest = std::numeric_limits<double>::infinity();
    for (const StageTimeline& stage : timeline.stages) {
        for (const TimelineOp& op : stage.ops) {
            if (op.end > op.start) {
                shortest = std::min(shortest, op.end - op.start);
            }
        }
    }
    return shortest;
}

/// Columns a unit of time gets: whole ones for the shortest op, so that equal ops look equal. 0 when nothing fits.
double columnsPerTime(const Timeline& timeline)
{
    const double shortest = shortestOp(timeline);
    if (timeline.makespan <= 0 || timeline.stages.size() > mostGanttStages || !std::isfinite(shortest)) {
        return 0;
    }
    constexpr double mostPerOp = 6; // wider says no more
    return std::min(mostPerOp, std::floor((ganttColumns - labelColumns) * shortest / timeline.makespan)) / shortest;
}

/// From where to where an op reaches.
struct Columns {
    std::size_t begin = 0;
    std::size_t count = 0;
};

Columns columnsOf(const TimelineOp& op, double scale)
{
    const auto column = [scale](double time) { return static_cast<std::size_t>(std::llround(time * scale)); };
    return {column(op.start), column(op.end) - column(op.start)};
}

/// Some names beside single letters would look like ops of their own.
bool allNamesFit(const Timeline& timeline, double scale)
{
    return std::all_of(timeline.stages.begin(), timeline.stages.end(), [&](const StageTimeline& stage) {
        return std::all_of(stage.ops.begin(), stage.ops.end(), [&](const TimelineOp& op) {
            return op.end <= op.start || opText(op).size() <= columnsOf(op, scale).count;
        });
    });
}

} // namespace

std::string ganttText(const Timeline& timeline)
{
    const double scale = columnsPerTime(timeline);
    if (scale <= 0) {
        return {};
    }
    const bool named = allNamesFit(timeline, scale);
    std::string text;
    for (std::size_t i = 0; i < timeline.stages.size(); ++i) {
        std::string row(static_cast<std::size_t>(std::llround(timeline.makespan * scale)), idleMark);
        for (const TimelineOp& op : timeline.stages[i].ops) {
            const Columns columns = columnsOf(op, scale);
            std::string cell = named ? opText(op) : std::string(1, letterOf(op.kind));
            cell.resize(columns.count, '-');
            row.replace(columns.begin, columns.count, cell);
        }
        text += fmt::format("{:<{}}{}\n", i, labelColumns, row);
    }
    return text;
}

std::string scheduleText(const Timeline& timeline, ScheduleKind kind, std::string (*formatTime)(double))
{
    const Placement& placement = timeline.placement;
    const ScheduleFacts facts = describe(kind);
    std::string text =
        fmt::format("{}: stages {}, micro-batches {}, chunks per stage {}\n\n", labelOf(kind), placement.stages,
                    timeline.microBatches, placement.chunks / placement.weightCopies());
    text += fmt::format("makespan    {}\n", formatTime(timeline.makespan));
    text += fmt::format("ideal       {}, what the busiest stage computes\n", formatTime(timeline.ideal));
    text += fmt::format("bubble      {} = {}\n", formatPercent(timeline.bubbleFraction()), bubbleDefinition);
    text += fmt::format("memory      {}\n", facts.memory);
    text += fmt::format("transfers   {}\n\n", facts.transfers);
    text +=
        fmt::format("{:>5}{:>14}{:>14}{:>20}{:>16}\n", "stage", "busy", "idle", "peak activations", "weight copies");
    for (std::size_t i = 0; i < timeline.stages.size(); ++i) {
        const StageTimeline& stage = timeline.stages[i];
        text += fmt::format("{:>5}{:>14}{:>14}{:>20}{:>16}\n", i, formatTime(stage.busy), formatTime(stage.idle),
                            formatSignificant(stage.peakActivations), stage.weightCopies);
    }
    text += "peak activations count micro-batches of a whole stage\n";
    if (const std::string gantt = ganttText(timeline); !gantt.empty()) {
        text +=
            fmt::format("\n{}F forward, B backward, I input gradient, W weight gradient, X or F|B a pair, {} idle\n",
                        gantt, idleMark);
    }
    return text;
}

} // namespace partita
