// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pipeline_view.h"

#include "core/explain/explainer.h"
#include "widgets/text.h"

#include <QCursor>

#include <algorithm>

namespace partita::ui {

void PipelineView::measure(double from, double to)
{
    const double makespan = m_gantt->extent().makespan;
    const auto [low, high] = std::minmax(std::clamp(from, 0.0, makespan), std::clamp(to, 0.0, makespan));
    for (GanttChart* chart : panes()) {
        chart->marks.range = std::pair{low, high};
    }
    setAccessibleDescription(m_gantt->rangeText(low, high));
    updateActions();
    update();
    Q_EMIT rangeMeasured(low, high);
}

void PipelineView::clearMarks()
{
    const bool measured = m_gantt->marks.range.has_value();
    const bool selected = m_selectedIn != nullptr;
    for (GanttChart* chart : panes()) {
        chart->marks = {};
    }
    m_selectedIn = nullptr;
    refresh();
    updateActions();
    if (measured) {
        Q_EMIT rangeMeasured(0, 0);
    }
    if (selected) {
        Q_EMIT opSelected(-1, -1);
    }
}

void PipelineView::hover(GanttChart& over, std::optional<OpRef> at)
{
    if (at == over.marks.hovered) {
        return;
    }
    for (GanttChart* chart : panes()) {
        chart->marks.hovered.reset();
    }
    over.marks.hovered = at;
    update();
    Q_EMIT opHovered(at ? at->stage : -1, at ? at->index : -1);
}

void PipelineView::select(GanttChart& chart, OpRef ref)
{
    for (GanttChart* other : panes()) {
        other->marks.op.reset();
    }
    chart.marks.op = ref;
    m_selectedIn = &chart;
    setAccessibleDescription(chart.opText(ref));
    updateActions();
    update();
    Q_EMIT opSelected(ref.stage, ref.index);
}

/// What was measured is nobody's derivation.
void PipelineView::explain(const GanttChart& chart, const QString& path)
{
    if (path.isEmpty() || (&chart == m_other.get() && m_showMeasured)) {
        return;
    }
    if (&chart == m_gantt.get()) {
        Q_EMIT valueActivated(path);
    } else {
        Q_EMIT otherValueActivated(path);
    }
}

void PipelineView::activate(const QPointF& at)
{
    const GanttChart& chart = paneAt(at);
    const auto areas = m_pair ? m_pair->areas(chartArea(), textMetrics(theme())) : std::pair{chartArea(), QRectF()};
    Q_EMIT activated(at);
    explain(chart, chart.valueAt(at, &chart == m_gantt.get() ? areas.first : areas.second, theme()));
}

/// The selected one; without, what lies under the mouse.
void PipelineView::explainOp()
{
    const GanttChart& chart = pane(m_selectedIn);
    if (chart.marks.op) {
        return explain(chart, chart.valueOf(*chart.marks.op));
    }
    activate(mapFromGlobal(QPointF(QCursor::pos())));
}

void PipelineView::explainIdle()
{
    const GanttChart& chart = pane(m_selectedIn);
    if (chart.marks.op) {
        explain(chart, chart.idleBefore(*chart.marks.op));
    }
}

void PipelineView::explainStage()
{
    explain(pane(m_selectedIn), toText(busyPath(static_cast<std::size_t>(stageInMind()))));
}

/// Brings an op into view.
void PipelineView::reveal(const GanttChart& chart, OpRef ref)
{
    const TimelineOp& op = chart.op(ref);
    GanttView target = view();
    if (op.start < target.t0 || op.end > target.t1) {
        target = panned(target, (op.start + op.end) / 2 - (target.t0 + target.t1) / 2, chart.extent());
    }
    if (ref.stage < target.firstLane || ref.stage >= target.firstLane + target.lanes) {
        target.firstLane = ref.stage - target.lanes / 2;
    }
    lookAt(target);
}

/// The op before or after the selected one on its stage; the first one in view when none is.
void PipelineView::step(int by)
{
    GanttChart& chart = pane(m_selectedIn);
    if (chart.timeline().stages.empty()) {
        return;
    }
    const bool fresh = !chart.marks.op;
    OpRef ref = chart.marks.op.value_or(OpRef{view().firstLane, 0});
    const auto last = static_cast<int>(opCount(chart.timeline().stages[static_cast<std::size_t>(ref.stage)])) - 1;
    if (last < 0) {
        return;
    }
    ref.index = std::clamp(fresh ? static_cast<int>(chart.indexAfter(ref.stage, view().t0)) : ref.index + by, 0, last);
    reveal(chart, ref);
    select(chart, ref);
}

/// The op at the same time on a neighbouring stage; without a selection the lanes scroll.
void PipelineView::stepLane(int by)
{
    GanttChart& chart = pane(m_selectedIn);
    if (!chart.marks.op) {
        return lookAt(scrolled(view(), by, m_gantt->extent()));
    }
    const auto& stages = chart.timeline().stages;
    const OpRef from = *chart.marks.op;
    const TimelineOp& op = chart.op(from);
    const int lane = std::clamp(from.stage + by, 0, static_cast<int>(stages.size()) - 1);
    const std::size_t count = opCount(stages[static_cast<std::size_t>(lane)]);
    if (lane == from.stage || count == 0) {
        return;
    }
    const std::size_t at = std::min(chart.indexAfter(lane, (op.start + op.end) / 2), count - 1);
    const OpRef ref{lane, static_cast<int>(at)};
    reveal(chart, ref);
    select(chart, ref);
}

} // namespace partita::ui
