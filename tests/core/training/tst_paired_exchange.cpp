// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/catalogue.h"
#include "core/pipeline/schedule.h"
#include "core/training/evaluate.h"

#include <QtTest>

using namespace partita;

namespace {

/// A mixture of experts over 4 stages whose experts lie on other nodes.
Scenario scenario(ScheduleKind schedule)
{
    static const Catalogue catalogue = loadCatalogue({PARTITA_SOURCE_DIR "/presets"});
    Scenario scenario;
    scenario.model = *catalogue.model("mixtral-8x7b");
    scenario.cluster = makeCluster(*catalogue.accelerator("h100-sxm-80gb"), 8, 8, catalogue);
    scenario.workload.sequenceLength = 4096;
    scenario.layout.tp = 2;
    scenario.layout.pp = 4;
    scenario.layout.dp = 8;
    scenario.layout.ep = 8;
    scenario.layout.globalBatch = 128;
    scenario.layout.schedule = schedule;
    const ScheduleFacts facts = describe(schedule);
    scenario.layout.vpp = facts.chunks != 0 ? facts.chunks : std::max(2, facts.minChunks);
    return scenario;
}

void addSchedules()
{
    QTest::addColumn<ScheduleKind>("kind");
    for (const Name<ScheduleKind>& name : Names<ScheduleKind>::table) {
        QTest::newRow(name.key.data()) << name.value;
    }
}

} // namespace

class TestPairedExchange : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void thePartsAddUpToWhenTheLastStageIsDone_data() { addSchedules(); }
    // Independent of how the parts are made: the pipeline's own clock, then gradients, the update and what the stack
    // adds.
    void thePartsAddUpToWhenTheLastStageIsDone()
    {
        QFETCH(ScheduleKind, kind);
        const Report report = evaluate(scenario(kind));
        QVERIFY(report.legal());
        const double pipeline = report.time.total() - report.time[TimeKind::DpExposed]
            - report.time[TimeKind::Optimizer] - scenario(kind).stack.stepOverhead;
        bool isSomeStagesEnd = false;
        for (const StageTimeline& stage : report.timeline.stages) {
            isSomeStagesEnd = isSomeStagesEnd || std::abs(stage.ops.back().end - pipeline) < 1e-9 * pipeline;
        }
        QVERIFY(isSomeStagesEnd);
        QVERIFY(std::abs(report.time.total() - report.stepTime) < 1e-12 * report.stepTime);
        QVERIFY(*std::min_element(report.time.seconds.begin(), report.time.seconds.end()) >= 0);
    }

    void computeAndExposedTimeAreWhatSomeStageIsBusyWith_data() { addSchedules(); }
    void computeAndExposedTimeAreWhatSomeStageIsBusyWith()
    {
        QFETCH(ScheduleKind, kind);
        const Report report = evaluate(scenario(kind));
        const double busy = report.time.compute() + report.time[TimeKind::TpExposed] + report.time[TimeKind::CpExposed]
            + report.time[TimeKind::EpExposed] - scenario(kind).stack.stepOverhead;
        bool isBusyOfAStage = false;
        for (const StageTimeline& stage : report.timeline.stages) {
            isBusyOfAStage = isBusyOfAStage || std::abs(stage.busy - busy) < 1e-9 * busy;
        }
        QVERIFY(isBusyOfAStage);
    }

    void pairsHideExpertExchange_data()
    {
        QTest::addColumn<ScheduleKind>("kind");
        QTest::newRow("1f1b-a2a-overlap") << ScheduleKind::OneFOneBOverlap;
        QTest::newRow("dualpipe") << ScheduleKind::DualPipe;
        QTest::newRow("dualpipe-v") << ScheduleKind::DualPipeV;
    }
    void pairsHideExpertExchange()
    {
        QFETCH(ScheduleKind, kind);
        const Report alone = evaluate(scenario(ScheduleKind::OneFOneB));
        const Report paired = evaluate(scenario(kind));
        QVERIFY(alone.time[TimeKind::EpExposed] > 0);
        QVERIFY(paired.time[TimeKind::EpExposed] < alone.time[TimeKind::EpExposed]);
        // The first forward and the last backward have nothing to run beside.
        QVERIFY(paired.time[TimeKind::EpExposed] > 0);
    }

    void noPairIsShorterThanEitherHalfOrThanTheirCompute()
    {
        const Report report = evaluate(scenario(ScheduleKind::DualPipe));
        for (std::size_t i = 0; i < report.stages.size(); ++i) {
            for (const TimelineOp& op : report.timeline.stages[i].ops) {
                if (op.kind == OpKind::ForwardBackward) {
                    const auto length = [&](OpKind kind, std::int16_t chunk) {
                        for (const TimelineOp& other : report.timeline.stages[i].ops) {
                            if (other.kind == kind && other.chunk == chunk) {
                                return other.end - other.start;
                            }
                        }
                        return 0.0;
                    };
                    QVERIFY(op.end - op.start >= length(OpKind::Forward, op.chunk) - 1e-9);
                    QVERIFY(op.end - op.start >= length(OpKind::Backward, op.partnerChunk) - 1e-9);
                }
            }
        }
    }

    void nothingIsHiddenWithoutExpertParallelism()
    {
        const auto busy = [](ScheduleKind kind) {
            Scenario each = scenario(kind);
            each.layout.ep = 1;
            const Report report = evaluate(each);
            double seconds = 0;
            for (const StageTimeline& stage : report.timeline.stages) {
                seconds += stage.busy;
            }
            return seconds;
        };
        const double alone = busy(ScheduleKind::OneFOneB);
        QVERIFY(alone > 0 && std::abs(busy(ScheduleKind::DualPipeV) - alone) < 1e-9 * alone);
    }
};

QTEST_GUILESS_MAIN(TestPairedExchange)
#include "tst_paired_exchange.moc"
