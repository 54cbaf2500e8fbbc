// SPDX-License-Identifier: GPL-3.0-or-later
#include "equal_stages.h"

#include "core/pipeline/live_activations.h"
#include "core/pipeline/op_graph.h"

#include <random>

using namespace partita;
using namespace partita::test;

namespace {

constexpr double tolerance = 1e-9;

/// Unequal times for every chunk, from a fixed sequence.
StageTimes randomTimes(const Placement& placement, std::mt19937& random)
{
    std::uniform_real_distribution<double> seconds(0.1, 2.0);
    StageTimes times = equalStageTimes(placement, 0, 0, 0);
    for (auto* table : {&times.forward, &times.backwardInput, &times.backwardWeight}) {
        for (std::vector<double>& row : *table) {
            for (double& cell : row) {
                cell = seconds(random);
            }
        }
    }
    times.transfer = seconds(random) / 4;
    times.blockingTransfer = random() % 2 == 0;
    return times;
}

} // namespace

class TestRandomPipelines : public QObject {
    Q_OBJECT

private:
    Schedule m_schedule;
    StageTimes m_times;
    Timeline m_timeline;

private Q_SLOTS:
    void keepsTheLawsOfAPipeline_data()
    {
        QTest::addColumn<ScheduleKind>("kind");
        QTest::addColumn<int>("stages");
        QTest::addColumn<int>("microBatches");
        QTest::addColumn<unsigned>("seed");
        std::mt19937 random(20240521);
        for (const Name<ScheduleKind>& name : Names<ScheduleKind>::table) {
            for (int i = 0; i < 25; ++i) {
                const ScheduleFacts facts = describe(name.value);
                const int half = 1 + static_cast<int>(random() % 6);
                const int stages = facts.evenStages ? 2 * half : half;
                int microBatches = facts.microBatchesPerStage * stages + 1 + static_cast<int>(random() % 12);
                microBatches += facts.evenMicroBatches ? microBatches % 2 : 0;
                QTest::addRow("%s p%d m%d %d", name.key.data(), stages, microBatches, i)
                    << name.value << stages << microBatches << static_cast<unsigned>(random());
            }
        }
    }
    void keepsTheLawsOfAPipeline()
    {
        QFETCH(ScheduleKind, kind);
        QFETCH(int, stages);
        QFETCH(int, microBatches);
        QFETCH(unsigned, seed);
        std::mt19937 random(seed);
        const Result<Schedule> schedule = makeSchedule(kind, stages, microBatches, usualChunks(kind));
        QVERIFY2(schedule, problemsText(schedule.problems).c_str());
        m_schedule = *schedule;
        m_times = randomTimes(m_schedule.placement, random);
        const Result<Timeline> timeline = simulate(m_schedule, m_times);
        QVERIFY2(timeline, problemsText(timeline.problems).c_str());
        m_timeline = *timeline;
        runsOneOpAtATimeInOrder();
        startsNothingBeforeItsInputs();
        accountsForAllTime();
        isNoFasterThanTheLongestChain();
        givesAllMemoryBack();
    }

private:
    void runsOneOpAtATimeInOrder() const
    {
        for (std::size_t stage = 0; stage < m_timeline.stages.size(); ++stage) {
            const std::vector<TimelineOp>& ops = m_timeline.stages[stage].ops;
            QCOMPARE(ops.size(), m_schedule.order[stage].size());
            for (std::size_t i = 0; i < ops.size(); ++i) {
                QCOMPARE(ops[i].kind, m_schedule.order[stage][i].kind);
                QCOMPARE(ops[i].microBatch, m_schedule.order[stage][i].microBatch);
                QVERIFY(ops[i].end >= ops[i].start);
                QVERIFY(ops[i].start >= (i > 0 ? ops[i - 1].end : 0));
            }
        }
    }

    void startsNothingBeforeItsInputs() const
    {
        const OpGraph graph(m_timeline);
        for (int stage = 0; stage < m_schedule.placement.stages; ++stage) {
            const auto& ops = m_timeline.stages[static_cast<std::size_t>(stage)].ops;
            for (int i = 0; i < static_cast<int>(ops.size()); ++i) {
                for (OpRef input : graph.dependencies({stage, i})) {
                    const double wire = input.stage == stage ? 0 : m_times.transfer;
                    QVERIFY(ops[static_cast<std::size_t>(i)].start >= graph.at(input).end + wire - tolerance);
                    const std::vector<OpRef> users = graph.dependants(input);
                    QVERIFY(std::find(users.begin(), users.end(), OpRef{stage, i}) != users.end());
                }
                const IdleReason reason = graph.whyIdle({stage, i});
                QVERIFY(reason.transfer >= 0 && reason.transfer <= reason.idle + tolerance);
                QVERIFY(reason.idle < tolerance || reason.waitedFor || m_times.blockingTransfer);
            }
        }
    }

    void accountsForAllTime() const
    {
        double idle = 0;
        for (const StageTimeline& stage : m_timeline.stages) {
            QVERIFY(std::abs(stage.busy + stage.idle - m_timeline.makespan) < tolerance);
            QVERIFY(stage.transferWait <= stage.idle + tolerance);
            QVERIFY(stage.busy <= m_timeline.ideal + tolerance);
            idle += stage.idle;
        }
        const double total = m_timeline.makespan * m_schedule.placement.stages;
        QVERIFY(std::abs(m_timeline.bubbleFraction() - idle / total) < tolerance);
    }

    /// The longest chain of dependencies of one micro-batch: all forwards and input gradients, all transfers between.
    void isNoFasterThanTheLongestChain() const
    {
        QVERIFY(m_timeline.makespan >= m_timeline.ideal - tolerance);
        std::vector<double> chain(static_cast<std::size_t>(m_schedule.placement.weightCopies()), 0);
        for (int rank = 0; rank < m_schedule.placement.stages; ++rank) {
            for (int slot = 0; slot < m_schedule.placement.chunks; ++slot) {
                const auto r = static_cast<std::size_t>(rank);
                const auto c = static_cast<std::size_t>(slot);
                const ChunkSite next = m_schedule.placement.link(rank, slot).next;
                chain[chain.size() > 1 ? c : 0] += m_times.forward[r][c] + m_times.backwardInput[r][c]
                    + (next && next.rank != rank ? 2 * m_times.transfer : 0);
            }
        }
        QVERIFY(m_timeline.makespan >= *std::max_element(chain.begin(), chain.end()) - tolerance);
    }

    void givesAllMemoryBack() const
    {
        for (int stage = 0; stage < m_schedule.placement.stages; ++stage) {
            const std::vector<ActivationPoint> points = liveActivations(m_timeline, stage);
            double most = 0;
            for (std::size_t i = 0; i < points.size(); ++i) {
                QVERIFY(points[i].microBatches >= -tolerance);
                QVERIFY(i == 0 || points[i].time > points[i - 1].time);
                most = std::max(most, points[i].microBatches);
            }
            QVERIFY(std::abs(points.back().microBatches) < tolerance);
            // Memory taken at the moment other memory is given back makes no peak of its own in the drawing.
            QVERIFY(most <= m_timeline.stages[static_cast<std::size_t>(stage)].peakActivations + tolerance);
        }
    }
};

QTEST_GUILESS_MAIN(TestRandomPipelines)
#include "tst_random_pipelines.moc"
