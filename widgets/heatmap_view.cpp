// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heatmap_view.h"

#include <QAccessible>
#include <QAction>
#include <QKeyEvent>
#include <QMouseEvent>

#include <algorithm>

namespace partita::ui {

HeatmapView::HeatmapView(QWidget* parent)
    : ChartView(parent)
    , m_heatmap(std::make_shared<HeatmapChart>())
{
    setChart(m_heatmap);
    auto* explain = new QAction(tr("E&xplain this layout"), this);
    explain->setShortcut(QKeySequence(Qt::Key_X));
    explain->setShortcutContext(Qt::WidgetShortcut);
    explain->setToolTip(tr("Derive the value of the cell"));
    connect(explain, &QAction::triggered, this, [this] {
        if (const auto at = m_hovered ? m_hovered : m_heatmap->cursor ? m_heatmap->cursor : m_heatmap->data().current) {
            Q_EMIT explainRequested(at->x, at->y);
        }
    });
    addAction(explain);
}

void HeatmapView::setData(const HeatmapData& plane)
{
    const HeatmapData& old = m_heatmap->data();
    const bool sameSize = old.columns() == plane.columns() && old.rows() == plane.rows();
    const auto cursor = sameSize ? m_heatmap->cursor : std::nullopt;
    m_heatmap = std::make_shared<HeatmapChart>(plane);
    m_heatmap->cursor = cursor;
    m_hovered.reset();
    setChart(m_heatmap);
}

std::optional<HeatmapCellIndex> HeatmapView::cellAt(const QPointF& point) const
{
    return m_heatmap->geometry(chartArea(), textMetrics(theme())).cellAt(point);
}

void HeatmapView::hover(std::optional<HeatmapCellIndex> at)
{
    if (at == m_hovered) {
        return;
    }
    m_hovered = at;
    setCursor(at ? Qt::PointingHandCursor : Qt::ArrowCursor);
    Q_EMIT hovered(at ? at->x : -1, at ? at->y : -1);
}

void HeatmapView::adopt(HeatmapCellIndex at)
{
    using State = HeatmapCell::State;
    const State state = m_heatmap->data().at(at).state;
    if (state == State::Value || state == State::OutOfMemory) {
        Q_EMIT adopted(at.x, at.y);
    }
}

void HeatmapView::mouseMoveEvent(QMouseEvent* event)
{
    hover(cellAt(event->position()));
}

void HeatmapView::mouseReleaseEvent(QMouseEvent* event)
{
    const auto at = event->button() == Qt::LeftButton ? cellAt(event->position()) : std::nullopt;
    if (at) {
        m_heatmap->cursor = at;
        refresh();
        adopt(*at);
    }
}

void HeatmapView::leaveEvent(QEvent* event)
{
    ChartView::leaveEvent(event);
    hover(std::nullopt);
}

void HeatmapView::focusOutEvent(QFocusEvent* event)
{
    ChartView::focusOutEvent(event);
    setAccessibleDescription(m_heatmap->description());
}

void HeatmapView::moveCursor(int dx, int dy)
{
    const HeatmapData& plane = m_heatmap->data();
    if (plane.columns() == 0 || plane.rows() == 0) {
        return;
    }
    std::optional<HeatmapCellIndex>& cursor = m_heatmap->cursor;
    if (cursor) {
        cursor->x = std::clamp(cursor->x + dx, 0, plane.columns() - 1);
        cursor->y = std::clamp(cursor->y + dy, 0, plane.rows() - 1);
    } else {
        cursor = plane.current.value_or(m_heatmap->best().value_or(HeatmapCellIndex{}));
    }
    update();
    setAccessibleDescription(m_heatmap->cellText(*cursor)); // what a screen reader says as the cursor moves
}

void HeatmapView::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Left:
        return moveCursor(-1, 0);
    case Qt::Key_Right:
        return moveCursor(1, 0);
    case Qt::Key_Up:
        return moveCursor(0, -1);
    case Qt::Key_Down:
        return moveCursor(0, 1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_heatmap->cursor) {
            return adopt(*m_heatmap->cursor);
        }
        break;
    case Qt::Key_Escape:
        if (m_heatmap->cursor) {
            m_heatmap->cursor.reset();
            return refresh();
        }
        break;
    default:
        break;
    }
    ChartView::keyPressEvent(event);
}

} // namespace partita::ui
