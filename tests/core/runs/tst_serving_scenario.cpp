// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/serving_scenario.h"

#include "core/runs/load_runs.h"
#include "core/serving/serve.h"
#include "tests/core/runs/sample_runs.h"

#include <QtTest>

#include <map>

using namespace partita;

namespace {

struct Point {
    QString source = "TensorRT-LLM 0.17 perf-overview";
    QString model = "Llama-3.1-8B";
    QString hardware = "H100-SXM-80GB";
    int devices = 1;
    QString layout = R"("tp": 1, "pp": 1, "weights_dtype": "fp8", "kv_dtype": "fp8")";
    QString workload = R"("batch": 4, "input_len": 128, "output_len": 64)";
    QString measured = R"("tokens_per_s": 500)";
    QString notes;
};

PublishedRun read(const Point& point)
{
    const QString row = QString(R"([{"id": "p", "source": "%1", "model": "%2", "hardware": "%3", "n_gpus": %4,
        "layout": {%5}, "workload": {%6}, "measured": {%7}, "notes": "%8"}])")
                            .arg(point.source, point.model, point.hardware)
                            .arg(point.devices)
                            .arg(point.layout, point.workload, point.measured, point.notes);
    return readPublishedRuns(row.toStdString())->runs.front();
}

ScoredRun score(const Point& point)
{
    return scoreServing(read(point), "file", presetCatalogue());
}

Scenario scenarioFor(const Point& point)
{
    return servingScenarioOf(read(point), presetCatalogue())->scenario;
}

} // namespace

class TestServingScenario : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void enginesAreKnownByTheirSources_data()
    {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("notes");
        QTest::addColumn<QString>("hardware");
        QTest::addColumn<QString>("stack");
        QTest::newRow("new TensorRT-LLM") << "TensorRT-LLM 0.20 perf-overview"
                                          << ""
                                          << "H200-SXM-141GB"
                                          << "tensorrt-llm";
        QTest::newRow("old TensorRT-LLM") << "TensorRT-LLM 0.9.0 perf-overview"
                                          << ""
                                          << "L40S"
                                          << "tensorrt-llm-0.9";
        QTest::newRow("by notes") << "LLM-Inference-Bench All_results.csv"
                                  << "vLLM; all devices"
                                  << "Nvidia H100 GPU"
                                  << "vllm-2024";
        QTest::newRow("by notes and device") << "LLM-Inference-Bench All_results.csv"
                                             << "vLLM; all devices"
                                             << "AMD MI300X GPU"
                                             << "vllm-rocm-2024";
        QTest::newRow("gpt-fast") << "gpt-fast README"
                                  << ""
                                  << "A100-80GB SXM, 330 W"
                                  << "gpt-fast";
    }

    void enginesAreKnownByTheirSources()
    {
        QFETCH(QString, source);
        QFETCH(QString, notes);
        QFETCH(QString, hardware);
        QFETCH(QString, stack);
        Point point;
        point.source = source;
        point.notes = notes;
        point.hardware = hardware;
        QCOMPARE(QString::fromStdString(scenarioFor(point).stack.id), stack);
    }

    void devicesAreFoundInPhrases_data()
    {
        QTest::addColumn<QString>("hardware");
        QTest::addColumn<QString>("accelerator");
        QTest::newRow("memory before form") << "A100-80GB SXM (SuperPOD node, NVSwitch)"
                                            << "a100-sxm-80gb";
        QTest::newRow("with a count") << "H200-SXM-141GBx8_TRT"
                                      << "h200-sxm-141gb";
        QTest::newRow("not part of a longer name") << "NVIDIA GB200"
                                                   << "gb200";
        QTest::newRow("short") << "B200"
                               << "b200-sxm";
    }

    void devicesAreFoundInPhrases()
    {
        QFETCH(QString, hardware);
        QFETCH(QString, accelerator);
        Point point;
        point.hardware = hardware;
        QCOMPARE(QString::fromStdString(scenarioFor(point).cluster.accelerator.id), accelerator);
    }

    void formatsAreReadFromWords()
    {
        Point point;
        point.source = "gpt-fast README";
        point.layout = R"w("tp": 1, "pp": 1, "weights_dtype": "int4 (group 32, weight only)", "kv_dtype": "bf16")w";
        const Serving serving = scenarioFor(point).serving;
        QCOMPARE(serving.weights, DataType::Int4);
        QCOMPARE(serving.weightGroup, std::int64_t{32});
        QCOMPARE(serving.quantised, QuantisedPart::LayersAndHead);
        QCOMPARE(serving.keyValues, KeyValueFormat::Bf16);
    }

    void aModelWithoutANameIsBuiltFromItsLayers()
    {
        Point point;
        point.source = "FasterTransformer gpt_guide";
        point.model = "GPT-89B (48 layers, 96 heads x 128)";
        point.layout = R"("tp": 8, "pp": 1, "weights_dtype": "fp16", "kv_dtype": "fp16")";
        point.hardware = "A100-80GB SXM";
        point.devices = 8;
        const Model model = scenarioFor(point).model;
        QCOMPARE(model.layerCount(), 48);
        QCOMPARE(model.hidden, std::int64_t{96 * 128});
    }

    void aBatchIsOfAllReplicasAndStages()
    {
        Point point;
        point.source = "FasterTransformer gpt_guide";
        point.layout = R"("tp": 2, "pp": 2, "dp": 2, "weights_dtype": "fp16", "kv_dtype": "fp16")";
        point.devices = 8;
        point.workload = R"("batch": 64, "input_len": 128, "output_len": 64)";
        const Serving serving = scenarioFor(point).serving;
        QCOMPARE(serving.batch, std::int64_t{16});
        QCOMPARE(serving.inFlight, std::int64_t{2});
        QCOMPARE(serving.batching, Batching::Static);
    }

    void clientsMakeBatchingContinuous()
    {
        Point point;
        point.notes = "batch = client concurrency";
        QCOMPARE(scenarioFor(point).serving.batching, Batching::Continuous);
    }

    void ratesFollowFromLatencies()
    {
        Point point;
        point.measured = R"("latency_ms": 512)";
        point.devices = 1;
        const ScoredRun row = score(point);
        QCOMPARE(row.measuredServing.tokensPerSecond, std::optional<double>(4 * 64 / 0.512));
        QVERIFY(row.skipped.empty());
        QVERIFY(row.serves);
        QVERIFY(!row.measuredServing.ttft);
        QVERIFY(row.predictedServing.ttft);
    }

    void whatCannotBeScoredSaysWhy_data()
    {
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("reason");
        QTest::newRow("model") << "model"
                               << "Mystery-9B"
                               << "not a known model";
        QTest::newRow("hardware") << "hardware"
                                  << "an abacus"
                                  << "not a known accelerator";
        QTest::newRow("engine") << "source"
                                << "somebody's blog"
                                << "names no known engine";
        QTest::newRow("lengths") << "workload"
                                 << R"("batch": 4)"
                                 << "does not state the lengths";
        QTest::newRow("layout") << "layout"
                                << R"("pp": 1, "weights_dtype": "fp8")"
                                << "layout.tp: is not stated";
        QTest::newRow("format") << "layout"
                                << R"("tp": 1, "weights_dtype": "morse")"
                                << "not a format of weights";
        QTest::newRow("measures") << "measured"
                                  << ""
                                  << "nothing measured";
        QTest::newRow("counts") << "notes"
                                << "INPUT tokens/s/GPU"
                                << "counts input tokens";
    }

    void whatCannotBeScoredSaysWhy()
    {
        QFETCH(QString, field);
        QFETCH(QString, value);
        QFETCH(QString, reason);
        Point point;
        const std::map<QString, QString*> fields{{"model", &point.model},   {"hardware", &point.hardware},
                                                 {"source", &point.source}, {"workload", &point.workload},
                                                 {"layout", &point.layout}, {"measured", &point.measured},
                                                 {"notes", &point.notes}};
        *fields.at(field) = value;
        const ScoredRun row = score(point);
        QVERIFY2(QString::fromStdString(row.skipped).contains(reason), row.skipped.c_str());
    }

    /// The errors that are promised, on the gathered points.
    void gatheredPointsArePredictedAsPromised()
    {
        const std::filesystem::path points = PARTITA_SHARED_DIR "/data/runs/serving.json";
        if (!std::filesystem::exists(points)) {
            QSKIP("no gathered points here");
        }
        const LoadedRuns loaded = loadRuns({points});
        std::map<std::string, std::vector<double>> errors;
        std::vector<ScoredRun> rows;
        for (const PublishedRun& run : loaded.files.front().runs) {
            rows.push_back(scoreServing(run, "serving", presetCatalogue()));
            const ScoredRun& row = rows.back();
            if (!row.skipped.empty() || !row.predictedServing.tokensPerSecond || !row.measuredServing.tokensPerSecond) {
                continue;
            }
            const Result<RunScenario> scenario = servingScenarioOf(run, presetCatalogue());
            QVERIFY2(serve(scenario->scenario).tpot >= serve(scenario->scenario).floor, run.id.c_str());
            const std::string& stack = scenario->scenario.stack.id;
            const bool named =
                stack.rfind("tensorrt-llm", 0) == 0 || stack == "fastertransformer" || stack == "gpt-fast";
            const bool isNvidia = scenario->scenario.cluster.accelerator.vendor == "NVIDIA";
            if (isNvidia && named) {
                const std::int64_t batch = run.serving->batch.value_or(0);
                errors[batch == 0       ? "saturated"
                           : batch <= 8 ? "small"
                                        : "static"]
                    .push_back(*row.predictedServing.tokensPerSecond / *row.measuredServing.tokensPerSecond - 1);
            }
        }
        QVERIFY(errors["small"].size() > 100 && errors["static"].size() > 100 && errors["saturated"].size() > 100);
        QVERIFY(errorStatistics(errors["small"]).mape < 0.12);
        QVERIFY(errorStatistics(errors["static"]).mape < 0.20);
        QVERIFY(errorStatistics(errors["saturated"]).mape < 0.25);
        const SourceScore all = scoreRuns(rows).overall;
        QVERIFY(all.layoutPairs > 500);
        QVERIFY(all.layoutPairsRight > 0.9 * all.layoutPairs);
    }
};

QTEST_GUILESS_MAIN(TestServingScenario)
#include "tst_serving_scenario.moc"
