// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.h"
#include "widgets/chart_view.h"
#include "widgets/gantt_pair.h"

#include <array>

class QActionGroup;
class QMenu;
class QTimer;

namespace partita::ui {

/// The pipeline's Gantt chart, alone or above that of another schedule or a measured step. Ctrl+wheel zooms, Shift and
/// middle drags pan, a drag measures a stretch, a double click zooms to it, a click selects. Everything else is an
/// action with a key; the keys act while the view has the focus.
class PipelineView final : public ChartView {
    Q_OBJECT

public:
    enum class Group { Navigate, Select, Play };
    static constexpr std::array groups{Group::Navigate, Group::Select, Group::Play};

    explicit PipelineView(QWidget* parent = nullptr);

    /// Keeps the part of the step in view when it was zoomed in, the playhead and the comparison.
    void setReport(const Report& report);
    void setTimeline(std::shared_ptr<const Timeline> timeline, const QString& title = {});
    /// The same, with what comparing and counting need.
    void setScenario(const Scenario& scenario, std::shared_ptr<const Timeline> timeline, const QString& title = {});
    /// Whose held activations are drawn below the lanes; nullopt = all stages'.
    void setCurveStages(std::optional<std::vector<int>> stages);
    const std::optional<std::vector<int>>& curveStages() const { return m_curveStages; }

    const GanttView& view() const { return m_gantt->view; }
    void setView(const GanttView& view); ///< clamped; remembered for Backspace
    const GanttMarks& marks() const { return m_gantt->marks; }

    /// Schedules that the scenario could run instead of its own.
    std::vector<ScheduleKind> comparable() const;
    /// Shows another schedule below; remembered while a scenario cannot run it. nullopt shows one alone.
    void setComparison(std::optional<ScheduleKind> kind);
    std::optional<ScheduleKind> comparison() const { return m_compare; }
    /// Shows a measured step below, and remembers it beside the schedules to compare with. name: of its file.
    void setMeasured(std::shared_ptr<const Timeline> timeline, const QString& name);
    const QString& measuredName() const { return m_measuredName; } ///< empty when there is none
    void showMeasured(bool show);
    bool showsMeasured() const { return m_showMeasured; }
    const GanttPair* pair() const { return m_pair.get(); } ///< null when one is shown alone

    void setPlayhead(std::optional<double> seconds);
    std::optional<double> playhead() const { return m_gantt->playhead(); }
    bool isPlaying() const;
    void setPlaying(bool playing);
    void advance(double seconds); ///< of the clock: the stretch in view plays in playSeconds; stops at the end
    void stepPlayhead(int by); ///< to where the next op ends, or the last one ended
    static constexpr double playSeconds = 15;

    QList<QAction*> groupActions(Group group) const;
    QAction* playAction() const { return m_play; }
    QAction* criticalPathAction() const { return m_criticalPath; }
    /// Submenus of everything that can be done; kept up to date.
    void fillMenu(QMenu& menu);

Q_SIGNALS:
    void viewChanged(const partita::ui::GanttView& view);
    void opHovered(int stage, int index); ///< in timeline.stages[stage].ops; -1, -1: none
    void opSelected(int stage, int index);
    void rangeMeasured(double t0, double t1); ///< s; equal: cleared
    void otherValueActivated(const QString& path); ///< of the schedule below
    void comparisonChanged(); ///< what is compared, or what could be

protected:
    // pipeline_input.cpp, the last two pipeline_actions.cpp
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void activate(const QPointF& at) override; // pipeline_selection.cpp

private:
    enum class Drag { None, Pan, Measure };
    using Command = void (PipelineView::*)();

    // pipeline_actions.cpp
    void buildActions();
    QAction* addCommand(Group group, const QString& text, const QList<QKeySequence>& keys, Command command);
    void updateActions();
    void fillComparisonMenu(QMenu& menu);
    void zoomIn();
    void zoomOut();
    void panLeft();
    void panRight();
    void arrowLeft();
    void arrowRight();
    void laneUp();
    void laneDown();
    void fewerLanes();
    void moreLanes();
    void fit();
    void fitRange();
    void zoomToRange();
    void back();
    void nextOp() { step(1); }
    void previousOp() { step(-1); }
    void measureView();
    void clear();
    void togglePlay();
    void showPath();
    void explainOp();
    void explainIdle();
    void explainStage();
    void curveOfSelection(); ///< added, or taken away
    void curvesOfAll();
    int stageInMind() const;
    bool asksForCurveOf(int stage) const;
    void askForCurves(std::optional<std::vector<int>> stages); ///< says why they cannot be seen

    // pipeline_view.cpp
    void rebuild(std::shared_ptr<const Timeline> timeline, const QString& title);
    void showCurves(GanttChart& chart) const;
    void addComparison(const QString& title);
    GanttChart& pane(const GanttChart* chart) const; ///< the one given, or the upper
    std::vector<GanttChart*> panes() const;
    GanttChart& paneAt(const QPointF& point) const;
    GanttGeometry layOut(const GanttChart& chart) const;
    std::optional<OpRef> opAt(const QPointF& point) const;
    void lookAt(const GanttView& view); ///< without remembering
    void zoom(double factor, std::optional<double> about = std::nullopt);

    // pipeline_selection.cpp
    void measure(double from, double to);
    void clearMarks();
    void hover(GanttChart& chart, std::optional<OpRef> at);
    void select(GanttChart& chart, OpRef ref);
    void reveal(const GanttChart& chart, OpRef ref);
    void explain(const GanttChart& chart, const QString& path);
    void step(int by);
    void stepLane(int by);

    std::shared_ptr<GanttChart> m_gantt;
    std::shared_ptr<GanttChart> m_other; ///< null when one is shown alone
    std::shared_ptr<GanttPair> m_pair;
    std::optional<Scenario> m_scenario;
    std::optional<ScheduleKind> m_compare;
    std::shared_ptr<const Timeline> m_measured;
    QString m_measuredName;
    bool m_showMeasured = false; ///< instead of another schedule
    GanttChart* m_selectedIn = nullptr; ///< where an op is selected; null = nowhere
    std::optional<std::vector<int>> m_curveStages = std::vector<int>{0};
    bool m_curvesAsked = false; ///< by the user: they take the legend's place where there is no room for both
    std::vector<GanttView> m_before; ///< views to go back to
    Drag m_drag = Drag::None;
    QPointF m_pressed;
    GanttView m_viewAtPress;
    std::optional<std::pair<double, double>> m_rangeAtPress; ///< a double click begins as a click, which clears it
    bool m_moved = false;
    double m_wheelRest = 0; ///< of a lane, in eighths of a degree
    QTimer* m_clock;
    std::vector<std::pair<Group, QAction*>> m_commands;
    QAction* m_play = nullptr;
    QAction* m_criticalPath = nullptr;
    QAction* m_allCurves = nullptr;
    QAction* m_selectedCurve = nullptr;
    QAction* m_clear = nullptr;
    QAction* m_zoomToRange = nullptr;
    QAction* m_back = nullptr;
};

} // namespace partita::ui
