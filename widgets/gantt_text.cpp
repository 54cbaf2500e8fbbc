// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures.h"
#include "widgets/gantt_chart.h"
#include "widgets/labels.h"
#include "widgets/op_letter.h"

#include <algorithm>

namespace partita::ui {

QString GanttChart::rangeText(double t0, double t1) const
{
    const GanttView shown = clamped(view, extent());
    LaneShare all;
    for (int lane = shown.firstLane; lane < std::min(shown.firstLane + shown.lanes, extent().lanes); ++lane) {
        all += share(lane, t0, t1);
    }
    const double total = all.busyTotal() + all.idle;
    QStringList kinds;
    for (const OpKind kind : m_kinds) {
        if (const std::size_t count = all.counts[static_cast<std::size_t>(kind)]; count > 0) {
            kinds << tr("%1 %2").arg(opLetter(kind)).arg(countText(static_cast<double>(count)));
        }
    }
    return tr("Δt %1 · busy %2 · idle %3 · %4 operations: %5")
        .arg(timeText(t1 - t0), percentText(total > 0 ? all.busyTotal() / total : 0),
             percentText(total > 0 ? all.idle / total : 0), countText(static_cast<double>(all.ops)),
             kinds.isEmpty() ? tr("none") : kinds.join(QStringLiteral(", ")));
}

QString GanttChart::countersText() const
{
    if (!m_playhead) {
        return {};
    }
    return tr("at %1 · bubble so far %2").arg(timeText(*m_playhead), percentText(bubbleUntil(*m_playhead)));
}

QString GanttChart::opShortText(OpRef ref) const
{
    const TimelineOp& one = op(ref);
    const QString numbers = one.kind == OpKind::ForwardBackward
        ? tr("F%1 beside B%2").arg(one.microBatch).arg(one.partner)
        : opLetter(one.kind) + QString::number(one.microBatch);
    return tr("%1 on stage %2").arg(numbers).arg(ref.stage);
}

QString GanttChart::waitText(const IdleReason& why) const
{
    const QString cause =
        why.waitedFor ? tr("waits for %1").arg(opShortText(why.waitedFor)) : tr("waits while it sends its own result");
    return why.waitedFor && why.transfer > 0 ? tr("%1, of which %2 on the wire").arg(cause, timeText(why.transfer))
                                             : cause;
}

QString GanttChart::opText(OpRef ref) const
{
    const TimelineOp& one = op(ref);
    QString text =
        opShortText(ref) + QStringLiteral(": ") + labelText(one.kind) + tr(", micro-batch %1").arg(one.microBatch);
    if (m_chunks > 1) {
        text += tr(", chunk %1").arg(one.chunk);
    }
    if (one.kind == OpKind::ForwardBackward) {
        text += tr("; backward of micro-batch %1, chunk %2").arg(one.partner).arg(one.partnerChunk);
    }
    text += u'\n' + tr("starts at %1, takes %2").arg(timeText(one.start), timeText(one.end - one.start));
    const IdleReason why = m_graph ? m_graph->whyIdle(ref) : IdleReason{};
    if (why.idle > m_timeline->makespan * 1e-9) {
        text += u'\n' + tr("bubble of %1 before it: %2").arg(timeText(why.idle), waitText(why));
    } else if (m_graph) {
        text += u'\n' + tr("waited for nothing");
    }
    return text;
}

QString GanttChart::bubbleText(int lane, double time) const
{
    const std::vector<TimelineOp>& ops = m_timeline->stages[static_cast<std::size_t>(lane)].ops;
    const std::size_t next = firstOpAfter(ops, time);
    if (time >= m_timeline->makespan) {
        return tr("the step has ended");
    }
    if (next == ops.size()) {
        const double left = m_timeline->makespan - (ops.empty() ? 0 : ops.back().end);
        return tr("stage %1: idle %2: its work is done, other stages still compute").arg(lane).arg(timeText(left));
    }
    const double before = next > 0 ? ops[next - 1].end : 0;
    const QString text = tr("stage %1: idle %2").arg(lane).arg(timeText(ops[next].start - before));
    return m_graph ? tr("%1: %2").arg(text, waitText(m_graph->whyIdle({lane, static_cast<int>(next)}))) : text;
}

QString GanttChart::textAt(const QPointF& point, const QRectF& area, const Theme& theme) const
{
    const GanttGeometry g = geometry(area, textMetrics(theme));
    const int lane = g.lanes.contains(point) ? g.laneAt(point.y()) : -1;
    if (lane < 0) {
        return {};
    }
    const GanttGeometry::Block* block = g.blockAt(point);
    if (block == nullptr) {
        return bubbleText(lane, g.timeAt(point.x()));
    }
    if (block->run.count == 1) {
        return opText({lane, static_cast<int>(block->run.first)});
    }
    const LaneShare part = share(lane, block->run.start, block->run.end);
    QString text = tr("stage %1: %2 operations in %3")
                       .arg(QString::number(lane), countText(static_cast<double>(block->run.count)),
                            timeText(block->run.end - block->run.start));
    for (const OpKind kind : m_kinds) {
        const double seconds = part.busy[static_cast<std::size_t>(kind)];
        if (seconds > 0) {
            text += u'\n' + tr("%1: %2").arg(labelText(kind), timeText(seconds));
        }
    }
    return text + u'\n' + tr("idle: %1").arg(timeText(part.idle));
}

QString GanttChart::description() const
{
    if (m_timeline->stages.empty()) {
        return tr("No pipeline to show");
    }
    double busy = 0;
    for (const StageTimeline& stage : m_timeline->stages) {
        busy += stage.busy;
    }
    const double stages = static_cast<double>(m_timeline->stages.size());
    const double idle = m_timeline->makespan > 0 ? 1 - busy / (stages * m_timeline->makespan) : 0;
    return tr("%1 pipeline stages for %2, idle %3 of the time")
        .arg(countText(stages), timeText(m_timeline->makespan), percentText(idle));
}

ChartTable GanttChart::table() const
{
    ChartTable table;
    table.header << tr("stage") << tr("operation") << tr("micro-batch") << tr("chunk") << tr("partner micro-batch")
                 << tr("start (s)") << tr("end (s)") << tr("wait for the wire (s)");
    const GanttView shown = clamped(view, extent());
    for (int lane = shown.firstLane; lane < std::min(shown.firstLane + shown.lanes, extent().lanes); ++lane) {
        const std::vector<TimelineOp>& ops = m_timeline->stages[static_cast<std::size_t>(lane)].ops;
        for (std::size_t i = firstOpAfter(ops, shown.t0); i < ops.size() && ops[i].start < shown.t1; ++i) {
            const bool pair = ops[i].kind == OpKind::ForwardBackward;
            table.rows.push_back({QString::number(lane), labelText(ops[i].kind), QString::number(ops[i].microBatch),
                                  QString::number(ops[i].chunk), pair ? QString::number(ops[i].partner) : QString(),
                                  exactNumber(ops[i].start), exactNumber(ops[i].end),
                                  exactNumber(ops[i].transferWait)});
        }
    }
    return table;
}

} // namespace partita::ui
