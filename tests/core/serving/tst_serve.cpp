// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serving/serve.h"
#include "core/serving/step_time.h"
#include "tests/core/serving/served.h"

#include <QtTest>

using namespace partita;

namespace {

/// Software that adds nothing, on a device whose kernels reach its peaks and whose links cost nothing.
Scenario ideal(Scenario scenario)
{
    Accelerator& device = scenario.cluster.accelerator;
    device.kernels.gemmEfficiency = device.kernels.fp8Efficiency = device.kernels.memoryEfficiency = 1;
    device.kernels.attentionForward = 1;
    device.kernels.launch = device.kernels.exposure = 0;
    device.kernels.gemmKHalf = device.kernels.gemmTileFeed = device.kernels.gemmWaveLoss = 0;
    Engine& engine = scenario.stack.engine;
    engine = Engine{};
    engine.hostPerKernel = engine.hostPerStep = engine.hostPerSequence = engine.hostPerPrefill = 0;
    engine.keyValueRate = engine.int8Rate = engine.int4Rate = 1;
    engine.communication = 0;
    return scenario;
}

} // namespace

class TestServe : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aDecodeStepReadsWeightsAndKeys_data()
    {
        QTest::addColumn<int>("batch");
        QTest::addColumn<double>("milliseconds");
        // JAX scaling book, inference: Llama 2 13B in 16 bit on 8 TPU v5e (6.5 TiB/s), 8192 tokens a sequence.
        QTest::newRow("1") << 1 << 4.98;
        QTest::newRow("8") << 8 << 12.13;
        QTest::newRow("16") << 16 << 20.30;
        QTest::newRow("32") << 32 << 36.65;
        QTest::newRow("64") << 64 << 69.33;
        QTest::newRow("240") << 240 << 249.09;
    }

    void aDecodeStepReadsWeightsAndKeys()
    {
        QFETCH(int, batch);
        QFETCH(double, milliseconds);
        Scenario scenario = served("llama-2-13b", "tpu-v5e", 8);
        constexpr double bandwidth = 6.5705e12; // the book's rounded "6.5 TiB/s", as its six results imply it
        scenario.cluster.accelerator.memoryBandwidth = bandwidth / 8;
        StepWork work;
        work.decoding = batch;
        work.context = 8192;
        const double seconds = StepModel(scenario).floor(work);
        // The book reads the embedding through with the other weights.
        const double embedding = 2.0 * 32000 * 5120 / bandwidth;
        QVERIFY2(std::abs(1e3 * (seconds + embedding) - milliseconds) < 0.01,
                 qPrintable(QString::number(1e3 * (seconds + embedding))));
    }

    /// JAX scaling book, inference: 30e9 weights in INT8 with 16-bit products, 100 kB of keys and values a token,
    /// 8192 tokens a sequence, on 16 TPU v5e: 2.5 ms at batch 4, 21 ms at batch 256.
    void aBatchTurnsFromWeightsToProducts_data()
    {
        QTest::addColumn<int>("batch");
        QTest::addColumn<double>("milliseconds");
        QTest::newRow("4") << 4 << 1e3 * (30e9 + 4 * 8192 * 100e3) / (16 * 8.1e11);
        QTest::newRow("256") << 256 << 1e3 * (2 * 256 * 30e9 / (16 * 1.97e14) + 256 * 8192 * 100e3 / (16 * 8.1e11));
    }

    void aBatchTurnsFromWeightsToProducts()
    {
        QFETCH(int, batch);
        QFETCH(double, milliseconds);
        Scenario scenario = served("llama-2-13b", "tpu-v5e", 16);
        scenario.cluster.accelerator.memoryBandwidth = 8.1e11;
        scenario.cluster.accelerator.peak.bf16 = 1.97e14;
        scenario.cluster.accelerator.peak.fp8 = 0;
        Model& model = scenario.model;
        model.hidden = 8000;
        model.vocabulary = 16;
        Attention attention;
        attention.heads = 64;
        attention.kvHeads = 16;
        attention.headDim = 125;
        DenseFfn ffn;
        ffn.width = 65000;
        ffn.gated = false;
        model.kinds = {{attention, ffn, 2}};
        model.layers.assign(25, 0);
        scenario.serving.weights = DataType::Int8;
        scenario.serving.keyValues = KeyValueFormat::Int8;
        StepWork work;
        work.decoding = batch;
        work.context = 8192;
        // The book adds the keys' time to the products' and leaves out what activations move: 1.4 ms at batch 256.
        const double seconds = StepModel(ideal(scenario)).time(work).total();
        QVERIFY2(1e3 * seconds > milliseconds && 1e3 * seconds < 1.08 * milliseconds,
                 qPrintable(QString::number(1e3 * seconds)));
    }

    void softwareWithoutFaultsReachesTheFloor()
    {
        Scenario scenario = ideal(served("llama-3.1-8b", "h100-sxm-80gb", 1));
        StepWork work;
        work.decoding = 1;
        work.context = 1000;
        const StepModel steps(scenario);
        QVERIFY(steps.time(work).total() >= steps.floor(work));
        QVERIFY(steps.time(work).total() < 1.02 * steps.floor(work));
    }

    void nothingBeatsTheFloor_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("tp");
        QTest::addColumn<int>("pp");
        QTest::addColumn<int>("ep");
        QTest::newRow("dense") << "llama-3.1-70b" << 8 << 1 << 1;
        QTest::newRow("pipeline") << "llama-3.1-70b" << 4 << 2 << 1;
        QTest::newRow("experts by tensor") << "mixtral-8x7b" << 8 << 1 << 1;
        QTest::newRow("experts by rank") << "mixtral-8x7b" << 8 << 1 << 8;
        QTest::newRow("latent") << "deepseek-v2-lite" << 4 << 1 << 4;
        QTest::newRow("windows") << "gpt-oss-120b" << 8 << 1 << 8;
        QTest::newRow("hybrid") << "jamba-v0.1" << 8 << 1 << 1;
        QTest::newRow("state space") << "mamba2-2.7b" << 8 << 1 << 1;
        QTest::newRow("gated delta") << "qwen3-next-80b-a3b" << 8 << 1 << 8;
    }

    void nothingBeatsTheFloor()
    {
        QFETCH(QString, model);
        QFETCH(int, tp);
        QFETCH(int, pp);
        QFETCH(int, ep);
        Scenario scenario = served(model.toUtf8().constData(), "h200-sxm-141gb", tp, pp);
        scenario.layout.ep = ep;
        for (const DataType type : {DataType::Bf16, DataType::Fp8, DataType::Int4, DataType::NvFp4}) {
            scenario.serving.weights = type;
            for (const std::int64_t batch : {1, 8, 64, 512}) {
                scenario.serving.batch = batch;
                const ServingReport report = serve(scenario);
                QVERIFY2(report.legal(), report.legal() ? "" : describe(report.problems.front()).c_str());
                QVERIFY(report.tpot >= report.floor);
                QVERIFY(std::abs(report.time.total() - report.tpot) < 1e-9 * report.tpot);
            }
        }
    }

    void aLargerBatchIsSlowerATokenAndFasterInAll_data() { nothingBeatsTheFloor_data(); }

    void aLargerBatchIsSlowerATokenAndFasterInAll()
    {
        QFETCH(QString, model);
        QFETCH(int, tp);
        QFETCH(int, pp);
        QFETCH(int, ep);
        for (const Batching batching : {Batching::Continuous, Batching::Static}) {
            Scenario scenario = served(model.toUtf8().constData(), "h200-sxm-141gb", tp, pp);
            scenario.layout.ep = ep;
            scenario.serving.batching = batching;
            double tpot = 0;
            double rate = 0;
            for (std::int64_t batch = 1; batch <= 512; batch += batch < 32 ? 1 : 17) {
                scenario.serving.batch = batch;
                const ServingReport report = serve(scenario);
                QVERIFY(report.legal());
                QVERIFY2(report.tpot >= tpot * (1 - 1e-9), qPrintable(QString("batch %1").arg(batch)));
                // A row more than fills whole tiles starts new ones: a step, as measured products have it.
                constexpr double tileStep = 0.05;
                QVERIFY2(report.tokensPerSecond >= rate * (1 - tileStep), qPrintable(QString("batch %1").arg(batch)));
                tpot = report.tpot;
                rate = std::max(rate, report.tokensPerSecond);
            }
        }
    }

    void pipelinesNeverShortenARequest()
    {
        for (const std::int64_t batch : {1, 4, 32, 128}) {
            double before = 0;
            for (const int pp : {1, 2, 4, 8}) {
                Scenario scenario = served("llama-3.1-8b", "h100-sxm-80gb", 1, pp);
                scenario.serving.batch = batch;
                const ServingReport report = serve(scenario);
                QVERIFY(report.decodeStep >= before);
                before = report.decodeStep;
            }
        }
    }

    void replicasMultiplyTheRateAndNothingElse()
    {
        const ServingReport one = serve(served("llama-3.1-70b", "h100-sxm-80gb", 4, 1, 1));
        const ServingReport two = serve(served("llama-3.1-70b", "h100-sxm-80gb", 4, 1, 2));
        QCOMPARE(two.tpot, one.tpot);
        QCOMPARE(two.tokensPerSecond, 2 * one.tokensPerSecond);
        QCOMPARE(two.maxConcurrency, 2 * one.maxConcurrency);
    }

    void tensorParallelismHitsTheLatencyOfEthernet()
    {
        Scenario inside = served("llama-3.1-70b", "h100-sxm-80gb", 8);
        inside.serving.batch = 32;
        Scenario outside = inside;
        outside.cluster.levels = {shippedPresets().link("ethernet-100")->level};
        outside.cluster.levels.front().bandwidth = 50e9; // 400 Gb/s
        outside.cluster.levels.front().domain = 0;
        const ServingReport fast = serve(inside);
        const ServingReport slow = serve(outside);
        // 160 all-reduces of half a mebibyte each.
        QVERIFY(slow.time[TimeKind::TpExposed] > 5 * fast.time[TimeKind::TpExposed]);
        QVERIFY(slow.tpot > 1.5 * fast.tpot);
    }

    void speculationIsWorthItsAcceptance()
    {
        Scenario scenario = served("llama-3.1-70b", "h100-sxm-80gb", 8);
        scenario.serving.batch = 1;
        const double alone = serve(scenario).tpot;
        scenario.serving.draftTokens = 3;
        scenario.serving.acceptance = 0.8;
        const double speculating = serve(scenario).tpot;
        const double tokens = (1 - std::pow(0.8, 4)) / (1 - 0.8);
        QVERIFY(speculating < alone);
        QVERIFY(speculating > alone / tokens);
    }

    void separatePrefillDoesNotDisturbDecoding()
    {
        Scenario together = served("llama-3.1-70b", "h100-sxm-80gb", 4, 1, 2);
        Scenario apart = together;
        apart.serving.prefillReplicas = 1;
        const ServingReport mixed = serve(together);
        const ServingReport separate = serve(apart);
        QVERIFY(separate.tpot < mixed.tpot);
        apart.serving.prefillReplicas = 2;
        QCOMPARE(QString::fromStdString(serve(apart).problems.front().field), "serving.prefill_replicas");
    }

    void everyProblemIsNamedAtOnce()
    {
        Scenario scenario = served("llama-3.1-70b", "h100-sxm-80gb", 8);
        scenario.layout.tp = 3;
        scenario.serving.prompt = 0;
        scenario.serving.output = -1;
        const ServingReport report = serve(scenario);
        QStringList fields;
        for (const Problem& problem : report.problems) {
            fields << QString::fromStdString(problem.field);
        }
        QVERIFY(fields.contains("layout.tp"));
        QVERIFY(fields.contains("serving.prompt"));
        QVERIFY(fields.contains("serving.output"));
    }

    void whatOnlyTrainingAsksForDoesNotMatter()
    {
        Scenario scenario = served("llama-3.1-70b", "h100-sxm-80gb", 8);
        scenario.layout.globalBatch = 7;
        scenario.layout.microBatch = 3;
        scenario.layout.vpp = 4;
        scenario.layout.zeroStage = 3;
        scenario.layout.schedule = ScheduleKind::DualPipe;
        QVERIFY(serve(scenario).legal());
    }
};

QTEST_APPLESS_MAIN(TestServe)
#include "tst_serve.moc"
