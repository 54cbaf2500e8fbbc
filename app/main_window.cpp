// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/main_window.h"

#include "app/advice_card.h"
#include "app/board_area.h"
#include "app/chart_board.h"
#include "app/chart_dock.h"
#include "app/charts.h"
#include "app/compare_card.h"
#include "app/heatmap_data.h"
#include "app/notice_bar.h"
#include "app/placement_card.h"
#include "app/preset_folders.h"
#include "app/runs_card.h"
#include "app/serving_cards.h"
#include "app/serving_data.h"
#include "core/layout/layout_text.h"
#include "core/serving/serving_layout.h"
#include "core/training/evaluate.h"
#include "widgets/explain_panel.h"
#include "widgets/headline_strip.h"
#include "widgets/labels.h"
#include "widgets/lesson_panel.h"
#include "widgets/problem_list.h"
#include "widgets/runs_view.h"
#include "widgets/scenario_panel.h"
#include "widgets/search_view.h"
#include "widgets/stage_editor.h"
#include "widgets/text.h"

#include <QCloseEvent>
#include <QDockWidget>
#include <QMessageBox>
#include <QScreen>
#include <QVBoxLayout>

namespace partita::ui {

namespace {

const QSize roomForFrame(16, 40); // the window manager's title and borders
constexpr int layoutVersion = 2; // of the set of docks and their names

} // namespace

MainWindow::MainWindow(const Catalogue& catalogue, const Scenario& scenario, Settings& settings,
                       const QString& recoveryFolder)
    : m_catalogue(catalogue)
    , m_settings(settings)
    , m_workspace(scenario)
    , m_aside(m_workspace)
    , m_document(m_workspace, catalogue, recoveryFolder)
    , m_published(catalogue)
{
    setObjectName(QStringLiteral("mainWindow"));
    setAcceptDrops(true);
    buildPanels();
    buildExplain();
    buildMenus();
    connectPanels();
    sayWhatIsUpToDate();
    showReport();
    askForPlane();
    updateTitle();
    restoreWindow();
    m_published.start();
}

MainWindow::~MainWindow()
{
    hide(); // docks tell that they close while the members that listen are still there
}

void MainWindow::buildPanels()
{
    m_panel = new ScenarioPanel;
    m_panel->setCatalogue({m_catalogue.models, m_catalogue.accelerators, m_catalogue.clusters, m_catalogue.stacks});
    auto* dock = new QDockWidget(tr("Scenario"), this);
    dock->setObjectName(QStringLiteral("scenario"));
    dock->setWidget(m_panel);
    dock->setTitleBarWidget(new QWidget); // the sections name themselves; the View menu hides the dock
    addDockWidget(Qt::LeftDockWidgetArea, dock);

    m_stages = new StageEditor;
    auto* stages = new QDockWidget(tr("Stages"), this);
    stages->setObjectName(QStringLiteral("stages"));
    stages->setWidget(m_stages);
    addDockWidget(Qt::BottomDockWidgetArea, stages);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea); // texts need the height more than stages the width
    stages->hide(); // most layouts are even; the View menu shows it

    buildLessons();

    m_headline = new HeadlineStrip;
    m_notices = new NoticeBar;
    m_problems = new ProblemList;
    m_charts = std::make_unique<Charts>(*m_problems, m_catalogue);
    m_board = new ChartBoard(m_charts->rows());
    auto* centre = new QWidget;
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 8, 8, 8);
    column->addWidget(m_notices);
    column->addWidget(m_headline);
    column->addWidget(new BoardArea(m_board), 1);
    setCentralWidget(centre);
    buildPresenter();
}

void MainWindow::buildLessons()
{
    const std::vector<std::string> folders = presetFolders();
    LoadedLessons loaded = loadLessons({folders.begin(), folders.end()}, m_catalogue);
    m_lessons = new LessonPanel(m_catalogue);
    m_lessons->setLessons(std::move(loaded.lessons));
    auto* dock = new QDockWidget(tr("Lessons"), this);
    dock->setObjectName(QStringLiteral("lessons"));
    dock->setWidget(m_lessons);
    addDockWidget(Qt::RightDockWidgetArea, dock);
    dock->hide(); // until one is wanted
    connect(m_lessons, &LessonPanel::started, this, [this, dock](const Scenario& scenario, const QString& title) {
        dock->show();
        dock->raise();
        giveLessonItsHeight();
        withdrawOffer(); // of a lesson before
        m_aside.startLesson(scenario, title);
    });
    connect(&m_aside, &SetAside::changed, m_lessons, [this] {
        m_lessons->offerOwn(m_aside.holds());
        updateTitle();
    });
    connect(m_lessons, &LessonPanel::left, this, &MainWindow::endLesson);
    connect(m_lessons, &LessonPanel::ownWanted, this, &MainWindow::goBackToOwn);
}

/// Beside a lesson, which is read, what is looked up takes a third.
void MainWindow::giveLessonItsHeight()
{
    auto* lesson = findChild<QDockWidget*>(QStringLiteral("lessons"));
    auto* explain = findChild<QDockWidget*>(QStringLiteral("explain"));
    if (lesson == nullptr || explain == nullptr) {
        return; // of a window that is being made
    }
    const bool together = lesson->isVisible() && explain->isVisible() && !lesson->isFloating() && !explain->isFloating()
        && dockWidgetArea(lesson) == dockWidgetArea(explain);
    if (together && m_lessons->current() != nullptr) {
        resizeDocks({lesson, explain}, {2 * height() / 3, height() / 3}, Qt::Vertical);
    }
}

/// The lesson's scenario stays: somebody may want to go on with what was found out.
void MainWindow::endLesson()
{
    if (m_aside.endLesson() && m_aside.holds()) {
        m_lessonOffer = m_notices->tell(tr("The window still shows the lesson's scenario."), {},
                                        {{tr("Back to my scenario"), [this] { goBackToOwn(); }},
                                         {tr("Go on with this one"), [this] { m_aside.forget(); }}});
    }
}

void MainWindow::withdrawOffer()
{
    m_notices->withdraw(m_lessonOffer);
}

void MainWindow::goBackToOwn()
{
    m_aside.takeBack();
    withdrawOffer();
    if (m_lessons->current() != nullptr) {
        m_lessons->leave();
    }
}

void MainWindow::connectPanels()
{
    connect(m_lessons, &LessonPanel::fieldWanted, m_panel, [this](const QString& field) {
        findChild<QDockWidget*>(QStringLiteral("scenario"))->show();
        m_panel->focusField(field);
    });
    m_lessons->setFieldWords([this](const QString& field) { return m_panel->wordsOf(field); });
    connect(m_lessons, &LessonPanel::chartWanted, m_board, &ChartBoard::pointAt);
    connect(m_lessons, &LessonPanel::left, m_board, [this] { m_board->pointAt({}); });
    connect(m_board, &ChartBoard::broughtUp, m_charts.get(), &Charts::attend);
    connect(m_board, &ChartBoard::arranged, m_charts.get(), &Charts::followBoard);
    connect(m_panel, &ScenarioPanel::edited, &m_workspace, &Workspace::edit);
    connect(m_stages, &StageEditor::edited, &m_workspace, &Workspace::edit);
    connect(m_problems, &ProblemList::fieldActivated, m_panel, &ScenarioPanel::focusField);
    connect(&m_workspace, &Workspace::changed, this, &MainWindow::showReport);
    connect(&m_sweep, &PlaneSweep::marksReady, this, &MainWindow::showMarks);
    connect(&m_sweep, &PlaneSweep::planeAdvanced, this,
            [this](const Plane& plane) { m_charts->showPlane(plane, m_workspace.scenario()); });
    m_planeRequest.setSingleShot(true);
    m_planeRequest.setInterval(0);
    connect(&m_planeRequest, &QTimer::timeout, this, &MainWindow::askForPlane);
    connect(m_charts.get(), &Charts::planeWanted, this, &MainWindow::askForPlane);
    connect(m_charts.get(), &Charts::quantityChanged, this,
            [this] { m_charts->showPlane(m_sweep.plane(), m_workspace.scenario()); });
    connect(m_charts.get(), &Charts::servingToggled, this, &MainWindow::showServing);
    connect(m_charts.get(), &Charts::cellChosen, this, &MainWindow::adoptCell);
    connect(&m_published, &PublishedRuns::ready, this, [this] {
        m_charts->runs().setRuns(m_published.runs());
        showHeadline();
    });
    connect(&m_verdict, &MemoryVerdict::changed, this, &MainWindow::showProblems);
    connect(&m_measured, &MeasuredStep::ready, this, &MainWindow::showMeasured);
    connect(&m_measured, &MeasuredStep::failed, this, [this](const QString& path, const Problems& problems) {
        tellProblems(tr("%1 cannot be laid beside the prediction:").arg(path), problems);
    });
    connect(&m_charts->compare(), &CompareCard::loaded, this, [this](const Scenario& scenario, const QString& name) {
        m_workspace.edit(scenario, tr("Go back to %1").arg(name));
    });
    connect(&m_charts->runs().view(), &RunsView::runActivated, this, &MainWindow::loadRun);
    connect(&m_charts->advice(), &AdviceCard::adoptRequested, this, [this](const Layout& layout) {
        Scenario adopted = m_workspace.scenario();
        adopted.layout = layout;
        if (!trains(m_charts->advice().voice())) {
            return adoptForServing(bestBatch(adopted));
        }
        m_workspace.edit(adopted, tr("Adopt %1").arg(QString::fromStdString(layoutText(layout))));
    });
    connect(&m_charts->placement(), &PlacementCard::orderEdited, this, [this](const RankOrderEdit::Order& order) {
        Scenario numbered = m_workspace.scenario();
        numbered.layout.rankOrder = order;
        m_workspace.edit(numbered, tr("Set rank order to %1").arg(QString::fromStdString(rankOrderText(order))));
    });
    connect(&m_charts->servingCards(), &ServingCards::adoptRequested, this, &MainWindow::adoptForServing);
    connectSearch();
    for (ChartDock* dock : m_board->docks()) {
        connect(dock, &ChartDock::copyRequested, this, [this, dock] { copyChart(*dock); });
        connect(dock, &ChartDock::exportRequested, this, [this, dock] { exportChart(*dock); });
    }

    m_document.toKeep = [this]() -> const Scenario& { return m_aside.own(); };
    m_document.mayReplace = [this] { return mayReplace(); };
    connect(&m_document, &Document::titleChanged, this, &MainWindow::updateTitle);
    connect(&m_workspace, &Workspace::changed, this, &MainWindow::updateTitle); // may leave a lesson behind
    connect(&m_document, &Document::opened, this, [this](const QString& path) {
        m_settings.addRecentFile(path);
        fillRecentFiles();
    });
    connect(&m_document, &Document::comparisonOpened, this, [this](const std::vector<Scenario>& scenarios) {
        m_charts->compare().restore(scenarios);
        m_notices->tell(scenarios.size() == 1
                            ? tr("The scenario of the comparison is pinned again.")
                            : tr("The %1 scenarios of the comparison are pinned again.").arg(scenarios.size()));
    });
    connect(&m_document, &Document::imported, this, [this](const QString& what, const QStringList& remarks) {
        m_notices->tell(tr("Imported %1.").arg(what), remarks);
    });
}

/// Every visible panel follows here, in the event that changed the scenario: they are painted in the same frame.
void MainWindow::showReport()
{
    const Scenario& scenario = m_workspace.scenario();
    const Report& report = m_workspace.report();
    m_stages->setScenario(scenario, report);
    m_lessons->setScenario(scenario, report);
    showHeadline();
    showServing();
    m_charts->advice().setScenario(scenario);
    m_charts->placement().setScenario(scenario, report);
    m_charts->servingCards().setScenario(scenario);
    if (report.legal()) {
        m_charts->show(scenario, m_workspace.lastLegal());
        m_charts->search().setCurrent(scenario.layout, report);
    }
    followSearch();
    captionPresenter();
    if (m_explain->isVisible()) {
        m_explainRequest.start();
    }
    // The ring moves now; which layouts there are around it is worked out once this frame is on its way.
    m_charts->showPlane(m_sweep.plane(), scenario);
    m_sweep.cancel();
    m_planeRequest.start();
}

/// The charts of serving while any of them is open, and what serving says beside what the training step does.
void MainWindow::showServing()
{
    const Scenario& scenario = m_workspace.scenario();
    const std::shared_ptr<const ServingData> answer = m_charts->showsServing() ? servingData(scenario) : nullptr;
    m_served = answer ? std::make_shared<const ServingReport>(answer->report) : nullptr;
    m_charts->showServing(scenario, answer);
    m_headline->setServing(answer ? std::optional(answer->report) : std::nullopt);
    m_verdict.setScenario(scenario, m_workspace.report());
    showProblems();
}

void MainWindow::showProblems()
{
    Report both = m_workspace.report();
    std::vector<Finding> findings = m_verdict.findings();
    const auto warn = [&findings](const std::vector<std::string>& warnings, const QString& path) {
        for (std::size_t i = 0; i < warnings.size(); ++i) {
            findings.push_back({false, toText(warnings[i]), path.arg(i)});
        }
    };
    warn(both.warnings, QStringLiteral("warnings[%1]"));
    if (m_served) {
        for (const Problem& problem : m_served->problems) {
            if (problem.field.rfind("serving.", 0) == 0) { // the others are the step's own
                both.problems.push_back(problem);
            }
        }
        warn(m_served->warnings, QStringLiteral("serving.warnings[%1]"));
        both.warnings.insert(both.warnings.end(), m_served->warnings.begin(), m_served->warnings.end());
    }
    m_panel->setScenario(m_workspace.scenario(), both);
    m_problems->setProblems(both.problems, findings);
    m_charts->problemsDock().setCount(m_problems->count());
}

void MainWindow::showHeadline()
{
    const Scenario& scenario = m_workspace.scenario();
    const Report& report = m_workspace.report();
    m_headline->setReport(scenario, report,
                          report.legal() ? stepTimeBand(scenario, report.stepTime, m_published.runs()) : std::nullopt);
}

void MainWindow::loadRun(const QString& id)
{
    if (const ComparableRun* run = m_published.run(id)) {
        m_workspace.edit(run->scenario, tr("Load %1").arg(id));
    }
}

void MainWindow::askForPlane()
{
    m_planeRequest.stop();
    m_sweep.request(m_workspace.scenario(), m_charts->rowAxis(), m_charts->columnAxis(), m_charts->rest(),
                    m_charts->search().space());
    m_charts->showPlane(m_sweep.plane(), m_workspace.scenario());
}

void MainWindow::showMarks(const StopMarks& marks)
{
    for (const auto& [field, stops] : marks) {
        m_panel->setStopMarks(field, stops);
    }
}

void MainWindow::adoptForServing(const ServingPoint& point)
{
    Scenario adopted = m_workspace.scenario();
    const bool ran = evaluate(adopted).fits;
    adopted.layout = splitForServing(adopted.layout, point.layout);
    adopted.serving.batch = point.batch > 0 ? point.batch : adopted.serving.batch;
    const QString split = QString::fromStdString(servingText(point.layout));
    m_workspace.edit(adopted, tr("Adopt %1 for serving").arg(split));
    const Report trained = evaluate(adopted);
    if (ran && !trained.fits) {
        m_notices->tell(
            (trained.legal()
                 ? tr("%1 serves. Training has the same split, and a step does not fit with it: undo brings "
                      "the split back.")
                 : tr("%1 serves. Training has the same split, and it is not legal there: undo brings the "
                      "split back."))
                .arg(split));
    }
}

void MainWindow::adoptCell(std::size_t row, std::size_t column)
{
    const Plane& plane = m_sweep.plane();
    if (row >= plane.rows.size() || column >= plane.columns.size()) {
        return;
    }
    const Result<Scenario> moved = scenarioOf(m_workspace.scenario(), plane, row, column);
    if (!moved) {
        tellProblems(tr("This layout cannot be:"), moved.problems);
        return;
    }
    m_workspace.edit(
        *moved,
        tr("Adopt %1, %2")
            .arg(stopText(plane.rowAxis, plane.rows[row]), stopText(plane.columnAxis, plane.columns[column])));
}

void MainWindow::connectSearch()
{
    SearchView& view = m_charts->search();
    ChartDock& dock = m_charts->searchDock();
    connect(&m_search, &LayoutSearch::advanced, this, [this, &view, &dock] {
        view.setState(m_search.state());
        dock.refresh();
    });
    connect(&view, &SearchView::startRequested, this,
            [this, &view] { m_search.start(m_workspace.scenario(), view.space(), view.wantsSizes()); });
    connect(&view, &SearchView::stopRequested, &m_search, &LayoutSearch::stop);
    connect(&view, &SearchView::spaceChanged, this, [this, &view] {
        m_charts->advice().setLimits(view.space());
        m_verdict.setLimits(view.space());
        followSearch();
        if (m_charts->rest() == PlaneRest::Searched) {
            m_planeRequest.start();
        }
    });
    connect(&view, &SearchView::layoutAdopted, this, [this](const Layout& layout) {
        m_workspace.edit(onDevicesOf(m_workspace.scenario(), layout), tr("Adopt a layout found"));
    });
    connect(&view, &SearchView::layoutPinned, this, [this](const Layout& layout) {
        if (!m_charts->compare().pin(onDevicesOf(m_workspace.scenario(), layout))) {
            tellProblems(tr("This layout was not pinned:"),
                         {{"compare", {}, "Compare holds as many pins as it can", "unpin one with Compare ▸ Unpin"}});
        }
    });
    connect(&dock, &QDockWidget::visibilityChanged, this, &MainWindow::followSearch);
}

/// Charts that follow even a scenario that is not legal have none to be told with.
void MainWindow::sayWhatIsUpToDate()
{
    const auto legal = [this] { return m_workspace.report().legal(); };
    m_charts->heatmapDock().setUpToDate(
        [this, legal] { return legal() && !m_sweep.running() && !m_planeRequest.isActive(); });
    m_charts->searchDock().setUpToDate([this, legal] {
        return legal() && !m_search.running() && m_search.isOf(m_workspace.scenario(), m_charts->search().space());
    });
    const ServingCards& cards = m_charts->servingCards();
    for (ChartDock* dock : m_charts->servingDocks()) {
        const bool beside = dock == cards.layoutsDock() || dock == cards.widthsDock();
        dock->setUpToDate([&cards, legal, beside] { return legal() && (!beside || cards.isUpToDate()); });
    }
}

/// Searches only while somebody can see it.
void MainWindow::followSearch()
{
    if (m_charts->search().isVisible()) {
        const SearchView& view = m_charts->search();
        m_search.follow(m_workspace.scenario(), view.space(), view.wantsSizes());
    } else if (m_search.running()) {
        m_search.stop();
    }
}

bool MainWindow::openFile(const QString& path)
{
    if (MeasuredStep::isTrace(path)) {
        m_measured.read(path);
        return true;
    }
    const Problems problems = m_document.open(path);
    if (!problems.empty()) {
        tellProblems(tr("%1 cannot be opened:").arg(path), problems);
    }
    return problems.empty();
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (!mayReplace()) {
        event->ignore();
        return;
    }
    m_settings.setWindow(saveGeometry(), saveState(layoutVersion), m_board->layoutState());
    event->accept();
}

void MainWindow::restoreWindow()
{
    m_firstLayout = saveState(layoutVersion);
    if (!restoreGeometry(m_settings.windowGeometry())) {
        resize(QSize(1600, 1000).boundedTo(screen()->availableSize() - roomForFrame));
    }
    restoreState(m_settings.windowLayout(), layoutVersion);
    m_board->restoreLayout(m_settings.boardLayout());
}

void MainWindow::resetLayout()
{
    restoreState(m_firstLayout, layoutVersion);
    m_board->arrange();
}

} // namespace partita::ui
