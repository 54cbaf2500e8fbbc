// SPDX-License-Identifier: GPL-3.0-or-later
#include "equal_stages.h"

using namespace partita;
using namespace partita::test;

namespace {

struct Size {
    int stages;
    int microBatches;
};

constexpr std::array<Size, 5> goldenSizes{{{4, 8}, {8, 16}, {8, 32}, {16, 64}, {32, 128}}};

struct Golden {
    ScheduleKind kind;
    std::array<double, 5> overhead; ///< makespan - m (F + B + W) at F = B = W = 10, for goldenSizes
    std::array<double, 5> peak; ///< micro-batches of a stage
};

// Made by running the orders of each schedule's own publication in an independent simulator.
constexpr std::array golden{
    Golden{ScheduleKind::OneFOneB, {90, 210, 210, 450, 930}, {4, 8, 8, 16, 32}},
    Golden{ScheduleKind::Interleaved, {45, 105, 105, 225, 465}, {5.5, 11.5, 11.5, 23.5, 47.5}},
    Golden{ScheduleKind::OneFOneBOverlap, {45, 105, 105, 225, 465}, {6, 12, 12, 24, 48}},
    Golden{ScheduleKind::ZbH1, {30, 70, 70, 150, 310}, {4, 8, 8, 16, 32}},
    Golden{ScheduleKind::ZbH2, {30, 70, 70, 150, 310}, {7, 15, 15, 31, 63}},
    Golden{ScheduleKind::ZbV, {15, 35, 35, 75, 155}, {4, 8, 8, 16, 32}},
    Golden{ScheduleKind::VHalf, {25, 85, 85, 205, 445}, {3, 5, 5, 9, 17}},
    Golden{ScheduleKind::VMin, {55, 135, 135, 295, 615}, {2, 4, 4, 6, 12}},
    Golden{ScheduleKind::DualPipe, {20, 60, 60, 140, 300}, {5, 9, 9, 17, 33}},
    Golden{ScheduleKind::DualPipeV, {30, 70, 70, 150, 310}, {4.5, 8.5, 8.5, 16.5, 32.5}},
};

} // namespace

class TestMakespan : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void equalsTheValuesOfThePublishedOrders_data()
    {
        QTest::addColumn<int>("row");
        QTest::addColumn<int>("size");
        for (std::size_t row = 0; row < golden.size(); ++row) {
            for (std::size_t size = 0; size < goldenSizes.size(); ++size) {
                QTest::addRow("%s p%d m%d", keyOf(golden[row].kind).data(), goldenSizes[size].stages,
                              goldenSizes[size].microBatches)
                    << static_cast<int>(row) << static_cast<int>(size);
            }
        }
    }
    void equalsTheValuesOfThePublishedOrders()
    {
        QFETCH(int, row);
        QFETCH(int, size);
        const Golden& expected = golden[static_cast<std::size_t>(row)];
        const auto i = static_cast<std::size_t>(size);
        const auto [stages, microBatches] = goldenSizes[i];
        const Timeline timeline = runEqual(expected.kind, stages, microBatches, usualChunks(expected.kind), 10, 10, 10);
        QCOMPARE(timeline.ideal, 30. * microBatches);
        QCOMPARE(timeline.makespan - timeline.ideal, expected.overhead[i]);
        QCOMPARE(peak(timeline), expected.peak[i]);
    }

    // F, B, W = 10, 12, 8 and 1 between ranks, p = 8, m = 64.
    void equalsTheValuesForUnequalOpsAndSlowLinks_data()
    {
        QTest::addColumn<ScheduleKind>("kind");
        QTest::addColumn<double>("makespan");
        QTest::newRow("1f1b") << ScheduleKind::OneFOneB << 2254.;
        QTest::newRow("interleaved") << ScheduleKind::Interleaved << 2055.;
        QTest::newRow("zb-h1") << ScheduleKind::ZbH1 << 2046.;
        QTest::newRow("zb-h2") << ScheduleKind::ZbH2 << 1997.;
        QTest::newRow("zb-v") << ScheduleKind::ZbV << 1995.;
        QTest::newRow("v-half") << ScheduleKind::VHalf << 2079.;
        QTest::newRow("v-min") << ScheduleKind::VMin << 2787.;
    }
    void equalsTheValuesForUnequalOpsAndSlowLinks()
    {
        QFETCH(ScheduleKind, kind);
        QFETCH(double, makespan);
        QCOMPARE(runEqual(kind, 8, 64, usualChunks(kind), 10, 12, 8, 1).makespan, makespan);
    }

    void hasTheClosedFormBubble_data()
    {
        QTest::addColumn<ScheduleKind>("kind");
        QTest::addColumn<int>("stages");
        QTest::addColumn<int>("microBatches");
        QTest::addColumn<int>("chunks");
        for (int stages : {1, 2, 3, 4, 8, 16}) {
            for (int rounds : {1, 2, 5}) {
                const int microBatches = stages * rounds;
                for (ScheduleKind kind : {ScheduleKind::GPipe, ScheduleKind::OneFOneB}) {
                    QTest::addRow("%s p%d m%d", keyOf(kind).data(), stages, microBatches)
                        << kind << stages << microBatches << 1;
                }
                for (int chunks : {2, 3, 4}) {
                    for (ScheduleKind kind : {ScheduleKind::Interleaved, ScheduleKind::BreadthFirst}) {
                        QTest::addRow("%s p%d m%d v%d", keyOf(kind).data(), stages, microBatches, chunks)
                            << kind << stages << microBatches << chunks;
                    }
                }
            }
        }
    }
    // (p - 1) / (v m + p - 1), whatever the ratio of forward to backward.
    void hasTheClosedFormBubble()
    {
        QFETCH(ScheduleKind, kind);
        QFETCH(int, stages);
        QFETCH(int, microBatches);
        QFETCH(int, chunks);
        const double expected = (stages - 1.) / (double(chunks) * microBatches + stages - 1.);
        QVERIFY(std::abs(runEqual(kind, stages, microBatches, chunks, 12, 12, 12).bubbleFraction() - expected) < 1e-12);
        QVERIFY(std::abs(runEqual(kind, stages, microBatches, chunks, 12, 24, 36).bubbleFraction() - expected) < 1e-12);
    }

    void hasTheClosedFormOfPairsAfterALongerWarmup_data()
    {
        QTest::addColumn<int>("stages");
        QTest::addColumn<int>("microBatches");
        QTest::addColumn<int>("chunks");
        QTest::addColumn<double>("pair");
        for (int stages : {1, 2, 3, 4, 8}) {
            for (int chunks : {1, 2, 3}) {
                for (double pair : {36., 30., 24.}) {
                    QTest::addRow("p%d v%d F&B%g", stages, chunks, pair) << stages << 3 * stages << chunks << pair;
                }
            }
        }
    }
    // The last rank runs (v - 1)p + 1 forwards of a chunk alone, as many backwards, and pairs in between; the first
    // forward reaches it and the last gradient leaves it through p - 1 ranks.
    void hasTheClosedFormOfPairsAfterALongerWarmup()
    {
        QFETCH(int, stages);
        QFETCH(int, microBatches);
        QFETCH(int, chunks);
        QFETCH(double, pair);
        const ScheduleKind kind = ScheduleKind::OneFOneBOverlap;
        const Result<Schedule> schedule = makeSchedule(kind, stages, microBatches, chunks);
        QVERIFY2(schedule, problemsText(schedule.problems).c_str());
        StageTimes times = equalStageTimes(schedule->placement, 12, 12, 12);
        times.overlapped = pair;
        const Result<Timeline> timeline = simulate(*schedule, times);
        QVERIFY2(timeline, problemsText(timeline.problems).c_str());
        const double alone = (chunks - 1.) * stages + 1;
        const double makespan = stages * 36. + (double(chunks) * microBatches - alone) / chunks * pair;
        QVERIFY(std::abs(timeline->makespan - makespan) < 1e-9);
        const double overhead = (stages - 1) * (2 * pair - 36) / chunks;
        QVERIFY(std::abs(timeline->makespan - timeline->ideal - overhead) < 1e-9);
        QCOMPARE(peak(*timeline),
                 std::min(double(chunks) * microBatches, 2. * (stages - 1) + (chunks - 1.) * stages + 2) / chunks);
    }

    // DeepSeek's DualPipe README: idle time of the fullest stage, F&B = F + B + W.
    void hasTheBubbleOfTheDualPipeTable_data()
    {
        QTest::addColumn<int>("stages");
        QTest::addColumn<double>("weight");
        for (int stages : {2, 4, 8, 16}) {
            for (double weight : {8., 10.}) {
                QTest::addRow("p%d W%g", stages, weight) << stages << weight;
            }
        }
    }
    void hasTheBubbleOfTheDualPipeTable()
    {
        QFETCH(int, stages);
        QFETCH(double, weight);
        const int microBatches = 4 * stages;
        const double forward = weight;
        const double input = weight;
        const double backward = input + weight;
        const auto overhead = [&](ScheduleKind kind) {
            const Timeline timeline = runEqual(kind, stages, microBatches, usualChunks(kind), forward, input, weight);
            return timeline.makespan - timeline.ideal;
        };
        QCOMPARE(overhead(ScheduleKind::OneFOneB), (stages - 1) * (forward + backward));
        QCOMPARE(overhead(ScheduleKind::ZbH1), (stages - 1) * (forward + backward - 2 * weight));
        QCOMPARE(overhead(ScheduleKind::DualPipe), (stages / 2 - 1) * (forward + backward + backward - 3 * weight));
        QCOMPARE(overhead(ScheduleKind::DualPipeV), (stages - 1) * (forward + backward + backward - 3 * weight) / 2);
    }

    void leavesNoBubbleInsideAStageOfZbH2AndZbV_data()
    {
        QTest::addColumn<ScheduleKind>("kind");
        QTest::addColumn<int>("stages");
        for (ScheduleKind kind : {ScheduleKind::ZbH2, ScheduleKind::ZbV}) {
            for (int stages : {1, 2, 3, 4, 7, 8, 16}) {
                QTest::addRow("%s p%d", keyOf(kind).data(), stages) << kind << stages;
            }
        }
    }
    void leavesNoBubbleInsideAStageOfZbH2AndZbV()
    {
        QFETCH(ScheduleKind, kind);
        QFETCH(int, stages);
        const int microBatches = 3 * stages;
        const Timeline timeline = runEqual(kind, stages, microBatches, usualChunks(kind), 10, 10, 10);
        QCOMPARE(longestSpan(timeline), 30. * microBatches);
    }

    void losesNoMoreThanTheEmptyPlacesOfAShortLastGroup_data()
    {
        QTest::addColumn<int>("stages");
        QTest::addColumn<int>("microBatches");
        QTest::addColumn<int>("chunks");
        for (int stages : {2, 3, 4, 8}) {
            for (int extra : {1, 2, 3, 5, 7}) {
                for (int chunks : {2, 3, 4}) {
                    if (extra < stages) {
                        QTest::addRow("p%d m%d v%d", stages, 2 * stages + extra, chunks)
                            << stages << 2 * stages + extra << chunks;
                    }
                }
            }
        }
    }
    // Calculon's count, an upper bound: (v - 1)(p - m mod p) chunk times on top of the bubble of full groups.
    void losesNoMoreThanTheEmptyPlacesOfAShortLastGroup()
    {
        QFETCH(int, stages);
        QFETCH(int, microBatches);
        QFETCH(int, chunks);
        const Timeline timeline = runEqual(ScheduleKind::Interleaved, stages, microBatches, chunks, 12, 12, 12);
        const double chunkTime = 36. / chunks;
        const int missing = stages - microBatches % stages;
        QVERIFY(timeline.makespan >= timeline.ideal + (stages - 1) * chunkTime - 1e-9);
        QVERIFY(timeline.makespan <= timeline.ideal + (stages - 1 + (chunks - 1) * missing) * chunkTime + 1e-9);
    }
};

QTEST_GUILESS_MAIN(TestMakespan)
#include "tst_makespan.moc"
