// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pipeline_view.h"

#include "core/training/timeline_with.h"
#include "widgets/labels.h"
#include "widgets/pipeline_steps.h"
#include "widgets/text.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QTimer>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace partita::ui {

namespace {

constexpr double WheelNotch = 120; // eighths of a degree
constexpr int FrameTime = 40; // ms
constexpr std::size_t MostRemembered = 64;

} // namespace

PipelineView::PipelineView(QWidget* parent)
    : ChartView(parent)
    , m_gantt(std::make_shared<GanttChart>())
    , m_clock(new QTimer(this))
{
    setContextMenuPolicy(Qt::DefaultContextMenu);
    m_clock->setInterval(FrameTime);
    connect(m_clock, &QTimer::timeout, this, [this] { advance(FrameTime * 1e-3); });
    buildActions();
    setChart(m_gantt);
}

void PipelineView::setReport(const Report& report)
{
    setTimeline(std::make_shared<const Timeline>(report.timeline), m_gantt->title());
}

void PipelineView::setTimeline(std::shared_ptr<const Timeline> timeline, const QString& title)
{
    m_scenario.reset();
    rebuild(std::move(timeline), title);
}

void PipelineView::setScenario(const Scenario& scenario, std::shared_ptr<const Timeline> timeline, const QString& title)
{
    m_scenario = scenario;
    rebuild(std::move(timeline), title);
}

std::vector<ScheduleKind> PipelineView::comparable() const
{
    std::vector<ScheduleKind> kinds;
    for (const Name<ScheduleKind>& name : Names<ScheduleKind>::table) {
        if (m_scenario && name.value != m_scenario->layout.schedule
            && checkTimelineWith(*m_scenario, name.value).empty()) {
            kinds.push_back(name.value);
        }
    }
    return kinds;
}

void PipelineView::setComparison(std::optional<ScheduleKind> kind)
{
    if (kind == m_compare && !m_showMeasured) {
        return;
    }
    m_compare = kind;
    m_showMeasured = false;
    rebuild(m_gantt->sharedTimeline(), m_gantt->title());
}

void PipelineView::setMeasured(std::shared_ptr<const Timeline> timeline, const QString& name)
{
    m_measured = std::move(timeline);
    m_measuredName = name;
    m_showMeasured = false;
    showMeasured(m_measured != nullptr);
}

void PipelineView::showMeasured(bool show)
{
    if (show != m_showMeasured && m_measured) {
        m_showMeasured = show;
        rebuild(m_gantt->sharedTimeline(), m_gantt->title());
    }
}

namespace {

std::vector<double> statedPeaks(const Timeline& timeline, const Layout& layout)
{
    std::vector<double> peaks;
    const int stages = static_cast<int>(timeline.stages.size());
    for (int stage = 0; stage < stages; ++stage) {
        peaks.push_back(statedActivations(layout.schedule, stages, timeline.microBatches, layout.vpp, stage));
    }
    return peaks;
}

} // namespace

/// New charts for what is to be shown; what was looked at and marked stays as far as it still makes sense.
void PipelineView::rebuild(std::shared_ptr<const Timeline> timeline, const QString& title)
{
    const GanttView old = m_gantt->view;
    const GanttExtent before = m_gantt->extent();
    const bool wasFitted = old == fitted(before);
    const std::optional<double> head = m_gantt->playhead();
    const bool path = m_criticalPath->isChecked();

    m_gantt = std::make_shared<GanttChart>(std::move(timeline), title);
    m_other.reset();
    m_pair.reset();
    m_selectedIn = nullptr;
    if (m_scenario) {
        m_gantt->stated = statedPeaks(m_gantt->timeline(), m_scenario->layout);
    }
    addComparison(title);
    const GanttExtent now = m_gantt->extent();
    for (GanttChart* chart : panes()) {
        showCurves(*chart);
        chart->showCriticalPath(path);
        if (head && before.makespan > 0) {
            chart->setPlayhead(*head / before.makespan * now.makespan);
        }
        if (!wasFitted && before.lanes == now.lanes && before.makespan > 0) {
            const double stretch = now.makespan / before.makespan;
            chart->view = clamped({old.t0 * stretch, old.t1 * stretch, old.firstLane, old.lanes}, now);
        }
    }
    m_before.clear();
    m_drag = Drag::None;
    if (m_pair) {
        setChart(m_pair);
    } else {
        setChart(m_gantt);
    }
    updateActions();
    Q_EMIT comparisonChanged();
    Q_EMIT viewChanged(view());
}

/// The lower chart, when there is one to show.
void PipelineView::addComparison(const QString& title)
{
    if (m_showMeasured) {
        m_other = std::make_shared<GanttChart>(m_measured, title);
        // The trace's file is named by the card: a projector and a chart handed on are no place for it.
        m_pair = std::make_shared<GanttPair>(m_gantt, m_other, tr("predicted"), tr("measured"));
        return;
    }
    if (m_scenario && m_compare && *m_compare != m_scenario->layout.schedule) {
        Result<Timeline> second = timelineWith(*m_scenario, *m_compare);
        if (second) {
            m_other = std::make_shared<GanttChart>(std::make_shared<const Timeline>(*std::move(second)), title);
            m_other->stated = statedPeaks(m_other->timeline(), withSchedule(*m_scenario, *m_compare).layout);
            m_pair = std::make_shared<GanttPair>(m_gantt, m_other, labelText(m_scenario->layout.schedule),
                                                 labelText(*m_compare));
        } else {
            m_gantt->parts.heading =
                tr("%1 cannot run here: %2").arg(labelText(*m_compare), toText(describe(second.problems.front())));
        }
    }
}

std::vector<GanttChart*> PipelineView::panes() const
{
    return m_other ? std::vector<GanttChart*>{m_gantt.get(), m_other.get()} : std::vector<GanttChart*>{m_gantt.get()};
}

GanttChart& PipelineView::pane(const GanttChart* chart) const
{
    return m_other && chart == m_other.get() ? *m_other : *m_gantt;
}

GanttChart& PipelineView::paneAt(const QPointF& point) const
{
    return m_pair && point.y() >= m_pair->areas(chartArea(), textMetrics(theme())).second.top() ? *m_other : *m_gantt;
}

void PipelineView::showCurves(GanttChart& chart) const
{
    chart.curves.clear();
    const auto stages = static_cast<int>(chart.timeline().stages.size());
    for (int stage = 0; stage < stages; ++stage) {
        if (!m_curveStages || std::find(m_curveStages->begin(), m_curveStages->end(), stage) != m_curveStages->end()) {
            chart.curves.push_back(heldActivations(chart.timeline(), stage));
        }
    }
}

void PipelineView::setCurveStages(std::optional<std::vector<int>> stages)
{
    m_curveStages = std::move(stages);
    for (GanttChart* chart : panes()) {
        showCurves(*chart);
    }
    updateActions();
    updateGeometry();
    update();
}

void PipelineView::setPlayhead(std::optional<double> seconds)
{
    for (GanttChart* chart : panes()) {
        chart->setPlayhead(seconds);
    }
    if (!seconds) {
        m_clock->stop();
        refresh();
    } else if (!isPlaying()) {
        setAccessibleDescription(m_gantt->countersText());
    }
    updateActions();
    update();
}

bool PipelineView::isPlaying() const
{
    return m_clock->isActive();
}

void PipelineView::setPlaying(bool playing)
{
    if (!playing || m_gantt->timeline().stages.empty()) {
        m_clock->stop();
    } else {
        const double makespan = m_gantt->extent().makespan;
        const double from = playhead().value_or(view().t0);
        setPlayhead(from >= makespan ? 0 : from);
        m_clock->start();
    }
    updateActions();
}

void PipelineView::advance(double seconds)
{
    const double makespan = m_gantt->extent().makespan;
    const double next = playhead().value_or(view().t0) + seconds / playSeconds * view().span();
    setPlayhead(next);
    if (next > view().t1) {
        lookAt(panned(view(), view().span() * 0.8, m_gantt->extent()));
    } else if (next < view().t0) {
        lookAt(panned(view(), next - view().t0, m_gantt->extent()));
    }
    if (next >= makespan) {
        setPlaying(false);
    }
}

void PipelineView::stepPlayhead(int by)
{
    if (m_gantt->timeline().stages.empty()) {
        return;
    }
    const double now = playhead().value_or(view().t0);
    double to = by > 0 ? m_gantt->extent().makespan : 0;
    for (const GanttChart* chart : panes()) {
        to = by > 0 ? std::min(to, std::max(chart->nextEnd(now), now)) : std::max(to, chart->previousEnd(now));
    }
    // A schedule that has ended stops nobody from stepping through the other.
    if (by > 0 && to <= now) {
        for (const GanttChart* chart : panes()) {
            to = std::max(to, chart->nextEnd(now));
        }
    }
    setPlaying(false);
    setPlayhead(to);
    setAccessibleDescription(m_gantt->countersText());
    if (to < view().t0 || to > view().t1) {
        lookAt(panned(view(), to - (view().t0 + view().t1) / 2, m_gantt->extent()));
    }
}

void PipelineView::lookAt(const GanttView& view)
{
    const GanttView inside = clamped(view, m_gantt->extent());
    if (inside != m_gantt->view) {
        for (GanttChart* chart : panes()) {
            chart->view = inside;
        }
        update();
        Q_EMIT viewChanged(inside);
    }
}

void PipelineView::setView(const GanttView& view)
{
    const GanttView inside = clamped(view, m_gantt->extent());
    if (inside == m_gantt->view) {
        return;
    }
    m_before.push_back(m_gantt->view);
    if (m_before.size() > MostRemembered) {
        m_before.erase(m_before.begin());
    }
    lookAt(inside);
    updateActions();
}

GanttGeometry PipelineView::layOut(const GanttChart& chart) const
{
    const TextMetrics metrics = textMetrics(theme());
    if (!m_pair) {
        return chart.geometry(chartArea(), metrics);
    }
    const auto [above, below] = m_pair->areas(chartArea(), metrics);
    return chart.geometry(&chart == m_gantt.get() ? above : below, metrics);
}

std::optional<OpRef> PipelineView::opAt(const QPointF& point) const
{
    const GanttChart& chart = paneAt(point);
    const GanttGeometry g = layOut(chart);
    const GanttGeometry::Block* block = g.blockAt(point);
    if (block == nullptr) {
        return std::nullopt;
    }
    // Inside a fold the op under the pointer is meant, as far as a pixel can tell.
    const std::size_t at = chart.indexAfter(block->lane, g.timeAt(point.x()));
    return OpRef{block->lane,
                 static_cast<int>(std::clamp(at, block->run.first, block->run.first + block->run.count - 1))};
}

void PipelineView::zoom(double factor, std::optional<double> about)
{
    setView(zoomed(view(), factor, about.value_or((view().t0 + view().t1) / 2), m_gantt->extent()));
}

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

void PipelineView::wheelEvent(QWheelEvent* event)
{
    const QPoint turned = event->angleDelta();
    if (event->modifiers() & Qt::ControlModifier) {
        // Zooming by wheel is one gesture: it is not remembered notch by notch.
        const double factor = std::pow(zoomStep, turned.y() / WheelNotch);
        lookAt(zoomed(view(), factor, layOut(*m_gantt).timeAt(event->position().x()), m_gantt->extent()));
        return event->accept();
    }
    const double sideways = turned.x() != 0 ? turned.x() : event->modifiers() & Qt::ShiftModifier ? turned.y() : 0;
    if (sideways != 0) {
        lookAt(panned(view(), -sideways / WheelNotch * panStep * view().span(), m_gantt->extent()));
        return event->accept();
    }
    m_wheelRest += turned.y();
    const int lanes = static_cast<int>(m_wheelRest / WheelNotch);
    m_wheelRest -= lanes * WheelNotch;
    const GanttView next = scrolled(view(), -lanes, m_gantt->extent());
    if (view().lanes == m_gantt->extent().lanes) {
        return event->ignore(); // nothing to scroll here: the window around may
    }
    lookAt(next);
    event->accept();
}

void PipelineView::mousePressEvent(QMouseEvent* event)
{
    const bool shift = event->modifiers() & Qt::ShiftModifier;
    const bool left = event->button() == Qt::LeftButton;
    m_drag = event->button() == Qt::MiddleButton || (left && shift) ? Drag::Pan : left ? Drag::Measure : Drag::None;
    if (m_drag == Drag::None) {
        return ChartView::mousePressEvent(event);
    }
    m_pressed = event->position();
    m_viewAtPress = view();
    m_rangeAtPress = m_gantt->marks.range;
    m_moved = false;
}

void PipelineView::mouseMoveEvent(QMouseEvent* event)
{
    if (m_drag == Drag::None || event->buttons() == Qt::NoButton) {
        m_drag = Drag::None;
        return hover(paneAt(event->position()), opAt(event->position()));
    }
    const QPointF moved = event->position() - m_pressed;
    m_moved = m_moved || moved.manhattanLength() >= QApplication::startDragDistance();
    if (!m_moved) {
        return;
    }
    const GanttGeometry g = layOut(*m_gantt);
    if (m_drag == Drag::Measure) {
        return measure(g.timeAt(m_pressed.x()), g.timeAt(event->position().x()));
    }
    const double perPixel = m_viewAtPress.span() / std::max(1.0, g.lanes.width());
    const int lanes = static_cast<int>(std::lround(moved.y() / std::max(1.0, g.pitch)));
    lookAt(scrolled(panned(m_viewAtPress, -moved.x() * perPixel, m_gantt->extent()), -lanes, m_gantt->extent()));
}

void PipelineView::mouseReleaseEvent(QMouseEvent* event)
{
    if (m_drag == Drag::Measure && !m_moved) {
        clearMarks();
        if (const auto at = opAt(event->position())) {
            select(paneAt(event->position()), *at);
        }
    }
    if (m_drag == Drag::Pan && view() != m_viewAtPress) {
        m_before.push_back(m_viewAtPress);
        updateActions();
    }
    m_drag = Drag::None;
}

void PipelineView::mouseDoubleClickEvent(QMouseEvent* event)
{
    const double time = layOut(*m_gantt).timeAt(event->position().x());
    const auto range = m_rangeAtPress;
    clearMarks();
    if (range && time >= range->first && time <= range->second) {
        GanttView target = view();
        std::tie(target.t0, target.t1) = *range;
        setView(target);
    } else {
        zoom(zoomStep * zoomStep, time);
    }
    m_drag = Drag::None;
}

void PipelineView::leaveEvent(QEvent* event)
{
    ChartView::leaveEvent(event);
    hover(*m_gantt, std::nullopt);
}

} // namespace partita::ui
