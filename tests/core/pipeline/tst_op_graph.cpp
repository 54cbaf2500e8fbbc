// SPDX-License-Identifier: GPL-3.0-or-later
#include "equal_stages.h"

#include "core/pipeline/op_graph.h"

using namespace partita;
using namespace partita::test;

namespace {

std::string name(const OpGraph& graph, OpRef ref)
{
    return ref ? opText(graph.at(ref)) + "@" + std::to_string(ref.stage) : "-";
}

std::string names(const OpGraph& graph, const std::vector<OpRef>& refs)
{
    std::string text;
    for (OpRef ref : refs) {
        text += (text.empty() ? "" : " ") + name(graph, ref);
    }
    return text;
}

} // namespace

class TestOpGraph : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void knowsWhatAnOpNeedsAndWhoNeedsIt()
    {
        const Timeline timeline = runEqual(ScheduleKind::OneFOneB, 3, 4, 1, 10, 10, 10);
        const OpGraph graph(timeline); // stage 1: F0 F1 B0 F2 B1 F3 B2 B3
        QCOMPARE(names(graph, graph.dependencies({1, 0})), std::string("F0@0"));
        QCOMPARE(names(graph, graph.dependencies({1, 2})), std::string("F0@1 B0@2"));
        QCOMPARE(names(graph, graph.dependants({1, 0})), std::string("F0@2 B0@1"));
        QCOMPARE(names(graph, graph.dependants({1, 2})), std::string("B0@0"));
        QCOMPARE(names(graph, graph.dependencies({0, 0})), std::string());
    }

    void followsSplitBackwardsAndTheTurnOfTheV()
    {
        const Timeline timeline = runEqual(ScheduleKind::ZbV, 1, 2, 2, 10, 10, 10);
        const OpGraph graph(timeline); // F0 F0.1 I0.1 W0.1 F1 I0 W0 ...
        QCOMPARE(names(graph, graph.dependants({0, 0})), std::string("F0.1@0 I0@0"));
        QCOMPARE(names(graph, graph.dependants({0, 2})), std::string("I0@0 W0.1@0"));
        QCOMPARE(names(graph, graph.dependencies({0, 5})), std::string("F0@0 I0.1@0"));
        QCOMPARE(names(graph, graph.dependencies({0, 6})), std::string("I0@0"));
    }

    void knowsBothHalvesOfAPair()
    {
        const Timeline timeline = runEqual(ScheduleKind::DualPipe, 2, 4, 1, 10, 10, 10);
        const OpGraph graph(
            timeline); // stage 0: F0 F2.1 F1 B2.1 F3.1|B0 B3.1 I1 W1; stage 1: F2.1 F0 F3.1 B0 F1|B2.1 ...
        QCOMPARE(names(graph, graph.dependencies({0, 4})), std::string("F3.1@1 F0@0 B0@1"));
        QCOMPARE(names(graph, graph.dependants({0, 4})), std::string("B3.1@0"));
    }

    void saysWhatABubbleWaitedFor()
    {
        const Timeline timeline = runEqual(ScheduleKind::OneFOneB, 2, 1, 1, 10, 10, 10, 3);
        const OpGraph graph(timeline);
        const IdleReason first = graph.whyIdle({1, 0});
        QCOMPARE(name(graph, first.waitedFor), std::string("F0@0"));
        QCOMPARE(first.idle, 13.);
        QCOMPARE(first.transfer, 3.);
        const IdleReason back = graph.whyIdle({0, 1});
        QCOMPARE(name(graph, back.waitedFor), std::string("B0@1"));
        QCOMPARE(back.idle, 36.);
        const IdleReason busy = graph.whyIdle({1, 1});
        QCOMPARE(busy.idle, 0.);
        QVERIFY(!busy.waitedFor);
    }

    void goesBackFromTheEndAlongTheCriticalPath()
    {
        const Timeline timeline = runEqual(ScheduleKind::OneFOneB, 2, 2, 1, 10, 10, 10);
        const OpGraph graph(timeline);
        QCOMPARE(names(graph, graph.criticalPath()), std::string("F0@0 F0@1 B0@1 F1@1 B1@1 B1@0"));
    }

    void theCriticalPathFillsTheMakespan_data()
    {
        QTest::addColumn<ScheduleKind>("kind");
        for (const Name<ScheduleKind>& entry : Names<ScheduleKind>::table) {
            QTest::newRow(entry.key.data()) << entry.value;
        }
    }
    void theCriticalPathFillsTheMakespan()
    {
        QFETCH(ScheduleKind, kind);
        for (double transfer : {0., 1., 7.}) {
            const Timeline timeline = runEqual(kind, 4, 8, usualChunks(kind), 10, 12, 8, transfer);
            const OpGraph graph(timeline);
            double length = 0;
            OpRef before;
            for (OpRef ref : graph.criticalPath()) {
                length +=
                    graph.at(ref).end - graph.at(ref).start + (before && before.stage != ref.stage ? transfer : 0);
                before = ref;
            }
            QVERIFY(std::abs(length - timeline.makespan) < 1e-9);
        }
    }
};

QTEST_GUILESS_MAIN(TestOpGraph)
#include "tst_op_graph.moc"
