// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/explainer.h"
#include "widgets/figures.h"
#include "widgets/gantt_chart.h"
#include "widgets/labels.h"
#include "widgets/op_letter.h"
#include "widgets/text.h"

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
    if (!isPipelineOp(one.kind)) {
        return tr("%1 on stage %2").arg(labelText(one.kind)).arg(ref.stage);
    }
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
    QString text = opShortText(ref);
    if (isPipelineOp(one.kind)) {
        text += QStringLiteral(": ") + labelText(one.kind);
        text += one.microBatch >= 0 ? tr(", micro-batch %1").arg(one.microBatch) : QString();
    }
    if (m_chunks > 1 && one.chunk >= 0) {
        text += tr(", chunk %1").arg(one.chunk);
    }
    if (one.kind == OpKind::ForwardBackward) {
        text += tr("; backward of micro-batch %1, chunk %2").arg(one.partner).arg(one.partnerChunk);
    }
    text += u'\n' + tr("starts at %1, takes %2").arg(timeText(one.start), timeText(one.end - one.start));
    if (const QString exposed = exchangeText(m_timeline->exposedIn(ref.stage, one)); !exposed.isEmpty()) {
        text += u'\n' + tr("of which exposed exchange: %1").arg(exposed);
    }
    const IdleReason why = m_graph ? m_graph->whyIdle(ref) : IdleReason{};
    if (why.idle > m_timeline->makespan * 1e-9) {
        const QString waits =
            isPipelineOp(one.kind) ? tr("bubble of %1 before it: %2") : tr("idle for %1 before it: %2");
        text += u'\n' + waits.arg(timeText(why.idle), waitText(why));
    } else if (m_graph) {
        text += u'\n' + tr("waited for nothing");
    }
    return text;
}

QString GanttChart::bubbleText(int lane, double time) const
{
    const StageTimeline& stage = m_timeline->stages[static_cast<std::size_t>(lane)];
    const auto next = static_cast<int>(indexAfter(lane, time));
    if (time >= m_timeline->end()) {
        return tr("the step has ended");
    }
    const double before = next > 0 ? op({lane, next - 1}).end : 0;
    if (static_cast<std::size_t>(next) == opCount(stage)) {
        return tr("stage %1: idle %2: its work is done, other stages still compute")
            .arg(lane)
            .arg(timeText(m_timeline->end() - before));
    }
    const QString text = tr("stage %1: idle %2").arg(lane).arg(timeText(op({lane, next}).start - before));
    return m_graph ? tr("%1: %2").arg(text, waitText(m_graph->whyIdle({lane, next}))) : text;
}

QString GanttChart::exchangeText(const ExposedExchange& exposed) const
{
    QStringList texts;
    for (const ExchangeGroup group : m_groups) {
        if (exposed[group] > 0) {
            texts << tr("%1 %2").arg(labelText(group), timeText(exposed[group]));
        }
    }
    return texts.join(QStringLiteral(", "));
}

QString GanttChart::curvesText(double time) const
{
    QStringList lines{tr("at %1").arg(timeText(time))};
    for (const StepCurve& curve : curves) {
        const auto after = std::partition_point(curve.points.begin(), curve.points.end(),
                                                [time](const QPointF& point) { return point.x() <= time; });
        const double value = after == curve.points.begin() ? 0 : (after - 1)->y();
        lines << tr("stage %1 holds %2 micro-batches").arg(QString::number(curve.stage), significant(value));
    }
    constexpr qsizetype most = 12; // a tip as tall as the window helps nobody
    if (lines.size() > most) {
        lines = lines.first(most);
        lines << QString(QChar(0x2026));
    }
    return lines.join(u'\n');
}

QString GanttChart::textAt(const QPointF& point, const QRectF& area, const Theme& theme) const
{
    const GanttGeometry g = geometry(area, textMetrics(theme));
    if (!g.legend.empty() && g.legend.back().category == LegendRest && g.legend.back().label.rect.contains(point)) {
        return legendRestAt(point, g.legend, legendNames(foldsAt(g)));
    }
    if (g.strip.contains(point)) {
        return curvesText(g.timeAt(point.x()));
    }
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

QString GanttChart::valueOf(OpRef ref) const
{
    return toText(operationPath(static_cast<std::size_t>(ref.stage), op(ref)));
}

QString GanttChart::idleBefore(OpRef ref) const
{
    const double before = ref.index > 0 ? op({ref.stage, ref.index - 1}).end : 0;
    return op(ref).start - before > m_timeline->makespan * 1e-9
        ? toText(idlePath(*m_timeline, static_cast<std::size_t>(ref.stage), static_cast<std::size_t>(ref.index)))
        : QString();
}

QString GanttChart::valueAt(const QPointF& point, const QRectF& area, const Theme& theme) const
{
    const GanttGeometry g = geometry(area, textMetrics(theme));
    if (g.strip.contains(point)) {
        return curves.empty() ? QString() : QStringLiteral("stages[%1].in_flight").arg(curves.front().stage);
    }
    const int lane = point.y() >= g.lanes.top() && point.y() <= g.lanes.bottom() ? g.laneAt(point.y()) : -1;
    if (lane < 0 || lane >= extent().lanes || point.x() > g.lanes.right()) {
        return {};
    }
    const auto stage = static_cast<std::size_t>(lane);
    if (point.x() < g.lanes.left()) {
        return toText(busyPath(stage));
    }
    const GanttGeometry::Block* block = g.blockAt(point);
    if (block == nullptr) {
        return toText(idlePath(*m_timeline, stage, indexAfter(lane, g.timeAt(point.x()))));
    }
    return block->run.count == 1
        ? valueOf({lane, static_cast<int>(block->run.first)})
        : toText(operationsPath(stage, block->run.first, block->run.first + block->run.count - 1));
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
    return tr("%1 for %2, idle %3 of the time")
        .arg(stages == 1 ? tr("1 pipeline stage") : tr("%1 pipeline stages").arg(countText(stages)),
             timeText(m_timeline->makespan), percentText(idle));
}

ChartTable GanttChart::table() const
{
    ChartTable table;
    table.header << tr("stage") << tr("operation") << tr("micro-batch") << tr("chunk") << tr("partner micro-batch")
                 << tr("start (s)") << tr("end (s)") << tr("wait for the wire (s)");
    for (const ExchangeGroup group : m_groups) {
        table.header << tr("%1 exposed (s)").arg(labelText(group));
    }
    const GanttView shown = clamped(view, extent());
    for (int lane = shown.firstLane; lane < std::min(shown.firstLane + shown.lanes, extent().lanes); ++lane) {
        const std::size_t count = opCount(m_timeline->stages[static_cast<std::size_t>(lane)]);
        for (std::size_t i = indexAfter(lane, shown.t0); i < count; ++i) {
            const TimelineOp& one = op({lane, static_cast<int>(i)});
            if (one.start >= shown.t1) {
                break;
            }
            const auto known = [](int number) { return number >= 0 ? QString::number(number) : QString(); };
            const bool pair = one.kind == OpKind::ForwardBackward;
            QStringList row{QString::number(lane),
                            labelText(one.kind),
                            known(one.microBatch),
                            known(one.chunk),
                            pair ? known(one.partner) : QString(),
                            exactNumber(one.start),
                            exactNumber(one.end),
                            exactNumber(one.transferWait)};
            const ExposedExchange exposed = m_timeline->exposedIn(lane, one);
            for (const ExchangeGroup group : m_groups) {
                row << exactNumber(exposed[group]);
            }
            table.rows.push_back(std::move(row));
        }
    }
    return table;
}

} // namespace partita::ui
