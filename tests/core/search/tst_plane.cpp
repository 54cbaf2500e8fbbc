// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/catalogue.h"
#include "core/formats/files.h"
#include "core/formats/scenario_file.h"
#include "core/search/plane.h"
#include "core/search/search.h"
#include "core/training/evaluate.h"

#include <QTest>

#include <cmath>
#include <set>

using namespace partita;

class PlaneTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void everyPlaneHoldsTheScenarioItself_data();
    void everyPlaneHoldsTheScenarioItself();
    void searchedMicroBatchesAreThoseOfAnySplit();
    void cellsSayTheirOwnPlaceAndBalanceTheDevices();
    void aCellEqualsTheEvaluationOfItsScenario();
    void illegalCellsSayWhyAndOthersDoNot();
    void aSweepVisitsEveryCellOnceNearestFirst();
    void aSweepStopsWhenTold();
    void marksAgreeWithEvaluation();
    void searchedCellsAreAtLeastAsFastAsKeptOnes();
    void longerSequencesAndLargerModelsTakeLongerSteps_data();
    void longerSequencesAndLargerModelsTakeLongerSteps();
    void theBatchFollowsTheMicroBatches();
    void aGivenBatchIsCutIntoTheMicroBatches();
    void searchedCellsKeepTheirPlace_data();
    void searchedCellsKeepTheirPlace();
    void searchedCellsAreWhatSearchesAloneFind_data();
    void searchedCellsAreWhatSearchesAloneFind();
    void searchedCellsHeedLimits();
    void costAndExposureAreTheReports();
    void replicasAndChunksStayWhereTheAxisPutsThem();

private:
    Catalogue m_catalogue;
    Scenario m_scenario;
};

namespace {

Plane swept(const Scenario& scenario, PlaneAxis rows, PlaneAxis columns)
{
    Plane plane = planeAround(scenario, rows, columns);
    sweep(
        scenario, plane, [] { return false; },
        [&](std::size_t i, PlaneCell cell) { plane.cells[i] = std::move(cell); });
    return plane;
}

} // namespace

void PlaneTest::initTestCase()
{
    m_catalogue = loadCatalogue({PARTITA_SOURCE_DIR "/presets"});
    const Result<std::string> text = readFile(PARTITA_SOURCE_DIR "/presets/scenarios/default.partita");
    QVERIFY(text);
    const Result<Scenario> scenario = readScenario(*text, m_catalogue);
    QVERIFY(scenario);
    m_scenario = *scenario;
}

void PlaneTest::everyPlaneHoldsTheScenarioItself_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("columns");
    for (const auto& rows : Names<PlaneAxis>::table) {
        for (const auto& columns : Names<PlaneAxis>::table) {
            if (rows.value != columns.value) {
                QTest::addRow("%s by %s", rows.key.data(), columns.key.data())
                    << static_cast<int>(rows.value) << static_cast<int>(columns.value);
            }
        }
    }
}

void PlaneTest::everyPlaneHoldsTheScenarioItself()
{
    QFETCH(int, rows);
    QFETCH(int, columns);
    const Plane plane = planeAround(m_scenario, static_cast<PlaneAxis>(rows), static_cast<PlaneAxis>(columns));
    QVERIFY(std::is_sorted(plane.rows.begin(), plane.rows.end()));
    const auto row = std::find(plane.rows.begin(), plane.rows.end(), valueOn(m_scenario, plane.rowAxis));
    const auto column = std::find(plane.columns.begin(), plane.columns.end(), valueOn(m_scenario, plane.columnAxis));
    QVERIFY(row != plane.rows.end() && column != plane.columns.end());
    const Result<Scenario> home = scenarioAt(m_scenario, plane.rowAxis, *row, plane.columnAxis, *column);
    QVERIFY(home);
    QVERIFY(home->layout == m_scenario.layout);
    QVERIFY(home->cluster == m_scenario.cluster);
}

/// Replicas that hold more than a sequence a pass come of splits that leave few of them.
void PlaneTest::searchedMicroBatchesAreThoseOfAnySplit()
{
    const std::vector<std::int64_t> stops =
        planeAround(m_scenario, PlaneAxis::Tp, PlaneAxis::MicroBatch, PlaneRest::Searched).columns;
    QVERIFY(stops.size() > 3);
    for (const std::int64_t stop : stops) {
        QCOMPARE(m_scenario.layout.globalBatch % stop, std::int64_t{0});
    }
}

void PlaneTest::cellsSayTheirOwnPlaceAndBalanceTheDevices()
{
    const Plane plane = planeAround(m_scenario, PlaneAxis::Tp, PlaneAxis::Devices);
    for (const std::int64_t tp : plane.rows) {
        for (const std::int64_t devices : plane.columns) {
            const Result<Scenario> at = scenarioAt(m_scenario, PlaneAxis::Tp, tp, PlaneAxis::Devices, devices);
            if (at) {
                QCOMPARE(valueOn(*at, PlaneAxis::Tp), tp);
                QCOMPARE(valueOn(*at, PlaneAxis::Devices), devices);
                QCOMPARE(at->layout.devices(), devices);
            } else {
                QVERIFY(devices % (tp * m_scenario.layout.pp * m_scenario.layout.cp) != 0);
            }
        }
    }
}

void PlaneTest::aCellEqualsTheEvaluationOfItsScenario()
{
    const Plane plane = swept(m_scenario, PlaneAxis::Tp, PlaneAxis::Pp);
    std::set<CellState> seen;
    for (std::size_t i = 0; i < plane.cells.size(); ++i) {
        const PlaneCell& cell = plane.cells[i];
        seen.insert(cell.state);
        const Result<Scenario> at = scenarioAt(m_scenario, PlaneAxis::Tp, plane.rows[i / plane.columns.size()],
                                               PlaneAxis::Pp, plane.columns[i % plane.columns.size()]);
        const Report report = at ? evaluate(*at) : Report{};
        if (cell.state == CellState::Fits || cell.state == CellState::OutOfMemory) {
            QVERIFY(report.legal());
            QCOMPARE(cell[PlaneQuantity::Mfu], report.mfu.causal);
            QCOMPARE(cell[PlaneQuantity::PeakMemory], report.peakMemory());
            QCOMPARE(cell.lacks, report.fits ? 0.0 : report.peakMemory() - report.memoryLimit);
        }
    }
    QVERIFY(seen == (std::set{CellState::Fits, CellState::OutOfMemory, CellState::Illegal}));
}

void PlaneTest::illegalCellsSayWhyAndOthersDoNot()
{
    const Plane plane = swept(m_scenario, PlaneAxis::MicroBatch, PlaneAxis::Pp);
    for (const PlaneCell& cell : plane.cells) {
        QVERIFY(cell.state != CellState::Pending);
        QCOMPARE(cell.reason.empty(), cell.state != CellState::Illegal);
    }
}

void PlaneTest::aSweepVisitsEveryCellOnceNearestFirst()
{
    const Plane plane = planeAround(m_scenario, PlaneAxis::Tp, PlaneAxis::Pp);
    std::vector<std::size_t> order;
    sweep(
        m_scenario, plane, [] { return false; }, [&](std::size_t i, const PlaneCell&) { order.push_back(i); });
    QCOMPARE(order.size(), plane.cells.size());
    QCOMPARE(std::set<std::size_t>(order.begin(), order.end()).size(), plane.cells.size());
    QCOMPARE(plane.rows[order.front() / plane.columns.size()], std::int64_t{m_scenario.layout.tp});
    QCOMPARE(plane.columns[order.front() % plane.columns.size()], std::int64_t{m_scenario.layout.pp});
}

void PlaneTest::aSweepStopsWhenTold()
{
    int computed = 0;
    sweep(
        m_scenario, planeAround(m_scenario, PlaneAxis::Tp, PlaneAxis::Pp), [&] { return computed == 3; },
        [&](std::size_t, const PlaneCell&) { ++computed; });
    QCOMPARE(computed, 3);
}

void PlaneTest::marksAgreeWithEvaluation()
{
    const std::vector<StopMark> marks = markStops(m_scenario, LayoutField::Pp, [] { return false; });
    QCOMPARE(marks.size(), legalStops(m_scenario, LayoutField::Pp).size());
    for (const StopMark& mark : marks) {
        Scenario moved = m_scenario;
        moved.layout = withField(m_scenario, LayoutField::Pp, mark.value);
        const Report report = evaluate(moved);
        QCOMPARE(mark.state == CellState::Fits, report.legal() && report.fits);
        QCOMPARE(mark.lacks > 0, report.legal() && !report.fits);
    }
}

void PlaneTest::searchedCellsAreAtLeastAsFastAsKeptOnes()
{
    const Plane kept = swept(m_scenario, PlaneAxis::Tp, PlaneAxis::Pp);
    Plane searched = planeAround(m_scenario, PlaneAxis::Tp, PlaneAxis::Pp, PlaneRest::Searched);
    sweep(
        m_scenario, searched, [] { return false; },
        [&](std::size_t i, PlaneCell cell) { searched.cells[i] = std::move(cell); });
    QCOMPARE(searched.cells.size(), kept.cells.size());
    for (std::size_t i = 0; i < kept.cells.size(); ++i) {
        const PlaneCell& cell = searched.cells[i];
        if (kept.cells[i].state == CellState::Fits) {
            QCOMPARE(cell.state, CellState::Fits);
            QVERIFY(cell[PlaneQuantity::StepTime] <= kept.cells[i][PlaneQuantity::StepTime] * 1.001);
        }
        if (cell.state != CellState::Illegal) {
            QCOMPARE(cell.layout.tp, static_cast<int>(searched.rows[i / searched.columns.size()]));
            QCOMPARE(cell.layout.pp, static_cast<int>(searched.columns[i % searched.columns.size()]));
            Scenario opened = m_scenario;
            opened.layout = cell.layout;
            QCOMPARE(evaluate(opened).stepTime, cell[PlaneQuantity::StepTime]);
        }
    }
}

void PlaneTest::longerSequencesAndLargerModelsTakeLongerSteps_data()
{
    QTest::addColumn<int>("axis");
    QTest::newRow("sequence") << static_cast<int>(PlaneAxis::Sequence);
    QTest::newRow("model size") << static_cast<int>(PlaneAxis::ModelSize);
    QTest::newRow("micro-batches") << static_cast<int>(PlaneAxis::MicroBatches);
}

void PlaneTest::longerSequencesAndLargerModelsTakeLongerSteps()
{
    QFETCH(int, axis);
    const Plane plane = swept(m_scenario, static_cast<PlaneAxis>(axis), PlaneAxis::Tp);
    QVERIFY(plane.rows.size() >= 5);
    int compared = 0;
    for (std::size_t column = 0; column < plane.columns.size(); ++column) {
        double time = 0;
        for (std::size_t row = 0; row < plane.rows.size(); ++row) {
            const PlaneCell& cell = plane.cells[plane.index(row, column)];
            if (cell.state == CellState::Fits || cell.state == CellState::OutOfMemory) {
                QVERIFY(cell[PlaneQuantity::StepTime] > time);
                compared += time > 0 ? 1 : 0;
                time = cell[PlaneQuantity::StepTime];
            }
        }
    }
    QVERIFY(compared > 10);
}

void PlaneTest::theBatchFollowsTheMicroBatches()
{
    const Plane plane = planeAround(m_scenario, PlaneAxis::MicroBatches, PlaneAxis::Pp);
    for (const std::int64_t count : plane.rows) {
        for (const std::int64_t pp : plane.columns) {
            const Result<Scenario> at = scenarioAt(m_scenario, PlaneAxis::MicroBatches, count, PlaneAxis::Pp, pp);
            if (at) {
                QCOMPARE(at->layout.microBatches(), count);
                QCOMPARE(at->layout.globalBatch, count * at->layout.microBatch * at->layout.dp);
                QCOMPARE(at->layout.microBatch, m_scenario.layout.microBatch);
                QCOMPARE(std::int64_t{at->layout.pp}, pp);
            }
        }
    }
}

void PlaneTest::aGivenBatchIsCutIntoTheMicroBatches()
{
    const std::int64_t dp = m_scenario.layout.dp;
    const Result<Scenario> at = scenarioAt(m_scenario, PlaneAxis::GlobalBatch, 32 * dp, PlaneAxis::MicroBatches, 8);
    QVERIFY(at);
    QCOMPARE(at->layout.globalBatch, 32 * dp);
    QCOMPARE(at->layout.microBatch, std::int64_t{4});
    QVERIFY(!scenarioAt(m_scenario, PlaneAxis::GlobalBatch, 4 * dp, PlaneAxis::MicroBatches, 8));
}

void PlaneTest::searchedCellsKeepTheirPlace_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("columns");
    const auto row = [](PlaneAxis rows, PlaneAxis columns) {
        QTest::addRow("%s by %s", keyOf(rows).data(), keyOf(columns).data())
            << static_cast<int>(rows) << static_cast<int>(columns);
    };
    row(PlaneAxis::ModelSize, PlaneAxis::Devices);
    row(PlaneAxis::Sequence, PlaneAxis::Cp);
    row(PlaneAxis::MicroBatches, PlaneAxis::Pp);
    row(PlaneAxis::GlobalBatch, PlaneAxis::Devices);
}

void PlaneTest::searchedCellsKeepTheirPlace()
{
    QFETCH(int, rows);
    QFETCH(int, columns);
    Plane plane =
        planeAround(m_scenario, static_cast<PlaneAxis>(rows), static_cast<PlaneAxis>(columns), PlaneRest::Searched);
    sweep(
        m_scenario, plane, [] { return false; },
        [&](std::size_t cell, PlaneCell searched) { plane.cells[cell] = std::move(searched); }, 2);
    int found = 0;
    for (std::size_t i = 0; i < plane.cells.size(); ++i) {
        const std::size_t row = i / plane.columns.size();
        const std::size_t column = i % plane.columns.size();
        const Result<Scenario> at = scenarioOf(m_scenario, plane, row, column);
        QCOMPARE(bool(at), plane.cells[i].state != CellState::Illegal);
        if (at) {
            ++found;
            QCOMPARE(valueOn(*at, plane.rowAxis), plane.rows[row]);
            QCOMPARE(valueOn(*at, plane.columnAxis), plane.columns[column]);
            QCOMPARE(evaluate(*at).stepTime, plane.cells[i][PlaneQuantity::StepTime]);
        }
    }
    QVERIFY(found > 3);
}

void PlaneTest::searchedCellsAreWhatSearchesAloneFind_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("cluster");
    QTest::newRow("dense") << QStringLiteral("llama-3.1-70b") << QStringLiteral("hgx-h100");
    QTest::newRow("experts") << QStringLiteral("mixtral-8x7b") << QStringLiteral("hgx-h100");
    QTest::newRow("torus") << QStringLiteral("mixtral-8x7b") << QStringLiteral("tpu-v5p-2048");
}

/// Cells know the layouts around them, and share what they have priced: neither may show.
void PlaneTest::searchedCellsAreWhatSearchesAloneFind()
{
    QFETCH(QString, model);
    QFETCH(QString, cluster);
    Scenario scenario = m_scenario;
    scenario.model = *m_catalogue.model(model.toStdString());
    scenario.cluster = *m_catalogue.cluster(cluster.toStdString());
    scenario.cluster.nodes = std::max<std::int64_t>(1, 16 / scenario.cluster.devicesPerNode);
    Plane plane = planeAround(scenario, PlaneAxis::Devices, PlaneAxis::GlobalBatch, PlaneRest::Searched);
    const std::int64_t node = scenario.cluster.devicesPerNode;
    plane.rows = {node, 16, 24, 32};
    plane.columns = {16, 48, 192};
    plane.cells.assign(plane.rows.size() * plane.columns.size(), {});
    sweep(
        scenario, plane, [] { return false; }, [&](std::size_t i, PlaneCell cell) { plane.cells[i] = std::move(cell); },
        2);
    int fitting = 0;
    for (std::size_t i = 0; i < plane.cells.size(); ++i) {
        Scenario alone = scenario;
        alone.cluster.nodes = plane.rows[i / plane.columns.size()] / node;
        alone.layout.globalBatch = plane.columns[i % plane.columns.size()];
        SearchOptions options;
        options.top = 1;
        const Result<SearchResult> found = searchLayouts(
            alone, {}, options, [] { return false; }, nullptr);
        const PlaneCell& cell = plane.cells[i];
        QCOMPARE(bool(found), cell.state != CellState::Illegal);
        if (found) {
            const bool fits = !found->best.empty();
            fitting += fits ? 1 : 0;
            QCOMPARE(cell.state, fits ? CellState::Fits : CellState::OutOfMemory);
            QVERIFY(cell.layout == (fits ? found->best.front() : *found->leanest).layout);
        }
    }
    QVERIFY(fitting > 5);
}

void PlaneTest::searchedCellsHeedLimits()
{
    SearchSpace limits;
    QVERIFY(narrow(limits, "tp<=4, cp=1, recompute=full").empty());
    limits.headRoom = 0.3;
    Plane plane = planeAround(m_scenario, PlaneAxis::Tp, PlaneAxis::Pp, PlaneRest::Searched, limits);
    sweep(
        m_scenario, plane, [] { return false; },
        [&](std::size_t i, PlaneCell cell) { plane.cells[i] = std::move(cell); }, 2);
    int fitting = 0;
    for (std::size_t i = 0; i < plane.cells.size(); ++i) {
        const PlaneCell& cell = plane.cells[i];
        if (plane.rows[i / plane.columns.size()] > 4) {
            QCOMPARE(cell.state, CellState::Illegal);
            QCOMPARE(QString::fromStdString(cell.reason), QStringLiteral("outside the limits: tp ≤ 4"));
            continue;
        }
        if (cell.state != CellState::Fits) {
            continue;
        }
        ++fitting;
        QCOMPARE(cell.layout.cp, 1);
        QCOMPARE(cell.layout.recompute, Recompute::Full);
        QVERIFY(cell[PlaneQuantity::PeakMemory] <= 0.7 * m_scenario.cluster.accelerator.memoryBytes);
    }
    QVERIFY(fitting > 0);
    // What is kept is not searched, so nothing limits it.
    QVERIFY(planeAround(m_scenario, PlaneAxis::Tp, PlaneAxis::Pp, PlaneRest::Kept, limits).limits == SearchSpace());
}

void PlaneTest::costAndExposureAreTheReports()
{
    const Plane plane = swept(m_scenario, PlaneAxis::Cp, PlaneAxis::Pp);
    int compared = 0;
    for (std::size_t i = 0; i < plane.cells.size(); ++i) {
        const PlaneCell& cell = plane.cells[i];
        if (cell.state != CellState::Fits) {
            continue;
        }
        ++compared;
        Scenario scenario = m_scenario;
        scenario.layout = cell.layout;
        const Report report = evaluate(scenario);
        QCOMPARE(cell[PlaneQuantity::Exposed], report.time.exposedCommunication() / report.stepTime);
        // A billion tokens are so many steps, each of which takes all devices.
        const double tokens = static_cast<double>(cell.layout.globalBatch * scenario.workload.sequenceLength);
        const double hours = 1e9 / tokens * report.stepTime * static_cast<double>(cell.layout.devices()) / 3600;
        QVERIFY(std::abs(cell[PlaneQuantity::Cost] / hours - 1) < 1e-9);
    }
    QVERIFY(compared > 3);
}

void PlaneTest::replicasAndChunksStayWhereTheAxisPutsThem()
{
    for (const auto& [rows, columns] :
         {std::pair{PlaneAxis::Dp, PlaneAxis::Tp}, std::pair{PlaneAxis::Tp, PlaneAxis::Dp},
          std::pair{PlaneAxis::Dp, PlaneAxis::Pp}, std::pair{PlaneAxis::Vpp, PlaneAxis::Pp},
          std::pair{PlaneAxis::Pp, PlaneAxis::Vpp}, std::pair{PlaneAxis::Dp, PlaneAxis::Vpp}}) {
        const Plane plane = swept(m_scenario, rows, columns);
        int legal = 0;
        for (std::size_t i = 0; i < plane.cells.size(); ++i) {
            const PlaneCell& cell = plane.cells[i];
            if (cell.state == CellState::Illegal) {
                continue;
            }
            ++legal;
            Scenario scenario = m_scenario;
            scenario.layout = cell.layout;
            QCOMPARE(valueOn(scenario, rows), plane.rows[i / plane.columns.size()]);
            QCOMPARE(valueOn(scenario, columns), plane.columns[i % plane.columns.size()]);
            QCOMPARE(cell.layout.devices(), m_scenario.cluster.devices());
        }
        QVERIFY(legal > 3);
    }
}

QTEST_GUILESS_MAIN(PlaneTest)
#include "tst_plane.moc"
