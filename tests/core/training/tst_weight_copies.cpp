// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/catalogue.h"
#include "core/training/evaluate.h"

#include <QtTest>

using namespace partita;

namespace {

Report report(ScheduleKind schedule, int vpp)
{
    static const Catalogue catalogue = loadCatalogue({PARTITA_SOURCE_DIR "/presets"});
    Scenario scenario;
    scenario.model = *catalogue.model("llama-3.1-8b");
    scenario.cluster = makeCluster(*catalogue.accelerator("h100-sxm-80gb"), 4, 8, catalogue);
    scenario.workload.sequenceLength = 4096;
    scenario.layout.tp = 8;
    scenario.layout.pp = 4;
    scenario.layout.vpp = vpp;
    scenario.layout.globalBatch = 16;
    scenario.layout.schedule = schedule;
    return evaluate(scenario);
}

double sum(const Report& report, MemoryKind kind)
{
    double bytes = 0;
    for (const StageReport& stage : report.stages) {
        bytes += stage.memory[kind];
    }
    return bytes;
}

} // namespace

class TestWeightCopies : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // The two copies double weights and gradients; the optimizer's states exist once and are shared by the pair of
    // ranks.
    void dualPipeHoldsTheWeightsTwice()
    {
        const Report once = report(ScheduleKind::OneFOneB, 1);
        const Report twice = report(ScheduleKind::DualPipe, 1);
        QVERIFY(once.legal() && twice.legal());
        QVERIFY(qFuzzyCompare(sum(twice, MemoryKind::Weights), 2 * sum(once, MemoryKind::Weights)));
        QVERIFY(qFuzzyCompare(sum(twice, MemoryKind::Gradients), 2 * sum(once, MemoryKind::Gradients)));
        QVERIFY(qFuzzyCompare(sum(twice, MemoryKind::OptimizerStates), sum(once, MemoryKind::OptimizerStates)));
    }

    void everyScheduleComputesTheSameWork_data()
    {
        QTest::addColumn<ScheduleKind>("kind");
        QTest::addColumn<int>("vpp");
        QTest::newRow("interleaved") << ScheduleKind::Interleaved << 2;
        QTest::newRow("zb-h1") << ScheduleKind::ZbH1 << 1;
        QTest::newRow("zb-v") << ScheduleKind::ZbV << 2;
        QTest::newRow("dualpipe") << ScheduleKind::DualPipe << 1;
        QTest::newRow("dualpipe-v") << ScheduleKind::DualPipeV << 2;
    }
    void everyScheduleComputesTheSameWork()
    {
        QFETCH(ScheduleKind, kind);
        QFETCH(int, vpp);
        const auto busy = [](const Report& r) {
            double seconds = 0;
            for (const StageTimeline& stage : r.timeline.stages) {
                seconds += stage.busy;
            }
            return seconds;
        };
        const Report other = report(kind, vpp);
        QVERIFY(other.legal());
        QVERIFY(qFuzzyCompare(busy(other), busy(report(ScheduleKind::OneFOneB, 1))));
    }

    // Both ends of the model are on the first rank of a V, and on both end ranks of DualPipe.
    void theHeadIsWhereTheSchedulePutsIt()
    {
        const auto ranks = [](const Report& r) {
            std::string text;
            for (const StageReport& stage : r.stages) {
                text += stage.memory[MemoryKind::HeadAndLoss] > 0 ? 'H' : '-';
            }
            return text;
        };
        QCOMPARE(ranks(report(ScheduleKind::OneFOneB, 1)), std::string("---H"));
        QCOMPARE(ranks(report(ScheduleKind::ZbV, 2)), std::string("H---"));
        QCOMPARE(ranks(report(ScheduleKind::DualPipe, 1)), std::string("H--H"));
    }
};

QTEST_GUILESS_MAIN(TestWeightCopies)
#include "tst_weight_copies.moc"
