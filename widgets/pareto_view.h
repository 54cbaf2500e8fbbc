// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/chart_view.h"
#include "widgets/pareto_chart.h"

namespace partita::ui {

/// The scatter of a search's layouts. Hover explains, a click chooses a layout, dragging brushes a range, Escape or a
/// click beside the layouts lets go of it.
class ParetoView final : public ChartView {
    Q_OBJECT

public:
    explicit ParetoView(QWidget* parent = nullptr);

    void setData(ParetoData shown); ///< cursor and brush stay, unless layouts are weighed by something else now
    void setChosen(std::optional<std::size_t> index);
    const ParetoChart& scatter() const { return *m_scatter; }
    const std::optional<Brush>& brush() const { return m_scatter->brush; }
    void setBrush(const std::optional<Brush>& brush);

Q_SIGNALS:
    void layoutChosen(std::size_t index);
    void layoutActivated(std::size_t index); ///< by a double click
    void layoutExplained(std::size_t index); ///< X: where its step time is from
    void brushed(); ///< brush() has changed

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    ParetoGeometry geometry() const;

    std::shared_ptr<ParetoChart> m_scatter;
    std::optional<QPointF> m_pressed; ///< where a drag began
    bool m_dragged = false;
};

} // namespace partita::ui
