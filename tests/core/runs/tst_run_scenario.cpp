// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/parameters.h"
#include "core/runs/load_runs.h"
#include "core/runs/run_scenario.h"
#include "tests/core/runs/sample_runs.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace partita;

namespace {

constexpr const char* tokens = R"({"tokens_per_s_per_gpu": 1000})";

Result<RunScenario> named(const std::string& model, const std::string& gpu = "H100 SXM", const std::string& notes = {},
                          const std::string& layout = {})
{
    return scenarioOf(readOrFail(namedRow("mbridge-1", model, gpu, tokens, notes, layout)).runs[0], presetCatalogue());
}

ScoredRun scored(const std::string& row)
{
    return scoreRun(readOrFail(row).runs[0], "file", presetCatalogue());
}

} // namespace

class TestRunScenario : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void publicModelsAreKnownByTheirNames_data()
    {
        QTest::addColumn<std::string>("name");
        QTest::addColumn<std::string>("id");
        const auto row = [](const char* name, const char* id) {
            QTest::newRow(name) << std::string(name) << std::string(id);
        };
        row("DeepSeek-V3 671B", "deepseek-v3");
        row("Mixtral 8x7B", "mixtral-8x7b");
        row("Qwen3-30B-A3B", "qwen3-30b-a3b");
        row("GPT-OSS 120B", "gpt-oss-120b");
        row("Llama-3.1 405B", "llama-3.1-405b");
        row("LLaMA3.1 8B", "llama-3.1-8b");
        row("Grok-1 314B (truncated to 8 layers)", "grok-1");
        row("Nemotron_3_Nano", "nemotron-3-nano-30b-a3b");
    }
    void publicModelsAreKnownByTheirNames()
    {
        QFETCH(std::string, name);
        QFETCH(std::string, id);
        const auto scenario = named(R"({"name": ")" + name + R"("})");
        QVERIFY2(bool(scenario), name.c_str());
        QCOMPARE(scenario->scenario.model.id, id);
        QVERIFY(scenario->scenario.stack.id.starts_with("megatron-bridge"));
    }

    /// What rows leave out is in the recipes that the source publishes, and is told.
    void recipesFillWhatRowsLeaveOut()
    {
        const auto nano = named(R"({"name": "Nemotron_3_Nano"})", "H100 SXM");
        QVERIFY(bool(nano));
        QCOMPARE(nano->scenario.layout.recompute, Recompute::Experts);
        QVERIFY(std::any_of(nano->assumptions.begin(), nano->assumptions.end(),
                            [](const std::string& told) { return told.rfind("recipe: ", 0) == 0; }));
        const auto stated = named(R"({"name": "Nemotron_3_Nano"})", "H100 SXM", {}, R"(, "recompute": "none")");
        QVERIFY(bool(stated));
        QCOMPARE(stated->scenario.layout.recompute, Recompute::None);
        const auto elsewhere = named(R"({"name": "Nemotron_3_Nano"})", "GB200");
        QVERIFY(bool(elsewhere));
        QCOMPARE(elsewhere->scenario.layout.recompute, Recompute::None);
    }

    /// As sources write a network: bits or bytes, of a device or of so many adapters a node.
    void networksAreReadAsWritten_data()
    {
        QTest::addColumn<std::string>("words");
        QTest::addColumn<double>("perDevice");
        const auto row = [](const char* words, double perDevice) {
            QTest::newRow(words) << std::string(words) << perDevice;
        };
        row("400 Gb/s IB per GPU", 50e9);
        row("8x50 GB/s IB", 50e9);
        row("8x200 Gb/s IB", 25e9);
        row("8x200 Gb/s HDR InfiniBand per node", 25e9);
        row("800 Gb/s per 8-GPU node", 12.5e9);
        row("4 OmniPath (OPA) links per node", 6.25e9);
        row("HDR-200 Gb/s", 25e9);
        row("RoCE RDMA", 0);
    }
    void networksAreReadAsWritten()
    {
        QFETCH(std::string, words);
        QFETCH(double, perDevice);
        const Result<double> bandwidth = networkBandwidth(words, 8);
        QVERIFY2(bool(bandwidth), words.c_str());
        QCOMPARE(*bandwidth, perDevice);
    }

    void whatIsNoBandwidthIsRefused_data()
    {
        QTest::addColumn<QString>("words");
        for (const char* words : {"1e999 Gb/s", "1e-320 GB/s", "-5 GB/s", "0 GB/s", "x Gb/s", "Gb/s",
                                  "999999999x999999999 GB/s", "0x200 Gb/s", "1.2.3 Gb/s"}) {
            QTest::newRow(words) << QString::fromLatin1(words);
        }
    }
    void whatIsNoBandwidthIsRefused()
    {
        QFETCH(QString, words);
        const Result<double> bandwidth = networkBandwidth(words.toStdString(), 8);
        QVERIFY(!bandwidth);
        QCOMPARE(bandwidth.problems.front().field, std::string("cluster.inter_node"));
        QCOMPARE(bandwidth.problems.front().value, words.toStdString());
    }

    void acceleratorsAreKnownByTheirNames_data()
    {
        QTest::addColumn<std::string>("name");
        QTest::addColumn<std::string>("id");
        const auto row = [](const char* name, const char* id) {
            QTest::newRow(name) << std::string(name) << std::string(id);
        };
        row("H100 SXM", "h100-sxm-80gb");
        row("H100 SXM (Eos DGX)", "h100-sxm-80gb");
        row("H100 SXM (96GB HBM2e 2.4 TB/s variant, 500 W limit)", "h100-hbm2e-96gb-500w");
        row("GB200", "gb200");
        row("TPU v6e", "tpu-v6e");
        row("Ascend 910B2", "ascend-910b2");
        row("MI355X", "mi355x");
    }
    void acceleratorsAreKnownByTheirNames()
    {
        QFETCH(std::string, name);
        QFETCH(std::string, id);
        const auto scenario = named(R"({"name": "Mixtral 8x7B"})", name);
        QVERIFY2(bool(scenario), name.c_str());
        QCOMPARE(scenario->scenario.cluster.accelerator.id, id);
    }

    void everyNameLeadsToAPreset()
    {
        const RunNames& names = presetCatalogue().runNames;
        QVERIFY(!names.models.empty() && !names.accelerators.empty() && !names.stacks.empty());
        for (const auto& [name, id] : names.models) {
            QVERIFY2(presetCatalogue().model(id) != nullptr, name.c_str());
        }
        for (const auto& [name, id] : names.accelerators) {
            QVERIFY2(presetCatalogue().accelerator(id) != nullptr, name.c_str());
        }
        for (const auto& [name, id] : names.engines) {
            QVERIFY2(presetCatalogue().stack(id) != nullptr, name.c_str());
        }
        for (const auto& [name, id] : names.stacks) {
            QVERIFY2(presetCatalogue().stack(id) != nullptr, name.c_str());
        }
    }

    void statedFactsGoBeforeThePreset()
    {
        const auto scenario =
            named(R"({"name": "DeepSeek-V3 671B truncated to 4 layers", "layers": 4, "hidden": 7168})", "B200 SXM",
                  "1 dense layer; cp_comm_type=a2a (Ulysses)");
        QVERIFY(bool(scenario));
        const Model& model = scenario->scenario.model;
        QCOMPARE(model.layerCount(), 4);
        QCOMPARE(model.multiTokenPrediction, 0);
        QVERIFY(std::holds_alternative<DenseFfn>(model.layer(0).feedForward));
        for (int i = 1; i < 4; ++i) {
            QVERIFY(std::holds_alternative<MoeFfn>(model.layer(i).feedForward));
        }
        QVERIFY(scenario->scenario.stack.contextExchange == ContextExchange::AllToAll);
    }

    void aContradictionIsNoGuess_data()
    {
        QTest::addColumn<std::string>("model");
        QTest::newRow("width") << std::string(R"({"name": "Mixtral 8x7B", "hidden": 5000})");
        QTest::newRow("experts") << std::string(R"({"name": "Mixtral 8x7B", "experts": 64})");
        QTest::newRow("more layers") << std::string(R"({"name": "Mixtral 8x7B", "layers": 64})");
        QTest::newRow("unknown experts") << std::string(R"({"name": "Mystery 8x70B", "moe": true, "hidden": 4096})");
        QTest::newRow("unknown") << std::string(R"({"name": "Mystery 70B"})");
    }
    void aContradictionIsNoGuess()
    {
        QFETCH(std::string, model);
        QVERIFY(!named(model));
    }

    void whatIsNotStatedIsSaid()
    {
        const ScoredRun row = scored(namedRow("mbridge-1", R"({"name": "Mixtral 8x7B"})", "H100 SXM", tokens));
        QVERIFY2(row.skipped.empty(), row.skipped.c_str());
        const auto says = [&](const std::string& word) {
            return std::any_of(row.assumptions.begin(), row.assumptions.end(),
                               [&](const std::string& one) { return one.find(word) != std::string::npos; });
        };
        QVERIFY(says("model: mixtral-8x7b") && says("stack: megatron-bridge") && says("layout.recompute")
                && says("layout.zero_stage"));
        QCOMPARE(row.source, std::string("file/mbridge"));
    }

    void ratesFollowFromStepTimes()
    {
        const PublishedRun run =
            readOrFail(namedRow("mbridge-1", R"({"name": "Mixtral 8x7B"})", "H100 SXM", R"({"step_time_s": 4})"))
                .runs[0];
        QCOMPARE(*measuredTokens(run), 256.0 * 4096 / 4 / 64);
    }

    void adaptersAreTrainedOnAFrozenBase()
    {
        const char* mixtral = R"({"name": "Mixtral 8x7B"})";
        const ScoredRun full = scored(namedRow("mbridge-1", mixtral, "H100 SXM", tokens));
        const ScoredRun lora = scored(namedRow("mbridge-1", mixtral, "H100 SXM", tokens, "LoRA Performance"));
        QVERIFY2(lora.skipped.empty(), lora.skipped.c_str());
        QVERIFY(*lora.predictedTokens > *full.predictedTokens);
        QVERIFY(*lora.predictedMemoryGib < *full.predictedMemoryGib);
    }

    void rowsThatCannotBeScoredSayWhy_data()
    {
        QTest::addColumn<std::string>("row");
        QTest::addColumn<std::string>("reason");
        const std::string mixtral = R"({"name": "Mixtral 8x7B"})";
        const auto row = [](const char* name, const std::string& text, const char* reason) {
            QTest::newRow(name) << text << std::string(reason);
        };
        row("utilisation only", namedRow("mbridge-1", mixtral, "H100 SXM", R"({"mfu_pct": 40})"), "convention");
        row("inference", namedRow("mbridge-1", mixtral, "H100 SXM", tokens, "INFERENCE prefill"), "inference");
        row("unknown device", namedRow("mbridge-1", mixtral, "Abacus 9", tokens),
            "Abacus 9 is not a known accelerator");
        row("unknown stack", namedRow("mystery-1", mixtral, "H100 SXM", tokens), "mystery is not a known stack");
        row("impossible product", denseRow("a", R"(, "cp": 3)"), "layout");
        row("unknown dense device", denseRow("a", "", "abacus"), "abacus");
    }
    void rowsThatCannotBeScoredSayWhy()
    {
        QFETCH(std::string, row);
        QFETCH(std::string, reason);
        const ScoredRun result = scored(row);
        QVERIFY2(result.skipped.find(reason) != std::string::npos, result.skipped.c_str());
    }

    /// Every row of the gathered files has a prediction or a reason, and reasons are sentences about the row.
    void everyGatheredRowIsScoredOrSkipped()
    {
        const std::filesystem::path runs = PARTITA_SHARED_DIR "/data/runs";
        if (!std::filesystem::exists(runs)) {
            QSKIP("no gathered runs here");
        }
        const LoadedRuns loaded = loadRuns({runs});
        QVERIFY(loaded.problems.empty());
        int usable = 0;
        for (const ScoredRun& row : scoreFiles(loaded.files, presetCatalogue())) {
            if (row.skipped.empty() && row.serves) {
                for (const auto& figure :
                     {row.predictedServing.tpot, row.predictedServing.ttft, row.predictedServing.tokensPerSecond}) {
                    QVERIFY2(figure && std::isfinite(*figure) && *figure > 0, row.id.c_str());
                }
                ++usable;
            } else if (row.skipped.empty()) {
                QVERIFY2(row.predictedTokens && std::isfinite(*row.predictedTokens) && *row.predictedTokens > 0,
                         row.id.c_str());
                ++usable;
            }
        }
        QVERIFY(usable > 1300);
    }
};

QTEST_GUILESS_MAIN(TestRunScenario)
#include "tst_run_scenario.moc"
