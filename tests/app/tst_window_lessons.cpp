// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/main_window.h"

#include "app/chart_board.h"
#include "app/chart_dock.h"
#include "app/charts.h"
#include "app/heatmap_data.h"
#include "app/presenter.h"
#include "tests/app/open_window.h"
#include "widgets/figures.h"
#include "widgets/headline_strip.h"
#include "widgets/lesson_panel.h"
#include "widgets/pipeline_view.h"
#include "widgets/scenario_panel.h"
#include "widgets/stop_slider.h"
#include "widgets/text.h"

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QLabel>
#include <QListWidget>
#include <QTest>

#include <algorithm>

using namespace partita;
using namespace partita::ui;

/// Lessons in the window, and what is put on a projector.
class WindowLessonsTest : public QObject, protected OpenWindow {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { load(); }
    void init() { showNewWindow(); }
    void cleanup() { m_window.reset(); }
    void aLessonStartsFromTheMenuAndIsOneStep();
    void aLessonShowsTheChartItSpeaksOf();
    void aLessonKeepsItsHeightBesideExplain();
    void whatALessonKeepsIsCalledAsItsControl();
    void whatALessonMayMoveHasAControl();
    void theTitleNamesTheLessonWhileItsScenarioIsShown();
    void aLessonIsPresentedPageByPage();
    void aLessonThatIsLeftOrHiddenIsNotPresented();
    void whatALessonLeftIsNotAskedAboutInTheNext();
    void aChartIsPresentedWithAClicker();
    void onlyChartsWithContentArePresentedInTypeForTheScreen();
};

void WindowLessonsTest::aLessonStartsFromTheMenuAndIsOneStep()
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

void WindowLessonsTest::aLessonShowsTheChartItSpeaksOf()
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

void WindowLessonsTest::aLessonKeepsItsHeightBesideExplain()
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

void WindowLessonsTest::whatALessonKeepsIsCalledAsItsControl()
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

void WindowLessonsTest::whatALessonMayMoveHasAControl()
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

void WindowLessonsTest::theTitleNamesTheLessonWhileItsScenarioIsShown()
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

void WindowLessonsTest::aLessonIsPresentedPageByPage()
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
void WindowLessonsTest::aLessonThatIsLeftOrHiddenIsNotPresented()
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

void WindowLessonsTest::whatALessonLeftIsNotAskedAboutInTheNext()
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

void WindowLessonsTest::aChartIsPresentedWithAClicker()
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

void WindowLessonsTest::onlyChartsWithContentArePresentedInTypeForTheScreen()
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

QTEST_MAIN(WindowLessonsTest)
#include "tst_window_lessons.moc"
