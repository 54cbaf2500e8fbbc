// SPDX-License-Identifier: GPL-3.0-or-later
#include "equal_stages.h"

#include "core/pipeline/live_activations.h"

using namespace partita;
using namespace partita::test;

namespace {

ScheduleOp op(OpKind kind, int microBatch, int chunk = 0)
{
    ScheduleOp result;
    result.kind = kind;
    result.microBatch = microBatch;
    result.chunk = static_cast<std::int16_t>(chunk);
    return result;
}

Schedule twoStages(std::vector<ScheduleOp> first, std::vector<ScheduleOp> second)
{
    Schedule schedule;
    schedule.microBatches = 2;
    schedule.placement = loopedPlacement(2, 1);
    schedule.order = {std::move(first), std::move(second)};
    return schedule;
}

constexpr OpKind F = OpKind::Forward;
constexpr OpKind B = OpKind::Backward;

} // namespace

class TestSimulate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void namesTheCycleOfAnOrderThatCannotRun()
    {
        const Schedule schedule =
            twoStages({op(F, 0), op(B, 0), op(F, 1), op(B, 1)}, {op(F, 0), op(F, 1), op(B, 0), op(B, 1)});
        const Result<Timeline> timeline = simulate(schedule, equalStageTimes(schedule.placement, 1, 1, 1));
        QVERIFY(!timeline);
        QCOMPARE(timeline.problems.size(), std::size_t{1});
        QCOMPARE(timeline.problems[0].field, std::string("schedule"));
        QCOMPARE(
            timeline.problems[0].message,
            std::string("cannot run: B0 on stage 0 needs B0 on stage 1, which comes after F1 on stage 1 needs F1 on "
                        "stage 0, which comes after B0 on stage 0"));
    }

    void namesABackwardBeforeItsOwnForward()
    {
        const Schedule schedule = twoStages({op(F, 0)}, {op(B, 0), op(F, 0)});
        const Result<Timeline> timeline = simulate(schedule, equalStageTimes(schedule.placement, 1, 1, 1));
        QVERIFY(!timeline);
        QCOMPARE(timeline.problems[0].message,
                 std::string("cannot run: B0 on stage 1 needs F0 on stage 1, which comes after B0 on stage 1"));
    }

    void namesAnInputThatNoStageMakes()
    {
        const Schedule schedule = twoStages({op(F, 0)}, {op(F, 0), op(F, 1)});
        const Result<Timeline> timeline = simulate(schedule, equalStageTimes(schedule.placement, 1, 1, 1));
        QVERIFY(!timeline);
        QCOMPARE(timeline.problems[0].value, std::string("F1 on stage 1"));
    }

    void refusesWhatIsNotASchedule()
    {
        const Schedule twice = twoStages({op(F, 0), op(F, 0)}, {op(F, 0)});
        QVERIFY(!simulate(twice, equalStageTimes(twice.placement, 1, 1, 1)));
        const Schedule outside = twoStages({op(F, 2), op(F, 0, 1)}, {op(F, -1)});
        QCOMPARE(simulate(outside, equalStageTimes(outside.placement, 1, 1, 1)).problems.size(), std::size_t{3});
        const Schedule fine = twoStages({op(F, 0)}, {op(F, 0)});
        QVERIFY(simulate(fine, equalStageTimes(fine.placement, 1, 1, 1)));
        QVERIFY(!simulate(fine, equalStageTimes(fine.placement, -1, 1, 1)));
        QVERIFY(!simulate(fine, equalStageTimes(loopedPlacement(3, 1), 1, 1, 1)));
        Schedule short_ = fine;
        short_.order.pop_back();
        QVERIFY(!simulate(short_, equalStageTimes(fine.placement, 1, 1, 1)));
    }

    void tellsTheWireFromTheOtherBubbles()
    {
        const Schedule schedule = twoStages({op(F, 0), op(B, 0)}, {op(F, 0), op(B, 0)});
        StageTimes times = equalStageTimes(schedule.placement, 10, 20, 0);
        times.transfer = 3;
        const Result<Timeline> timeline = simulate(schedule, times);
        QVERIFY(timeline);
        QCOMPARE(timeline->makespan, 66.);
        QCOMPARE(timeline->stages[0].ops[1].transferWait, 3.);
        QCOMPARE(timeline->stages[1].ops[0].transferWait, 3.);
        QCOMPARE(timeline->stages[0].idle, 36.);
        QCOMPARE(timeline->stages[0].transferWait, 3.);
    }

    void aBlockingSendKeepsTheSenderFromComputing()
    {
        const Schedule schedule = twoStages({op(F, 0), op(F, 1)}, {op(F, 0), op(F, 1)});
        StageTimes times = equalStageTimes(schedule.placement, 10, 10, 10);
        times.transfer = 3;
        QCOMPARE(simulate(schedule, times)->makespan, 33.);
        times.blockingTransfer = true;
        const Result<Timeline> timeline = simulate(schedule, times);
        QCOMPARE(timeline->makespan, 36.);
        QCOMPARE(timeline->stages[0].ops[1].start, 13.);
        QCOMPARE(timeline->stages[0].transferWait, 3.);
    }

    void aPairTakesTheOverlappedTime()
    {
        const Result<Schedule> schedule = makeSchedule(ScheduleKind::DualPipe, 4, 8, 1);
        StageTimes times = equalStageTimes(schedule->placement, 10, 10, 10);
        const double summed = simulate(*schedule, times)->makespan;
        times.overlapped = 30;
        QCOMPARE(simulate(*schedule, times)->makespan, summed);
        times.overlapped = 24;
        QVERIFY(simulate(*schedule, times)->makespan < summed);
    }

    void aPairTakesLessByWhatItHides()
    {
        const Result<Schedule> schedule = makeSchedule(ScheduleKind::OneFOneBOverlap, 1, 3, 1);
        StageTimes times = equalStageTimes(schedule->placement, 10, 10, 10);
        times.hiddenInPair = {{4}};
        const Result<Timeline> timeline = simulate(*schedule, times);
        QCOMPARE(timeline->makespan, 3 * 30. - 2 * 4);
        times.hiddenInPair = {{4, 4}};
        QCOMPARE(simulate(*schedule, times).problems.at(0).field, std::string("schedule.times"));
    }

    void oneSlowStageSetsThePace()
    {
        const Result<Schedule> schedule = makeSchedule(ScheduleKind::OneFOneB, 4, 32, 1);
        StageTimes times = equalStageTimes(schedule->placement, 10, 10, 10);
        times.forward[3][0] = 15;
        times.backwardInput[3][0] = 15;
        times.backwardWeight[3][0] = 15;
        const Result<Timeline> timeline = simulate(*schedule, times);
        QCOMPARE(timeline->ideal, 32 * 45.);
        QCOMPARE(timeline->makespan, 32 * 45. + 3 * 30.);
        QCOMPARE(timeline->stages[3].busy, timeline->ideal);
    }

    void holdsMinOfStagesLeftAndMicroBatchesIn1F1B_data()
    {
        QTest::addColumn<int>("stages");
        QTest::addColumn<int>("microBatches");
        for (int stages : {1, 2, 5, 8}) {
            for (int microBatches : {1, 3, 5, 16}) {
                QTest::addRow("p%d m%d", stages, microBatches) << stages << microBatches;
            }
        }
    }
    void holdsMinOfStagesLeftAndMicroBatchesIn1F1B()
    {
        QFETCH(int, stages);
        QFETCH(int, microBatches);
        const Timeline timeline = runEqual(ScheduleKind::OneFOneB, stages, microBatches, 1, 10, 10, 10);
        for (int i = 0; i < stages; ++i) {
            QCOMPARE(timeline.stages[static_cast<std::size_t>(i)].peakActivations,
                     static_cast<double>(std::min(stages - i, microBatches)));
        }
    }

    void holdsTheClosedFormOfMegatronWhenInterleaved()
    {
        for (int stages : {1, 2, 4, 8}) {
            for (int rounds : {1, 2, 4}) {
                for (int chunks : {2, 3, 4}) {
                    const int microBatches = stages * rounds;
                    const Timeline timeline =
                        runEqual(ScheduleKind::Interleaved, stages, microBatches, chunks, 12, 12, 12);
                    for (int i = 0; i < stages; ++i) {
                        const int held =
                            std::min(microBatches * chunks, 2 * (stages - i - 1) + (chunks - 1) * stages + 1);
                        const double peak = timeline.stages[static_cast<std::size_t>(i)].peakActivations;
                        QVERIFY(std::abs(peak - static_cast<double>(held) / chunks) < 1e-9);
                    }
                }
            }
        }
    }

    void neverHoldsMoreThanTheScheduleStates_data()
    {
        QTest::addColumn<ScheduleKind>("kind");
        for (const auto& name : Names<ScheduleKind>::table) {
            QTest::newRow(name.key.data()) << name.value;
        }
    }
    void neverHoldsMoreThanTheScheduleStates()
    {
        QFETCH(ScheduleKind, kind);
        const bool exact = kind == ScheduleKind::GPipe || kind == ScheduleKind::OneFOneB
            || kind == ScheduleKind::Interleaved || kind == ScheduleKind::BreadthFirst;
        const ScheduleFacts facts = describe(kind);
        const int chunks = facts.chunks > 0 ? facts.chunks : std::max(2, facts.minChunks);
        for (int stages : {2, 4, 8}) {
            for (int microBatches : {2 * stages, 6 * stages}) {
                const Timeline timeline = runEqual(kind, stages, microBatches, chunks, 10, 10, 10);
                for (int i = 0; i < stages; ++i) {
                    const double held = timeline.stages[static_cast<std::size_t>(i)].peakActivations;
                    const double stated = statedActivations(kind, stages, microBatches, chunks, i);
                    QVERIFY2(held <= stated + 1e-9,
                             qPrintable(QStringLiteral("p %1 m %2 stage %3: %4 > %5")
                                            .arg(stages)
                                            .arg(microBatches)
                                            .arg(i)
                                            .arg(held)
                                            .arg(stated)));
                    QVERIFY(!exact || held > stated - 1e-9);
                }
            }
        }
    }

    void showsActivationsRiseAndFall()
    {
        const Timeline timeline = runEqual(ScheduleKind::ZbH1, 1, 2, 1, 1, 1, 1);
        const std::vector<ActivationPoint> expected{{0, 1}, {2, 0.5}, {3, 1}, {5, 0.5}, {6, 0}};
        QVERIFY(liveActivations(timeline, 0) == expected);
    }

    void weighsChunksOfUnequalSize()
    {
        const Timeline timeline = runEqual(ScheduleKind::ZbV, 2, 4, 2, 1, 1, 1);
        const StageTimeline& stage = timeline.stages[0];
        QCOMPARE(peakActivations(stage, std::vector<double>{0.5, 0.5}), stage.peakActivations);
        QCOMPARE(peakActivations(stage, std::vector<double>{1, 0}), 4.);
    }
};

QTEST_GUILESS_MAIN(TestSimulate)
#include "tst_simulate.moc"
