// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/evaluate.h"
#include "tests/core/scenario/samples.h"
#include "tests/widgets/accessible_names.h"
#include "widgets/stage_editor.h"
#include "widgets/stage_rows.h"

#include <QAction>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QtTest>

#include <numeric>

using namespace partita;
using namespace partita::ui;

class TestStageEditor : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void init()
    {
        m_scenario = samples::legal(); // 80 layers on 8 stages
        m_editor = std::make_unique<StageEditor>();
        m_edits = 0;
        m_merged = 0;
        connect(m_editor.get(), &StageEditor::edited, this,
                [this](const Scenario& scenario, const QString& what, bool merge) {
                    ++m_edits;
                    m_merged += merge ? 1 : 0;
                    m_what = what;
                    show(scenario);
                });
        show(m_scenario);
        m_editor->resize(900, 420);
        m_editor->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_editor.get()));
    }

    void everyControlHasAName() { QCOMPARE(namelessControls(*m_editor), QStringList()); }

    void showsWhatTheReportSays()
    {
        const auto& rows = m_editor->rows()->rows();
        QCOMPARE(rows.size(), std::size_t{8});
        QVERIFY(rows.front().embedding && rows.back().head && !rows[3].embedding && !rows[3].head);
        const Report report = evaluate(m_scenario);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            QVERIFY(rows[i].costs);
            QCOMPARE(rows[i].layers, 10);
            QCOMPARE(rows[i].forward, report.stages[i].forward);
            QCOMPARE(rows[i].memory.total(), report.stages[i].memory.total());
        }
        QCOMPARE(m_editor->textBox()->text(), QStringLiteral("Et*10|(t*10|)*6t*10L"));
        QCOMPARE(m_editor->firstBox()->value(), 10);
    }

    void draggingTheEndOfARowMovesTheCutAndTheCosts()
    {
        StageRows& rows = *m_editor->rows();
        const double before = rows.rows()[2].time();
        const StageRows::Geometry g = rows.geometry();
        const QPoint from = rows.handle(2).center().toPoint();
        QTest::mousePress(&rows, Qt::LeftButton, {}, from);
        std::vector<double> times;
        for (int step = 1; step <= 3; ++step) {
            move(rows, from + QPoint(static_cast<int>(std::lround(g.cellWidth * step)), 0));
            times.push_back(rows.rows()[2].time());
        }
        QTest::mouseRelease(&rows, Qt::LeftButton, {}, from + QPoint(static_cast<int>(g.cellWidth * 3), 0));
        QCOMPARE(m_scenario.layout.layersPerStage, (std::vector<int>{10, 10, 13, 7, 10, 10, 10, 10}));
        QVERIFY(before < times[0] && times[0] < times[1] && times[1] < times[2]); // while dragging
        QCOMPARE(m_edits, 3);
        QCOMPARE(m_merged, 2); // one step to undo
        QCOMPARE(m_what, QStringLiteral("Set layers of stage 2 to 13"));
        const QPoint again = rows.handle(2).center().toPoint();
        QTest::mousePress(&rows, Qt::LeftButton, {}, again);
        move(rows, again - QPoint(static_cast<int>(std::lround(rows.geometry().cellWidth)), 0));
        QTest::mouseRelease(&rows, Qt::LeftButton, {}, again);
        QCOMPARE(m_merged, 2); // another drag, another step
    }

    void aDragNeitherRunsAwayNorLosesLayers()
    {
        StageRows& rows = *m_editor->rows();
        const QPoint from = rows.handle(0).center().toPoint();
        QTest::mousePress(&rows, Qt::LeftButton, {}, from);
        for (const int x : {100, 300, 900, 2000, 5000, -4000}) {
            move(rows, from + QPoint(x, 0));
            const std::vector<int> layers = rows.layers();
            QCOMPARE(std::accumulate(layers.begin(), layers.end(), 0), 80);
            move(rows, from + QPoint(x, 0)); // the same place again: nothing moves by itself
            QCOMPARE(rows.layers(), layers);
        }
        QCOMPARE(rows.layers()[0], 0); // pulled to the left edge
        QTest::mouseRelease(&rows, Qt::LeftButton, {}, from);
    }

    void plusAndMinusWorkByMouseKeyAndBox()
    {
        StageRows& rows = *m_editor->rows();
        const StageRows::Geometry g = rows.geometry();
        QTest::mouseClick(&rows, Qt::LeftButton, {}, g.inRow(g.plus, 4).center().toPoint());
        QCOMPARE(rows.layers()[4], 11);
        QCOMPARE(rows.current(), 4);
        QTest::mouseClick(&rows, Qt::LeftButton, {}, g.inRow(g.minus, 4).center().toPoint());
        QCOMPARE(rows.layers()[4], 10);
        QTest::keyClick(&rows, Qt::Key_Down);
        QTest::keyClick(&rows, Qt::Key_Plus);
        QCOMPARE(rows.layers()[5], 11);
        QVERIFY(rows.accessibleDescription().contains(QStringLiteral("stage 5: 11 layers")));
        QCOMPARE(m_editor->layersBox()->value(), 11);
        m_editor->layersBox()->setValue(20);
        QCOMPARE(rows.layers(), (std::vector<int>{10, 10, 10, 10, 10, 20, 0, 10})); // the next stage gives
        m_editor->layersBox()->setValue(500);
        QCOMPARE(m_editor->layersBox()->value(), 80); // all there are
    }

    void theButtonsBalance()
    {
        const auto trigger = [this](int command) { m_editor->commands()[command]->trigger(); };
        trigger(2);
        QCOMPARE(m_scenario.layout.layersPerStage, balanceStages(m_scenario, BalanceBy::Memory));
        const double least = evaluate(m_scenario).peakMemory();
        trigger(1);
        QCOMPARE(m_scenario.layout.layersPerStage, balanceStages(m_scenario, BalanceBy::Time));
        QVERIFY(evaluate(m_scenario).peakMemory() >= least);
        trigger(0);
        QVERIFY(m_scenario.layout.layersPerStage.empty());
        trigger(3);
        QCOMPARE(m_editor->rows()->layers()[0], 11);
        trigger(4);
        QCOMPARE(m_editor->rows()->layers()[0], 10);
    }

    void aLayoutStringPlacesLayersOrSaysWhyNot()
    {
        enter(QStringLiteral("E|(t*11|)*2(t*13|)*4t*6L"));
        QCOMPARE(m_scenario.layout.layersPerStage, (std::vector<int>{0, 11, 11, 13, 13, 13, 13, 6}));
        QVERIFY(m_editor->problem().isEmpty());
        const int edits = m_edits;
        enter(QStringLiteral("E|t|L"));
        QCOMPARE(m_edits, edits);
        QVERIFY2(m_editor->problem().contains(QStringLiteral("do not spread over 8 stages")),
                 qPrintable(m_editor->problem()));
        enter(QStringLiteral("E(t*5|)*15t*5L"));
        QCOMPARE(m_scenario.layout.vpp, 2);
        QCOMPARE(m_editor->rows()->rows().size(), std::size_t{16});
        QCOMPARE(m_editor->rows()->rows()[9].name, QStringLiteral("stage 1, chunk 1"));
        QVERIFY(m_editor->problem().isEmpty());
    }

    void firstAndLastLeaveTheRestEven()
    {
        m_editor->firstBox()->setValue(7);
        QVERIFY(!m_editor->problem().isEmpty()); // 63 layers do not spread over six stages
        QCOMPARE(m_edits, 0);
        m_editor->lastBox()->setValue(13);
        QCOMPARE(m_scenario.layout.layersPerStage, (std::vector<int>{7, 10, 10, 10, 10, 10, 10, 13}));
        QVERIFY(m_editor->problem().isEmpty());
    }

    void aVScheduleNamesTheStagesItsChunksLiveOn()
    {
        m_scenario.layout.schedule = ScheduleKind::ZbV;
        m_scenario.layout.vpp = 2;
        show(m_scenario);
        const auto& rows = m_editor->rows()->rows();
        QCOMPARE(rows.size(), std::size_t{16});
        QCOMPARE(rows.back().name, QStringLiteral("stage 0, chunk 1"));
        QVERIFY(rows[0].costs && !rows.back().costs);
        QVERIFY(!m_editor->firstBox()->isEnabled()); // the first stage holds both ends of the model
    }

    void anIllegalLayoutIsNoTrouble()
    {
        Scenario broken = m_scenario;
        broken.layout.pp = 3;
        show(broken);
        QVERIFY(!m_editor->commands()[1]->isEnabled());
        QTest::keyClick(m_editor->rows(), Qt::Key_Plus);
        broken = m_scenario;
        broken.layout.pp = 0;
        show(broken);
        QCOMPARE(m_edits, 0);
    }

private:
    void show(const Scenario& scenario)
    {
        m_scenario = scenario;
        m_editor->setScenario(scenario, evaluate(scenario));
    }

    static void move(QWidget& widget, QPoint at)
    {
        QMouseEvent event(QEvent::MouseMove, at, widget.mapToGlobal(at), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&widget, &event);
    }

    void enter(const QString& text)
    {
        m_editor->textBox()->selectAll();
        QTest::keyClicks(m_editor->textBox(), text);
        QTest::keyClick(m_editor->textBox(), Qt::Key_Return);
    }

    Scenario m_scenario;
    std::unique_ptr<StageEditor> m_editor;
    int m_edits = 0;
    int m_merged = 0;
    QString m_what;
};

QTEST_MAIN(TestStageEditor)
#include "tst_stage_editor.moc"
