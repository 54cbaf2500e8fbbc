// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/catalogue.h"
#include "core/pipeline/op_graph.h"
#include "core/training/evaluate.h"
#include "core/training/step_tail.h"

#include <QtTest>

using namespace partita;

namespace {

const Catalogue& catalogue()
{
    static const Catalogue loaded = loadCatalogue({PARTITA_SOURCE_DIR "/presets"});
    return loaded;
}

Scenario sample(int zeroStage)
{
    Scenario scenario;
    scenario.model = *catalogue().model("mixtral-8x7b");
    scenario.cluster = makeCluster(*catalogue().accelerator("h100-sxm-80gb"), 8, 8, catalogue());
    scenario.stack = *catalogue().stack("megatron-core");
    scenario.workload.sequenceLength = 4096;
    scenario.layout.tp = 2;
    scenario.layout.pp = 4;
    scenario.layout.ep = 4;
    scenario.layout.dp = 8;
    scenario.layout.globalBatch = 128;
    scenario.layout.zeroStage = zeroStage;
    return scenario;
}

std::vector<OpKind> kindsAfter(const StageTimeline& stage)
{
    std::vector<OpKind> kinds;
    for (const TimelineOp& op : stage.after) {
        kinds.push_back(op.kind);
    }
    return kinds;
}

bool isNear(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

} // namespace

class TestStepTail : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void endsWhenTheStepEnds_data()
    {
        QTest::addColumn<int>("zeroStage");
        for (int stage : {0, 1, 2}) {
            QTest::addRow("ZeRO %d", stage) << stage;
        }
    }
    void endsWhenTheStepEnds()
    {
        QFETCH(int, zeroStage);
        for (bool overlap : {false, true}) {
            Scenario scenario = sample(zeroStage);
            scenario.stack.dpOverlap = overlap;
            const Report report = evaluate(scenario);
            QVERIFY(report.legal());
            QVERIFY(report.timeline.end() > report.timeline.makespan);
            QVERIFY(isNear(report.timeline.end(), report.stepTime));
        }
    }

    // arXiv:1910.02054 section 7: gradients are all-reduced, or scattered and the updated weights gathered.
    void exchangesWhatTheZeroStageAsksFor()
    {
        const OpKind update = OpKind::Optimizer;
        const std::vector<OpKind> replicated{OpKind::AllReduce, update, OpKind::Host};
        const std::vector<OpKind> sharded{OpKind::ReduceScatter, update, OpKind::AllGather, OpKind::Host};
        for (const StageTimeline& stage : evaluate(sample(0)).timeline.stages) {
            QVERIFY(kindsAfter(stage) == replicated);
        }
        for (const StageTimeline& stage : evaluate(sample(1)).timeline.stages) {
            QVERIFY(kindsAfter(stage) == sharded);
        }
    }

    void theUpdateWaitsForTheGradientsOfAllStages()
    {
        const Report report = evaluate(sample(1));
        const OpGraph graph(report.timeline);
        double reduced = 0;
        for (const StageTimeline& stage : report.timeline.stages) {
            QVERIFY(stage.after.front().start >= stage.ops.back().end);
            reduced = std::max(reduced, stage.after.front().end);
        }
        for (int stage = 0; stage < 4; ++stage) {
            const StageTimeline& lane = report.timeline.stages[static_cast<std::size_t>(stage)];
            const OpRef update{stage, static_cast<int>(lane.ops.size()) + 1};
            QCOMPARE(graph.at(update).kind, OpKind::Optimizer);
            QCOMPARE(graph.at(update).start, reduced);
            QCOMPARE(graph.dependencies(update).size(), std::size_t{4});
            for (OpRef need : graph.dependencies(update)) {
                const std::vector<OpRef> users = graph.dependants(need);
                QVERIFY(std::find(users.begin(), users.end(), update) != users.end());
            }
            QVERIFY(stage == 0 || graph.whyIdle(update).waitedFor);
        }
    }

    void theCriticalPathReachesTheEndOfTheStep()
    {
        const Report report = evaluate(sample(1));
        const OpGraph graph(report.timeline);
        const std::vector<OpRef> path = graph.criticalPath();
        QCOMPARE(graph.at(path.front()).start, 0.);
        QCOMPARE(graph.at(path.back()).end, report.timeline.end());
        for (std::size_t i = 1; i < path.size(); ++i) {
            QVERIFY(graph.at(path[i]).start >= graph.at(path[i - 1]).end);
        }
    }

    /// Makespan, busy, idle and the bubble are the pipeline's alone.
    void leavesThePipelineAsItWas()
    {
        const Report report = evaluate(sample(1));
        for (const StageTimeline& stage : report.timeline.stages) {
            double busy = 0;
            for (const TimelineOp& op : stage.ops) {
                QVERIFY(isPipelineOp(op.kind));
                busy += op.end - op.start;
            }
            QCOMPARE(stage.busy, busy);
            QVERIFY(isNear(stage.busy + stage.idle, report.timeline.makespan));
            QVERIFY(stage.ops.back().end <= report.timeline.makespan);
        }
        QCOMPARE(report.bubbleFraction, report.timeline.bubbleFraction());
    }

    /// Stages that end together differ by what adding up in another order leaves: that must not choose one.
    void roundingDoesNotChooseTheStageThatEndsTheStep()
    {
        Scenario scenario = sample(1);
        scenario.layout.tp = scenario.layout.dp = scenario.layout.ep = 1; // nothing is reduced
        scenario.layout.zeroStage = 0;
        const RankGrid grid(scenario.layout, scenario.cluster);
        const std::vector<StagePlan> plans =
            planStages(scenario, placementOf(scenario.layout.schedule, scenario.layout.pp, 1), grid);
        PipelineFigures pipeline;
        pipeline.ranks.resize(4);
        for (const double later : {-1e-12, 0., 1e-12, 0.1}) {
            pipeline.ranks[1].end = 10;
            pipeline.ranks[2].end = 10 + later;
            const StepTail tail = stepTail(pipeline, scenario, plans, grid);
            QCOMPARE(tail.critical, later > 0.01 ? std::size_t{2} : std::size_t{1});
            QCOMPARE(tail.reduced, std::max(10., 10 + later));
        }
    }

    /// What the ops of the stage that ends last say of exposed exchange adds up to the step's parts.
    void exchangeInsideOpsAddsUpToTheStepsParts_data()
    {
        QTest::addColumn<ScheduleKind>("kind");
        for (ScheduleKind kind : {ScheduleKind::OneFOneB, ScheduleKind::ZbH1, ScheduleKind::OneFOneBOverlap}) {
            QTest::newRow(keyOf(kind).data()) << kind;
        }
    }
    void exchangeInsideOpsAddsUpToTheStepsParts()
    {
        QFETCH(ScheduleKind, kind);
        Scenario scenario = sample(1);
        scenario.layout.schedule = kind;
        const Report report = evaluate(scenario);
        QVERIFY(report.legal());
        bool found = false;
        for (int stage = 0; stage < 4; ++stage) {
            ExposedExchange sum;
            for (const TimelineOp& op : report.timeline.stages[static_cast<std::size_t>(stage)].ops) {
                const ExposedExchange exposed = report.timeline.exposedIn(stage, op);
                QVERIFY(exposed.total() <= op.end - op.start + 1e-12);
                sum += exposed;
            }
            QVERIFY(sum[ExchangeGroup::Tensor] > 0 && sum[ExchangeGroup::Expert] >= 0);
            found = found
                || (isNear(sum[ExchangeGroup::Tensor], report.time[TimeKind::TpExposed])
                    && isNear(sum[ExchangeGroup::Expert], report.time[TimeKind::EpExposed]));
        }
        QVERIFY(found);
    }
};

QTEST_GUILESS_MAIN(TestStepTail)
#include "tst_step_tail.moc"
