// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/plane_sweep.h"

#include "app/default_scenario.h"

#include <QTest>

using namespace partita;
using namespace partita::ui;

class PlaneSweepTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aSweepEndsWithTheWholePlane();
    void theNewestRequestWins();
    void oldCellsStayUntilTheyAreReplaced();
    void nothingArrivesAfterCancelling();
    void itMayBeDestroyedWhileItWorks();

private:
    const Catalogue m_catalogue = loadPresets();
    const Scenario m_scenario = *defaultScenario(m_catalogue);
};

namespace {

bool allKnown(const Plane& plane)
{
    return !plane.cells.empty() && std::none_of(plane.cells.begin(), plane.cells.end(), [](const PlaneCell& cell) {
        return cell.state == CellState::Pending;
    });
}

} // namespace

void PlaneSweepTest::aSweepEndsWithTheWholePlane()
{
    PlaneSweep sweep;
    StopMarks marks;
    connect(&sweep, &PlaneSweep::marksReady, this, [&](const StopMarks& ready) { marks = ready; });
    sweep.request(m_scenario, PlaneAxis::Tp, PlaneAxis::Pp);
    QVERIFY(sweep.running());
    QTRY_VERIFY_WITH_TIMEOUT(!sweep.running(), 60000);
    QVERIFY(allKnown(sweep.plane()));
    QVERIFY(!marks[LayoutField::Tp].empty());
}

void PlaneSweepTest::theNewestRequestWins()
{
    PlaneSweep sweep;
    for (int i = 0; i < 50; ++i) {
        sweep.request(m_scenario, PlaneAxis::Tp, i % 2 == 0 ? PlaneAxis::Cp : PlaneAxis::MicroBatch);
    }
    sweep.request(m_scenario, PlaneAxis::Pp, PlaneAxis::Tp);
    QTRY_VERIFY_WITH_TIMEOUT(!sweep.running(), 60000);
    PlaneSweep alone;
    alone.request(m_scenario, PlaneAxis::Pp, PlaneAxis::Tp);
    QTRY_VERIFY_WITH_TIMEOUT(!alone.running(), 60000);
    QVERIFY(sweep.plane() == alone.plane());
}

void PlaneSweepTest::oldCellsStayUntilTheyAreReplaced()
{
    PlaneSweep sweep;
    sweep.request(m_scenario, PlaneAxis::Tp, PlaneAxis::Pp);
    QTRY_VERIFY_WITH_TIMEOUT(!sweep.running(), 60000);
    Scenario longer = m_scenario;
    longer.workload.sequenceLength *= 2;
    sweep.request(longer, PlaneAxis::Tp, PlaneAxis::Pp);
    QVERIFY(allKnown(sweep.plane()));
}

void PlaneSweepTest::nothingArrivesAfterCancelling()
{
    PlaneSweep sweep;
    sweep.request(m_scenario, PlaneAxis::Tp, PlaneAxis::Pp);
    sweep.cancel();
    int arrived = 0;
    connect(&sweep, &PlaneSweep::planeAdvanced, this, [&] { ++arrived; });
    connect(&sweep, &PlaneSweep::marksReady, this, [&] { ++arrived; });
    QTest::qWait(100);
    QCOMPARE(arrived, 0);
    QVERIFY(!sweep.running());
}

void PlaneSweepTest::itMayBeDestroyedWhileItWorks()
{
    for (int i = 0; i < 20; ++i) {
        PlaneSweep sweep;
        sweep.request(m_scenario, PlaneAxis::Tp, PlaneAxis::Pp);
        QCoreApplication::processEvents();
    }
}

QTEST_GUILESS_MAIN(PlaneSweepTest)
#include "tst_plane_sweep.moc"
