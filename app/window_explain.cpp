// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/main_window.h"

#include "app/advice_card.h"
#include "app/chart_board.h"
#include "app/charts.h"
#include "app/compare_card.h"
#include "app/heatmap_data.h"
#include "app/other_figure.h"
#include "app/runs_card.h"
#include "core/compare/comparison_values.h"
#include "core/explain/layout_values.h"
#include "core/layout/layout_text.h"
#include "core/lessons/lesson_values.h"
#include "core/pipeline/op_graph.h"
#include "core/training/evaluate.h"
#include "widgets/explain_panel.h"
#include "widgets/headline_strip.h"
#include "widgets/heatmap_view.h"
#include "widgets/labels.h"
#include "widgets/lesson_panel.h"
#include "widgets/pipeline_view.h"
#include "widgets/runs_view.h"
#include "widgets/scenario_panel.h"
#include "widgets/search_view.h"
#include "widgets/text.h"

#include <QDockWidget>

namespace partita::ui {

namespace {

/// The value of the report that a figure of the headline shows.
QString valueOfFigure(const QString& key, MfuConvention convention)
{
    static const QHash<QString, QString> values{
        {QStringLiteral("memory"), QStringLiteral("memory.peak_bytes")},
        {QStringLiteral("step_time"), QStringLiteral("step_time_s")},
        {QStringLiteral("tokens_per_second"), QStringLiteral("tokens_per_s_per_device")},
        {QStringLiteral("bubble"), QStringLiteral("bubble_fraction")},
        {QStringLiteral("exposed_communication"), QStringLiteral("exposed_communication")},
        {QStringLiteral("budget"), QStringLiteral("training_days")},
        {QStringLiteral("kv_room"), QStringLiteral("serving.kv.tokens")},
        {QStringLiteral("ttft"), QStringLiteral("serving.ttft_s")},
        {QStringLiteral("tpot"), QStringLiteral("serving.tpot_s")},
        {QStringLiteral("served_tokens_per_second"), QStringLiteral("serving.tokens_per_s")},
        {QStringLiteral("served_tokens_per_second_per_device"), QStringLiteral("serving.tokens_per_s_per_device")},
        {QStringLiteral("concurrency"), QStringLiteral("serving.max_concurrency")},
        {QStringLiteral("cost"), QStringLiteral("serving.cost_per_million_tokens_usd")},
    };
    return key == QStringLiteral("mfu")
        ? QStringLiteral("mfu.%1").arg(QString::fromStdString(std::string(keyOf(convention))))
        : values.value(key);
}

/// The card that shows how a figure of serving came about; empty for a figure of the training step.
QString cardOfFigure(const QString& key)
{
    static const QHash<QString, QString> cards{
        {QStringLiteral("kv_room"), QStringLiteral("serving-room")},
        {QStringLiteral("concurrency"), QStringLiteral("serving-room")},
        {QStringLiteral("tpot"), QStringLiteral("serving-token")},
        {QStringLiteral("ttft"), QStringLiteral("serving-curve")},
        {QStringLiteral("served_tokens_per_second"), QStringLiteral("serving-curve")},
        {QStringLiteral("served_tokens_per_second_per_device"), QStringLiteral("serving-curve")},
        {QStringLiteral("cost"), QStringLiteral("serving-curve")},
    };
    return cards.value(key);
}

} // namespace

void MainWindow::buildExplain()
{
    m_explain = new ExplainPanel;
    auto* dock = new QDockWidget(tr("Explain"), this);
    dock->setObjectName(QStringLiteral("explain"));
    dock->setWidget(m_explain);
    addDockWidget(Qt::RightDockWidgetArea, dock);
    dock->hide(); // until something is asked for

    m_explainRequest.setSingleShot(true);
    m_explainRequest.setInterval(0);
    connect(&m_explainRequest, &QTimer::timeout, this, [this] {
        if (m_explainsLesson && m_lessons->play() != nullptr) {
            m_explain->setExplainer(explainLesson(*m_lessons->play(), m_published.runs()), tr("Of the lesson."));
        } else if (!m_explainsOther) {
            renewExplainer();
        }
    });
    connect(dock, &QDockWidget::visibilityChanged, this, [this](bool visible) {
        if (visible) {
            giveLessonItsHeight();
            m_explainRequest.start();
        }
    });
    connect(m_explain, &ExplainPanel::runActivated, this, &MainWindow::loadRun);
    connect(m_headline, &HeadlineStrip::figureActivated, this, [this](const QString& key) {
        explain(valueOfFigure(key, m_headline->convention()));
        const QString card = cardOfFigure(key);
        for (ChartDock* serving : m_charts->servingDocks()) {
            if (serving->objectName() == card) {
                m_board->bringUp(serving);
            }
        }
    });
    connect(m_charts.get(), &Charts::valueActivated, this,
            [this](const QString& path) { path == MemoryVerdict::fixPath ? explainFix() : explain(path); });
    connect(m_charts.get(), &Charts::explainRequested, this, &MainWindow::explainFigure);
    connect(m_panel, &ScenarioPanel::stopExplained, this, &MainWindow::explainStop);
    connect(&m_charts->runs().view(), &RunsView::runExplained, this, [this](const QString& id) {
        if (const ComparableRun* run = m_published.run(id)) {
            explainFigure({run->scenario, tr("Of the run %1.").arg(id), QStringLiteral("tokens_per_s_per_device")});
        }
    });
    connect(&m_charts->heatmap(), &HeatmapView::explainRequested, this, &MainWindow::explainCell);
    connect(&m_charts->search(), &SearchView::figureChosen, this, &MainWindow::explainRow);
    connect(m_lessons, &LessonPanel::numberActivated, this, &MainWindow::explainOfLesson);
    const auto leaveItsValues = [this] { // another lesson has others
        if (m_explainsLesson) {
            renewExplainer();
        }
    };
    connect(m_lessons, &LessonPanel::started, this, leaveItsValues);
    connect(m_lessons, &LessonPanel::left, this, leaveItsValues);
    CompareCard& compare = m_charts->compare();
    connect(&compare, &CompareCard::explainRequested, this, [this, &compare](const QString& path) {
        explainOther(compare.explained(m_published.runs()), tr("Of the scenarios compared."), path);
    });
    AdviceCard& advice = m_charts->advice();
    connect(&advice, &AdviceCard::explainRequested, this, [this, &advice](const QString& path) {
        if (auto values = advice.explained(path, m_published.runs())) {
            explainOther(std::move(values), tr("Of the advice."), path);
        }
    });
    connect(&m_charts->pipeline(), &PipelineView::otherValueActivated, this, [this](const QString& path) {
        if (const std::optional<ScheduleKind> kind = m_charts->pipeline().comparison()) {
            Scenario other = m_workspace.scenario();
            other.layout.schedule = *kind;
            explainFigure({other, tr("With the schedule %1.").arg(labelText(*kind)), path});
        }
    });
    // By keys an operation is selected for more than one reason: the panel follows, but does not open.
    connect(&m_charts->pipeline(), &PipelineView::opSelected, this, [this, dock](int stage, int index) {
        if (dock->isVisible() && stage >= 0 && m_charts->pipeline().pair() == nullptr) {
            explainOperation(stage, index);
        }
    });
}

void MainWindow::explain(const QString& path)
{
    if (path.isEmpty()) {
        return;
    }
    raiseExplain();
    renewExplainer();
    m_explain->explain(path);
}

void MainWindow::raiseExplain()
{
    auto* dock = findChild<QDockWidget*>(QStringLiteral("explain"));
    dock->show();
    dock->raise();
}

void MainWindow::explainOther(std::shared_ptr<const ExplainedValues> values, const QString& where, const QString& path)
{
    raiseExplain();
    m_explainsOther = true;
    m_explainsLesson = false;
    m_explainRequest.stop();
    m_explain->setExplainer(std::move(values), where, path);
}

void MainWindow::renewExplainer()
{
    m_explainRequest.stop();
    m_explainsOther = false;
    m_explainsLesson = false;
    m_explain->setExplainer(ownExplainer());
}

std::shared_ptr<const Explainer> MainWindow::ownExplainer() const
{
    return std::make_shared<const Explainer>(m_workspace.scenario(), m_workspace.report(), m_published.runs(),
                                             m_charts->showsServing() ? Explainer::Scope::TrainingAndServing
                                                                      : Explainer::Scope::Training);
}

/// What a report says as it is goes the way of every figure; what the lesson makes of it shows how.
void MainWindow::explainOfLesson(const LessonPlay& play, const QString& placeholder, bool live)
{
    const std::string written = placeholder.toStdString();
    const std::string key(expressionOf(written));
    if (live && play.isReported(key) && ownExplainer()->find(key) != nullptr) {
        return explain(toText(key));
    }
    explainOther(explainLesson(play, m_published.runs()),
                 live ? tr("Of the lesson.") : tr("Of the lesson, as it was when the answer was found."),
                 toText(pathOfPlaceholder(written)));
    m_explainsLesson = live;
}

void MainWindow::explainOperation(int stage, int index)
{
    const Report& report = m_workspace.report();
    const auto at = static_cast<std::size_t>(stage);
    const auto place = static_cast<std::size_t>(index);
    if (report.legal() && at < report.timeline.stages.size() && place < opCount(report.timeline.stages[at])) {
        explain(toText(operationPath(at, opAt(report.timeline.stages[at], place))));
    }
}

void MainWindow::explainCell(int x, int y)
{
    const Plane& plane = m_sweep.plane();
    const auto row = static_cast<std::size_t>(y);
    const auto column = static_cast<std::size_t>(x);
    if (x < 0 || y < 0 || row >= plane.rows.size() || column >= plane.columns.size()) {
        return;
    }
    const Result<Scenario> cell = scenarioOf(m_workspace.scenario(), plane, row, column);
    if (!cell) {
        tellProblems(tr("This layout cannot be:"), cell.problems);
        return;
    }
    const bool legal = plane.cells[plane.index(row, column)].state != CellState::Illegal;
    explainFigure(
        {*cell,
         tr("Of the layout with %1 and %2.")
             .arg(stopText(plane.rowAxis, plane.rows[row]), stopText(plane.columnAxis, plane.columns[column])),
         legal ? toText(pathOf(m_charts->quantity(), *cell)) : QStringLiteral("fits")});
}

/// What a stop of a slider would change, as the comparison has it.
void MainWindow::explainStop(LayoutField field, std::int64_t value)
{
    Scenario moved = m_workspace.scenario();
    const bool stays = valueOf(moved.layout, field) == value;
    moved.layout = withField(moved, field, value);
    const Report report = evaluate(moved);
    const QString where = tr("With %1 %2.").arg(labelText(field)).arg(value);
    const bool lacks = report.legal() && !report.fits;
    const QString single = !report.legal() ? QStringLiteral("fits")
        : lacks                            ? QStringLiteral("memory.lacks_bytes")
                                           : QStringLiteral("step_time_s");
    if (!report.legal() || stays || !m_workspace.report().legal()) {
        return explainFigure({moved, where, single});
    }
    explainFigure(
        {moved, where, lacks ? QStringLiteral("b.") + single : QStringLiteral("ab.waterfall.step_time.change"), true});
}

void MainWindow::explainFix()
{
    if (const Relief* fix = m_verdict.fix()) {
        OtherFigure figure{m_workspace.scenario(), tr("Of %1.").arg(toText(layoutText(fix->cost.layout))),
                           QStringLiteral("ab.waterfall.memory.change"), true};
        figure.scenario.layout = fix->cost.layout;
        explainFigure(figure);
    }
}

void MainWindow::explainFigure(const OtherFigure& figure)
{
    const std::vector<ComparableRun>& runs = m_published.runs();
    auto report = std::make_shared<const Report>(evaluate(figure.scenario));
    if (!figure.change || !report->legal() || !m_workspace.report().legal()) {
        const bool serves = figure.path.startsWith(QStringLiteral("serving."));
        return explainOther(std::make_shared<const Explainer>(figure.scenario, *report, runs,
                                                              serves ? Explainer::Scope::TrainingAndServing
                                                                     : Explainer::Scope::Training),
                            figure.where, figure.path);
    }
    const std::vector<ComparedLayout> both{
        {"now", m_workspace.scenario(), std::make_shared<const Report>(m_workspace.report())},
        {"then", figure.scenario, std::move(report)}};
    explainOther(explainComparison(both, differingRows(both, m_catalogue), runs),
                 tr("%1 a is the scenario in the window, b this one.").arg(figure.where), figure.path);
}

/// A click alone is followed while the panel is open: it chooses a row first of all.
void MainWindow::explainRow(const LayoutFigures& row, const QString& figure, bool asked)
{
    if (!asked && !findChild<QDockWidget*>(QStringLiteral("explain"))->isVisible()) {
        return;
    }
    const Scenario scenario = onDevicesOf(m_workspace.scenario(), row.layout);
    auto values = std::make_shared<JointExplainer>();
    addLayoutRow(*values, "row", scenario, row, m_published.runs());
    addTaken(*values, "row", scenario, row);
    if (m_workspace.report().legal()) {
        // As rows are: the current one, too, differs from itself by nothing.
        const LayoutFigures current = figuresOf(m_workspace.scenario(), m_workspace.scenario().layout);
        addLayoutRow(*values, "current", m_workspace.scenario(), current, m_published.runs());
        addChange(*values, "row", row, "current", current);
    }
    explainOther(std::move(values), tr("Of %1.").arg(toText(layoutText(row.layout))), QStringLiteral("row.") + figure);
}

} // namespace partita::ui
