// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/chart_view.h"
#include "widgets/heatmap_chart.h"

namespace partita::ui {

/// A plane of layouts. Hover compares, click or Enter adopts, arrows move a cursor.
class HeatmapView final : public ChartView {
    Q_OBJECT

public:
    explicit HeatmapView(QWidget* parent = nullptr);

    /// Keeps the cursor where it is when the plane keeps its size, so that cells may fill in while it moves.
    void setData(const HeatmapData& plane);
    std::optional<HeatmapCellIndex> cursor() const { return m_heatmap->cursor; }

Q_SIGNALS:
    void adopted(int x, int y); ///< a cell that has a layout
    void hovered(int x, int y); ///< -1, -1: no cell
    void explainRequested(int x, int y); ///< of the cell under the mouse, else under the cursor

protected:
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void moveCursor(int dx, int dy);
    void adopt(HeatmapCellIndex at);
    std::optional<HeatmapCellIndex> cellAt(const QPointF& point) const;
    void hover(std::optional<HeatmapCellIndex> at);

    std::shared_ptr<HeatmapChart> m_heatmap;
    std::optional<HeatmapCellIndex> m_hovered;
};

} // namespace partita::ui
