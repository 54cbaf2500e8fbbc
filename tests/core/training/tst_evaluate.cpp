// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/units.h"
#include "core/formats/catalogue.h"
#include "core/scenario/rules.h"
#include "core/training/evaluate.h"
#include "core/training/flops.h"

#include <QtTest>

#include <random>

using namespace partita;

namespace {

const Catalogue& catalogue()
{
    static const Catalogue loaded = loadCatalogue({PARTITA_SOURCE_DIR "/presets"});
    return loaded;
}

Scenario scenarioOf(const char* model, const char* accelerator, int nodes, int tp, int pp, int dp)
{
    Scenario scenario;
    scenario.model = *catalogue().model(model);
    scenario.cluster = makeCluster(*catalogue().accelerator(accelerator), nodes, 8, catalogue());
    scenario.stack = *catalogue().stack("megatron-core");
    scenario.layout.tp = tp;
    scenario.layout.pp = pp;
    scenario.layout.dp = dp;
    scenario.layout.globalBatch = 32 * std::int64_t{dp};
    return scenario;
}

/// A legal scenario drawn at random: a model, a cluster, and a layout found by moving sliders.
Scenario randomScenario(std::mt19937& random)
{
    const auto pick = [&](auto... values) {
        const std::array list{values...};
        return list[std::uniform_int_distribution<std::size_t>(0, list.size() - 1)(random)];
    };
    const char* model = pick("llama-3.1-8b", "llama-3.1-70b", "mixtral-8x7b", "gpt3-175b", "qwen3-30b-a3b",
                             "deepseek-v2-lite", "mamba2-2.7b");
    const char* accelerator = pick("h100-sxm-80gb", "a100-sxm-80gb", "b200-sxm", "mi300x", "ascend-910b2");
    const int nodes = pick(1, 2, 8);
    Scenario scenario = scenarioOf(model, accelerator, nodes, 1, 1, 8 * nodes);
    scenario.stack = *catalogue().stack(pick("megatron-core", "megatron-lm-2022", "pytorch-fsdp", "nemo"));
    scenario.workload.sequenceLength = pick(1024, 4096, 8192);
    scenario.layout.zeroStage = pick(0, 1, 2, 3);
    scenario.layout.recompute = pick(Recompute::None, Recompute::Selective, Recompute::Full);
    for (const LayoutField field :
         {LayoutField::Tp, LayoutField::Pp, LayoutField::Cp, LayoutField::Ep, LayoutField::Vpp}) {
        const std::vector<std::int64_t> stops = legalStops(scenario, field);
        if (!stops.empty()) {
            scenario.layout = withField(scenario, field,
                                        stops[std::uniform_int_distribution<std::size_t>(0, stops.size() - 1)(random)]);
        }
    }
    scenario.layout.globalBatch = scenario.layout.microBatch * scenario.layout.dp * pick(1, 4, 16);
    return scenario;
}

} // namespace

class TestEvaluate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void randomScenariosAddUp()
    {
        std::mt19937 random(20261129);
        int legal = 0;
        for (int i = 0; i < 300; ++i) {
            const Scenario scenario = randomScenario(random);
            const Report report = evaluate(scenario);
            if (!report.legal()) {
                continue;
            }
            ++legal;
            QCOMPARE(report, evaluate(scenario));
            double sum = 0;
            for (double part : report.time.seconds) {
                QVERIFY(part >= 0);
                sum += part;
            }
            QVERIFY(std::abs(sum - report.stepTime) <= 1e-12 * report.stepTime);
            QVERIFY(report.stepTime >= report.timeline.makespan);
            QVERIFY(report.timeline.makespan >= report.timeline.ideal * (1 - 1e-12));
            double devicesShare = 0;
            for (const StageReport& stage : report.stages) {
                for (double bytes : stage.memory.bytes) {
                    QVERIFY(bytes >= 0);
                }
                devicesShare += stage.parameters;
            }
            // No split loses a parameter; the embedding may be held twice when tied.
            QVERIFY(devicesShare * scenario.layout.tp * scenario.layout.ep * scenario.layout.etp
                    >= static_cast<double>(report.parameters.total()) * (1 - 1e-9));
            QCOMPARE(report.tokensPerSecond * report.stepTime, report.tokensPerStep);
            QVERIFY(report.mfu.full >= report.mfu.causal && report.hfu.causal >= report.mfu.causal);
            QVERIFY(report.hfu.causal < 1);
            QCOMPARE(report.fits, report.peakMemory() <= report.memoryLimit);
        }
        QVERIFY(legal > 150);
    }

    void moreMemoryAndBandwidthNeverHurt()
    {
        std::mt19937 random(7);
        for (int i = 0; i < 120; ++i) {
            Scenario scenario = randomScenario(random);
            const Report before = evaluate(scenario);
            if (!before.legal()) {
                continue;
            }
            Scenario roomy = scenario;
            roomy.cluster.accelerator.memoryBytes *= 2;
            QVERIFY(!before.fits || evaluate(roomy).fits);
            for (Level& level : scenario.cluster.levels) {
                level.bandwidth *= 2;
            }
            QVERIFY(evaluate(scenario).stepTime <= before.stepTime * (1 + 1e-9));
        }
    }

    void flopsFollowTheParameters_data()
    {
        QTest::addColumn<QByteArray>("id");
        for (const char* id : {"llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b", "qwen3-32b"}) {
            QTest::newRow(id) << QByteArray(id);
        }
    }
    void flopsFollowTheParameters()
    {
        QFETCH(QByteArray, id);
        const Model& model = *catalogue().model(id.constData());
        constexpr std::int64_t sequence = 4096;
        const ModelParameters count = parameters(model);
        double vectors = 0; // weights that no product multiplies: norms
        for (int layer = 0; layer < model.layerCount(); ++layer) {
            const auto& attention = std::get<Attention>(model.layer(layer).mixer);
            vectors += attention.queryKeyNorm ? 2.0 * attention.headDim : 0;
        }
        const double multiplied =
            static_cast<double>(count.total() - count.embedding - count.finalNorm - count.layers.norms) - vectors;
        const ForwardFlops flops = forwardFlops(model, sequence);
        QCOMPARE(flops.products, 2 * multiplied * sequence);
        const auto& attention = std::get<Attention>(model.layer(0).mixer);
        const double width = static_cast<double>(attention.heads) * attention.headDim;
        QCOMPARE(flops.fullCore, 4.0 * sequence * sequence * width * model.layerCount());
        QVERIFY(std::abs(flops.causalCore / flops.fullCore - 0.5) < 1e-3);
    }

    /// Public guides' layouts: what fits in 80 GB, and what their own arithmetic says does not.
    void guidesLayoutsFitOrNot_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<int>("nodes");
        QTest::addColumn<int>("tp");
        QTest::addColumn<int>("pp");
        QTest::addColumn<int>("dp");
        QTest::addColumn<int>("vpp");
        QTest::addColumn<bool>("fits");
        QTest::newRow("70B on 8: 16 bytes a parameter are 141 GB a device")
            << QByteArray("llama-3.1-70b") << 1 << 8 << 1 << 1 << 1 << false;
        QTest::newRow("70B on 64") << QByteArray("llama-3.1-70b") << 8 << 8 << 8 << 1 << 1 << true;
        QTest::newRow("70B on 1024") << QByteArray("llama-3.1-70b") << 128 << 8 << 8 << 16 << 1 << true;
        QTest::newRow("405B on 64: 101 GB and activations")
            << QByteArray("llama-3.1-405b") << 8 << 8 << 8 << 1 << 1 << false;
        QTest::newRow("405B on 1024") << QByteArray("llama-3.1-405b") << 128 << 8 << 16 << 8 << 1 << true;
    }
    void guidesLayoutsFitOrNot()
    {
        QFETCH(QByteArray, model);
        QFETCH(int, nodes);
        QFETCH(int, tp);
        QFETCH(int, pp);
        QFETCH(int, dp);
        QFETCH(int, vpp);
        QFETCH(bool, fits);
        Scenario scenario = scenarioOf(model.constData(), "h100-sxm-80gb", nodes, tp, pp, dp);
        scenario.layout.vpp = vpp;
        const Report report = evaluate(scenario);
        QVERIFY2(report.legal(), report.legal() ? "" : describe(report.problems.front()).c_str());
        QCOMPARE(report.fits, fits);
    }

    void statesTakeSixteenBytesAParameter()
    {
        // Mixed-precision Adam, 16-bit gradients, nothing sharded but by TP: 16 x 70.6e9 / 8.
        Scenario scenario = scenarioOf("llama-3.1-70b", "h100-sxm-80gb", 1, 8, 1, 1);
        scenario.stack.gradientType = DataType::Bf16;
        const Report report = evaluate(scenario);
        const MemoryBreakdown& memory = report.stages[0].memory;
        const double states =
            memory[MemoryKind::Weights] + memory[MemoryKind::Gradients] + memory[MemoryKind::OptimizerStates];
        QVERIFY(std::abs(states / (16 * 70553706496.0 / 8) - 1) < 0.002); // norms are not split by TP
    }

    void expertsOfATrillionParametersDoNotFitOnANode()
    {
        Scenario scenario = scenarioOf("kimi-k2", "h100-sxm-80gb", 1, 1, 1, 8);
        scenario.layout.ep = 8;
        const Report report = evaluate(scenario);
        QVERIFY(report.legal());
        QVERIFY(!report.fits);
        QVERIFY(report.stages[0].memory[MemoryKind::Weights] / gibibyte > 230); // about 2 TB over 8
    }

    void optimizerStatesShrinkWithDataParallelism()
    {
        double before = 0;
        for (int dp : {1, 2, 4, 8}) {
            const Report report = evaluate(scenarioOf("llama-3.1-8b", "h100-sxm-80gb", dp, 8, 1, dp));
            const double states = report.stages[0].memory[MemoryKind::OptimizerStates];
            if (before > 0) {
                QCOMPARE(states * 2, before);
            }
            before = states;
        }
    }

    void shardsWithinANodeGatherFaster()
    {
        Scenario scenario = scenarioOf("llama-3.1-70b", "h100-sxm-80gb", 8, 1, 1, 64);
        scenario.layout.zeroStage = 3;
        scenario.layout.globalBatch = 256;
        scenario.workload.sequenceLength = 1024;
        const Report whole = evaluate(scenario);
        scenario.layout.shardGroup = 8;
        const Report hybrid = evaluate(scenario);
        QVERIFY(hybrid.time[TimeKind::DpExposed] < whole.time[TimeKind::DpExposed]);
        QVERIFY(hybrid.stages[0].memory[MemoryKind::OptimizerStates]
                > 7 * whole.stages[0].memory[MemoryKind::OptimizerStates]);
    }

    void everyProblemIsNamed()
    {
        Scenario scenario = scenarioOf("llama-3.1-70b", "h100-sxm-80gb", 8, 3, 7, 5);
        scenario.layout.globalBatch = 7;
        const Report report = evaluate(scenario);
        QVERIFY(report.problems.size() >= 3);
        for (const Problem& problem : report.problems) {
            QVERIFY(!problem.field.empty() && !problem.message.empty());
        }
        QVERIFY(report.stages.empty());
        QCOMPARE(report.parameters.total(), std::int64_t{70553706496});
    }
};

QTEST_GUILESS_MAIN(TestEvaluate)
#include "tst_evaluate.moc"
