// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/catalogue.h"
#include "core/formats/timeline_trace.h"
#include "core/runs/trace_comparison.h"
#include "core/training/evaluate.h"

#include <QtTest>

#include <fmt/format.h>

using namespace partita;

namespace {

Timeline sample()
{
    static const Catalogue catalogue = loadCatalogue({PARTITA_SOURCE_DIR "/presets"});
    Scenario scenario;
    scenario.model = *catalogue.model("llama-3.1-8b");
    scenario.cluster = makeCluster(*catalogue.accelerator("h100-sxm-80gb"), 4, 8, catalogue);
    scenario.workload.sequenceLength = 4096;
    scenario.layout.tp = 2;
    scenario.layout.pp = 4;
    scenario.layout.dp = 4;
    scenario.layout.globalBatch = 64;
    return evaluate(scenario).timeline;
}

MeasuredTimeline measuredFrom(const std::string& text)
{
    const Result<ImportedTrace> trace = readTrace(text);
    const Result<MeasuredTimeline> measured =
        trace ? measuredTimeline(*trace) : Result<MeasuredTimeline>(trace.problems);
    for (const Problem& problem : measured.problems) {
        QTest::qFail(describe(problem).c_str(), __FILE__, __LINE__);
    }
    return measured.value.value_or(MeasuredTimeline());
}

bool isNear(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::max({1., std::abs(a), std::abs(b)});
}

std::string spanEvent(const char* name, int thread, double start, double duration)
{
    return fmt::format("{{\"ph\":\"X\",\"pid\":0,\"tid\":{},\"name\":\"{}\",\"ts\":{},\"dur\":{}}}", thread, name,
                       start, duration);
}

} // namespace

class TestTraceComparison : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void thePredictionItselfIsExact()
    {
        const Timeline predicted = sample();
        const TraceComparison same = compareWithTrace(predicted, measuredFrom(timelineTrace(predicted)));
        QVERIFY(isNear(same.makespan.measured, predicted.makespan));
        QVERIFY(isNear(same.bubbleFraction.measured, predicted.bubbleFraction()));
        QCOMPARE(same.stages.size(), predicted.stages.size());
        for (std::size_t i = 0; i < same.stages.size(); ++i) {
            QVERIFY(isNear(same.stages[i].busy.measured, predicted.stages[i].busy));
            QVERIFY(isNear(same.stages[i].idle.measured, predicted.stages[i].idle));
            QCOMPARE(same.stages[i].ops.measured, same.stages[i].ops.predicted);
        }
        for (const auto& kind : same.kinds) {
            QCOMPARE(kind.measured.count, kind.predicted.count);
            QVERIFY(isNear(kind.measured.seconds, kind.predicted.seconds));
        }
        QVERIFY(same.kinds[static_cast<std::size_t>(OpKind::Optimizer)].measured.count == 4);
    }

    void aStepTwiceAsSlowIsOffByAHundredPercent()
    {
        const Timeline predicted = sample();
        Timeline slow = predicted;
        for (StageTimeline& stage : slow.stages) {
            for (std::vector<TimelineOp>* ops : {&stage.ops, &stage.after}) {
                for (TimelineOp& op : *ops) {
                    op.start *= 2;
                    op.end *= 2;
                }
            }
        }
        const TraceComparison twice = compareWithTrace(predicted, measuredFrom(timelineTrace(slow)));
        QVERIFY(isNear(relativeError(twice.makespan), 1));
        QVERIFY(isNear(twice.bubbleFraction.measured, twice.bubbleFraction.predicted));
        QVERIFY(isNear(relativeError(twice.stages[2].busy), 1));
    }

    void ofOneStagesLanesTheOneThatComputesIsTaken()
    {
        const std::string text = "[" + spanEvent("F0 stage 0", 0, 0, 10) + "," + spanEvent("B0", 0, 20, 20) + ","
            + spanEvent("F0 rank 0", 1, 0, 3) + "," + spanEvent("F0 stage 1", 2, 10, 10) + "]";
        const MeasuredTimeline measured = measuredFrom(text);
        QCOMPARE(measured.timeline.stages.size(), std::size_t{2});
        QCOMPARE(measured.timeline.stages[0].ops.size(), std::size_t{2});
        QVERIFY(isNear(measured.timeline.stages[0].busy, 30e-6));
        QVERIFY(isNear(measured.timeline.makespan, 40e-6));
        QCOMPARE(measured.remarks.size(), std::size_t{1});
    }

    void spansThatReachIntoOneAnotherAreCutAndTold()
    {
        const MeasuredTimeline measured =
            measuredFrom("[" + spanEvent("F0", 0, 0, 10) + "," + spanEvent("F1", 0, 6, 10) + "]");
        const std::vector<TimelineOp>& ops = measured.timeline.stages.front().ops;
        QVERIFY(ops[1].start >= ops[0].end && isNear(ops[1].end, 16e-6));
        QVERIFY(QString::fromStdString(measured.remarks.front()).startsWith(QStringLiteral("1 spans")));
    }

    void whatDiffersIsTold()
    {
        const TraceComparison comparison =
            compareWithTrace(sample(), measuredFrom("[" + spanEvent("F0", 0, 0, 10) + "]"));
        QCOMPARE(comparison.stages.size(), std::size_t{4});
        QCOMPARE(comparison.stages[3].ops.measured, std::size_t{0});
        QCOMPARE(comparison.remarks.size(), std::size_t{2}); // stages and micro-batches
    }

    void aTraceWithoutPipelineOpsIsAProblem()
    {
        const Result<ImportedTrace> trace = readTrace("[" + spanEvent("aten::mm", 0, 0, 10) + "]");
        QVERIFY(trace);
        QVERIFY(!measuredTimeline(*trace));
    }

    void tracesAreToldFromOtherFiles()
    {
        QVERIFY(looksLikeTrace(timelineTrace(sample())));
        QVERIFY(looksLikeTrace(" \n[" + spanEvent("F0", 0, 0, 1) + "]"));
        QVERIFY(!looksLikeTrace("{\"model_type\": \"llama\"}"));
        QVERIFY(!looksLikeTrace(""));
    }
};

QTEST_GUILESS_MAIN(TestTraceComparison)
#include "tst_trace_comparison.moc"
