// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/main_window.h"

#include "app/advice_card.h"
#include "app/chart_board.h"
#include "app/chart_dock.h"
#include "app/charts.h"
#include "app/compare_card.h"
#include "app/heatmap_data.h"
#include "app/notice_bar.h"
#include "app/presenter.h"
#include "app/runs_card.h"
#include "app/study_cards.h"
#include "core/formats/flat_json.h"
#include "core/formats/timeline_trace.h"
#include "tests/app/open_window.h"
#include "widgets/accessible_names.h"
#include "widgets/elided_label.h"
#include "widgets/figures.h"
#include "widgets/headline_strip.h"
#include "widgets/heatmap_view.h"
#include "widgets/lesson_panel.h"
#include "widgets/pipeline_view.h"
#include "widgets/runs_view.h"
#include "widgets/scenario_panel.h"
#include "widgets/search_view.h"
#include "widgets/stop_slider.h"
#include "widgets/text.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QDropEvent>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>

#include <algorithm>

using namespace partita;
using namespace partita::ui;

class MainWindowTest : public QObject, protected OpenWindow {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup();
    void draggingASliderMovesEveryPanelAtOnceAndIsOneStep();
    void clickingAHeatmapCellAdoptsItAndUndoReturns();
    void anIllegalScenarioKeepsTheChartsAndNamesTheProblem();
    void savesAndOpens();
    void droppingAConfigurationImportsItsModel();
    void droppingRubbishChangesNothingAndSaysWhy();
    void aDroppedTraceLiesBelowThePrediction();
    void aLessonStartsFromTheMenuAndIsOneStep();
    void aLessonShowsTheChartItSpeaksOf();
    void aLessonKeepsItsHeightBesideExplain();
    void whatALessonKeepsIsCalledAsItsControl();
    void whatALessonMayMoveHasAControl();
    void theTitleNamesTheLessonWhileItsScenarioIsShown();
    void pinnedScenariosAreComparedAndGoneBackTo();
    void aChartIsPresentedWithAClicker();
    void onlyChartsWithContentArePresentedInTypeForTheScreen();
    void aLessonIsPresentedPageByPage();
    void aLessonThatIsLeftOrHiddenIsNotPresented();
    void whatALessonLeftIsNotAskedAboutInTheNext();
    void aCrashIsOfferedForRecovery();
    void aChartFillsTheWindowAndReturns();
    void publishedRunsAreShownAndLoaded();
    void servingOpensItsChartsAndFollowsTheScenario();
    void theHeadlineSaysHowSureItIs();
    void everyChartHasATable();
    void copyingAChartGivesPictureAndNumbers();
    void searchingFindsALayoutThatCanBeAdopted();
    void heatmapCellsMayHoldTheBestOfTheRest();
    void theLayoutIsRemembered();
    void theWindowFitsASmallScreen();
    void numbersStayInTheMapBesideThePanelThatExplains();
    void everyControlHasAName();
    void bothAppearancesPaint();

private:
    Workspace& workspace() { return m_window->workspace(); }
    QString chartText(int dock) const
    {
        return m_window->board().docks()[static_cast<std::size_t>(dock)]->chart()->description();
    }
    StopSlider* slider(const QString& key) const;
    void sweepToTheEnd() { QTRY_VERIFY_WITH_TIMEOUT(!m_window->planeSweep().running(), 60000); }
    QPushButton* notice(const QString& answer) const; ///< null: not offered
    void drop(const QString& path);
    void act(const QKeySequence& shortcut);

};

void MainWindowTest::initTestCase()
{
    load();
}

void MainWindowTest::init()
{
    showNewWindow();
}

void MainWindowTest::cleanup()
{
    m_window.reset();
}

StopSlider* MainWindowTest::slider(const QString& key) const
{
    const QList<StopSlider*> sliders = m_window->findChildren<StopSlider*>();
    for (StopSlider* slider : sliders) {
        if (slider->key() == key) {
            return slider;
        }
    }
    return nullptr;
}

void MainWindowTest::aDroppedTraceLiesBelowThePrediction()
{
    const QString path = m_folder->filePath(QStringLiteral("step.json"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(timelineTrace(workspace().report().timeline)));
    file.close();
    QSignalSpy ready(&m_window->measuredStep(), &MeasuredStep::ready);
    drop(path);
    QVERIFY(ready.wait());
    QVERIFY(m_window->charts().pipeline().showsMeasured());
    QVERIFY(m_window->notices().text().contains(QStringLiteral("step.json")));
    QVERIFY(workspace().scenario() == m_scenario);

    QSignalSpy failed(&m_window->measuredStep(), &MeasuredStep::failed);
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write("{\"traceEvents\": [");
    file.close();
    drop(path);
    QVERIFY(failed.wait());
    QVERIFY(m_window->charts().pipeline().showsMeasured()); // the last good one stays
}

void MainWindowTest::aLessonStartsFromTheMenuAndIsOneStep()
{
    LessonPanel& panel = m_window->lessons();
    QVERIFY(panel.lessons().size() >= 12);
    const auto bubble = std::find_if(panel.lessons().begin(), panel.lessons().end(),
                                     [](const Lesson& lesson) { return lesson.id == "03-the-bubble"; });
    QVERIFY(bubble != panel.lessons().end());
    for (QAction* action : m_window->findChildren<QAction*>()) {
        if (action->text() == QString::fromStdString(bubble->title)) {
            action->trigger();
        }
    }
    QVERIFY(panel.isVisible() && panel.current() != nullptr);
    QVERIFY(workspace().scenario() == bubble->scenario);
    QVERIFY(m_window->findChild<ChartDock*>(QStringLiteral("gantt"))->isPointedAt());
    QCOMPARE(workspace().history().count(), 1);

    act(Qt::ALT | Qt::Key_Right);
    StopTrack* track = slider(QStringLiteral("layout.globalBatch"))->track();
    track->setFocus();
    for (int i = 0; i < 64 && !panel.isSolved(); ++i) {
        QTest::keyClick(track, Qt::Key_Right);
    }
    QVERIFY(panel.isSolved());
    act(Qt::ALT | Qt::Key_Right); // the last page: finished
    QVERIFY(panel.current() == nullptr);
    QVERIFY(!m_window->findChild<ChartDock*>(QStringLiteral("gantt"))->isPointedAt());
    while (workspace().history().canUndo()) {
        act(QKeySequence::Undo);
    }
    QVERIFY(workspace().scenario() == m_scenario);
}

void MainWindowTest::aLessonShowsTheChartItSpeaksOf()
{
    LessonPanel& panel = m_window->lessons();
    for (const std::string_view id : lessonCharts) {
        QVERIFY2(m_window->findChild<ChartDock*>(QString::fromUtf8(id.data(), static_cast<int>(id.size()))) != nullptr,
                 id.data());
    }
    bool served = false;
    for (std::size_t i = 0; i < panel.lessons().size(); ++i) {
        panel.start(i);
        for (std::size_t page = 0; page < panel.current()->pages.size(); ++page) {
            panel.goTo(page);
            const QString chart = QString::fromStdString(panel.current()->pages[page].chart);
            const ChartDock* dock = m_window->findChild<ChartDock*>(chart);
            QVERIFY2(dock->isPointedAt() && dock->isVisible() && !dock->visibleRegion().isEmpty(), qPrintable(chart));
            const bool serves = chart.startsWith(QStringLiteral("serving"));
            served = served || serves;
            QCOMPARE(m_window->charts().showsServing(), serves);
        }
    }
    QVERIFY(served);
}

void MainWindowTest::aLessonKeepsItsHeightBesideExplain()
{
    m_window->resize(1600, 1000);
    auto* explain = m_window->findChild<QDockWidget*>(QStringLiteral("explain"));
    QTest::mouseClick(m_window->findChild<HeadlineStrip*>()->figure(QStringLiteral("memory")), Qt::LeftButton);
    QVERIFY(explain->isVisible());
    LessonPanel& panel = m_window->lessons();
    const auto bubble = std::find_if(panel.lessons().begin(), panel.lessons().end(),
                                     [](const Lesson& lesson) { return lesson.id == "03-the-bubble"; });
    panel.start(static_cast<std::size_t>(bubble - panel.lessons().begin()));
    panel.goTo(1);
    QTRY_VERIFY(panel.height() > explain->height());
    const QString question = QString::fromStdString(bubble->pages[1].task->question).section(u'{', 0, 0);
    const auto labels = panel.findChildren<QLabel*>();
    const auto asked = std::find_if(labels.begin(), labels.end(),
                                    [&](const QLabel* label) { return label->text().startsWith(question); });
    QVERIFY(asked != labels.end());
    QTRY_COMPARE((*asked)->visibleRegion().boundingRect().size(), (*asked)->size());
}

void MainWindowTest::whatALessonKeepsIsCalledAsItsControl()
{
    LessonPanel& panel = m_window->lessons();
    const auto bubble = std::find_if(panel.lessons().begin(), panel.lessons().end(),
                                     [](const Lesson& lesson) { return lesson.id == "03-the-bubble"; });
    panel.start(static_cast<std::size_t>(bubble - panel.lessons().begin()));
    panel.goTo(1);
    Scenario scenario = workspace().scenario();
    scenario.layout.pp = 4;
    scenario.layout.dp = 2;
    workspace().edit(scenario, QStringLiteral("pp"));
    QString all;
    for (const QLabel* label : panel.findChildren<QLabel*>()) {
        all += label->text() + u'\n';
    }
    QVERIFY2(all.contains(QStringLiteral("Pipeline")) && all.contains(QStringLiteral("Global batch")), qPrintable(all));
    QVERIFY2(!all.contains(QStringLiteral("layout.")), qPrintable(all));
}

void MainWindowTest::whatALessonMayMoveHasAControl()
{
    ScenarioPanel& panel = m_window->panel();
    const auto plain = [](QString key) { return key.remove(u'_').toLower(); };
    QStringList controls;
    for (const FieldEditor* editor : panel.findChildren<FieldEditor*>()) {
        controls << plain(editor->key());
    }
    for (const std::string_view field : lessonFields) {
        const QString name = toText(field);
        if (name.contains(u'.') || controls.contains(plain(name))) { // some only where they have a meaning
            QVERIFY2(controls.contains(plain(name)), qPrintable(name));
        } else { // a preset's is its section
            m_window->setFocus();
            panel.focusField(name);
            QVERIFY2(panel.isAncestorOf(QApplication::focusWidget()), qPrintable(name));
        }
    }
}

void MainWindowTest::theTitleNamesTheLessonWhileItsScenarioIsShown()
{
    const QString own = m_window->windowTitle();
    LessonPanel& panel = m_window->lessons();
    panel.start(2);
    const QString lesson = QString::fromStdString(panel.current()->title);
    QVERIFY2(m_window->windowTitle().contains(lesson), qPrintable(m_window->windowTitle()));
    QVERIFY(!m_window->isWindowModified());
    panel.start(3);
    QVERIFY2(!m_window->windowTitle().contains(lesson), qPrintable(m_window->windowTitle()));
    const QString second = QString::fromStdString(panel.current()->title);
    panel.leave();
    QVERIFY2(m_window->windowTitle().contains(second), qPrintable(m_window->windowTitle())); // still shown
    workspace().history().undo(); // what was shown before
    workspace().history().undo();
    QCOMPARE(m_window->windowTitle(), own);
    workspace().history().redo();
    workspace().history().redo();
    QVERIFY(m_window->windowTitle().contains(second));
    Scenario mine = workspace().scenario();
    mine.layout.microBatch *= 2;
    workspace().edit(mine, QStringLiteral("work on it"));
    QVERIFY2(!m_window->windowTitle().contains(second), qPrintable(m_window->windowTitle()));
}

void MainWindowTest::pinnedScenariosAreComparedAndGoneBackTo()
{
    CompareCard& compare = m_window->charts().compare();
    QVERIFY(compare.shown().empty());
    act(Qt::CTRL | Qt::Key_D);
    act(Qt::CTRL | Qt::Key_D); // the same scenario once
    QCOMPARE(compare.pinned().size(), std::size_t{1});
    QVERIFY(compare.dock()->isVisible());
    Scenario other = m_scenario;
    for (int batch : {128, 256, 512, 1024}) {
        other.layout.globalBatch = batch;
        workspace().edit(other, QStringLiteral("Edit"));
        if (batch == 128) {
            QCOMPARE(compare.shown().size(), std::size_t{2}); // beside the current one
        }
        act(Qt::CTRL | Qt::Key_D);
    }
    QCOMPARE(compare.pinned().size(), std::size_t{4});
    QCOMPARE(compare.shown().size(), std::size_t{5});
    const ChartTable table = compare.dock()->chart()->table();
    QCOMPARE(table.header.size(), 8); // what, its unit, five layouts, the change
    QVERIFY(compare.dock()->chart()->description().contains(QStringLiteral("step time")));
    compare.setQuantity(ComparedQuantity::Mfu);
    QVERIFY(compare.dock()->chart()->title().contains(QStringLiteral("MFU")));
    compare.unpin(3);
    Q_EMIT compare.loaded(compare.pinned().front().scenario, QStringLiteral("first"));
    QVERIFY(workspace().scenario() == m_scenario);
    act(QKeySequence::Undo);
    QVERIFY(workspace().scenario() == other);
}

void MainWindowTest::aChartIsPresentedWithAClicker()
{
    act(Qt::Key_F11);
    Presenter& presenter = m_window->presenter();
    QVERIFY(presenter.isVisible() && presenter.isFullScreen());
    QVERIFY(presenter.scale() >= 1.6);
    const QString first = presenter.current();
    QTest::keyClick(&presenter, Qt::Key_PageDown);
    QVERIFY(presenter.current() != first);
    QTest::keyClick(&presenter, Qt::Key_PageUp);
    QCOMPARE(presenter.current(), first);
    presenter.showSlide(QStringLiteral("gantt"));
    QVERIFY(presenter.caption().contains(QStringLiteral("pipeline stages")));

    PipelineView& pipeline = m_window->charts().pipeline();
    QTest::keyClick(&presenter, Qt::Key_Right);
    QVERIFY(pipeline.playhead() && *pipeline.playhead() > 0);
    QTest::keyClick(&presenter, Qt::Key_Space);
    QVERIFY(pipeline.isPlaying());
    QTest::keyClick(&presenter, Qt::Key_S);
    QTest::keyClick(&presenter, Qt::Key_B);
    QVERIFY(presenter.hasSpotlight() && presenter.isBlack());
    QCOMPARE(presenter.grab().toImage().pixelColor(50, 50).rgb(), QColor(Qt::black).rgb());
    QTest::keyClick(&presenter, Qt::Key_B);
    const double before = presenter.scale();
    QTest::keyClick(&presenter, Qt::Key_Plus);
    QVERIFY(presenter.scale() > before);
    QTest::keyClick(&presenter, Qt::Key_Escape);
    QVERIFY(!presenter.isVisible() && !pipeline.isPlaying());
}

void MainWindowTest::onlyChartsWithContentArePresentedInTypeForTheScreen()
{
    sweepToTheEnd(); // the map is a slide once it is of this scenario
    act(Qt::Key_F11);
    Presenter& presenter = m_window->presenter();
    presenter.showSlide(QStringLiteral("memory"));
    QStringList shown;
    for (int i = 0; i < 40 && (shown.isEmpty() || shown.back() != presenter.current()); ++i) {
        shown << presenter.current();
        QTest::keyClick(&presenter, Qt::Key_PageDown);
    }
    QVERIFY2(shown.size() >= 3, qPrintable(shown.join(QLatin1Char(' ')))); // memory, step time, pipeline
    for (const QString& id : std::as_const(shown)) {
        const auto* dock = m_window->findChild<ChartDock*>(id);
        QVERIFY2(dock->isReady(), qPrintable(id));
    }
    const double small = presenter.scale();
    presenter.showNormal();
    presenter.resize(1000, 1600);
    QVERIFY(presenter.scale() > small); // a higher screen has larger type, not more of it
    presenter.close();
}

void MainWindowTest::aLessonIsPresentedPageByPage()
{
    LessonPanel& panel = m_window->lessons();
    panel.start(2);
    m_window->presenter().present(QStringLiteral("memory"));
    QTest::keyClick(&m_window->presenter(), Qt::Key_PageDown);
    QCOMPARE(panel.page(), std::size_t{1});
    QCOMPARE(m_window->presenter().current(), QStringLiteral("gantt"));
    QVERIFY(m_window->presenter().caption().startsWith(QStringLiteral("Bring the bubble below 20.0 %")));
    const Result<Scenario> solution =
        withFields(workspace().scenario(), panel.current()->pages[1].task->solution, m_catalogue);
    QVERIFY(solution);
    const Scenario first = workspace().scenario();
    workspace().edit(*solution, QStringLiteral("solve"));
    workspace().edit(first, QStringLiteral("back"));
    QTest::keyClick(&m_window->presenter(), Qt::Key_PageDown); // there is no further page
    QVERIFY(panel.isSolved());
    QTest::keyClick(&m_window->presenter(), Qt::Key_PageUp);
    QCOMPARE(panel.page(), std::size_t{0});
    m_window->presenter().close();
}

/// With and without a lesson to read: charts alone are as if there were no lessons.
void MainWindowTest::aLessonThatIsLeftOrHiddenIsNotPresented()
{
    LessonPanel& panel = m_window->lessons();
    Presenter& presenter = m_window->presenter();
    auto* lessons = m_window->findChild<QDockWidget*>(QStringLiteral("lessons"));
    panel.start(0);
    panel.goTo(1);
    const LessonTask& task = *panel.current()->pages[1].task;
    const Scenario first = workspace().scenario();
    const Result<Scenario> solution = withFields(first, task.solution, m_catalogue);
    QVERIFY(solution);
    workspace().edit(*solution, QStringLiteral("solve"));
    QVERIFY2(presenter.caption().startsWith(QStringLiteral("TP exposed was")), qPrintable(presenter.caption()));
    workspace().edit(first, QStringLiteral("back"));
    auto* memory = m_window->findChild<ChartDock*>(QStringLiteral("memory"));
    m_window->board().bringUp(memory);
    act(Qt::Key_F11);
    QCOMPARE(presenter.current(), QStringLiteral("step-time"));
    QVERIFY2(presenter.caption().startsWith(QStringLiteral("✓ Keep the pipeline stages")),
             qPrintable(presenter.caption()));
    QVERIFY2(!presenter.caption().contains(QStringLiteral("TP exposed was")), qPrintable(presenter.caption()));

    const auto isOfCharts = [&] {
        presenter.showSlide(QStringLiteral("memory"));
        const std::size_t page = panel.page();
        QCOMPARE(presenter.caption(), memory->chart()->description());
        QTest::keyClick(&presenter, Qt::Key_PageDown);
        QVERIFY(presenter.current() != QStringLiteral("memory"));
        QCOMPARE(panel.page(), page);
    };
    lessons->close();
    QVERIFY(panel.current() != nullptr);
    isOfCharts();
    lessons->show();
    QVERIFY(presenter.caption().startsWith(QStringLiteral("✓ Keep the pipeline stages")));
    panel.leave();
    QVERIFY(lessons->isVisible()); // with the list
    isOfCharts();
    notice(QStringLiteral("Go on with this one"))->click();
    isOfCharts();
    presenter.close();
}

void MainWindowTest::whatALessonLeftIsNotAskedAboutInTheNext()
{
    LessonPanel& panel = m_window->lessons();
    const QString goOn = QStringLiteral("Go on with this one");
    panel.start(0);
    for (std::size_t page = panel.current()->pages.size(); page > 0; --page) {
        act(Qt::ALT | Qt::Key_Right);
    }
    QVERIFY(panel.current() == nullptr && notice(goOn) != nullptr);
    auto* list = panel.findChild<QListWidget*>();
    QTest::keyClick(list, Qt::Key_Return);
    QVERIFY(panel.current() != nullptr);
    QVERIFY2(m_window->notices().text().isEmpty(), qPrintable(m_window->notices().text()));
    act(Qt::ALT | Qt::SHIFT | Qt::Key_Home);
    QVERIFY(workspace().scenario() == m_scenario); // was not let go of

    m_window->notices().tell(QStringLiteral("something else"));
    panel.start(1);
    QCOMPARE(m_window->notices().text(), QStringLiteral("something else"));
}

QPushButton* MainWindowTest::notice(const QString& answer) const
{
    for (QPushButton* button : m_window->notices().findChildren<QPushButton*>()) {
        if (button->text() == answer && button->isVisible()) {
            return button;
        }
    }
    return nullptr;
}

void MainWindowTest::drop(const QString& path)
{
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    const QPoint at(100, 100);
    QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent event(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &event);
}

void MainWindowTest::act(const QKeySequence& shortcut)
{
    const QList<QAction*> actions = m_window->findChildren<QAction*>();
    for (QAction* action : actions) {
        if (action->shortcuts().contains(shortcut)) {
            action->trigger();
            return;
        }
    }
    QFAIL(qPrintable(shortcut.toString()));
}

void MainWindowTest::draggingASliderMovesEveryPanelAtOnceAndIsOneStep()
{
    StopTrack* track = slider(QStringLiteral("layout.pp"))->track();
    const QString memory = chartText(0);
    const QString time = chartText(1);
    const QString pipeline = chartText(2);
    auto* headline = m_window->findChild<HeadlineStrip*>();
    const QString peak = headline->figure(QStringLiteral("memory"))->value();
    const auto at = [track](std::int64_t value) {
        return QPoint(static_cast<int>(track->xOf(value)), track->height() / 2);
    };

    QTest::mousePress(track, Qt::LeftButton, {}, at(4));
    QTest::mouseMove(track, at(2));
    QTest::mouseMove(track, at(8));
    QCOMPARE(workspace().scenario().layout.pp, 8);
    QCOMPARE(workspace().scenario().layout.devices(), std::int64_t{64});
    // Without returning to the event loop: the next paint shows all of them.
    QVERIFY(chartText(0) != memory);
    QVERIFY(chartText(1) != time);
    QVERIFY(chartText(2) != pipeline);
    QVERIFY(headline->figure(QStringLiteral("memory"))->value() != peak);
    QTest::mouseRelease(track, Qt::LeftButton, {}, at(8));

    QCOMPARE(workspace().history().count(), 1);
    act(QKeySequence::Undo);
    QVERIFY(workspace().scenario() == m_scenario);
    QCOMPARE(chartText(0), memory);
}

void MainWindowTest::clickingAHeatmapCellAdoptsItAndUndoReturns()
{
    sweepToTheEnd();
    HeatmapView& view = m_window->charts().heatmap();
    const auto& chart = static_cast<const HeatmapChart&>(*view.chart());
    const HeatmapGeometry geometry = chart.geometry(view.chartArea(), textMetrics(view.theme()));
    const Plane& plane = m_window->planeSweep().plane();
    const auto cell =
        std::find_if(geometry.cells.begin(), geometry.cells.end(), [&](const HeatmapGeometry::Cell& each) {
            return chart.data().at(each.index).state == HeatmapCell::State::Value
                && !(each.index == *chart.data().current);
        });
    QVERIFY(cell != geometry.cells.end());
    QTest::mouseClick(&view, Qt::LeftButton, {}, cell->rect.center().toPoint());
    QCOMPARE(std::int64_t{workspace().scenario().layout.tp}, plane.rows[static_cast<std::size_t>(cell->index.y)]);
    QCOMPARE(std::int64_t{workspace().scenario().layout.pp}, plane.columns[static_cast<std::size_t>(cell->index.x)]);
    QVERIFY(workspace().report().legal());
    act(QKeySequence::Undo);
    QVERIFY(workspace().scenario() == m_scenario);
}

void MainWindowTest::anIllegalScenarioKeepsTheChartsAndNamesTheProblem()
{
    const QString memory = chartText(0);
    Scenario broken = m_scenario;
    broken.layout.tp = 7;
    workspace().edit(broken, QStringLiteral("Break"));
    QCOMPARE(chartText(0), memory);
    QVERIFY(!slider(QStringLiteral("layout.tp"))->problems().isEmpty());
}

void MainWindowTest::savesAndOpens()
{
    Scenario changed = m_scenario;
    changed.layout.globalBatch = 128;
    workspace().edit(changed, QStringLiteral("Edit"));
    QVERIFY(m_window->isWindowModified());
    const QString path = m_folder->filePath(QStringLiteral("a&b.partita"));
    QVERIFY(m_window->saveFile(path));
    QVERIFY(!m_window->isWindowModified());
    workspace().reset(m_scenario);
    QVERIFY(m_window->openFile(path));
    QVERIFY(workspace().scenario() == changed);
    QCOMPARE(m_settings->recentFiles(), QStringList{path});
    QVERIFY(!m_window->saveFile(m_folder->filePath(QStringLiteral("no/such/folder/a.partita"))));
    QVERIFY(!m_window->notices().text().isEmpty());
}

void MainWindowTest::droppingAConfigurationImportsItsModel()
{
    const QString path = m_folder->filePath(QStringLiteral("config.json"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32,
                   "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 32000,
                   "max_position_embeddings": 4096})");
    file.close();
    drop(path);
    QCOMPARE(workspace().report().parameters.total(), std::int64_t{6738415616}); // Llama 2 7B
    QVERIFY(m_window->notices().text().contains(QStringLiteral("Imported")));
    act(QKeySequence::Undo);
    QVERIFY(workspace().scenario() == m_scenario);
}

void MainWindowTest::droppingRubbishChangesNothingAndSaysWhy()
{
    const QString path = m_folder->filePath(QStringLiteral("rubbish.json"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{\"model_type\": \"no-such\"}");
    file.close();
    drop(path);
    QVERIFY(workspace().scenario() == m_scenario);
    QVERIFY(m_window->notices().text().contains(QStringLiteral("no-such")));
}

void MainWindowTest::aCrashIsOfferedForRecovery()
{
    Scenario changed = m_scenario;
    changed.layout.globalBatch = 128;
    workspace().edit(changed, QStringLiteral("Edit"));
    m_window->document().keepNow();
    m_window.reset(); // without saving; the file stays
    showWindow();
    m_window->offerRecovery();
    QVERIFY(m_window->notices().isVisible());
    const QList<QPushButton*> answers = m_window->notices().findChildren<QPushButton*>();
    QCOMPARE(answers.size(), 2);
    QTest::mouseClick(answers.front(), Qt::LeftButton);
    QVERIFY(workspace().scenario() == changed);
    QVERIFY(m_window->isWindowModified());
    QVERIFY(!m_window->notices().isVisible());
}

void MainWindowTest::aChartFillsTheWindowAndReturns()
{
    ChartBoard& board = m_window->board();
    ChartDock* pipeline = board.docks()[2];
    m_window->charts().advice().dock()->raise(); // behind another at first
    QCoreApplication::processEvents();
    std::vector<bool> hidden; // cards that are closed at first
    std::vector<std::pair<bool, QSize>> places; // in front of its tabs, and how large
    const auto placeOf = [](const ChartDock* dock) {
        return std::pair(!dock->visibleRegion().isEmpty(), dock->visibleRegion().isEmpty() ? QSize() : dock->size());
    };
    for (const ChartDock* dock : board.docks()) {
        hidden.push_back(dock->isHidden());
        places.push_back(placeOf(dock));
    }
    QVERIFY(placeOf(m_window->charts().advice().dock()).first);
    Q_EMIT pipeline->maximiseRequested();
    for (const ChartDock* dock : board.docks()) {
        QCOMPARE(dock->isVisible(), dock == pipeline);
    }
    Q_EMIT pipeline->maximiseRequested();
    for (std::size_t i = 0; i < hidden.size(); ++i) {
        QCOMPARE(board.docks()[i]->isHidden(), static_cast<bool>(hidden[i]));
        QTRY_COMPARE(placeOf(board.docks()[i]), places[i]);
    }
}

void MainWindowTest::publishedRunsAreShownAndLoaded()
{
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->publishedRuns().runs().empty(), 60000);
    RunsCard& card = m_window->charts().runs();
    card.dock()->toggleViewAction()->trigger();
    QVERIFY(card.dock()->isVisible());
    QCOMPARE(card.view().runs().size(), m_window->publishedRuns().runs().size());
    const ComparableRun& run = m_window->publishedRuns().runs()[3];
    const Scenario before = workspace().scenario();
    Q_EMIT card.view().runActivated(QString::fromStdString(run.id));
    QVERIFY(workspace().scenario() == run.scenario);
    workspace().history().undo();
    QVERIFY(workspace().scenario() == before);
}

void MainWindowTest::servingOpensItsChartsAndFollowsTheScenario()
{
    auto* serve = m_window->findChild<QAction*>(QStringLiteral("serve"));
    QVERIFY(serve != nullptr && !serve->isChecked());
    const auto curve = [this] {
        for (ChartDock* dock : m_window->board().docks()) {
            if (dock->chart() != nullptr && dock->chart()->id() == QStringLiteral("serving-curve")) {
                return dock;
            }
        }
        return static_cast<ChartDock*>(nullptr);
    };
    QVERIFY(curve() == nullptr); // nothing is worked out for closed cards
    serve->trigger();
    QTRY_VERIFY(curve() != nullptr && curve()->isVisible());
    const auto* headline = m_window->findChild<HeadlineStrip*>();
    const auto shows = [headline](const char* key) { return headline->figure(QString::fromLatin1(key))->isVisible(); };
    QVERIFY(shows("tpot") && !shows("mfu"));
    const QString before = curve()->chart()->description();
    Scenario next = workspace().scenario();
    next.serving.batch = 7;
    workspace().edit(next, QStringLiteral("Serve seven"));
    QVERIFY(curve()->chart()->description() != before);
    next.serving.prompt = 0;
    workspace().edit(next, QStringLiteral("Ask nothing"));
    QVERIFY(curve()->chart()->description().contains(QStringLiteral("serves nothing")));
    serve->trigger();
    QVERIFY(curve() == nullptr); // nor kept for them
    QVERIFY(shows("mfu") && !shows("tpot"));
}

void MainWindowTest::theHeadlineSaysHowSureItIs()
{
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->publishedRuns().runs().empty(), 60000);
    const HeadlineFigure* step = m_window->findChild<HeadlineStrip*>()->figure(QStringLiteral("step_time"));
    const auto band =
        stepTimeBand(workspace().scenario(), workspace().report().stepTime, m_window->publishedRuns().runs());
    QVERIFY(band.has_value());
    const QString range = timeWithRangeText(workspace().report().stepTime, band->low, band->high);
    QVERIFY2(step->value().endsWith(range), qPrintable(step->value()));
    QVERIFY(step->toolTip().contains(QString::fromStdString(band->runs.front())));
}

void MainWindowTest::everyChartHasATable()
{
    sweepToTheEnd();
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->publishedRuns().runs().empty(), 60000);
    QSignalSpy scaled(&m_window->charts().scaling(), &ScalingCard::completed);
    QSignalSpy changed(&m_window->charts().sensitivity(), &SensitivityCard::completed);
    m_window->charts().scaling().setAxis(ScalingAxis::NetworkBandwidth);
    m_window->charts().scaling().dock()->toggleViewAction()->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(scaled.size(), 1, 60000);
    m_window->charts().sensitivity().dock()->toggleViewAction()->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(changed.size(), 1, 60000);
    for (ChartDock* dock : m_window->board().docks()) {
        dock->show();
        dock->raise();
        if (dock == &m_window->charts().searchDock()) {
            QTRY_VERIFY_WITH_TIMEOUT(!m_window->layoutSearch().state().best.empty(), 60000);
        }
        if (const Chart* chart = dock->chart()) {
            const bool nothingToCompare = dock == m_window->charts().compare().dock();
            QVERIFY2(!chart->table().rows.empty() || nothingToCompare, qPrintable(chart->id()));
            dock->showTable(true);
            QVERIFY(!dock->view()->isVisible());
            dock->showTable(false);
            QVERIFY(dock->view()->isVisible());
        }
    }
}

void MainWindowTest::copyingAChartGivesPictureAndNumbers()
{
    Q_EMIT m_window->board().docks().front()->copyRequested();
    const QMimeData* data = QApplication::clipboard()->mimeData();
    QVERIFY(data->hasImage() || data->hasFormat(QStringLiteral("image/png")));
    QVERIFY(data->hasText());
}

void MainWindowTest::searchingFindsALayoutThatCanBeAdopted()
{
    LayoutSearch& search = m_window->layoutSearch();
    QVERIFY(!search.running()); // nobody sees it
    SearchView& view = m_window->charts().search();
    view.limitsEdit().setText(QStringLiteral("cp=1, vpp<=2"));
    Q_EMIT view.limitsEdit().editingFinished();
    m_window->charts().searchDock().show();
    m_window->charts().searchDock().raise();
    QTRY_VERIFY(search.running());
    QTRY_VERIFY_WITH_TIMEOUT(!search.running(), 60000);
    QVERIFY(view.table().model()->rowCount() > 10);
    view.table().setCurrentIndex(view.table().model()->index(0, 0));
    const double promised = search.state().best.front().stepTime;
    view.table().actions().at(1)->trigger();
    QCOMPARE(m_window->charts().compare().pinned().size(), std::size_t{1});
    QCOMPARE(m_window->charts().compare().pinned().front().report->stepTime, promised);
    QCOMPARE(workspace().scenario(), m_scenario); // pinning changes nothing
    QTest::keyClick(&view.table(), Qt::Key_Return);
    QCOMPARE(workspace().report().stepTime, promised);
    QVERIFY(!search.running()); // what was found is still right
    workspace().history().undo();
    QCOMPARE(workspace().scenario(), m_scenario);
    m_window->charts().searchDock().close();
    Scenario other = m_scenario;
    other.workload.sequenceLength /= 2;
    workspace().edit(other, QStringLiteral("edit"));
    QVERIFY(!search.running());
}

void MainWindowTest::heatmapCellsMayHoldTheBestOfTheRest()
{
    m_window->charts().setRest(PlaneRest::Searched);
    sweepToTheEnd();
    const Plane& plane = m_window->planeSweep().plane();
    QCOMPARE(plane.rest, PlaneRest::Searched);
    const auto fits = std::find_if(plane.cells.begin(), plane.cells.end(),
                                   [](const PlaneCell& cell) { return cell.state == CellState::Fits; });
    QVERIFY(fits != plane.cells.end());
    const PlaneCell cell = *fits;
    const auto place = static_cast<std::size_t>(fits - plane.cells.begin());
    Q_EMIT m_window->charts().cellChosen(place / plane.columns.size(), place % plane.columns.size());
    QCOMPARE(workspace().scenario().layout, cell.layout);
    QCOMPARE(workspace().report().stepTime, cell[PlaneQuantity::StepTime]);

    // What the user limits searches to holds for these, and the title says so.
    QLineEdit& limits = m_window->charts().search().limitsEdit();
    limits.setText(QStringLiteral("tp<=2"));
    Q_EMIT limits.editingFinished();
    QTRY_COMPARE(m_window->planeSweep().plane().limits.tp.most, std::int64_t{2});
    sweepToTheEnd();
    const Plane& limited = m_window->planeSweep().plane();
    for (std::size_t i = 0; i < limited.cells.size(); ++i) {
        QCOMPARE(limited.rows[i / limited.columns.size()] > 2 && limited.cells[i].state != CellState::Illegal, false);
    }
    QVERIFY(heatmapData(limited, m_scenario, PlaneQuantity::Mfu).rest.contains(QStringLiteral("within tp ≤ 2")));
}

void MainWindowTest::theLayoutIsRemembered()
{
    m_window->board().docks()[1]->hide();
    m_window->resize(1111, 777);
    m_window->close();
    showWindow();
    QVERIFY(!m_window->board().docks()[1]->isVisible());
    QCOMPARE(m_window->size(), QSize(1111, 777));
    m_window->board().arrange();
    QVERIFY(m_window->board().docks()[1]->isVisible());
}

void MainWindowTest::theWindowFitsASmallScreen()
{
    const QSize small(1280, 660); // 1280 x 700 less the title of a window
    m_window->resize(small);
    QCOMPARE(m_window->size(), small);
    QVERIFY(m_window->minimumSizeHint().height() <= small.height());
    QVERIFY(m_window->minimumSizeHint().width() <= small.width());
    m_window->lessons().start(0);
    act(Qt::CTRL | Qt::Key_I);
    QCoreApplication::processEvents();
    QVERIFY2(m_window->minimumSizeHint().width() <= small.width(), "with a lesson and the panel that explains");
    QCOMPARE(m_window->size(), small);
}

void MainWindowTest::numbersStayInTheMapBesideThePanelThatExplains()
{
    m_window->resize(1280, 780);
    act(Qt::CTRL | Qt::Key_I);
    sweepToTheEnd();
    QCoreApplication::processEvents();
    const auto* map = m_window->findChild<HeatmapView*>();
    const auto& chart = static_cast<const HeatmapChart&>(*map->chart());
    const HeatmapGeometry g = chart.geometry(map->rect(), textMetrics(Theme::fromPalette(map->palette())));
    const bool numbers = std::any_of(g.cells.begin(), g.cells.end(), [](const HeatmapGeometry::Cell& cell) {
        return cell.label.text.endsWith(QStringLiteral("%"));
    });
    QVERIFY(numbers);
    const auto* memory = m_window->findChild<ChartDock*>(QStringLiteral("memory"));
    const QString title = memory->titleBarWidget()->findChild<ElidedLabel*>()->shownText();
    QVERIFY2(!title.contains(u'…'), qPrintable(title)); // the short one where the long one has no room
}

void MainWindowTest::everyControlHasAName()
{
    const QStringList nameless = namelessControls(*m_window);
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QStringLiteral(", "))));
}

void MainWindowTest::bothAppearancesPaint()
{
    // The corner of the window, and the inside of a card, whose chart must follow too.
    const auto lightness = [this] {
        const QImage image = m_window->grab().toImage();
        const QWidget* chart = m_window->board().docks().front()->view();
        const QPoint inside = chart->mapTo(m_window.get(), QPoint(2, chart->height() - 2));
        return std::pair{image.pixelColor(image.width() - 2, image.height() - 2).lightness(),
                         image.pixelColor(inside).lightness()};
    };
    setAppearance(Appearance::Dark);
    QTRY_VERIFY(lightness().first < 128 && lightness().second < 128);
    setAppearance(Appearance::Light);
    QTRY_VERIFY(lightness().first > 128 && lightness().second > 128);
}

QTEST_MAIN(MainWindowTest)
#include "tst_main_window.moc"
