// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pareto_view.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>

#include <algorithm>

namespace partita::ui {

ParetoView::ParetoView(QWidget* parent)
    : ChartView(parent)
    , m_scatter(std::make_shared<ParetoChart>())
{
    setChart(m_scatter);
}

void ParetoView::setData(ParetoData shown)
{
    if (shown == m_scatter->data()) {
        return;
    }
    auto scatter = std::make_shared<ParetoChart>(std::move(shown));
    const bool sameAxis = scatter->data().against == m_scatter->data().against;
    scatter->brush = sameAxis ? m_scatter->brush : std::nullopt;
    const bool letGo = scatter->brush != m_scatter->brush;
    m_scatter = std::move(scatter);
    setChart(m_scatter);
    if (letGo) {
        Q_EMIT brushed();
    }
}

void ParetoView::setChosen(std::optional<std::size_t> index)
{
    if (index != m_scatter->cursor) {
        m_scatter->cursor = index;
        setAccessibleDescription(index && *index < m_scatter->data().layouts.size() ? m_scatter->pointText(*index)
                                                                                    : m_scatter->description());
        update();
    }
}

void ParetoView::setBrush(const std::optional<Brush>& brush)
{
    if (brush != m_scatter->brush) {
        m_scatter->brush = brush;
        update();
        Q_EMIT brushed();
    }
}

ParetoGeometry ParetoView::geometry() const
{
    return m_scatter->geometry(chartArea(), textMetrics(theme()));
}

void ParetoView::mousePressEvent(QMouseEvent* event)
{
    ChartView::mousePressEvent(event);
    if (event->button() == Qt::LeftButton) {
        m_pressed = event->position();
        m_dragged = false;
        event->accept();
    }
}

void ParetoView::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_pressed) {
        setCursor(geometry().pointAt(event->position()) ? Qt::PointingHandCursor : Qt::ArrowCursor);
        return;
    }
    const double distance = (event->position() - *m_pressed).manhattanLength();
    m_dragged = m_dragged || distance >= QApplication::startDragDistance();
    if (m_dragged) {
        const ParetoGeometry g = geometry();
        const QRectF rect = QRectF(*m_pressed, event->position()).normalized() & g.plot;
        setBrush(rect.isEmpty() ? std::nullopt : std::optional(g.brushOf(rect)));
    }
}

void ParetoView::mouseReleaseEvent(QMouseEvent* event)
{
    const bool clicked = m_pressed && !m_dragged && event->button() == Qt::LeftButton;
    m_pressed.reset();
    if (!clicked) {
        return;
    }
    if (const auto at = geometry().pointAt(event->position())) {
        Q_EMIT layoutChosen(*at);
    } else {
        setBrush(std::nullopt);
    }
}

void ParetoView::mouseDoubleClickEvent(QMouseEvent* event)
{
    m_pressed.reset();
    if (const auto at = geometry().pointAt(event->position()); at && event->button() == Qt::LeftButton) {
        Q_EMIT layoutActivated(*at);
    }
}

void ParetoView::keyPressEvent(QKeyEvent* event)
{
    const std::size_t count = m_scatter->data().layouts.size();
    const std::optional<std::size_t> at = m_scatter->cursor;
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Up:
        if (count > 0) {
            Q_EMIT layoutChosen(at && *at > 0 ? *at - 1 : 0);
            return;
        }
        break;
    case Qt::Key_Right:
    case Qt::Key_Down:
        if (count > 0) {
            Q_EMIT layoutChosen(at ? std::min(*at + 1, count - 1) : 0);
            return;
        }
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (at && *at < count) {
            Q_EMIT layoutActivated(*at);
            return;
        }
        break;
    case Qt::Key_X:
        if (at && *at < count) {
            Q_EMIT layoutExplained(*at);
        }
        return;
    case Qt::Key_Escape:
        if (m_scatter->brush) {
            setBrush(std::nullopt);
            return;
        }
        break;
    default:
        break;
    }
    ChartView::keyPressEvent(event);
}

} // namespace partita::ui
