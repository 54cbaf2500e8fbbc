// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/drawn_schedule.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace partita;

/// Schedules drawn up once against simulate(), above all where most micro-batches are not run but multiplied.
class DrawnScheduleTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void endsAsTheSimulationDoes_data();
    void endsAsTheSimulationDoes();
    void longSchedulesAreDrawnShort();
    void thousandsOfMicroBatchesEndAsTheSimulationDoes();
};

namespace {

enum class Spread { None, Ends, All };

/// Seconds by row: all alike, alike but at the ends of the pipeline, or all different.
StageTimes timesOf(int rows, int slots, Spread spread, std::mt19937& random)
{
    std::uniform_real_distribution<double> draw(0.5, 1.5);
    std::uniform_real_distribution<double> slight(0.0, 0.2);
    StageTimes times;
    for (auto* table : {&times.forward, &times.backwardInput, &times.backwardWeight}) {
        const double common = draw(random);
        for (int row = 0; row < rows; ++row) {
            const bool end = row == 0 || row + 1 == rows;
            table->push_back(std::vector<double>(static_cast<std::size_t>(slots), common));
            for (double& cell : table->back()) {
                cell = spread == Spread::All        ? draw(random)
                    : spread == Spread::Ends && end ? cell + slight(random)
                                                    : cell;
            }
        }
    }
    times.transfer = random() % 3 == 0 ? 0 : slight(random);
    times.blockingTransfer = random() % 2 == 0;
    return times;
}

/// As simulate() has it: when the last rank of every row ends.
std::vector<double> simulatedEnds(const Schedule& schedule, StageTimes times, const std::vector<int>& rows)
{
    for (auto* table : {&times.forward, &times.backwardInput, &times.backwardWeight}) {
        std::vector<std::vector<double>> byRank;
        for (const int row : rows) {
            byRank.push_back((*table)[static_cast<std::size_t>(row)]);
        }
        *table = byRank;
    }
    const Result<Timeline> timeline = simulate(schedule, times);
    std::vector<double> ends(static_cast<std::size_t>(rows.back()) + 1, 0);
    for (std::size_t rank = 0; timeline && rank < rows.size(); ++rank) {
        double& end = ends[static_cast<std::size_t>(rows[rank])];
        end = std::max(end, timeline->stages[rank].ops.back().end);
    }
    return ends;
}

int chunksOf(ScheduleKind kind, int wanted)
{
    const ScheduleFacts facts = describe(kind);
    return facts.chunks > 0 ? facts.chunks : std::max(facts.minChunks, wanted);
}

} // namespace

void DrawnScheduleTest::endsAsTheSimulationDoes_data()
{
    QTest::addColumn<int>("kind");
    for (const auto& name : Names<ScheduleKind>::table) {
        QTest::newRow(std::string(name.key).c_str()) << static_cast<int>(name.value);
    }
}

void DrawnScheduleTest::endsAsTheSimulationDoes()
{
    QFETCH(int, kind);
    const auto schedule = static_cast<ScheduleKind>(kind);
    std::mt19937 random(static_cast<unsigned>(kind));
    for (int round = 0; round < 160; ++round) {
        const int stages = 2 + static_cast<int>(random() % 11);
        const int chunks = chunksOf(schedule, 1 + static_cast<int>(random() % 3));
        const int microBatches = 1 + static_cast<int>(random() % static_cast<unsigned>(20 * stages));
        if (!checkSchedule(schedule, stages, microBatches, chunks).empty()) {
            continue;
        }
        const auto spread = static_cast<Spread>(round % 3);
        std::vector<int> rows(static_cast<std::size_t>(stages), 1);
        rows.front() = 0;
        rows.back() = stages > 2 ? 2 : 1;
        if (spread == Spread::All) {
            std::iota(rows.begin(), rows.end(), 0);
        }
        DrawnSchedule drawn(schedule, stages, microBatches, chunks, rows);
        for (int again = 0; again < 4; ++again) {
            const int asked = microBatches + again / 2 * (1 + static_cast<int>(random() % 4)) * stages;
            const Result<Schedule> order = makeSchedule(schedule, stages, asked, chunks);
            if (!drawn.runs(asked)) {
                QVERIFY2(again >= 2, "runs what it was drawn up for");
                continue;
            }
            const StageTimes times = timesOf(rows.back() + 1, order->placement.chunks, spread, random);
            std::vector<double> ends;
            drawn.ends(times, asked, ends);
            const std::vector<double> simulated = simulatedEnds(*order, times, rows);
            QCOMPARE(ends.size(), simulated.size());
            for (std::size_t row = 0; row < ends.size(); ++row) {
                QVERIFY2(std::abs(ends[row] - simulated[row]) <= 1e-10 * simulated[row],
                         qPrintable(QStringLiteral("p %1 v %2 m %3 row %4: %5 for %6")
                                        .arg(stages)
                                        .arg(chunks)
                                        .arg(asked)
                                        .arg(row)
                                        .arg(ends[row], 0, 'g', 17)
                                        .arg(simulated[row], 0, 'g', 17)));
            }
        }
    }
}

void DrawnScheduleTest::longSchedulesAreDrawnShort()
{
    for (const ScheduleKind kind : {ScheduleKind::OneFOneB, ScheduleKind::Interleaved, ScheduleKind::OneFOneBOverlap,
                                    ScheduleKind::ZbH1, ScheduleKind::ZbH2, ScheduleKind::ZbV, ScheduleKind::VHalf,
                                    ScheduleKind::VMin, ScheduleKind::DualPipe, ScheduleKind::DualPipeV}) {
        const int chunks = chunksOf(kind, 2);
        const std::vector<int> rows(8, 0);
        const DrawnSchedule some(kind, 8, 480, chunks, rows);
        const DrawnSchedule many(kind, 8, 4096, chunks, rows);
        QVERIFY2(some.ops() == many.ops() && some.runs(4096), std::string(keyOf(kind)).c_str());
    }
}

void DrawnScheduleTest::thousandsOfMicroBatchesEndAsTheSimulationDoes()
{
    std::mt19937 random(7);
    for (const auto& name : Names<ScheduleKind>::table) {
        const int stages = 6;
        const int chunks = chunksOf(name.value, 2);
        std::vector<int> rows(stages);
        std::iota(rows.begin(), rows.end(), 0);
        const Result<Schedule> order = makeSchedule(name.value, stages, 3000, chunks);
        QVERIFY(order);
        DrawnSchedule drawn(name.value, stages, 3000, chunks, rows);
        for (const Spread spread : {Spread::None, Spread::Ends, Spread::All}) {
            const StageTimes times = timesOf(stages, order->placement.chunks, spread, random);
            std::vector<double> ends;
            drawn.ends(times, 3000, ends);
            const std::vector<double> simulated = simulatedEnds(*order, times, rows);
            for (std::size_t row = 0; row < ends.size(); ++row) {
                QVERIFY2(std::abs(ends[row] - simulated[row]) <= 1e-10 * simulated[row], std::string(name.key).c_str());
            }
        }
    }
}

QTEST_GUILESS_MAIN(DrawnScheduleTest)
#include "tst_drawn_schedule.moc"
