// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/drawn_schedule.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

using namespace partita;

/// What a drawn schedule says of its ranks, against the simulation of every op.
class DrawnFiguresTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void areThoseOfTheSimulation_data() { everySchedule(); }
    void areThoseOfTheSimulation();
    void slowRanksCatchUpAsInTheSimulation_data() { everySchedule(); }
    void slowRanksCatchUpAsInTheSimulation();
    void refuseTimesAsTheSimulationDoes();

private:
    static void everySchedule();
};

namespace {

struct Case {
    ScheduleKind kind = ScheduleKind::OneFOneB;
    int stages = 1;
    int microBatches = 1;
    int chunks = 1;
    StageTimes times;
};

int chunksOf(ScheduleKind kind, int wanted)
{
    const ScheduleFacts facts = describe(kind);
    return facts.chunks > 0 ? facts.chunks : std::max(facts.minChunks, wanted);
}

std::vector<std::vector<double>> table(const Placement& placement, int cells, double least, double spread,
                                       std::mt19937& random)
{
    std::uniform_real_distribution<double> draw(0, spread);
    std::vector<std::vector<double>> rows(static_cast<std::size_t>(placement.stages));
    for (std::vector<double>& row : rows) {
        for (int cell = 0; cell < cells; ++cell) {
            row.push_back(least + draw(random));
        }
    }
    return rows;
}

/// spread: by how many seconds the chunks differ at most, beside one that each takes.
StageTimes timesOf(const Case& each, double spread, std::mt19937& random)
{
    std::uniform_real_distribution<double> draw(0, 1);
    const Placement placement = placementOf(each.kind, each.stages, each.chunks);
    StageTimes times;
    for (auto* part : {&times.forward, &times.backwardInput, &times.backwardWeight}) {
        *part = table(placement, placement.chunks, 1, spread, random);
    }
    if (random() % 2 == 0) {
        times.hiddenInPair = table(placement, placement.chunks * placement.chunks, 0, 0.5, random);
    }
    times.transfer = random() % 4 == 0 ? 0 : draw(random) * (random() % 2 == 0 ? 0.05 : 1);
    times.blockingTransfer = random() % 2 == 0;
    return times;
}

bool close(double a, double b, double scale)
{
    return std::abs(a - b) <= 1e-9 * std::abs(b) + 1e-12 * scale;
}

void compare(const Case& each)
{
    std::vector<int> ranks(static_cast<std::size_t>(each.stages));
    std::iota(ranks.begin(), ranks.end(), 0);
    DrawnSchedule drawn(each.kind, each.stages, each.microBatches, each.chunks, ranks);
    const Result<PipelineFigures> figures = drawn.figures(each.times, each.microBatches);
    const Result<Schedule> schedule = makeSchedule(each.kind, each.stages, each.microBatches, each.chunks);
    QVERIFY(schedule && figures);
    const Result<Timeline> timeline = simulate(*schedule, each.times);
    QVERIFY(timeline);
    const PipelineFigures wanted = figuresOf(*timeline);
    QCOMPARE(figures->ranks.size(), wanted.ranks.size());
    QVERIFY(std::abs(figures->bubbleFraction() - timeline->bubbleFraction()) < 1e-11);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        const RankFigures& a = figures->ranks[rank];
        const RankFigures& b = wanted.ranks[rank];
        const QByteArray text = QStringLiteral("p %1 v %2 m %3 rank %4: waits %5 for %6, ends %7 for %8")
                                    .arg(each.stages)
                                    .arg(each.chunks)
                                    .arg(each.microBatches)
                                    .arg(rank)
                                    .arg(a.transferWait, 0, 'g', 15)
                                    .arg(b.transferWait, 0, 'g', 15)
                                    .arg(a.end, 0, 'g', 15)
                                    .arg(b.end, 0, 'g', 15)
                                    .toUtf8();
        QVERIFY2(close(a.end, b.end, b.end), text);
        QVERIFY2(close(a.busy, b.busy, b.end), text);
        QVERIFY2(close(a.transferWait, b.transferWait, b.end), text);
        QVERIFY2(close(a.hidden, b.hidden, b.end), text);
        QCOMPARE(a.peakActivations, b.peakActivations);
    }
}

} // namespace

void DrawnFiguresTest::everySchedule()
{
    QTest::addColumn<int>("kind");
    for (const auto& name : Names<ScheduleKind>::table) {
        QTest::newRow(std::string(name.key).c_str()) << static_cast<int>(name.value);
    }
}

void DrawnFiguresTest::areThoseOfTheSimulation()
{
    QFETCH(int, kind);
    std::mt19937 random(static_cast<unsigned>(kind));
    int compared = 0;
    for (int round = 0; round < 120; ++round) {
        Case each;
        each.kind = static_cast<ScheduleKind>(kind);
        each.stages = 1 + static_cast<int>(random() % 16);
        each.chunks = chunksOf(each.kind, 1 + static_cast<int>(random() % 3));
        each.microBatches = 1 + static_cast<int>(random() % (round % 8 == 0 ? 3000U : 300U));
        if (!checkSchedule(each.kind, each.stages, each.microBatches, each.chunks).empty()) {
            continue;
        }
        ++compared;
        each.times = timesOf(each, round % 3 == 0 ? 0 : round % 3 == 1 ? 0.1 : 1, random);
        compare(each);
    }
    QVERIFY(compared > 20);
}

/// A pipeline that falls behind little by little, so that what ops wait for the wire changes from cycle to cycle.
void DrawnFiguresTest::slowRanksCatchUpAsInTheSimulation()
{
    QFETCH(int, kind);
    std::mt19937 random(static_cast<unsigned>(kind) + 100);
    std::uniform_real_distribution<double> slight(0.0001, 0.01);
    for (int round = 0; round < 12; ++round) {
        Case each;
        each.kind = static_cast<ScheduleKind>(kind);
        each.stages = 2 + 2 * static_cast<int>(random() % 4);
        each.chunks = chunksOf(each.kind, 2);
        each.microBatches = each.stages * (100 + static_cast<int>(random() % 200));
        each.times = timesOf(each, 0, random);
        each.times.transfer = 0.3;
        const std::size_t slow = random() % static_cast<std::size_t>(each.stages);
        each.times.forward[slow].back() += slight(random);
        each.times.backwardInput[slow].front() += slight(random);
        compare(each);
    }
}

void DrawnFiguresTest::refuseTimesAsTheSimulationDoes()
{
    Case each{ScheduleKind::OneFOneB, 2, 4, 1, {}};
    each.times = equalStageTimes(placementOf(each.kind, 2, 1), 1, 1, 1);
    for (const double bad : {-1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
        StageTimes times = each.times;
        times.backwardInput[1][0] = bad;
        const Result<PipelineFigures> figures = DrawnSchedule(each.kind, 2, 4, 1, {0, 1}).figures(times, 4);
        QVERIFY(!figures);
        QVERIFY(figures.problems == simulate(*makeSchedule(each.kind, 2, 4, 1), times).problems);
    }
}

QTEST_GUILESS_MAIN(DrawnFiguresTest)
#include "tst_drawn_figures.moc"
