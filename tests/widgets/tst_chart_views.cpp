// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/evaluate.h"
#include "tests/core/scenario/samples.h"
#include "tests/widgets/sample_plane.h"
#include "tests/widgets/sample_report.h"
#include "widgets/chart_table_model.h"
#include "widgets/heatmap_view.h"
#include "widgets/pipeline_controls.h"
#include "widgets/pipeline_view.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QMenu>
#include <QSignalSpy>
#include <QWheelEvent>
#include <QtTest>

using namespace partita;
using namespace partita::ui;

namespace {

GanttGeometry layoutOf(const PipelineView& view)
{
    const auto* chart = static_cast<const GanttChart*>(view.chart());
    return chart->geometry(view.chartArea(), textMetrics(view.theme()));
}

QPoint cellCenter(const HeatmapView& view, HeatmapCellIndex at)
{
    const auto* chart = static_cast<const HeatmapChart*>(view.chart());
    const HeatmapGeometry g = chart->geometry(view.chartArea(), textMetrics(view.theme()));
    return g.cells[static_cast<std::size_t>(at.y * 3 + at.x)].rect.center().toPoint();
}

bool turnWheel(QWidget& widget, QPointF at, QPoint delta, Qt::KeyboardModifiers modifiers)
{
    QWheelEvent event(at, widget.mapToGlobal(at), {}, delta, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    event.ignore();
    QApplication::sendEvent(&widget, &event);
    return event.isAccepted();
}

void drag(QWidget& widget, Qt::MouseButton button, Qt::KeyboardModifiers modifiers, QPoint from, QPoint to)
{
    QTest::mousePress(&widget, button, modifiers, from);
    for (const QPoint& at : {(from + to) / 2, to}) {
        QMouseEvent move(QEvent::MouseMove, at, widget.mapToGlobal(at), Qt::NoButton, button, modifiers);
        QApplication::sendEvent(&widget, &move);
    }
    QTest::mouseRelease(&widget, button, modifiers, to);
}

} // namespace

class TestChartViews : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void init()
    {
        m_pipeline = std::make_unique<PipelineView>();
        m_pipeline->resize(900, 420);
        m_timeline = std::make_shared<const Timeline>(sampleTimeline(ScheduleKind::OneFOneB, 8, 32, 1));
        m_pipeline->setTimeline(m_timeline);
        m_pipeline->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_pipeline.get()));
    }

    void controlWheelZoomsAtThePointer()
    {
        const QPointF at(500, 120);
        const double before = layoutOf(*m_pipeline).timeAt(at.x());
        QVERIFY(turnWheel(*m_pipeline, at, {0, 360}, Qt::ControlModifier));
        QVERIFY(m_pipeline->view().span() < m_timeline->makespan / 1.5);
        QVERIFY(std::abs(layoutOf(*m_pipeline).timeAt(at.x()) - before) < 1e-9);
    }

    void aPlainWheelScrollsLanesOrLeavesTheEventAlone()
    {
        QVERIFY(!turnWheel(*m_pipeline, {500, 120}, {0, -120}, Qt::NoModifier)); // all lanes in view
        QTest::keyClick(m_pipeline.get(), Qt::Key_Up, Qt::ControlModifier); // half the lanes
        QCOMPARE(m_pipeline->view().lanes, 4);
        QVERIFY(turnWheel(*m_pipeline, {500, 120}, {0, -240}, Qt::NoModifier));
        QCOMPARE(m_pipeline->view().firstLane, 2);
        QCOMPARE(m_pipeline->view().span(), m_timeline->makespan); // never zooms
    }

    void keysZoomPanFitAndGoBack()
    {
        QSignalSpy changed(m_pipeline.get(), &PipelineView::viewChanged);
        const GanttView whole = m_pipeline->view();
        QTest::keyClick(m_pipeline.get(), Qt::Key_W);
        QTest::keyClick(m_pipeline.get(), Qt::Key_Plus);
        const GanttView near = m_pipeline->view();
        QVERIFY(near.span() < whole.span());
        QTest::keyClick(m_pipeline.get(), Qt::Key_D);
        QVERIFY(m_pipeline->view().t0 > near.t0);
        QTest::keyClick(m_pipeline.get(), Qt::Key_A);
        QVERIFY(std::abs(m_pipeline->view().t0 - near.t0) < 1e-9);
        QTest::keyClick(m_pipeline.get(), Qt::Key_Home);
        QCOMPARE(m_pipeline->view(), whole);
        QTest::keyClick(m_pipeline.get(), Qt::Key_Backspace);
        QVERIFY(m_pipeline->view() != whole);
        QTest::keyClick(m_pipeline.get(), Qt::Key_0);
        QCOMPARE(m_pipeline->view(), whole);
        QCOMPARE(changed.count(), 7);
    }

    void aDragMeasuresAndEnterZoomsToIt()
    {
        QSignalSpy measured(m_pipeline.get(), &PipelineView::rangeMeasured);
        const GanttGeometry g = layoutOf(*m_pipeline);
        drag(*m_pipeline, Qt::LeftButton, Qt::NoModifier, {300, 100}, {500, 140});
        QVERIFY(measured.count() >= 1);
        QVERIFY(m_pipeline->marks().range);
        QVERIFY(std::abs(m_pipeline->marks().range->first - g.timeAt(300)) < 1e-9);
        QVERIFY(std::abs(m_pipeline->marks().range->second - g.timeAt(500)) < 1e-9);
        QVERIFY(m_pipeline->accessibleDescription().contains(QStringLiteral("busy")));
        QTest::keyClick(m_pipeline.get(), Qt::Key_Return);
        QVERIFY(std::abs(m_pipeline->view().t0 - g.timeAt(300)) < 1e-9);
        QVERIFY(std::abs(m_pipeline->view().t1 - g.timeAt(500)) < 1e-9);
        QVERIFY(!m_pipeline->marks().range);
    }

    void escapeClearsWhatIsMeasured()
    {
        drag(*m_pipeline, Qt::LeftButton, Qt::NoModifier, {300, 100}, {500, 140});
        QTest::keyClick(m_pipeline.get(), Qt::Key_Escape);
        QVERIFY(!m_pipeline->marks().range);
    }

    void shiftDragAndMiddleDragPan()
    {
        for (const auto& [button, modifiers] :
             {std::pair{Qt::LeftButton, Qt::ShiftModifier}, {Qt::MiddleButton, Qt::NoModifier}}) {
            m_pipeline->setView({0.2, 0.4, 0, 8});
            const double under = layoutOf(*m_pipeline).timeAt(400);
            drag(*m_pipeline, button, modifiers, {400, 100}, {500, 100});
            QVERIFY(std::abs(layoutOf(*m_pipeline).timeAt(500) - under)
                    < 1e-9); // what was taken stays under the pointer
            QVERIFY(!m_pipeline->marks().range);
        }
    }

    void hoverAndClickFindTheOp()
    {
        QSignalSpy hovered(m_pipeline.get(), &PipelineView::opHovered);
        QSignalSpy selected(m_pipeline.get(), &PipelineView::opSelected);
        const GanttGeometry g = layoutOf(*m_pipeline);
        const auto block = std::find_if(g.blocks.begin(), g.blocks.end(),
                                        [](const auto& b) { return b.lane == 3 && b.run.count == 1; });
        QVERIFY(block != g.blocks.end());
        const QPoint at = block->rect.center().toPoint();
        QMouseEvent move(QEvent::MouseMove, at, m_pipeline->mapToGlobal(at), Qt::NoButton, Qt::NoButton,
                         Qt::NoModifier);
        QApplication::sendEvent(m_pipeline.get(), &move);
        QCOMPARE(hovered.count(), 1);
        QCOMPARE(hovered[0][0].toInt(), 3);
        QCOMPARE(hovered[0][1].toInt(), static_cast<int>(block->run.first));
        QTest::mouseClick(m_pipeline.get(), Qt::LeftButton, {}, at);
        QCOMPARE(selected.count(), 1);
        QCOMPARE(selected[0][0].toInt(), 3);
    }

    void fullStopAndCommaStepThroughAStage()
    {
        QSignalSpy selected(m_pipeline.get(), &PipelineView::opSelected);
        for (const int key : {Qt::Key_Period, Qt::Key_Period, Qt::Key_Period, Qt::Key_Comma}) {
            QTest::keyClick(m_pipeline.get(), static_cast<Qt::Key>(key));
        }
        QCOMPARE(selected.count(), 4);
        QCOMPARE(selected.last()[1].toInt(), 1);
        QVERIFY(m_pipeline->accessibleDescription().contains(QStringLiteral("F1 on stage 0")));
    }

    void aDoubleClickZoomsToWhatIsMeasured()
    {
        const GanttGeometry g = layoutOf(*m_pipeline);
        drag(*m_pipeline, Qt::LeftButton, Qt::NoModifier, {300, 100}, {500, 140});
        QTest::mouseClick(m_pipeline.get(), Qt::LeftButton, {}, {400, 120}); // what a double click begins with
        QTest::mouseDClick(m_pipeline.get(), Qt::LeftButton, {}, {400, 120});
        QVERIFY(std::abs(m_pipeline->view().t0 - g.timeAt(300)) < 1e-9);
        QVERIFY(std::abs(m_pipeline->view().t1 - g.timeAt(500)) < 1e-9);
        QTest::keyClick(m_pipeline.get(), Qt::Key_Backspace);
        QCOMPARE(m_pipeline->view().span(), m_timeline->makespan);
    }

    void upAndDownFollowTheSelectionAcrossStages()
    {
        QTest::keyClick(m_pipeline.get(), Qt::Key_Period);
        QTest::keyClick(m_pipeline.get(), Qt::Key_Down);
        QVERIFY(m_pipeline->marks().op);
        QCOMPARE(m_pipeline->marks().op->stage, 1);
        QTest::keyClick(m_pipeline.get(), Qt::Key_Up);
        QTest::keyClick(m_pipeline.get(), Qt::Key_Up); // there is no stage above
        QCOMPARE(m_pipeline->marks().op->stage, 0);
        QTest::keyClick(m_pipeline.get(), Qt::Key_Escape);
        QVERIFY(!m_pipeline->marks().op);
    }

    void hoveringLeavesTheSelectionAlone()
    {
        QTest::keyClick(m_pipeline.get(), Qt::Key_Period);
        const QPoint at(500, 200);
        QMouseEvent move(QEvent::MouseMove, at, m_pipeline->mapToGlobal(at), Qt::NoButton, Qt::NoButton,
                         Qt::NoModifier);
        QApplication::sendEvent(m_pipeline.get(), &move);
        QVERIFY(m_pipeline->marks().op == (OpRef{0, 0}));
    }

    void aSelectionAndThePathChangeThePictureAndSayTheirKey()
    {
        const QImage plain = m_pipeline->grab().toImage();
        QTest::keyClick(m_pipeline.get(), Qt::Key_Period);
        QTest::keyClick(m_pipeline.get(), Qt::Key_Period);
        QCOMPARE(layoutOf(*m_pipeline).key.size(), 2U);
        QVERIFY(m_pipeline->grab().toImage() != plain);
        QTest::keyClick(m_pipeline.get(), Qt::Key_Escape);
        QVERIFY(m_pipeline->grab().toImage() == plain);
        QTest::keyClick(m_pipeline.get(), Qt::Key_C);
        QVERIFY(m_pipeline->criticalPathAction()->isChecked());
        QCOMPARE(layoutOf(*m_pipeline).key.size(), 1U);
        QVERIFY(m_pipeline->grab().toImage() != plain);
        QTest::keyClick(m_pipeline.get(), Qt::Key_C);
        QVERIFY(m_pipeline->grab().toImage() == plain);
    }

    void thePlayheadStepsPlaysAndStopsAtTheEnd()
    {
        QVERIFY(!m_pipeline->playhead());
        QTest::keyClick(m_pipeline.get(), Qt::Key_Space);
        QVERIFY(m_pipeline->isPlaying() && m_pipeline->playhead());
        QTest::keyClick(m_pipeline.get(), Qt::Key_Space);
        QVERIFY(!m_pipeline->isPlaying());
        m_pipeline->setPlayhead(0);
        QTest::keyClick(m_pipeline.get(), Qt::Key_Right); // F0 of stage 0 ends
        QCOMPARE(*m_pipeline->playhead(), m_timeline->stages[0].ops[0].end);
        QVERIFY(m_pipeline->accessibleDescription().contains(QStringLiteral("bubble so far 87.5"))); // 1 of 8 works
        QTest::keyClick(m_pipeline.get(), Qt::Key_Left);
        QCOMPARE(*m_pipeline->playhead(), 0.0);
        m_pipeline->setPlaying(true);
        m_pipeline->advance(PipelineView::playSeconds / 2);
        QVERIFY(m_pipeline->isPlaying());
        m_pipeline->advance(PipelineView::playSeconds);
        QVERIFY(!m_pipeline->isPlaying());
        QCOMPARE(*m_pipeline->playhead(), m_timeline->makespan);
        QTest::keyClick(m_pipeline.get(), Qt::Key_Escape);
        QVERIFY(!m_pipeline->playhead());
    }

    void playingFollowsTheViewWhenZoomedIn()
    {
        m_pipeline->setView({0, m_timeline->makespan / 8, 0, 8});
        m_pipeline->setPlayhead(0);
        for (int i = 0; i < 40; ++i) {
            m_pipeline->advance(1);
            QVERIFY(*m_pipeline->playhead() <= m_pipeline->view().t1 + 1e-12);
        }
        QVERIFY(m_pipeline->view().t0 > 0);
    }

    void comparingStacksTwoSchedules()
    {
        const Scenario scenario = samples::legal();
        const auto report = std::make_shared<const Report>(evaluate(scenario));
        QVERIFY(report->legal());
        const PipelineControls controls(*m_pipeline);
        QVERIFY(!controls.comparison()->isEnabled()); // no scenario, nothing to compare
        m_pipeline->setScenario(scenario, {report, &report->timeline});
        QVERIFY(controls.comparison()->isEnabled());
        const auto kinds = m_pipeline->comparable();
        QVERIFY(std::find(kinds.begin(), kinds.end(), scenario.layout.schedule) == kinds.end());
        const int at = controls.comparison()->findData(static_cast<int>(ScheduleKind::ZbH1));
        QVERIFY(at > 0);
        controls.comparison()->setCurrentIndex(at);
        Q_EMIT controls.comparison()->activated(at);
        QVERIFY(m_pipeline->pair() != nullptr);
        QVERIFY(m_pipeline->accessibleDescription().contains(QStringLiteral("shorter")));

        const auto [above, below] =
            m_pipeline->pair()->areas(m_pipeline->chartArea(), textMetrics(m_pipeline->theme()));
        const GanttChart& lower = m_pipeline->pair()->lower();
        const GanttGeometry g = lower.geometry(below, textMetrics(m_pipeline->theme()));
        QVERIFY(!g.blocks.empty());
        QTest::mouseClick(m_pipeline.get(), Qt::LeftButton, {}, g.blocks.front().rect.center().toPoint());
        QVERIFY(lower.marks.op && !m_pipeline->marks().op); // selected where it was clicked
        QTest::keyClick(m_pipeline.get(), Qt::Key_Period);
        QVERIFY(lower.marks.op);
        QTest::keyClick(m_pipeline.get(), Qt::Key_W);
        QCOMPARE(lower.view, m_pipeline->view());

        m_pipeline->setComparison(ScheduleKind::DualPipe);
        QVERIFY(m_pipeline->pair() != nullptr);
        Scenario fewer = scenario;
        fewer.layout.globalBatch = 8; // DualPipe needs two micro-batches a stage
        const auto other = std::make_shared<const Report>(evaluate(fewer));
        m_pipeline->setScenario(fewer, {other, &other->timeline});
        QVERIFY(m_pipeline->pair() == nullptr);
        QVERIFY(static_cast<const GanttChart*>(m_pipeline->chart())
                    ->parts.heading.contains(QStringLiteral("DualPipe cannot run here")));
        m_pipeline->setScenario(scenario, {report, &report->timeline});
        QVERIFY(m_pipeline->pair() != nullptr); // remembered
        m_pipeline->setComparison(std::nullopt);
        QVERIFY(m_pipeline->pair() == nullptr);
    }

    void aMeasuredStepLiesBelowThePrediction()
    {
        const PipelineControls controls(*m_pipeline);
        auto measured = std::make_shared<Timeline>(sampleTimeline(ScheduleKind::OneFOneB, 8, 32, 1));
        measured->placement.links.clear(); // a trace knows no dependencies
        m_pipeline->setMeasured(measured, QStringLiteral("step.json"));
        QVERIFY(m_pipeline->pair() != nullptr);
        QVERIFY(m_pipeline->accessibleDescription().contains(QStringLiteral("measured")));
        QVERIFY(!m_pipeline->accessibleDescription().contains(
            QStringLiteral("step.json"))); // what is presented or exported
        QVERIFY(m_pipeline->accessibleDescription().contains(QStringLiteral("equally long")));
        QVERIFY(controls.comparison()->currentText().contains(QStringLiteral("step.json")));
        m_pipeline->setComparison(std::nullopt);
        QVERIFY(m_pipeline->pair() == nullptr);
        controls.comparison()->setCurrentIndex(controls.comparison()->count() - 1);
        Q_EMIT controls.comparison()->activated(controls.comparison()->count() - 1);
        QVERIFY(m_pipeline->showsMeasured() && m_pipeline->pair() != nullptr);
    }

    void memoryOverTimeIsShownForSelectedOrAllStages()
    {
        const auto shown = [this] { return static_cast<const GanttChart*>(m_pipeline->chart())->curves.size(); };
        QCOMPARE(shown(), std::size_t{1});
        QTest::keyClick(m_pipeline.get(), Qt::Key_G); // nothing is selected: the first stage's goes
        QCOMPARE(shown(), std::size_t{0});
        QTest::keyClick(m_pipeline.get(), Qt::Key_G);
        QCOMPARE(shown(), std::size_t{1});
        QTest::keyClick(m_pipeline.get(), Qt::Key_Period);
        QTest::keyClick(m_pipeline.get(), Qt::Key_Down);
        QTest::keyClick(m_pipeline.get(), Qt::Key_G);
        QCOMPARE(shown(), std::size_t{2});
        QTest::keyClick(m_pipeline.get(), Qt::Key_G, Qt::ShiftModifier);
        QCOMPARE(shown(), std::size_t{8});
        QTest::keyClick(m_pipeline.get(), Qt::Key_G, Qt::ShiftModifier);
        QCOMPARE(shown(), std::size_t{1});
    }

    /// However narrow ops are drawn, a click in a fold selects the op that runs there, and keys reach every op.
    void foldsHideNoOpFromSelection()
    {
        m_pipeline->setTimeline(std::make_shared<const Timeline>(sampleTimeline(ScheduleKind::Interleaved, 4, 400, 4)));
        const auto* chart = static_cast<const GanttChart*>(m_pipeline->chart());
        const GanttGeometry g = layoutOf(*m_pipeline);
        const double pixel = g.view.span() / g.lanes.width();
        int folds = 0;
        for (const GanttGeometry::Block& block : g.blocks) {
            if (block.run.count < 2) {
                continue;
            }
            ++folds;
            const QPoint at(static_cast<int>(block.rect.center().x()), static_cast<int>(block.rect.center().y()));
            QTest::mouseClick(m_pipeline.get(), Qt::LeftButton, {}, at);
            QVERIFY(m_pipeline->marks().op);
            QCOMPARE(m_pipeline->marks().op->stage, block.lane);
            const TimelineOp& op = chart->op(*m_pipeline->marks().op);
            const double time = g.timeAt(at.x());
            QVERIFY(op.end > time - pixel && op.start < time + 60 * pixel);
        }
        QVERIFY(folds > 20);
        QTest::keyClick(m_pipeline.get(), Qt::Key_Escape);
        QTest::keyClick(m_pipeline.get(), Qt::Key_Period);
        const std::size_t count = opCount(chart->timeline().stages.front());
        for (std::size_t i = 0; i < count; ++i) {
            QCOMPARE(m_pipeline->marks().op->index, static_cast<int>(i));
            QTest::keyClick(m_pipeline.get(), Qt::Key_Period);
        }
    }

    void everyKeyIsAMenuItem()
    {
        QMenu menu;
        m_pipeline->fillMenu(menu);
        QSet<QAction*> inMenus;
        for (const QAction* title : menu.actions()) {
            QVERIFY(title->menu() != nullptr);
            for (QAction* action : title->menu()->actions()) {
                inMenus << action;
            }
        }
        QSet<QKeySequence> keys;
        for (const PipelineView::Group group : PipelineView::groups) {
            for (QAction* action : m_pipeline->groupActions(group)) {
                QVERIFY(inMenus.contains(action));
                for (const QKeySequence& key : action->shortcuts()) {
                    QVERIFY2(!keys.contains(key), qPrintable(key.toString()));
                    keys << key;
                }
            }
        }
    }

    void aNewTimelineKeepsThePartInView()
    {
        m_pipeline->setView({m_timeline->makespan * 0.25, m_timeline->makespan * 0.5, 2, 4});
        const auto longer = std::make_shared<const Timeline>(sampleTimeline(ScheduleKind::OneFOneB, 8, 64, 1));
        m_pipeline->setTimeline(longer);
        QVERIFY(std::abs(m_pipeline->view().t0 / longer->makespan - 0.25) < 1e-9);
        QCOMPARE(m_pipeline->view().firstLane, 2);
        QTest::keyClick(m_pipeline.get(), Qt::Key_Home);
        m_pipeline->setTimeline(m_timeline);
        QCOMPARE(m_pipeline->view(), fitted({m_timeline->makespan, 8})); // what was whole stays whole
        m_pipeline->setReport(Report{}); // an illegal layout has no timeline
        QTest::keyClick(m_pipeline.get(), Qt::Key_Period);
        QTest::keyClick(m_pipeline.get(), Qt::Key_W);
    }

    void arrowsMoveTheCursorAndEnterAdopts()
    {
        HeatmapView view;
        view.resize(600, 300);
        view.setData(samplePlane());
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QSignalSpy adopted(&view, &HeatmapView::adopted);
        QTest::keyClick(&view, Qt::Key_Right); // the cursor appears on the current layout
        QVERIFY(view.cursor() == (HeatmapCellIndex{1, 1}));
        QTest::keyClick(&view, Qt::Key_Right);
        QTest::keyClick(&view, Qt::Key_Right); // stops at the border
        QVERIFY(view.cursor() == (HeatmapCellIndex{2, 1}));
        QVERIFY(view.accessibleDescription().contains(QStringLiteral("44.0")));
        QTest::keyClick(&view, Qt::Key_Return);
        QCOMPARE(adopted.count(), 1);
        QCOMPARE(adopted[0][0].toInt(), 2);
        QCOMPARE(adopted[0][1].toInt(), 1);
        QTest::keyClick(&view, Qt::Key_Up); // not computed yet: nothing to adopt
        QTest::keyClick(&view, Qt::Key_Return);
        QCOMPARE(adopted.count(), 1);
    }

    void aClickAdoptsUnlessTheCellIsIllegal()
    {
        HeatmapView view;
        view.resize(600, 300);
        view.setData(samplePlane());
        QSignalSpy adopted(&view, &HeatmapView::adopted);
        QTest::mouseClick(&view, Qt::LeftButton, {}, cellCenter(view, {0, 1}));
        QCOMPARE(adopted.count(), 0);
        QTest::mouseClick(&view, Qt::LeftButton, {}, cellCenter(view, {1, 0}));
        QCOMPARE(adopted.count(), 1);
        QTest::mouseClick(&view, Qt::LeftButton, {}, cellCenter(view, {0, 0})); // out of memory can be looked at
        QCOMPARE(adopted.count(), 2);
    }

    void theCursorStaysWhileCellsFillIn()
    {
        m_pipeline->hide(); // keys are the focused view's
        HeatmapView view;
        view.setData(samplePlane());
        QTest::keyClick(&view, Qt::Key_Down);
        QTest::keyClick(&view, Qt::Key_Left);
        HeatmapData fuller = samplePlane();
        fuller.cells[2] = {HeatmapCell::State::Value, 0.5, 0, {}};
        view.setData(fuller);
        QVERIFY(view.cursor() == (HeatmapCellIndex{0, 1}));
    }

    void viewsHaveNamesAndSayWhatTheyShow()
    {
        MemoryView memory;
        memory.setReport(sampleReport(4));
        QVERIFY(!memory.accessibleName().isEmpty());
        QVERIFY(memory.accessibleDescription().contains(QStringLiteral("limit 79.1")));
        QCOMPARE(memory.focusPolicy(), Qt::StrongFocus);
        QSignalSpy exported(&memory, &ChartView::exportRequested);
        memory.exportAction()->trigger();
        QCOMPARE(exported.count(), 1);
    }

    void viewsFollowThePalette()
    {
        StepTimeView view;
        view.setReport(sampleReport(4));
        view.resize(400, 300);
        QPalette dark;
        dark.setColor(QPalette::Window, QColor(20, 20, 24));
        view.setPalette(dark);
        QCOMPARE(view.grab().toImage().pixelColor(2, 2), Theme::darkMode().card);
        view.setTheme(Theme::paper());
        QCOMPARE(view.grab().toImage().pixelColor(2, 2), Theme::paper().card);
    }

    void theTableTwinIsAProperModel()
    {
        ChartTableModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const HeatmapChart chart(samplePlane());
        model.setTable(chart.table());
        QCOMPARE(model.rowCount(), 6);
        QCOMPARE(model.columnCount(), static_cast<int>(chart.table().header.size()));
        QCOMPARE(model.data(model.index(5, 3)).toString(), QStringLiteral("0.44"));
        QCOMPARE(model.headerData(3, Qt::Horizontal).toString(), QStringLiteral("MFU"));
    }

private:
    std::unique_ptr<PipelineView> m_pipeline;
    std::shared_ptr<const Timeline> m_timeline;
};

QTEST_MAIN(TestChartViews)
#include "tst_chart_views.moc"
