// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/chart_view.h"
#include "widgets/gantt_chart.h"

namespace partita::ui {

/// The pipeline's Gantt chart. Ctrl+wheel, W and S, + and - zoom; A, D and the arrows pan and scroll, as do Shift and
/// middle drags; a drag measures a stretch, Enter or a double click zooms to it; F shows it or everything, 0 and Home
/// everything, Backspace the view before; full stop and comma step through a stage's ops; Esc clears.
class PipelineView final : public ChartView {
    Q_OBJECT

public:
    explicit PipelineView(QWidget* parent = nullptr);

    /// Keeps the part of the step in view when it was zoomed in.
    void setReport(const Report& report);
    void setTimeline(std::shared_ptr<const Timeline> timeline, const QString& title = {});
    /// Which stage's held activations are drawn below the lanes; -1 = none.
    void setCurveStage(int stage);
    void setPlayhead(std::optional<double> seconds);

    const GanttView& view() const { return m_gantt->view; }
    void setView(const GanttView& view); ///< clamped; remembered for Backspace
    const GanttMarks& marks() const { return m_gantt->marks; }

Q_SIGNALS:
    void viewChanged(const partita::ui::GanttView& view);
    void opHovered(int stage, int index); ///< in timeline.stages[stage].ops; -1, -1: none
    void opSelected(int stage, int index);
    void rangeMeasured(double t0, double t1); ///< s; equal: cleared

protected:
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    enum class Drag { None, Pan, Measure };

    GanttGeometry layOut() const;
    std::optional<OpRef> opAt(const QPointF& point) const;
    void lookAt(const GanttView& view); ///< without remembering
    void zoom(double factor, std::optional<double> about = std::nullopt);
    void zoomToRange();
    void fit();
    void back();
    void measure(double from, double to);
    void clearMarks();
    void hover(std::optional<OpRef> at);
    void step(int by);
    bool handleKey(int key);

    std::shared_ptr<GanttChart> m_gantt;
    int m_curveStage = 0;
    std::vector<GanttView> m_before; ///< views to go back to
    Drag m_drag = Drag::None;
    QPointF m_pressed;
    GanttView m_viewAtPress;
    bool m_moved = false;
    double m_wheelRest = 0; ///< of a lane, in eighths of a degree
};

} // namespace partita::ui
