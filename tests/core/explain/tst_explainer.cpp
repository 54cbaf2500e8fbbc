// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/derivation_text.h"
#include "core/explain/explainer.h"
#include "core/explain/formula.h"
#include "core/formats/json_text.h"
#include "core/formats/report_json.h"
#include "core/pipeline/op_graph.h"
#include "core/pipeline/schedule.h"
#include "core/training/evaluate.h"
#include "tests/core/explain/recomputed.h"
#include "tests/core/runs/sample_runs.h"

#include <QtTest>

#include <cmath>
#include <set>

using namespace partita;

namespace {

/// A scenario of presets; members are changed after.
Scenario scenarioOf(const char* model, const char* stack, std::int64_t nodes, const char* accelerator = "h100-sxm-80gb")
{
    const Catalogue& presets = presetCatalogue();
    Scenario scenario;
    scenario.model = *presets.model(model);
    scenario.stack = *presets.stack(stack);
    scenario.cluster = makeCluster(*presets.accelerator(accelerator), nodes, 8, presets);
    scenario.workload.sequenceLength = 4096;
    scenario.workload.trainingTokens = 1e12;
    return scenario;
}

void split(Scenario& s, int tp, int cp, int pp, int dp, int microBatches)
{
    s.layout.tp = tp;
    s.layout.cp = cp;
    s.layout.pp = pp;
    s.layout.dp = dp;
    s.layout.globalBatch = std::int64_t{dp} * microBatches * s.layout.microBatch;
}

Scenario dense(int zero, Recompute recompute = Recompute::None)
{
    Scenario s = scenarioOf("llama-3.1-70b", "megatron-core", 8);
    split(s, 4, 1, 4, 4, 8);
    s.layout.zeroStage = zero;
    s.layout.recompute = recompute;
    return s;
}

Scenario sharded(int group)
{
    Scenario s = scenarioOf("llama-3.1-8b", "pytorch-fsdp", 2);
    split(s, 1, 1, 1, 16, 2);
    s.layout.zeroStage = 3;
    s.layout.shardGroup = group;
    s.layout.recompute = Recompute::Full;
    return s;
}

Scenario experts(ScheduleKind schedule, int microBatches = 16)
{
    Scenario s = scenarioOf("deepseek-v3", "megatron-core", 16);
    split(s, 1, 1, 8, 16, microBatches);
    s.layout.ep = 16;
    s.layout.schedule = schedule;
    s.layout.vpp = describe(schedule).chunks == 2 ? 2 : 1;
    s.workload.precision = Precision::Fp8Block;
    return s;
}

Scenario adapters(Training training, int zero)
{
    Scenario s = dense(zero);
    s.workload.training = training;
    return s;
}

/// FSDP with a stack that does all that others do not.
Scenario narrow(Recompute recompute, Precision precision)
{
    Scenario s = sharded(0);
    s.layout.recompute = recompute;
    s.workload.precision = precision;
    s.workload.weights = WeightStorage::Fp8;
    s.workload.gradients = GradientStorage::Bf16;
    s.workload.offloadedStates = 0.5;
    s.stack.fp8WeightCopies = 2;
    s.stack.fp32Parameters = false;
    s.stack.placeholderGradients = true;
    return s;
}

Scenario keptGathered(const char* model)
{
    Scenario s = scenarioOf(model, "torchtitan", 8);
    split(s, 2, 1, 2, 16, 4);
    s.layout.ep = 8;
    s.layout.zeroStage = 3;
    s.layout.recompute = Recompute::PerOperator;
    s.stack.keepsGathered = true;
    s.stack.expertHost = 1e-4;
    return s;
}

Scenario scheduled(ScheduleKind schedule, int vpp)
{
    Scenario s = scenarioOf("gpt3-175b", "megatron-lm-2021", 8, "a100-sxm-80gb");
    split(s, 8, 1, 4, 2, 16);
    s.workload.sequenceLength = 2048;
    s.layout.schedule = schedule;
    s.layout.vpp = vpp;
    return s;
}

Scenario context(ContextExchange exchange)
{
    Scenario s = scenarioOf("llama-3.1-8b", "megatron-core", 4);
    split(s, 2, 4, 2, 2, 4);
    s.workload.sequenceLength = 65536;
    s.stack.contextExchange = exchange;
    s.stack.asyncGradientExchange = false;
    return s;
}

std::vector<Named> grid()
{
    std::vector<Named> all{
        {"dense, ZeRO-0", dense(0)},
        {"dense, ZeRO-1, selective", dense(1, Recompute::Selective)},
        {"dense, ZeRO-2, full", dense(2, Recompute::Full)},
        {"dense, ZeRO-3", dense(3)},
        {"FSDP", sharded(0)},
        {"HSDP", sharded(8)},
        {"LoRA", adapters(Training::Lora, 1)},
        {"QLoRA, ZeRO-3", adapters(Training::QLora, 3)},
        {"FP8 weights, per operator", narrow(Recompute::PerOperator, Precision::Fp8Row)},
        {"MXFP8 weights, full", narrow(Recompute::Full, Precision::MxFp8)},
        {"gathered weights kept, experts", keptGathered("qwen3-30b-a3b")},
        {"experts, 1F1B", experts(ScheduleKind::OneFOneB)},
        {"experts, DualPipe", experts(ScheduleKind::DualPipe)},
        {"experts, DualPipeV", experts(ScheduleKind::DualPipeV)},
        {"GPipe", scheduled(ScheduleKind::GPipe, 1)},
        {"interleaved", scheduled(ScheduleKind::Interleaved, 2)},
        {"ZB-H1", scheduled(ScheduleKind::ZbH1, 1)},
        {"ZB-V", scheduled(ScheduleKind::ZbV, 2)},
        {"ring", context(ContextExchange::Ring)},
        {"gathered K and V", context(ContextExchange::AllGather)},
        {"Ulysses", context(ContextExchange::AllToAll)},
    };
    Scenario one = scenarioOf("gpt2", "megatron-core", 1);
    one.workload.sequenceLength = 1024;
    split(one, 1, 1, 1, 8, 1);
    all.push_back({"tied, one stage", one});
    split(one, 1, 1, 2, 4, 4);
    all.push_back({"tied, two stages", one});
    Scenario eager = experts(ScheduleKind::OneFOneB);
    eager.layout.recompute = Recompute::Experts;
    eager.workload.precision = Precision::MxFp8;
    eager.stack.launchesPerExpert = true;
    eager.stack.sendsOncePerNode = true;
    eager.stack.expertHost = 3e-4;
    eager.stack.hostPerKernel = 3e-5;
    all.push_back({"experts launched one by one and computed again", eager});
    Scenario unaligned = scheduled(ScheduleKind::OneFOneB, 1);
    std::get<Attention>(unaligned.model.kinds[0].mixer).headDim = 100;
    all.push_back({"heads that are not aligned", unaligned});
    Scenario older = dense(1);
    older.stack.attention = AttentionKernel::Flash2;
    all.push_back({"FlashAttention 2", older});
    Scenario hybrid = scenarioOf("jamba-v0.1", "megatron-core", 2);
    split(hybrid, 2, 1, 2, 4, 4);
    hybrid.layout.ep = 4;
    all.push_back({"hybrid with experts", hybrid});
    Scenario mamba = scenarioOf("mamba2-hybrid-8b", "megatron-core", 2);
    split(mamba, 2, 2, 1, 4, 2);
    all.push_back({"state space, CP", mamba});
    return all;
}

const std::vector<ComparableRun>& runs()
{
    static const std::vector<ComparableRun> loaded = [] {
        std::string rows;
        for (int i = 0; i < 6; ++i) {
            rows += (i > 0 ? "," : "") + denseRow("run-" + std::to_string(i));
        }
        std::vector<ComparableRun> list = comparableRuns({{"a", readOrFail(rows).runs}}, presetCatalogue());
        std::vector<ComparableRun> more = comparableRuns({{"b", readOrFail(rows).runs}}, presetCatalogue());
        list.insert(list.end(), more.begin(), more.end());
        for (std::size_t i = 0; i < list.size(); ++i) {
            list[i].predicted = list[i].measured * (0.9 + 0.02 * static_cast<double>(i));
        }
        return list;
    }();
    return loaded;
}

} // namespace

class TestExplainer : public QObject {
    Q_OBJECT

private:
    static void addGrid() { addRows(grid()); }
    static Scenario scenarioAt(int index) { return grid()[static_cast<std::size_t>(index)].scenario; }

private Q_SLOTS:
    void everyKeyOfTheReportIsDerived_data() { addGrid(); }
    void everyKeyOfTheReportIsDerived()
    {
        QFETCH(int, index);
        const Scenario scenario = scenarioAt(index);
        const Report report = evaluate(scenario);
        QVERIFY2(report.legal(), report.legal() ? "" : describe(report.problems.front()).c_str());
        const Explainer explainer(scenario, report, runs());
        std::map<std::string, nlohmann::json> leaves;
        collectLeaves(*parseJson(writeReport(report, stepTimeBand(scenario, report.stepTime, runs()))), {}, leaves);
        const std::vector<std::string> paths = explainer.reportedValues();
        QCOMPARE(std::set<std::string>(paths.begin(), paths.end()).size(), leaves.size());
        for (const auto& [path, value] : leaves) {
            const Result<Derivation> derivation = explainer.explain(path);
            QVERIFY2(derivation, path.c_str());
            if (value.is_string()) {
                QCOMPARE(derivation->text, value.get<std::string>());
            } else {
                const double number = value.is_boolean() ? (value.get<bool>() ? 1 : 0) : value.get<double>();
                QVERIFY2(derivation->value == number, path.c_str());
            }
        }
    }

    void everyDerivationComesOutOfItsOwnTerms_data() { addGrid(); }
    void everyDerivationComesOutOfItsOwnTerms()
    {
        QFETCH(int, index);
        const Scenario scenario = scenarioAt(index);
        const Explainer explainer(scenario, evaluate(scenario), runs());
        const std::vector<std::string> values = explainer.allValues();
        QVERIFY(values.size() > 100);
        // Activations in flight are counted in the simulated schedule.
        const std::string flaw = flawIn(explainer, values, [](const std::string& path) {
            return path.size() > 10 && path.compare(path.size() - 10, 10, ".in_flight") == 0;
        });
        QVERIFY2(flaw.empty(), flaw.c_str());
    }

    /// Each takes what its derivation says, and is derived; gaps before it, its end and ranges, too.
    void everyOperationOfThePipelineIsDerived_data() { addGrid(); }
    void everyOperationOfThePipelineIsDerived()
    {
        QFETCH(int, index);
        const Scenario scenario = scenarioAt(index);
        const Report report = evaluate(scenario);
        const Timeline& timeline = report.timeline;
        const Explainer explainer(scenario, report, runs());
        constexpr std::size_t shown = 24; // and those after the pipeline: the others repeat them
        std::vector<std::string> paths;
        for (std::size_t stage = 0; stage < timeline.stages.size(); ++stage) {
            const StageTimeline& ops = timeline.stages[stage];
            for (std::size_t i = 0; i < opCount(ops); ++i) {
                const TimelineOp& op = opAt(ops, i);
                const std::string path = operationPath(stage, op);
                const LedgerEntry* entry = explainer.find(path);
                QVERIFY2(entry != nullptr, path.c_str());
                QVERIFY2(near(entry->value, op.end - op.start, report.stepTime), path.c_str());
                const double before = i > 0 ? opAt(ops, i - 1).end : 0;
                if (i >= shown && i < ops.ops.size()) {
                    continue;
                }
                paths.push_back(path);
                paths.push_back("stages[" + std::to_string(stage) + "].ops[" + std::to_string(i) + "].end_s");
                if (op.start - before > 1e-9 * report.stepTime) {
                    paths.push_back(idlePath(timeline, stage, i));
                }
            }
            paths.push_back(idlePath(timeline, stage, opCount(ops)));
            paths.push_back(busyPath(stage));
            paths.push_back(operationsPath(stage, 0, std::min(shown, opCount(ops) - 1)));
            paths.push_back(operationsPath(stage, ops.ops.size() / 2, opCount(ops) - 1));
        }
        const std::string flaw = flawIn(explainer, paths, [](const std::string&) { return false; });
        QVERIFY2(flaw.empty(), flaw.c_str());
    }

    void whatIsNoOperationIsNotDerived()
    {
        const Scenario scenario = dense(1);
        const Explainer explainer(scenario, evaluate(scenario));
        QVERIFY(explainer.explain("stages[0].ops[0].end_s"));
        for (const char* path : {"stages[0].ops[99999999].end_s", "stages[99].ops[0].end_s", "stages[0].ops[0].nothing",
                                 "stages[0].ops[1-0].busy_s", "stages[0].ops[0-1].end_s", "stages[0].ops[0].busy_s",
                                 "stages[0].ops[0-].busy_s", "stages[0].ops[18446744073709551616].end_s",
                                 "stages[0].ops[-1].end_s", "stages[].ops[0].end_s"}) {
            QVERIFY2(!explainer.explain(path), path);
        }
    }

    void aTreeUnfoldsDownToPresets()
    {
        const Scenario scenario = dense(1);
        const Explainer explainer(scenario, evaluate(scenario));
        const std::string text = derivationText(explainer, *explainer.explain("time.parts.gemm"), 9);
        QVERIFY(text.find("dense BF16 peak\n") == std::string::npos
                && text.find("accelerator NVIDIA H100") != std::string::npos);
        QVERIFY(text.find("stack Megatron") != std::string::npos);
        const std::string memory = derivationText(explainer, *explainer.explain("memory.stages[0].activations"), 9);
        QVERIFY(memory.find("model.hidden") != std::string::npos);
        QVERIFY(memory.find("arXiv:2205.05198") != std::string::npos);
    }

    void aTermThatManyShareIsWrittenOnce()
    {
        const Scenario scenario = dense(1);
        const Explainer explainer(scenario, evaluate(scenario), runs());
        for (const int depth : {2, 40}) {
            const nlohmann::json json =
                *parseJson(writeDerivation(explainer, *explainer.explain("step_time_s"), depth));
            std::set<std::string> unfolded{"step_time_s"};
            for (const nlohmann::json& derivation : json.at("derivations")) {
                QVERIFY2(unfolded.insert(derivation.at("path")).second, derivation.at("path").dump().c_str());
            }
            bool complete = true;
            for (const nlohmann::json& derivation : json.at("derivations")) {
                for (const nlohmann::json& term : derivation.at("terms")) {
                    for (const nlohmann::json& value : term.at("values")) {
                        complete = complete && (!value.contains("path") || unfolded.count(value.at("path")) > 0);
                    }
                }
            }
            QCOMPARE(complete, depth == 40);
        }
        // As text, a term is unfolded again only where it was not unfolded so deep before.
        const auto lengthAt = [&](int depth) {
            return derivationText(explainer, *explainer.explain("step_time_s"), depth).size();
        };
        QVERIFY(lengthAt(12) < 4 * explainer.allValues().size() * 200);
    }

    void timesMemoryAndUtilisationStandBesidePublishedRuns()
    {
        const Scenario scenario = dense(1);
        const Explainer explainer(scenario, evaluate(scenario), runs());
        // Times with step times, MFU with MFU; where no run was weighed, memory stands beside rates.
        constexpr std::array beside{std::pair{"step_time_s", "step_time_s"}, std::pair{"mfu.causal", "mfu"},
                                    std::pair{"memory.peak_bytes", "tokens_per_s_per_device"},
                                    std::pair{"tokens_per_s", "tokens_per_s_per_device"}};
        for (const auto& [path, quantity] : beside) {
            const Derivation derivation = *explainer.explain(path);
            const NearRuns& near = explainer.nearestRuns(path);
            QCOMPARE(std::string(keyOf(near.quantity)), std::string(quantity));
            QVERIFY(derivationText(explainer, derivation, 1)
                        .find("nearest published runs, " + std::string(labelOf(near.quantity)) + "\n  run-")
                    != std::string::npos);
            const nlohmann::json listed = parseJson(writeDerivation(explainer, derivation, 0))->at("nearest_runs");
            QVERIFY(!listed.empty() && listed.front().contains("measured_" + std::string(quantity)));
        }
    }

    void memoryStandsBesideRunsWhoseMemoryWasMeasured()
    {
        std::vector<ComparableRun> weighed = runs();
        for (std::size_t i = 0; i < weighed.size(); i += 2) {
            weighed[i].measuredMemory = 20e9;
            weighed[i].memoryKind = "torch max_memory_allocated";
        }
        const Scenario scenario = dense(1);
        const Explainer explainer(scenario, evaluate(scenario), weighed);
        for (const char* path : {"memory.peak_bytes", "memory.stages[0].weights", "memory.limit_bytes"}) {
            const NearRuns& near = explainer.nearestRuns(path);
            QVERIFY(near.quantity == RunQuantity::PeakMemory);
            QCOMPARE(near.runs.size(), weighed.size() / 2);
            for (const NearRun& run : near.runs) {
                QCOMPARE(run.measured, 20e9);
                QVERIFY(run.predicted > 1e9 && run.predicted < 80e9);
            }
        }
        // The prediction counts what the run's meter counts.
        const Report report = evaluate(weighed.front().scenario);
        QVERIFY(explainer.nearestRuns("memory.peak_bytes").runs.front().predicted < report.peakMemory());
    }

    void theMfuOfARunIsWhatItsRateAmountsTo()
    {
        const Scenario scenario = dense(1);
        const Explainer explainer(scenario, evaluate(scenario), runs());
        const std::vector<NearRun>& mfus = explainer.nearestRuns("mfu.causal").runs;
        const std::vector<NearRun>& rates = explainer.nearestRuns("tokens_per_s").runs;
        const std::vector<NearRun>& times = explainer.nearestRuns("step_time_s").runs;
        for (std::size_t i = 0; i < mfus.size(); ++i) {
            QCOMPARE(mfus[i].error(), rates[i].error());
            QCOMPARE(1 / (1 + times[i].error()), 1 + rates[i].error());
            QVERIFY(mfus[i].predicted > 0.1 && mfus[i].predicted < 0.8);
        }
        QCOMPARE(evaluate(runs().front().scenario).mfu.causal, mfus.front().predicted);
    }

    void whatIsAnotherValueBeginsWithItsFormula()
    {
        const Scenario scenario = dense(1);
        const Explainer explainer(scenario, evaluate(scenario));
        const Derivation hardware = *explainer.explain("hfu.causal");
        const Derivation model = *explainer.explain("mfu.causal");
        QCOMPARE(hardware.formula, model.formula);
        QCOMPARE(hardware.path, std::string("hfu.causal"));
        QVERIFY(std::find(hardware.assumptions.begin(), hardware.assumptions.end(), "The same as mfu.causal.")
                != hardware.assumptions.end());
    }

    void anUnknownValueIsAProblemThatNamesTheNearest()
    {
        const Scenario scenario = dense(1);
        const Explainer explainer(scenario, evaluate(scenario));
        const auto unknown = explainer.explain("memory.stages[0].activation");
        QVERIFY(!unknown);
        QVERIFY(unknown.problems.front().suggestion.find("memory.stages[0].activations") != std::string::npos);
        QVERIFY(!explainer.explain(""));
        QVERIFY(!explainer.explain("memory.stages[99].weights"));
    }

    void anIllegalLayoutExplainsItsParametersAndWhyItIsIllegal()
    {
        Scenario scenario = dense(1);
        scenario.layout.tp = 7;
        const Report report = evaluate(scenario);
        QVERIFY(!report.legal());
        const Explainer explainer(scenario, report);
        QVERIFY(explainer.explain("parameters.total"));
        QCOMPARE(explainer.explain("fits")->value, 0.0);
        const auto step = explainer.explain("step_time_s");
        QVERIFY(!step);
        QCOMPARE(step.problems, report.problems);
    }

    void aGapIsShownNotHidden()
    {
        Derivation d;
        d.value = 10;
        d.measure = Measure::Bytes;
        d.formula = "a + b";
        d.terms = {{"a", "one part", Measure::Bytes, false, {{4, "one part", {}, "stated"}}},
                   {"b", "another", Measure::Bytes, false, {{5, "another", {}, "stated"}}}};
        closeGap(d);
        QCOMPARE(d.rest, 1.0);
        QCOMPARE(d.terms.back().symbol, std::string("rest"));
        QCOMPARE(*recompute(d), 10.0);
    }
};

QTEST_GUILESS_MAIN(TestExplainer)
#include "tst_explainer.moc"
