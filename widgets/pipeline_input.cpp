// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pipeline_view.h"

#include "widgets/pipeline_steps.h"

#include <QApplication>
#include <QMouseEvent>
#include <QWheelEvent>

#include <cmath>
#include <tuple>

namespace partita::ui {

namespace {

constexpr double WheelNotch = 120; // eighths of a degree

} // namespace

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
        activate(event->position());
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
