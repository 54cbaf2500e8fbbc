// SPDX-License-Identifier: GPL-3.0-or-later
// Every figure that the window shows opens its derivation. Not asked for: counts of a search's status line, which are
// progress; texts of the scenario panel, which are inputs.
#include "app/advice_card.h"
#include "app/chart_dock.h"
#include "app/charts.h"
#include "app/compare_card.h"
#include "app/main_window.h"
#include "app/placement_card.h"
#include "app/preset_folders.h"
#include "app/runs_card.h"
#include "app/serving_cards.h"
#include "app/study_cards.h"
#include "core/explain/explainer.h"
#include "core/formats/flat_json.h"
#include "core/pipeline/op_graph.h"
#include "tests/app/open_window.h"
#include "widgets/advice_view.h"
#include "widgets/chart_view.h"
#include "widgets/explain_panel.h"
#include "widgets/heatmap_view.h"
#include "widgets/lesson_panel.h"
#include "widgets/lesson_text.h"
#include "widgets/pareto_view.h"
#include "widgets/pipeline_view.h"
#include "widgets/placement_view.h"
#include "widgets/problem_list.h"
#include "widgets/runs_view.h"
#include "widgets/scenario_panel.h"
#include "widgets/search_view.h"
#include "widgets/stop_slider.h"
#include "widgets/text.h"

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QTableWidget>
#include <QTest>
#include <QTreeWidget>

#include <algorithm>
#include <set>

using namespace partita;
using namespace partita::ui;

const QSize roomForFigures(1600, 1000); // every bar and cell is drawn; where the screen is small, cards scroll

class TestWindowFigures : public QObject, protected OpenWindow {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { load(); }
    void init()
    {
        showNewWindow();
        m_window->resize(roomForFigures);
    }
    void cleanup() { m_window.reset(); }

    void everyBarOfTheTrainingStep()
    {
        for (const char* name : {"memory", "step-time"}) {
            everyFigureOf(*viewOf<ChartView>(name), Ask::ByClick);
        }
    }

    void everyOperationGapAndStageOfThePipeline_data()
    {
        QTest::addColumn<int>("schedule");
        for (const ScheduleKind kind : {ScheduleKind::OneFOneB, ScheduleKind::ZbH1}) {
            QTest::newRow(std::string(keyOf(kind)).c_str()) << static_cast<int>(kind);
        }
    }
    void everyOperationGapAndStageOfThePipeline()
    {
        QFETCH(int, schedule);
        edit([&](Scenario& s) {
            s.layout.schedule = static_cast<ScheduleKind>(schedule);
            s.layout.globalBatch = 8 * s.layout.dp * s.layout.microBatch;
        });
        PipelineView& pipeline = m_window->charts().pipeline();
        everyFigureOf(pipeline, Ask::ByClick);
        // By keys: each operation of a stage, the gap before it, and the stage.
        pipeline.setFocus();
        const Timeline& timeline = m_window->workspace().report().timeline;
        std::set<OpKind> kinds;
        int gaps = 0;
        QTest::keyClick(&pipeline, Qt::Key_Escape);
        for (std::size_t i = 0; i < opCount(timeline.stages.front()); ++i) {
            QTest::keyClick(&pipeline, Qt::Key_Period);
            QVERIFY(pipeline.marks().op);
            const OpRef at = *pipeline.marks().op;
            const TimelineOp& op =
                opAt(timeline.stages[static_cast<std::size_t>(at.stage)], static_cast<std::size_t>(at.index));
            kinds.insert(op.kind);
            forget();
            QTest::keyClick(&pipeline, Qt::Key_X);
            QVERIFY2(opened(), qPrintable(panel().path()));
            QCOMPARE(panel().path(), toText(operationPath(static_cast<std::size_t>(at.stage), op)));
            forget();
            QTest::keyClick(&pipeline, Qt::Key_X, Qt::ShiftModifier);
            gaps += opened() ? 1 : 0;
        }
        QVERIFY(gaps > 0);
        for (const OpKind kind : {OpKind::Forward, OpKind::Optimizer, OpKind::Host}) {
            QVERIFY(kinds.count(kind) == 1);
        }
        QVERIFY(kinds.count(OpKind::Backward) + kinds.count(OpKind::BackwardWeight) > 0);
        forget();
        QTest::keyClick(&pipeline, Qt::Key_X, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(opened());
        QCOMPARE(panel().path(), QStringLiteral("stages[0].busy_s"));
    }

    void everyOperationOfAScheduleBelow()
    {
        PipelineView& pipeline = m_window->charts().pipeline();
        pipeline.setComparison(ScheduleKind::GPipe);
        QVERIFY(pipeline.pair() != nullptr);
        everyFigureOf(pipeline, Ask::ByClick);
    }

    void everyCellOfTheHeatmap()
    {
        QTRY_VERIFY(!m_window->planeSweep().running());
        everyFigureOf(m_window->charts().heatmap(), Ask::ByKey);
    }

    void everyBarOfTheComparison()
    {
        CompareCard& compare = m_window->charts().compare();
        compare.pinCurrent();
        edit([](Scenario& s) { s.layout.microBatch = 2; });
        QTRY_COMPARE(compare.shown().size(), std::size_t{2});
        everyFigureOf(compare.view(), Ask::ByClick);
    }

    void everyPointOfTheScalingChart()
    {
        ScalingCard& card = m_window->charts().scaling();
        open(*card.dock());
        QTRY_VERIFY_WITH_TIMEOUT(card.isUpToDate(), 120000);
        everyFigureOf(card.view(), Ask::ByClick);
        QVERIFY(panel().path() == QStringLiteral("mfu.causal") || panel().path() == QStringLiteral("memory.lacks_bytes")
                || panel().path() == QStringLiteral("fits"));
    }

    void everyBarOfTheTornado()
    {
        SensitivityCard& card = m_window->charts().sensitivity();
        open(*card.dock());
        QTRY_VERIFY_WITH_TIMEOUT(card.isUpToDate(), 120000);
        everyFigureOf(card.view(), Ask::ByClick);
        // What a constant changes is derived as a difference is, part by part.
        QVERIFY2(panel().path() == QStringLiteral("ab.waterfall.step_time.change")
                     || panel().path() == QStringLiteral("b.memory.lacks_bytes"),
                 qPrintable(panel().path()));
    }

    void everyPublishedRun()
    {
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->publishedRuns().runs().empty(), 120000);
        m_window->resize(roomForFigures.width(), 2 * roomForFigures.height()); // the legend names every source
        RunsCard& card = m_window->charts().runs();
        open(*card.dock());
        everyFigureOf(card.view(), Ask::ByKey);
        QCOMPARE(panel().path(), QStringLiteral("tokens_per_s_per_device"));
    }

    void everyLayoutOfTheSearch()
    {
        SearchView& search = m_window->charts().search();
        m_window->layoutSearch().stop();
        SearchState state;
        for (const int microBatch : {1, 2}) {
            Layout layout = m_scenario.layout;
            layout.microBatch = microBatch;
            state.best.push_back(figuresOf(m_scenario, layout));
        }
        open(m_window->charts().searchDock());
        m_window->layoutSearch().stop();
        search.setState(state);
        everyFigureOf(search.pareto(), Ask::ByClickAndKey);
        everyCellOf(search.table());
    }

    void everyFigureOfServing()
    {
        m_scenario.cluster.nodes = 1;
        m_scenario.layout.pp = m_scenario.layout.dp = 1;
        m_scenario.layout.tp = static_cast<int>(m_scenario.cluster.devicesPerNode);
        showNewWindow();
        m_window->resize(roomForFigures);
        m_window->charts().setServing(true);
        for (const char* name : {"serving-room", "serving-token", "serving-curve"}) {
            open(*m_window->findChild<ChartDock*>(QString::fromLatin1(name)));
            everyFigureOf(*viewOf<ChartView>(name), Ask::ByClick);
        }
        ServingCards& cards = m_window->charts().servingCards();
        open(*cards.layoutsDock());
        QTRY_VERIFY_WITH_TIMEOUT(cards.isUpToDate(), 120000);
        everyFigureOf(*m_window->findChild<ChartView*>(QStringLiteral("servingLayoutsView")), Ask::ByClick);
        everyCellOf(cards.layouts());
        open(*cards.widthsDock());
        everyCellOf(cards.widths());
        load();
    }

    void everyRankOrder()
    {
        PlacementCard& card = m_window->charts().placement();
        open(*card.dock());
        QTRY_VERIFY_WITH_TIMEOUT(card.view().placements().rowCount() > 0, 60000);
        everyCellOf(card.view().groups());
        everyCellOf(card.view().placements());
    }

    void theAnswerWhyNotAnotherLayout_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("path");
        QTest::newRow("slower") << "tp=8, pp=1, zero=3, recompute=full"
                                << "why_not.";
        QTest::newRow("out of memory") << "tp=1, pp=1"
                                       << "why_not.wanted.lacks_bytes";
        QTest::newRow("illegal") << "tp=7"
                                 << "why_not.wanted.objection";
    }
    void theAnswerWhyNotAnotherLayout()
    {
        QFETCH(QString, typed);
        QFETCH(QString, path);
        AdviceCard& advice = m_window->charts().advice();
        open(*advice.dock());
        QTRY_VERIFY_WITH_TIMEOUT(advice.view().advice() != nullptr, 60000);
        advice.view().question()->setText(typed);
        QTest::keyClick(advice.view().question(), Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(!advice.view().answer().isEmpty(), 60000);
        QLabel* answer = advice.view().answerLabel();
        for (const bool byKey : {false, true}) {
            forget();
            if (byKey) {
                answer->setFocus();
                QTest::keyClick(answer, Qt::Key_X);
            } else {
                QTest::mouseClick(answer, Qt::LeftButton, {}, QPoint(4, 4));
            }
            QVERIFY2(opened(), qPrintable(advice.view().answer()));
            QVERIFY2(panel().path().startsWith(path), qPrintable(panel().path()));
        }
    }

    void whatAStopWouldDo()
    {
        StopSlider* slider = nullptr;
        for (StopSlider* each : m_window->panel().findChildren<StopSlider*>()) {
            slider = each->key() == QStringLiteral("layout.tp") ? each : slider;
        }
        QVERIFY(slider != nullptr);
        QTRY_VERIFY(!slider->track()->marks().empty());
        const std::int64_t before = slider->value();
        for (const StopMark& mark : slider->track()->marks()) {
            forget();
            QTest::mouseClick(slider->track(), Qt::LeftButton, {},
                              QPoint(qRound(slider->track()->xOf(mark.value)), 22));
            QVERIFY2(opened(), qPrintable(QString::number(mark.value)));
            const QString expected = mark.value == before ? QStringLiteral("step_time_s")
                : mark.state == CellState::OutOfMemory    ? QStringLiteral("b.memory.lacks_bytes")
                                                          : QStringLiteral("ab.waterfall.step_time.change");
            QCOMPARE(panel().path(), expected);
        }
        QCOMPARE(slider->value(), before); // asking moves nothing
        forget();
        slider->track()->setFocus();
        QTest::keyClick(slider->track(), Qt::Key_X);
        QVERIFY(opened());
        QCOMPARE(slider->value(), before);
    }

    void whatDoesNotFitIsNamedWithTheWayOut()
    {
        auto& list = *m_window->findChild<ProblemList*>();
        const ChartDock& dock = m_window->charts().problemsDock();
        const int before = list.count();
        edit([](Scenario& s) {
            s.layout.zeroStage = 0;
            s.layout.pp = 2;
            s.layout.dp = 4;
            s.layout.microBatch = 4;
        });
        QVERIFY(!m_window->workspace().report().fits);
        const QString first = list.item(0)->text();
        QVERIFY2(first.contains(QStringLiteral("Out of memory: stage 0 lacks")), qPrintable(first));
        QVERIFY2(first.contains(QStringLiteral("Largest there:")), qPrintable(first));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->memoryVerdict().fix() != nullptr, 60000);
        QVERIFY(list.item(1)->text().contains(QStringLiteral("Cheapest single change that fits:")));
        QCOMPARE(dock.windowTitle(), QStringLiteral("Problems (%1)").arg(list.count()));
        for (const auto& [row, path] :
             {std::pair{0, "memory.lacks_bytes"}, std::pair{1, "ab.waterfall.memory.change"}}) {
            forget();
            QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualItemRect(list.item(row)).center());
            QVERIFY(opened());
            QCOMPARE(panel().path(), QString::fromLatin1(path));
        }
        // The change named does make it fit, and then nothing of it is left.
        const Layout fixed = m_window->memoryVerdict().fix()->cost.layout;
        edit([&](Scenario& s) { s.layout = fixed; });
        QVERIFY(m_window->workspace().report().fits);
        for (int row = 0; row < list.count(); ++row) {
            QVERIFY(!list.item(row)->text().contains(QStringLiteral("Out of memory")));
        }
        m_window->workspace().history().undo();
        m_window->workspace().history().undo();
        QCOMPARE(list.count(), before);
    }

    void everyNote()
    {
        edit([](Scenario& s) { s.layout.globalBatch = 4; });
        auto& list = *m_window->findChild<ProblemList*>();
        QVERIFY(list.count() > 0);
        for (int row = 0; row < list.count(); ++row) {
            forget();
            list.setCurrentRow(row);
            QTest::keyClick(&list, Qt::Key_Return);
            QVERIFY2(opened(), qPrintable(list.item(row)->text()));
        }
    }

    void everyNumberOfALesson_data()
    {
        QTest::addColumn<int>("lesson");
        const std::vector<std::string> folders = presetFolders();
        const std::vector<Lesson> lessons = loadLessons({folders.begin(), folders.end()}, m_catalogue).lessons;
        for (std::size_t i = 0; i < lessons.size(); ++i) {
            QTest::newRow(lessons[i].id.c_str()) << static_cast<int>(i);
        }
    }
    void everyNumberOfALesson()
    {
        QFETCH(int, lesson);
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        LessonPanel& lessons = m_window->lessons();
        lessons.start(static_cast<std::size_t>(lesson));
        const Lesson played = *lessons.current();
        int asked = 0;
        for (std::size_t page = 0; page < played.pages.size(); ++page) {
            lessons.goTo(page);
            while (lessons.hintsShown() < 2 && actionNamed(lessons, QStringLiteral("&Hint"))->isEnabled()) {
                actionNamed(lessons, QStringLiteral("&Hint"))->trigger();
            }
            asked += numbersAskedByKeys(lessons);
            if (const std::optional<LessonTask>& task = played.pages[page].task) {
                edit([&](Scenario& s) { s = *withFields(played.scenario, task->solution, m_catalogue); });
                QVERIFY(lessons.isSolved());
                asked += numbersAskedByKeys(lessons);
            }
        }
        QVERIFY(asked > 3);
    }

    void aNumberOfALessonFollowsTheScenarioUnlessItIsOfTheAnswer()
    {
        LessonPanel& lessons = m_window->lessons();
        const auto bubble = std::find_if(lessons.lessons().begin(), lessons.lessons().end(),
                                         [](const Lesson& one) { return one.id == "03-the-bubble"; });
        lessons.start(static_cast<std::size_t>(bubble - lessons.lessons().begin()));
        lessons.goTo(1);
        const auto text = [&](const char* part) {
            for (LessonText* each : lessons.findChildren<LessonText*>()) {
                if (each->isVisible() && each->text().contains(QString::fromLatin1(part))) {
                    return each;
                }
            }
            qFatal("no such text");
        };
        Q_EMIT text("number:formula")->linkActivated(QStringLiteral("number:formula"));
        const QString before = panel().value();
        QCOMPARE(panel().path(), QStringLiteral("now.formula"));
        edit([&](Scenario& s) { s = *withFields(s, bubble->pages[1].task->solution, m_catalogue); });
        QTRY_VERIFY(panel().value() != before);
        QVERIFY(lessons.isSolved());
        LessonText* found = text("Found");
        found->setFocus(Qt::TabFocusReason);
        QVERIFY(found->accessibleDescription().contains(QStringLiteral("Enter")));
        QTest::keyClick(found, Qt::Key_Return);
        const QString answered = panel().value();
        const QString where = panel().path();
        edit([](Scenario& s) { s.layout.globalBatch *= 2; });
        QCoreApplication::processEvents();
        QCOMPARE(panel().value(), answered);
        QCOMPARE(panel().path(), where);
    }

    void aNumberOfALessonIsAskedForByClick()
    {
        LessonPanel& lessons = m_window->lessons();
        lessons.start(2);
        m_window->findChild<QDockWidget*>(QStringLiteral("explain"))->show();
        QCoreApplication::processEvents();
        LessonText* text = nullptr;
        for (LessonText* each : lessons.findChildren<LessonText*>()) {
            text = text == nullptr && each->isVisible() ? each : text;
        }
        QVERIFY(text != nullptr);
        std::set<QString> pointed;
        const QObject context;
        QObject::connect(text, &QLabel::linkHovered, &context, [&](const QString& link) {
            forget();
            if (!link.isEmpty() && pointed.insert(link).second) {
                QTest::mouseClick(text, Qt::LeftButton, {}, text->mapFromGlobal(QCursor::pos()));
                QVERIFY2(opened(), qPrintable(link));
            }
        });
        for (int y = 2; y < text->height(); y += 6) {
            for (int x = 2; x < text->width(); x += 6) {
                QCursor::setPos(text->mapToGlobal(QPoint(x, y)));
                QTest::mouseMove(text, QPoint(x, y));
            }
        }
        QVERIFY(!pointed.empty());
    }

private:
    enum class Ask { ByClick, ByKey, ByClickAndKey };

    ExplainPanel& panel() const { return m_window->explainPanel(); }

    template <class View> View* viewOf(const char* dock) const
    {
        return qobject_cast<View*>(m_window->findChild<ChartDock*>(QString::fromLatin1(dock))->view());
    }

    static void open(ChartDock& dock)
    {
        dock.show();
        dock.raise();
        QTRY_VERIFY(dock.view()->isVisible());
    }

    void edit(const std::function<void(Scenario&)>& change)
    {
        Scenario scenario = m_window->workspace().scenario();
        change(scenario);
        m_window->workspace().edit(scenario, QStringLiteral("change"));
    }

    /// Something else is explained, of no chart.
    void forget() { panel().explain(QStringLiteral("nothing")); }

    bool opened() const
    {
        return m_window->findChild<QDockWidget*>(QStringLiteral("explain"))->isVisible()
            && panel().path() != QStringLiteral("nothing") && panel().value().contains(QStringLiteral(": "))
            && (panel().terms().topLevelItemCount() > 0 || !panel().notes().isEmpty());
    }

    static QAction* actionNamed(const QWidget& widget, const QString& text)
    {
        for (QAction* action : widget.actions()) {
            if (action->text() == text) {
                return action;
            }
        }
        qFatal("no such action");
    }

    /// Of the texts in sight, with Tab and Enter; how many there were.
    int numbersAskedByKeys(LessonPanel& lessons)
    {
        int asked = 0;
        for (LessonText* text : lessons.findChildren<LessonText*>()) {
            const int links = static_cast<int>(text->text().count(QStringLiteral("](number:")));
            if (!text->isVisible() || links == 0) {
                continue;
            }
            m_window->setFocus();
            text->setFocus(Qt::TabFocusReason);
            for (int i = 0; i < links; ++i) {
                const QString number = text->selectedText();
                forget();
                QTest::keyClick(text, Qt::Key_Return);
                if (!opened() || number.isEmpty() || !text->accessibleDescription().contains(number)) {
                    QTest::qFail(qPrintable(QStringLiteral("number %1, %2, of: %3 (%4)")
                                                .arg(i)
                                                .arg(number, text->text(), panel().path())),
                                 __FILE__, __LINE__);
                }
                ++asked;
                QTest::keyClick(text, Qt::Key_Tab);
            }
            if (text->hasFocus()) {
                QTest::qFail("Tab does not leave the text", __FILE__, __LINE__);
            }
        }
        return asked;
    }

    /// All that a chart tells of under the pointer.
    void everyFigureOf(ChartView& view, Ask ask)
    {
        constexpr int step = 7; // px
        m_window->findChild<QDockWidget*>(QStringLiteral("explain"))->show(); // charts make room for it once
        QCoreApplication::processEvents();
        QTRY_VERIFY(view.isVisible() && view.chart() != nullptr);
        std::set<QString> told;
        for (bool moved = true; moved;) {
            moved = false;
            const QRectF whole = view.chartArea();
            const auto chart = view.chart();
            const QRect area = whole.toRect();
            for (int y = area.top(); y <= area.bottom() && !moved; y += step) {
                for (int x = area.left(); x <= area.right() && !moved; x += step) {
                    const QPoint at(x, y);
                    const QString text = chart->textAt(at, whole, view.theme());
                    const bool name = std::none_of(text.begin(), text.end(), [](QChar c) { return c.isDigit(); });
                    if (name || text.contains(QStringLiteral(": not legal")) || !told.insert(text).second) {
                        continue; // a place that cannot be has no figure
                    }
                    forget();
                    QTest::mouseMove(&view, at);
                    if (ask != Ask::ByKey) {
                        QTest::mouseClick(&view, Qt::LeftButton, {}, at);
                    }
                    if (ask != Ask::ByClick) {
                        view.setFocus();
                        QTest::keyClick(&view, Qt::Key_X);
                    }
                    // The card found its place, or something newer to show, between the look and the click?
                    moved = view.chartArea() != whole || view.chart() != chart;
                    if (moved && !opened()) {
                        told.erase(text);
                    } else {
                        QVERIFY2(opened(), qPrintable(view.chart()->id() + u' ' + text + u' ' + panel().path()));
                    }
                }
            }
        }
        QVERIFY2(!told.empty(), qPrintable(view.accessibleName()));
    }

    void everyCellOf(QTableView& table)
    {
        const QAbstractItemModel& model = *table.model();
        QVERIFY(model.rowCount() > 0);
        for (int row = 0; row < std::min(6, model.rowCount()); ++row) {
            for (int column = 0; column < model.columnCount(); ++column) {
                const QString text = model.index(row, column).data().toString();
                if (text.isEmpty() || text == QStringLiteral("—") || text == QStringLiteral("–")
                    || table.isColumnHidden(column)) {
                    continue; // no figure
                }
                forget();
                table.setCurrentIndex(model.index(row, column));
                table.setFocus();
                QTest::keyClick(&table, Qt::Key_X);
                QVERIFY2(opened(), qPrintable(table.accessibleName() + u' ' + text + u' ' + panel().path()));
            }
        }
    }
};

QTEST_MAIN(TestWindowFigures)
#include "tst_window_figures.moc"
