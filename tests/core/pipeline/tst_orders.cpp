// SPDX-License-Identifier: GPL-3.0-or-later
#include "equal_stages.h"

#include <set>

using namespace partita;
using namespace partita::test;

namespace {

/// Times a micro-batch's activations or gradients cross from one rank to another, over the whole step.
std::int64_t transferCount(const Schedule& schedule)
{
    std::int64_t count = 0;
    for (std::size_t rank = 0; rank < schedule.order.size(); ++rank) {
        const auto self = static_cast<std::int32_t>(rank);
        const auto leaves = [self](ChunkSite to) { return to && to.rank != self ? 1 : 0; };
        for (const ScheduleOp& op : schedule.order[rank]) {
            if (hasForward(op.kind)) {
                count += leaves(schedule.placement.link(self, op.chunk).next);
            }
            if (hasInputGradient(op.kind)) {
                count += leaves(schedule.placement.link(self, backwardChunk(op)).previous);
            }
        }
    }
    return count;
}

std::string programText(const std::vector<ScheduleOp>& program)
{
    std::string text;
    for (const ScheduleOp& op : program) {
        text += text.empty() ? "" : " ";
        text += opText(op);
    }
    return text;
}

std::string program(ScheduleKind kind, int stages, int microBatches, int chunks, std::size_t rank)
{
    const Result<Schedule> schedule = makeSchedule(kind, stages, microBatches, chunks);
    return schedule ? programText(schedule->order[rank]) : problemsText(schedule.problems);
}

} // namespace

class TestOrders : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void gPipeRunsAllForwardsFirst()
    {
        QCOMPARE(program(ScheduleKind::GPipe, 2, 3, 1, 0), std::string("F0 F1 F2 B2 B1 B0"));
    }

    void oneFOneBWarmsUpByTheDistanceToTheLastStage()
    {
        QCOMPARE(program(ScheduleKind::OneFOneB, 3, 4, 1, 0), std::string("F0 F1 F2 B0 F3 B1 B2 B3"));
        QCOMPARE(program(ScheduleKind::OneFOneB, 3, 4, 1, 1), std::string("F0 F1 B0 F2 B1 F3 B2 B3"));
        QCOMPARE(program(ScheduleKind::OneFOneB, 3, 4, 1, 2), std::string("F0 B0 F1 B1 F2 B2 F3 B3"));
        QCOMPARE(program(ScheduleKind::OneFOneB, 4, 1, 1, 0), std::string("F0 B0"));
    }

    void interleavedRunsGroupsThroughTheChunks()
    {
        QCOMPARE(program(ScheduleKind::Interleaved, 2, 2, 2, 0), std::string("F0 F1 F0.1 F1.1 B0.1 B1.1 B0 B1"));
        QCOMPARE(program(ScheduleKind::Interleaved, 2, 2, 2, 1), std::string("F0 F1 F0.1 B0.1 F1.1 B1.1 B0 B1"));
    }

    // One more forward than interleaved 1F1B before the first backward, then pairs.
    void allToAllOverlapWarmsUpByOneMoreAndPairs()
    {
        const ScheduleKind kind = ScheduleKind::OneFOneBOverlap;
        QCOMPARE(program(kind, 1, 4, 1, 0), std::string("F0 F1|B0 F2|B1 F3|B2 B3"));
        QCOMPARE(program(kind, 2, 4, 1, 0), std::string("F0 F1 F2 F3|B0 B1 B2 B3"));
        QCOMPARE(program(kind, 2, 4, 1, 1), std::string("F0 F1|B0 F2|B1 F3|B2 B3"));
        QCOMPARE(program(kind, 2, 2, 2, 1), std::string("F0 F1 F0.1 F1.1|B0.1 B1.1 B0 B1"));
        QCOMPARE(program(kind, 2, 3, 2, 1), std::string("F0 F1 F0.1 F1.1|B0.1 F2|B1.1 B0 F2.1|B1 B2.1 B2"));
    }

    void breadthFirstRunsAChunkForAllMicroBatches()
    {
        QCOMPARE(program(ScheduleKind::BreadthFirst, 2, 2, 2, 1), std::string("F0 F1 F0.1 F1.1 B1.1 B0.1 B1 B0"));
    }

    void zbH1PutsAsManyWeightGradientsOffAsItsRank()
    {
        QCOMPARE(program(ScheduleKind::ZbH1, 2, 3, 1, 0), std::string("F0 F1 I0 W0 F2 I1 W1 I2 W2"));
        QCOMPARE(program(ScheduleKind::ZbH1, 2, 3, 1, 1), std::string("F0 I0 F1 I1 W0 F2 I2 W1 W2"));
    }

    void zbVTurnsOnTheLastRank()
    {
        QCOMPARE(program(ScheduleKind::ZbV, 1, 2, 2, 0),
                 std::string("F0 F0.1 I0.1 W0.1 F1 I0 W0 F1.1 I1.1 W1.1 I1 W1"));
    }

    void dualPipePairsForwardsWithBackwards()
    {
        QCOMPARE(program(ScheduleKind::DualPipe, 2, 4, 1, 0), std::string("F0 F2.1 F1 B2.1 F3.1|B0 B3.1 I1 W1"));
        QCOMPARE(program(ScheduleKind::DualPipe, 2, 4, 1, 1), std::string("F2.1 F0 F3.1 B0 F1|B2.1 B1 I3.1 W3.1"));
    }

    void chunksFormOneChainThroughTheModel_data()
    {
        QTest::addColumn<ScheduleKind>("kind");
        for (const Name<ScheduleKind>& name : Names<ScheduleKind>::table) {
            QTest::newRow(name.key.data()) << name.value;
        }
    }
    void chunksFormOneChainThroughTheModel()
    {
        QFETCH(ScheduleKind, kind);
        const Result<Schedule> schedule = makeSchedule(kind, 4, 8, usualChunks(kind));
        QVERIFY2(schedule, problemsText(schedule.problems).c_str());
        const Placement& placement = schedule->placement;
        QCOMPARE(placement.weightCopies(), describe(kind).weightCopies);
        int heads = 0;
        for (int rank = 0; rank < placement.stages; ++rank) {
            for (int chunk = 0; chunk < placement.chunks; ++chunk) {
                const ChunkLink& link = placement.link(rank, chunk);
                QCOMPARE(bool(link.previous), link.modelChunk > 0);
                if (!link.next) {
                    QCOMPARE(link.modelChunk, placement.modelChunks - 1);
                    ++heads;
                    continue;
                }
                const ChunkLink& next = placement.links[placement.slot(link.next)];
                QCOMPARE(next.modelChunk, link.modelChunk + 1);
                QCOMPARE(next.previous.rank, rank);
                QCOMPARE(int(next.previous.chunk), chunk);
            }
        }
        QCOMPARE(heads, placement.weightCopies());
    }

    void everyMicroBatchRunsOnceInEveryModelChunk_data() { chunksFormOneChainThroughTheModel_data(); }
    void everyMicroBatchRunsOnceInEveryModelChunk()
    {
        QFETCH(ScheduleKind, kind);
        for (int stages : {1, 2, 3, 4, 6}) {
            for (int microBatches : {1, 2, 3, 5, 8, 12, 13}) {
                const Result<Schedule> schedule = makeSchedule(kind, stages, microBatches, usualChunks(kind));
                if (!schedule) {
                    continue; // tst_legality shows which are not defined
                }
                using Part = std::array<int, 3>; // forward, input or weight gradient; micro-batch; model chunk
                std::multiset<Part> parts;
                for (int rank = 0; rank < stages; ++rank) {
                    for (const ScheduleOp& op : schedule->order[static_cast<std::size_t>(rank)]) {
                        if (hasForward(op.kind)) {
                            parts.insert({0, op.microBatch, schedule->placement.link(rank, op.chunk).modelChunk});
                        }
                        const int chunk = schedule->placement.link(rank, backwardChunk(op)).modelChunk;
                        if (hasInputGradient(op.kind)) {
                            parts.insert({1, backwardMicroBatch(op), chunk});
                        }
                        if (hasWeightGradient(op.kind)) {
                            parts.insert({2, backwardMicroBatch(op), chunk});
                        }
                    }
                }
                const auto expected = 3 * microBatches * schedule->placement.modelChunks;
                QCOMPARE(static_cast<int>(parts.size()), expected);
                QCOMPARE(static_cast<int>(std::set<Part>(parts.begin(), parts.end()).size()), expected);
            }
        }
    }

    void transfersAreThoseOfTheTable()
    {
        const auto count = [](ScheduleKind kind, int chunks) {
            const Result<Schedule> schedule = makeSchedule(kind, 4, 8, chunks);
            return schedule ? transferCount(*schedule) : -1;
        };
        QCOMPARE(count(ScheduleKind::OneFOneB, 1), std::int64_t{2 * 8 * 3});
        QCOMPARE(count(ScheduleKind::Interleaved, 3), std::int64_t{2 * 8 * 11});
        QCOMPARE(count(ScheduleKind::ZbV, 2), std::int64_t{2 * 8 * 6});
        QCOMPARE(count(ScheduleKind::DualPipe, 1), std::int64_t{2 * 8 * 3});
    }
};

QTEST_GUILESS_MAIN(TestOrders)
#include "tst_orders.moc"
