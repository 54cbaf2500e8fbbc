// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/timeline_trace.h"
#include "core/formats/trace_import.h"
#include "core/pipeline/schedule.h"

#include <QtTest>

#include <cmath>
#include <fmt/format.h>

using namespace partita;

namespace {

ImportedTrace imported(std::string_view text)
{
    Result<ImportedTrace> trace = readTrace(text);
    if (!trace) {
        for (const Problem& problem : trace.problems) {
            QTest::qFail(describe(problem).c_str(), __FILE__, __LINE__);
        }
        return {};
    }
    return *std::move(trace);
}

/// A trace of complete events of one thread, each 10 µs after the other.
std::string eventsNamed(const std::vector<std::string>& names)
{
    std::string text = "[";
    for (std::size_t i = 0; i < names.size(); ++i) {
        text += fmt::format("{}{{\"ph\": \"X\", \"pid\": 0, \"tid\": 0, \"name\": \"{}\", \"ts\": {}, \"dur\": 10}}",
                            i > 0 ? ", " : "", names[i], 10 * i);
    }
    return text + "]";
}

} // namespace

class TestTraceImport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsBackWhatWeExport_data()
    {
        QTest::addColumn<ScheduleKind>("kind");
        for (const Name<ScheduleKind>& name : Names<ScheduleKind>::table) {
            QTest::newRow(name.key.data()) << name.value;
        }
    }
    void readsBackWhatWeExport()
    {
        QFETCH(ScheduleKind, kind);
        const ScheduleFacts facts = describe(kind);
        const Result<Schedule> schedule =
            makeSchedule(kind, 12, 24, facts.chunks != 0 ? facts.chunks : std::max(2, facts.minChunks));
        StageTimes times = equalStageTimes(schedule->placement, 1e-3, 1.5e-3, 0.7e-3);
        times.transfer = 1e-5;
        const Timeline timeline = *simulate(*schedule, times);
        const ImportedTrace trace = imported(timelineTrace(timeline));
        QVERIFY(trace.hasPipelineOps);
        QCOMPARE(trace.lanes.size(), timeline.stages.size());
        QVERIFY(std::abs(trace.duration - timeline.makespan) < 1e-9);
        for (std::size_t i = 0; i < trace.lanes.size(); ++i) {
            const TraceLane& lane = trace.lanes[i];
            const std::vector<TimelineOp>& ops = timeline.stages[i].ops;
            QCOMPARE(lane.stage, static_cast<std::int32_t>(i));
            QCOMPARE(lane.name, "stage " + std::to_string(i));
            QCOMPARE(lane.spans.size(), ops.size());
            for (std::size_t j = 0; j < ops.size(); ++j) {
                const TraceSpan& span = lane.spans[j];
                QCOMPARE(span.name, opText(ops[j]));
                QCOMPARE(span.kind.value(), ops[j].kind);
                QCOMPARE(span.microBatch, ops[j].microBatch);
                QCOMPARE(span.chunk, ops[j].chunk);
                QCOMPARE(span.partner, ops[j].partner);
                QCOMPARE(span.partnerChunk, ops[j].partnerChunk);
                QVERIFY(std::abs(span.start - ops[j].start) < 1e-9);
                QVERIFY(std::abs(span.start + span.duration - ops[j].end) < 1e-9);
            }
        }
    }

    void understandsNamesInUse_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("microBatch");
        QTest::addColumn<int>("chunk");
        const auto row = [](const char* name, OpKind kind, int microBatch, int chunk) {
            QTest::newRow(name) << QByteArray(name) << static_cast<int>(kind) << microBatch << chunk;
        };
        row("F0", OpKind::Forward, 0, -1);
        row("B12.1", OpKind::Backward, 12, 1);
        row("I3", OpKind::BackwardInput, 3, -1);
        row("W7.2", OpKind::BackwardWeight, 7, 2);
        row("F3.1|B0", OpKind::ForwardBackward, 3, 1);
        row("2F5", OpKind::Forward, 5, -1);
        row("1I2", OpKind::BackwardInput, 2, -1);
        row("Forward 4", OpKind::Forward, 4, -1);
        row("Backward 4", OpKind::Backward, 4, -1);
        row("Backward 4 Input", OpKind::BackwardInput, 4, -1);
        row("forward-compute", OpKind::Forward, -1, -1);
        row("backward-compute", OpKind::Backward, -1, -1);
        row("forward_step mb=3 chunk=1", OpKind::Forward, 3, 1);
        row("backward_step_microbatch_6", OpKind::Backward, 6, -1);
        row("micro-batch 2 forward", OpKind::Forward, 2, -1);
        row("backward weight 9", OpKind::BackwardWeight, 9, -1);
        row("wgrad mb 1", OpKind::BackwardWeight, 1, -1);
    }
    void understandsNamesInUse()
    {
        QFETCH(QByteArray, name);
        QFETCH(int, kind);
        QFETCH(int, microBatch);
        QFETCH(int, chunk);
        const ImportedTrace trace = imported(eventsNamed({name.toStdString(), "void cutlass::Kernel"}));
        QVERIFY(trace.hasPipelineOps);
        QCOMPARE(trace.lanes.at(0).spans.size(), std::size_t{1});
        const TraceSpan& span = trace.lanes[0].spans[0];
        QCOMPARE(static_cast<int>(span.kind.value()), kind);
        QCOMPARE(span.microBatch, microBatch);
        QCOMPARE(int(span.chunk), chunk);
        QCOMPARE(trace.ignored, std::vector<std::string>{"1 spans that are no pipeline op"});
    }

    void isNotFooledByNamesOfModulesAndKernels_data()
    {
        QTest::addColumn<QByteArray>("name");
        for (const char* name : {"AddmmBackward0", "model.py(12): forward", "nn.Module: Linear_0", "aten::addmm",
                                 "autograd::engine::evaluate_function: MulBackward0", "forward|backward|forward",
                                 "ncclDevKernel_AllReduce", "weight", "input 3", "F0B0", "F99999999999999999999", "FF0",
                                 "F0 F1", "|", ""}) {
            QTest::newRow(name) << QByteArray(name);
        }
    }
    void isNotFooledByNamesOfModulesAndKernels()
    {
        QFETCH(QByteArray, name);
        const ImportedTrace trace = imported(eventsNamed({name.toStdString()}));
        QVERIFY(!trace.hasPipelineOps);
        QVERIFY(!trace.lanes.at(0).spans.at(0).kind);
    }

    // What torch.profiler writes: numbers and texts as ids, metadata, flows, times since the epoch.
    void readsAProfilersTrace()
    {
        const ImportedTrace trace = imported(R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "X"}],
          "traceEvents": [
            {"ph": "X", "cat": "cpu_op", "name": "aten::empty", "pid": 7, "tid": 7, "ts": 1700000000000000.5, "dur": 3},
            {"ph": "M", "name": "process_name", "pid": 7, "tid": 0, "ts": 0, "args": {"name": "rank 1"}},
            {"ph": "M", "name": "process_name", "pid": 3, "tid": 0, "ts": 0, "args": {"name": "rank 0"}},
            {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep 5", "pid": 7, "tid": 7, "ts": 1700000000000010, "dur": 900},
            {"ph": "X", "cat": "user_annotation", "name": "forward_step mb 0", "pid": 7, "tid": 7, "ts": 1700000000000200, "dur": 100},
            {"ph": "X", "cat": "user_annotation", "name": "forward-compute", "pid": 7, "tid": 7, "ts": 1700000000000210, "dur": 50},
            {"ph": "X", "cat": "user_annotation", "name": "backward_step mb 0", "pid": 7, "tid": 7, "ts": 1700000000000300, "dur": 250.5},
            {"ph": "X", "cat": "user_annotation", "name": "forward_step mb 0", "pid": 3, "tid": "main", "ts": 1700000000000100, "dur": 100},
            {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler 0", "pid": "Spans", "tid": "PyTorch Profiler", "ts": 1700000000000000, "dur": 1000},
            {"ph": "s", "id": 5, "cat": "ac2g", "name": "ac2g", "pid": 7, "tid": 7, "ts": 1700000000000210}
          ], "traceName": "trace.json"
    })");
        QVERIFY(trace.hasPipelineOps);
        QCOMPARE(trace.lanes.size(), std::size_t{2});
        QCOMPARE(trace.lanes[0].name, std::string("rank 0"));
        QCOMPARE(trace.lanes[0].stage, 0);
        QCOMPARE(trace.lanes[0].spans.at(0).start, 0.);
        QCOMPARE(trace.lanes[1].stage, 1);
        QCOMPARE(trace.lanes[1].spans.size(), std::size_t{2}); // forward-compute lies inside forward_step
        QVERIFY(std::abs(trace.lanes[1].spans[0].start - 100e-6) < 1e-9);
        QVERIFY(std::abs(trace.lanes[1].spans[1].duration - 250.5e-6) < 1e-9);
        QVERIFY(std::abs(trace.duration - 450.5e-6) < 1e-9);
        QCOMPARE(trace.ignored.size(), std::size_t{3});
    }

    void pairsBeginningsWithEnds()
    {
        const ImportedTrace trace = imported(R"([
            {"ph": "E", "pid": 0, "tid": 0, "ts": 1},
            {"ph": "B", "pid": 0, "tid": 0, "ts": 5, "name": "step"},
            {"ph": "B", "pid": 0, "tid": 0, "ts": 6, "name": "F0"},
            {"ph": "E", "pid": 0, "tid": 0, "ts": 8},
            {"ph": "B", "pid": 0, "tid": 0, "ts": 8, "name": "B0"},
            {"ph": "E", "pid": 0, "tid": 0, "ts": 12},
            {"ph": "B", "pid": 0, "tid": 1, "ts": 8, "name": "never ends"}])");
        QCOMPARE(trace.lanes.size(), std::size_t{1});
        QCOMPARE(trace.lanes[0].spans.size(), std::size_t{2});
        QVERIFY(std::abs(trace.lanes[0].spans[1].duration - 4e-6) < 1e-12);
        QCOMPARE(trace.ignored, std::vector<std::string>{"3 beginnings or ends without their other half"});
    }

    void bIsTheInputGradientWhereWIsApart()
    {
        const auto kinds = [](const std::vector<std::string>& names) {
            std::vector<OpKind> found;
            const ImportedTrace trace = imported(eventsNamed(names));
            for (const TraceSpan& span : trace.lanes.at(0).spans) {
                found.push_back(span.kind.value());
            }
            return found;
        };
        QCOMPARE(kinds({"F0", "B0"}), (std::vector{OpKind::Forward, OpKind::Backward}));
        QCOMPARE(kinds({"F0", "B0", "W0"}),
                 (std::vector{OpKind::Forward, OpKind::BackwardInput, OpKind::BackwardWeight}));
        QCOMPARE(kinds({"B0", "I1", "W1"}),
                 (std::vector{OpKind::Backward, OpKind::BackwardInput, OpKind::BackwardWeight}));
    }

    void keepsEverySpanOfATraceWithoutPipelineOps()
    {
        const ImportedTrace trace = imported(eventsNamed({"gemm", "all_reduce", "gemm"}));
        QVERIFY(!trace.hasPipelineOps);
        QCOMPARE(trace.lanes.at(0).spans.size(), std::size_t{3});
        QCOMPARE(trace.lanes[0].name, std::string("process 0, thread 0"));
    }

    void refusesWhatIsNoTrace_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("message");
        const auto row = [](const char* name, QByteArray text, const char* message) {
            QTest::newRow(name) << std::move(text) << QByteArray(message);
        };
        row("empty", "", "not JSON");
        row("cut off", R"({"traceEvents": [{"ph": "X", "name": "F0", "ts": 1)", "cut off");
        row("a config", R"({"hidden_size": 4096})", "is missing");
        row("no list", R"({"traceEvents": {"ph": "X"}})", "is missing");
        row("a number", "12", "is missing");
        row("no events", "[]", "holds no span");
        row("no times", R"([{"ph": "X", "name": "F0"}])", "holds no span");
        row("backwards", R"([{"ph": "X", "name": "F0", "ts": 1, "dur": -1}])", "holds no span");
        row("out of this world", R"([{"ph": "X", "name": "F0", "ts": 1e300, "dur": 1}])", "holds no span");
        row("times as text", R"([{"ph": "X", "name": "F0", "ts": "1", "dur": "1"}])", "holds no span");
        row("nested deep", QByteArray(100000, '['), "nested deeper");
        row("nested in an event", R"([{"args": )" + QByteArray(R"({"a":)").repeated(1000), "nested deeper");
        QByteArray threads = "[";
        for (int i = 0; i < 5000; ++i) {
            threads += R"({"ph":"X","name":"a","ts":0,"dur":1,"tid":)" + QByteArray::number(i) + "},";
        }
        row("a thread each", threads, "more than 4096 threads");
    }
    void refusesWhatIsNoTrace()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, message);
        const Result<ImportedTrace> trace = readTrace(text.toStdString());
        QVERIFY(!trace);
        QCOMPARE(trace.problems.size(), std::size_t{1});
        QVERIFY2(QByteArray::fromStdString(trace.problems[0].message).contains(message),
                 trace.problems[0].message.c_str());
    }

    void indicesThatDoNotFitAreNotTold()
    {
        const ImportedTrace trace = imported(
            R"([{"ph": "X", "name": "F", "ts": 0, "dur": 1, "args": {"microBatch": 1e30, "chunk": -4, "stage": 0.5}}])");
        QCOMPARE(trace.lanes.at(0).spans.at(0).microBatch, -1);
        QCOMPARE(int(trace.lanes[0].spans[0].chunk), -1);
    }
};

QTEST_GUILESS_MAIN(TestTraceImport)
#include "tst_trace_import.moc"
