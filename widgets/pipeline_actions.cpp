// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/labels.h"
#include "widgets/pipeline_steps.h"
#include "widgets/pipeline_view.h"

#include <QAction>
#include <QActionGroup>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QToolTip>

#include <algorithm>
#include <tuple>

namespace partita::ui {

void PipelineView::buildActions()
{
    const auto add = [this](Group group, const QString& text, const QList<QKeySequence>& keys, Command command) {
        return addCommand(group, text, keys, command);
    };
    add(Group::Navigate, tr("Zoom &in"), {Qt::Key_W, Qt::Key_Plus, Qt::Key_Equal}, &PipelineView::zoomIn);
    add(Group::Navigate, tr("Zoom &out"), {Qt::Key_S, Qt::Key_Minus}, &PipelineView::zoomOut);
    add(Group::Navigate, tr("Move &left"), {Qt::Key_A}, &PipelineView::panLeft);
    add(Group::Navigate, tr("Move &right"), {Qt::Key_D}, &PipelineView::panRight);
    add(Group::Navigate, tr("&Fewer stages"), {Qt::CTRL | Qt::Key_Up}, &PipelineView::fewerLanes);
    add(Group::Navigate, tr("&More stages"), {Qt::CTRL | Qt::Key_Down}, &PipelineView::moreLanes);
    add(Group::Navigate, tr("&Whole step"), {Qt::Key_0, Qt::Key_Home}, &PipelineView::fit);
    add(Group::Navigate, tr("Fit what is measured, or the whole step"), {Qt::Key_F}, &PipelineView::fitRange);
    m_zoomToRange = add(Group::Navigate, tr("&Zoom to what is measured"), {Qt::Key_Return, Qt::Key_Enter},
                        &PipelineView::zoomToRange);
    m_back = add(Group::Navigate, tr("&Previous view"), {Qt::Key_Backspace}, &PipelineView::back);

    add(Group::Select, tr("&Next operation of the stage"), {Qt::Key_Period}, &PipelineView::nextOp);
    add(Group::Select, tr("&Previous operation of the stage"), {Qt::Key_Comma}, &PipelineView::previousOp);
    add(Group::Select, tr("Stage &above"), {Qt::Key_Up}, &PipelineView::laneUp);
    add(Group::Select, tr("Stage &below"), {Qt::Key_Down}, &PipelineView::laneDown);
    add(Group::Select, tr("E&xplain the selected operation"), {Qt::Key_X}, &PipelineView::explainOp);
    add(Group::Select, tr("Explain the &idle time before it"), {Qt::SHIFT | Qt::Key_X}, &PipelineView::explainIdle);
    add(Group::Select, tr("Explain the time its stage computes"), {Qt::CTRL | Qt::SHIFT | Qt::Key_X},
        &PipelineView::explainStage);
    add(Group::Select, tr("&Measure what is in view"), {Qt::Key_M}, &PipelineView::measureView);
    m_criticalPath = add(Group::Select, tr("&Critical path"), {Qt::Key_C}, &PipelineView::showPath);
    m_criticalPath->setCheckable(true);
    m_criticalPath->setToolTip(tr("Show the chain of operations that sets the length of the step"));
    m_selectedCurve = add(Group::Select, tr("Memory over time of the selected &stage, or the first"), {Qt::Key_G},
                          &PipelineView::curveOfSelection);
    m_selectedCurve->setCheckable(true);
    m_allCurves =
        add(Group::Select, tr("Memory over time of &all stages"), {Qt::SHIFT | Qt::Key_G}, &PipelineView::curvesOfAll);
    m_allCurves->setCheckable(true);
    m_clear = add(Group::Select, tr("&Deselect, leave the playhead"), {Qt::Key_Escape}, &PipelineView::clear);

    m_play = add(Group::Play, tr("&Play"), {Qt::Key_Space}, &PipelineView::togglePlay);
    m_play->setCheckable(true);
    m_play->setToolTip(tr("Run through the schedule, or pause"));
    add(Group::Play, tr("Step &back; without a playhead, move left"), {Qt::Key_Left}, &PipelineView::arrowLeft);
    add(Group::Play, tr("Step &forward; without a playhead, move right"), {Qt::Key_Right}, &PipelineView::arrowRight);
    updateActions();
}

QAction* PipelineView::addCommand(Group group, const QString& text, const QList<QKeySequence>& keys, Command command)
{
    auto* action = new QAction(text, this);
    action->setShortcuts(keys);
    action->setShortcutContext(Qt::WidgetShortcut);
    connect(action, &QAction::triggered, this, [this, command] { (this->*command)(); });
    addAction(action);
    m_commands.emplace_back(group, action);
    return action;
}

/// Keys whose action could do nothing now are left to the window.
void PipelineView::updateActions()
{
    const bool marked = m_gantt->marks.range || m_selectedIn != nullptr;
    m_clear->setEnabled(marked || playhead());
    m_zoomToRange->setEnabled(m_gantt->marks.range.has_value());
    m_back->setEnabled(!m_before.empty());
    m_play->setChecked(isPlaying());
    m_allCurves->setChecked(!m_curveStages);
    m_selectedCurve->setChecked(asksForCurveOf(stageInMind()));
}

QList<QAction*> PipelineView::groupActions(Group group) const
{
    QList<QAction*> actions;
    for (const auto& [of, action] : m_commands) {
        if (of == group) {
            actions << action;
        }
    }
    return actions;
}

void PipelineView::fillMenu(QMenu& menu)
{
    for (const auto& [group, title] :
         {std::pair{Group::Navigate, tr("&Look at")}, {Group::Select, tr("&Select")}, {Group::Play, tr("&Play")}}) {
        menu.addMenu(title)->addActions(groupActions(group));
    }
    QMenu* compare = menu.addMenu(tr("&Compare with"));
    connect(compare, &QMenu::aboutToShow, this, [this, compare] { fillComparisonMenu(*compare); });
    fillComparisonMenu(*compare);
}

void PipelineView::fillComparisonMenu(QMenu& menu)
{
    menu.clear();
    const auto add = [&](const QString& text, std::optional<ScheduleKind> kind) {
        QAction* action = menu.addAction(text);
        action->setCheckable(true);
        action->setChecked(!m_showMeasured && kind == m_compare);
        connect(action, &QAction::triggered, this, [this, kind] { setComparison(kind); });
    };
    add(tr("&No other schedule"), std::nullopt);
    if (m_measured) {
        QAction* action =
            menu.addAction(tr("&Measured: %1").arg(QString(m_measuredName).replace(u'&', QStringLiteral("&&"))));
        action->setCheckable(true);
        action->setChecked(m_showMeasured);
        connect(action, &QAction::triggered, this, [this] { showMeasured(true); });
    }
    menu.addSeparator();
    for (const ScheduleKind kind : comparable()) {
        add(labelText(kind), kind);
    }
}

void PipelineView::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu;
    menu.addActions({copyAction(), exportAction(), tableAction()});
    menu.addSeparator();
    fillMenu(menu);
    menu.exec(event->globalPos());
}

/// Shortcuts reach only the focused widget of the active window; a key that arrives otherwise does the same.
void PipelineView::keyPressEvent(QKeyEvent* event)
{
    const Qt::KeyboardModifiers held = event->modifiers() & ~Qt::KeypadModifier;
    for (const Qt::KeyboardModifiers modifiers : {held, held & ~Qt::ShiftModifier}) { // "+" may need Shift
        const QKeySequence pressed(QKeyCombination(modifiers, static_cast<Qt::Key>(event->key())));
        for (const auto& [group, action] : m_commands) {
            if (action->isEnabled() && action->shortcuts().contains(pressed)) {
                return action->trigger();
            }
        }
    }
    ChartView::keyPressEvent(event);
}

void PipelineView::zoomIn()
{
    zoom(zoomStep);
}

void PipelineView::zoomOut()
{
    zoom(1 / zoomStep);
}

void PipelineView::panLeft()
{
    lookAt(panned(view(), -panStep * view().span(), m_gantt->extent()));
}

void PipelineView::panRight()
{
    lookAt(panned(view(), panStep * view().span(), m_gantt->extent()));
}

void PipelineView::arrowLeft()
{
    playhead() ? stepPlayhead(-1) : panLeft();
}

void PipelineView::arrowRight()
{
    playhead() ? stepPlayhead(1) : panRight();
}

void PipelineView::laneUp()
{
    stepLane(-1);
}

void PipelineView::laneDown()
{
    stepLane(1);
}

void PipelineView::fewerLanes()
{
    GanttView target = view();
    target.lanes = (target.lanes + 1) / 2;
    setView(target);
}

void PipelineView::moreLanes()
{
    GanttView target = view();
    target.lanes *= 2;
    setView(target);
}

void PipelineView::fit()
{
    setView(fitted(m_gantt->extent()));
}

void PipelineView::fitRange()
{
    m_gantt->marks.range ? zoomToRange() : fit();
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

void PipelineView::back()
{
    if (!m_before.empty()) {
        const GanttView last = m_before.back();
        m_before.pop_back();
        lookAt(last);
        updateActions();
    }
}

void PipelineView::measureView()
{
    measure(view().t0, view().t1);
}

/// What is marked goes first, the playhead with the next press.
void PipelineView::clear()
{
    if (m_gantt->marks.range || m_selectedIn != nullptr) {
        clearMarks();
    } else {
        setPlayhead(std::nullopt);
    }
}

void PipelineView::togglePlay()
{
    setPlaying(!isPlaying());
}

void PipelineView::showPath()
{
    for (GanttChart* chart : panes()) {
        chart->showCriticalPath(m_criticalPath->isChecked());
    }
    update();
}

/// The selected operation's, or else the first in view.
int PipelineView::stageInMind() const
{
    const std::optional<OpRef> selected = m_selectedIn != nullptr ? pane(m_selectedIn).marks.op : std::nullopt;
    return selected ? selected->stage : view().firstLane;
}

bool PipelineView::asksForCurveOf(int stage) const
{
    return !m_curveStages || std::find(m_curveStages->begin(), m_curveStages->end(), stage) != m_curveStages->end();
}

/// What there was no room for is shown by the first press, in the place of the legend; what is seen goes.
void PipelineView::curveOfSelection()
{
    const int stage = stageInMind();
    const bool seen = asksForCurveOf(stage) && !layOut(*m_gantt).strip.isEmpty();
    std::vector<int> stages = m_curveStages.value_or(std::vector<int>{});
    std::erase(stages, stage);
    if (!seen || !m_curveStages) {
        stages.push_back(stage);
    }
    askForCurves(stages);
}

void PipelineView::curvesOfAll()
{
    const bool seen = !m_curveStages && !layOut(*m_gantt).strip.isEmpty();
    askForCurves(seen ? std::optional(std::vector<int>{0}) : std::nullopt);
}

void PipelineView::askForCurves(std::optional<std::vector<int>> stages)
{
    const bool wanted = !stages || !stages->empty();
    m_curvesAsked = wanted;
    setCurveStages(std::move(stages));
    if (wanted && layOut(*m_gantt).strip.isEmpty()) {
        const QString why = tr("No room for memory over time: Ctrl+M fills the window with this chart");
        QToolTip::showText(mapToGlobal(chartArea().center().toPoint()), why, this);
        setAccessibleDescription(why);
    }
}

} // namespace partita::ui
