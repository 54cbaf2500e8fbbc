// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pipeline_view.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace partita::ui {

namespace {

constexpr double ZoomStep = 1.25;
constexpr double PanStep = 0.15; // of the time in view
constexpr double WheelNotch = 120; // eighths of a degree
constexpr std::size_t MostRemembered = 64;

} // namespace

PipelineView::PipelineView(QWidget* parent)
    : ChartView(parent)
    , m_gantt(std::make_shared<GanttChart>())
{
    setChart(m_gantt);
}

void PipelineView::setReport(const Report& report)
{
    setTimeline(std::make_shared<const Timeline>(report.timeline), m_gantt->title());
}

void PipelineView::setTimeline(std::shared_ptr<const Timeline> timeline, const QString& title)
{
    const GanttView old = m_gantt->view;
    const GanttExtent before = m_gantt->extent();
    const bool wasFitted = old == fitted(before);
    m_gantt = std::make_shared<GanttChart>(std::move(timeline), title);
    m_gantt->curve = heldActivations(m_gantt->timeline(), m_curveStage);
    const GanttExtent now = m_gantt->extent();
    if (!wasFitted && before.lanes == now.lanes && before.makespan > 0) {
        const double stretch = now.makespan / before.makespan;
        m_gantt->view = clamped({old.t0 * stretch, old.t1 * stretch, old.firstLane, old.lanes}, now);
    }
    m_before.clear();
    m_drag = Drag::None;
    setChart(m_gantt);
    Q_EMIT viewChanged(view());
}

void PipelineView::setCurveStage(int stage)
{
    m_curveStage = stage;
    m_gantt->curve = heldActivations(m_gantt->timeline(), stage);
    updateGeometry();
    update();
}

void PipelineView::setPlayhead(std::optional<double> seconds)
{
    m_gantt->marks.playhead = seconds;
    update();
}

void PipelineView::lookAt(const GanttView& view)
{
    const GanttView inside = clamped(view, m_gantt->extent());
    if (inside != m_gantt->view) {
        m_gantt->view = inside;
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
}

GanttGeometry PipelineView::layOut() const
{
    return m_gantt->geometry(chartArea(), textMetrics(theme()));
}

std::optional<OpRef> PipelineView::opAt(const QPointF& point) const
{
    const GanttGeometry g = layOut();
    const GanttGeometry::Block* block = g.blockAt(point);
    if (block == nullptr) {
        return std::nullopt;
    }
    // Inside a fold the op under the pointer is meant, as far as a pixel can tell.
    const auto& ops = m_gantt->timeline().stages[static_cast<std::size_t>(block->lane)].ops;
    const std::size_t at = firstOpAfter(ops, g.timeAt(point.x()));
    return OpRef{block->lane,
                 static_cast<int>(std::clamp(at, block->run.first, block->run.first + block->run.count - 1))};
}

void PipelineView::zoom(double factor, std::optional<double> about)
{
    setView(zoomed(view(), factor, about.value_or((view().t0 + view().t1) / 2), m_gantt->extent()));
}

void PipelineView::fit()
{
    setView(fitted(m_gantt->extent()));
}

void PipelineView::back()
{
    if (!m_before.empty()) {
        const GanttView last = m_before.back();
        m_before.pop_back();
        lookAt(last);
    }
}

void PipelineView::zoomToRange()
{
    if (m_gantt->marks.range) {
        GanttView target = view();
        std::tie(target.t0, target.t1) = *m_gantt->marks.range;
        clearMarks();
        setView(target);
    }
}

void PipelineView::measure(double from, double to)
{
    const double makespan = m_gantt->extent().makespan;
    const auto [low, high] = std::minmax(std::clamp(from, 0.0, makespan), std::clamp(to, 0.0, makespan));
    m_gantt->marks.range = std::pair{low, high};
    setAccessibleDescription(m_gantt->rangeText(low, high));
    update();
    Q_EMIT rangeMeasured(low, high);
}

void PipelineView::clearMarks()
{
    const bool measured = m_gantt->marks.range.has_value();
    m_gantt->marks.range.reset();
    m_gantt->marks.op.reset();
    refresh();
    if (measured) {
        Q_EMIT rangeMeasured(0, 0);
    }
}

void PipelineView::hover(std::optional<OpRef> at)
{
    if (at == m_gantt->marks.op) {
        return;
    }
    m_gantt->marks.op = at;
    update();
    Q_EMIT opHovered(at ? at->stage : -1, at ? at->index : -1);
}

/// The op before or after the marked one on its stage, brought into view.
void PipelineView::step(int by)
{
    const Timeline& timeline = m_gantt->timeline();
    if (timeline.stages.empty()) {
        return;
    }
    const bool fresh = !m_gantt->marks.op;
    OpRef ref = m_gantt->marks.op.value_or(OpRef{view().firstLane, 0});
    const auto& ops = timeline.stages[static_cast<std::size_t>(ref.stage)].ops;
    if (ops.empty()) {
        return;
    }
    const int last = static_cast<int>(ops.size()) - 1;
    ref.index = std::clamp(fresh ? static_cast<int>(firstOpAfter(ops, view().t0)) : ref.index + by, 0, last);
    m_gantt->marks.op = ref;
    const TimelineOp& op = ops[static_cast<std::size_t>(ref.index)];
    if (op.start < view().t0 || op.end > view().t1) {
        lookAt(panned(view(), (op.start + op.end) / 2 - (view().t0 + view().t1) / 2, m_gantt->extent()));
    }
    setAccessibleDescription(m_gantt->opText(ref));
    update();
    Q_EMIT opSelected(ref.stage, ref.index);
}

void PipelineView::wheelEvent(QWheelEvent* event)
{
    const QPoint turned = event->angleDelta();
    if (event->modifiers() & Qt::ControlModifier) {
        // Zooming by wheel is one gesture: it is not remembered notch by notch.
        const double factor = std::pow(ZoomStep, turned.y() / WheelNotch);
        lookAt(zoomed(view(), factor, layOut().timeAt(event->position().x()), m_gantt->extent()));
        return event->accept();
    }
    const double sideways = turned.x() != 0 ? turned.x() : event->modifiers() & Qt::ShiftModifier ? turned.y() : 0;
    if (sideways != 0) {
        lookAt(panned(view(), -sideways / WheelNotch * PanStep * view().span(), m_gantt->extent()));
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
    m_moved = false;
}

void PipelineView::mouseMoveEvent(QMouseEvent* event)
{
    if (m_drag == Drag::None || event->buttons() == Qt::NoButton) {
        m_drag = Drag::None;
        return hover(opAt(event->position()));
    }
    const QPointF moved = event->position() - m_pressed;
    m_moved = m_moved || moved.manhattanLength() >= QApplication::startDragDistance();
    if (!m_moved) {
        return;
    }
    const GanttGeometry g = layOut();
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
            m_gantt->marks.op = at;
            setAccessibleDescription(m_gantt->opText(*at));
            Q_EMIT opSelected(at->stage, at->index);
        }
    }
    if (m_drag == Drag::Pan && view() != m_viewAtPress) {
        m_before.push_back(m_viewAtPress);
    }
    m_drag = Drag::None;
}

void PipelineView::mouseDoubleClickEvent(QMouseEvent* event)
{
    const double time = layOut().timeAt(event->position().x());
    const auto& range = m_gantt->marks.range;
    if (range && time >= range->first && time <= range->second) {
        zoomToRange();
    } else {
        zoom(ZoomStep * ZoomStep, time);
    }
    m_drag = Drag::None;
}

void PipelineView::leaveEvent(QEvent* event)
{
    ChartView::leaveEvent(event);
    hover(std::nullopt);
}

bool PipelineView::handleKey(int key)
{
    const GanttExtent extent = m_gantt->extent();
    switch (key) {
    case Qt::Key_W:
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoom(ZoomStep);
        return true;
    case Qt::Key_S:
    case Qt::Key_Minus:
        zoom(1 / ZoomStep);
        return true;
    case Qt::Key_A:
    case Qt::Key_Left:
        lookAt(panned(view(), -PanStep * view().span(), extent));
        return true;
    case Qt::Key_D:
    case Qt::Key_Right:
        lookAt(panned(view(), PanStep * view().span(), extent));
        return true;
    case Qt::Key_Up:
        lookAt(scrolled(view(), -1, extent));
        return true;
    case Qt::Key_Down:
        lookAt(scrolled(view(), 1, extent));
        return true;
    case Qt::Key_F:
        m_gantt->marks.range ? zoomToRange() : fit();
        return true;
    case Qt::Key_0:
    case Qt::Key_Home:
        fit();
        return true;
    case Qt::Key_Backspace:
        back();
        return true;
    case Qt::Key_Period:
        step(1);
        return true;
    case Qt::Key_Comma:
        step(-1);
        return true;
    default:
        return false;
    }
}

void PipelineView::keyPressEvent(QKeyEvent* event)
{
    const int key = event->key();
    const bool control = event->modifiers() & Qt::ControlModifier;
    const bool enter = key == Qt::Key_Return || key == Qt::Key_Enter;
    const bool marked = m_gantt->marks.range || m_gantt->marks.op;
    if (control && (key == Qt::Key_Up || key == Qt::Key_Down)) { // fewer or more lanes
        GanttView target = view();
        target.lanes = key == Qt::Key_Up ? (target.lanes + 1) / 2 : target.lanes * 2;
        return setView(target);
    }
    if (enter && m_gantt->marks.range) {
        return zoomToRange();
    }
    if (key == Qt::Key_Escape && marked) {
        return clearMarks();
    }
    if (control || !handleKey(key)) {
        ChartView::keyPressEvent(event);
    }
}

} // namespace partita::ui
