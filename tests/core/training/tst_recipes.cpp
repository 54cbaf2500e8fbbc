// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/catalogue.h"
#include "core/training/evaluate.h"
#include "core/training/memory.h"
#include "core/training/stage_plan.h"

#include <QtTest>

using namespace partita;

namespace {

const Catalogue& catalogue()
{
    static const Catalogue loaded = loadCatalogue({PARTITA_SOURCE_DIR "/presets"});
    return loaded;
}

Scenario onHoppers(const char* model, const char* stack, int nodes)
{
    Scenario scenario;
    scenario.model = *catalogue().model(model);
    scenario.cluster = makeCluster(*catalogue().accelerator("h100-sxm-80gb"), nodes, 8, catalogue());
    scenario.stack = *catalogue().stack(stack);
    scenario.layout.dp = 8 * nodes;
    scenario.layout.globalBatch = std::int64_t{32} * nodes;
    return scenario;
}

double held(const Report& report, MemoryKind kind)
{
    return report.stages.front().memory[kind];
}

bool close(double a, double b, double tolerance)
{
    return std::abs(a - b) <= tolerance * std::abs(b);
}

} // namespace

/// What is trained, kept and computed again beside the plain recipe.
class TestRecipes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Llama 3 8B, rank 16 on the fused QKV, output, fused gate and up, and down matrices of 32 layers.
    void adaptersAreAllThatIsTrained()
    {
        Scenario scenario = onHoppers("llama-3.1-8b", "megatron-core", 1);
        scenario.layout.zeroStage = 0;
        const Report full = evaluate(scenario);
        scenario.workload.training = Training::Lora;
        const Report lora = evaluate(scenario);
        const double perLayer = 16.0 * ((4096 + 6144) + (4096 + 4096) + (4096 + 28672) + (14336 + 4096));
        const double adapters = 32 * perLayer;
        QVERIFY(close(held(lora, MemoryKind::Gradients), 4 * adapters, 1e-12));
        QVERIFY(close(held(lora, MemoryKind::OptimizerStates), 12 * adapters, 1e-12));
        QVERIFY(close(held(lora, MemoryKind::Weights), 2 * (8'030'261'248.0 + adapters), 1e-9));
        QVERIFY(lora.stepTime < full.stepTime);
        // Two of three products of the frozen weights are left.
        QVERIFY(lora.stages.front().backwardWeight < 0.1 * full.stages.front().backwardWeight);
        QVERIFY(lora.stages.front().forward > full.stages.front().forward);
        QVERIFY(close(lora.modelFlopsPerStep, full.modelFlopsPerStep * 2 / 3, 0.1));
        QVERIFY(lora.mfu.causal < 1);
    }

    void adaptersOfNoRankAreRefused()
    {
        for (const int rank : {0, -8}) {
            Scenario scenario = onHoppers("llama-3.1-8b", "megatron-core", 1);
            scenario.workload.training = Training::Lora;
            scenario.workload.adapterRank = rank;
            const Report report = evaluate(scenario);
            QVERIFY(!report.legal());
            QCOMPARE(report.problems.front().field, std::string("workload.adapter_rank"));
        }
    }

    /// arXiv:2305.14314: 4.127 bits a frozen weight; embedding and head stay in 16 bit.
    void fourBitBasesAreWidenedForEveryProduct()
    {
        Scenario scenario = onHoppers("llama-3.1-8b", "megatron-core", 1);
        scenario.layout.zeroStage = 0;
        scenario.workload.training = Training::Lora;
        const Report lora = evaluate(scenario);
        scenario.workload.training = Training::QLora;
        const Report qlora = evaluate(scenario);
        const double embeddings = 2.0 * 128256 * 4096 + 4096;
        const double saved = (8'030'261'248.0 - embeddings) * (2 - 4.127 / 8);
        QVERIFY(close(held(lora, MemoryKind::Weights) - held(qlora, MemoryKind::Weights), saved, 1e-4));
        QVERIFY(qlora.time[TimeKind::Elementwise] > lora.time[TimeKind::Elementwise]);
        QVERIFY(qlora.stepTime > lora.stepTime);
    }

    void moreRecomputationKeepsLessAndTakesLonger_data()
    {
        QTest::addColumn<QString>("model");
        for (const char* model : {"llama-3.1-8b", "qwen3-30b-a3b", "deepseek-v2-lite"}) {
            QTest::newRow(model) << QString::fromLatin1(model);
        }
    }

    void moreRecomputationKeepsLessAndTakesLonger()
    {
        QFETCH(QString, model);
        Scenario scenario = onHoppers(qPrintable(model), "megatron-core", 1);
        double activations = std::numeric_limits<double>::infinity();
        double time = 0;
        for (const Recompute recompute : {Recompute::None, Recompute::PerOperator, Recompute::Full}) {
            scenario.layout.recompute = recompute;
            const Report report = evaluate(scenario);
            QVERIFY(held(report, MemoryKind::Activations) < activations);
            QVERIFY(report.stepTime > time);
            QVERIFY(report.hfu.causal >= report.mfu.causal);
            activations = held(report, MemoryKind::Activations);
            time = report.stepTime;
        }
    }

    /// Llama 3 8B in torchtitan's benchmark (2 sequences of 8192 on each of 8 devices): 77 GiB reserved, 16,384 tokens
    /// kept as input, every second product's output and the core's result.
    void perOperatorRecomputationKeepsHalfTheProducts()
    {
        Scenario scenario = onHoppers("llama-3.1-8b", "torchtitan", 1);
        scenario.workload.sequenceLength = 8192;
        scenario.layout.microBatch = 2;
        scenario.layout.globalBatch = 16;
        scenario.layout.zeroStage = 3;
        scenario.layout.recompute = Recompute::PerOperator;
        const Report report = evaluate(scenario);
        const double outputs = 6144 + 4096 + 28672 + 4096;
        const double perToken = 2 * (4096 + outputs / 2 + 4096);
        QVERIFY(close(held(report, MemoryKind::Activations), 32 * 16384 * perToken, 0.02));
    }

    void offloadedStatesLeaveTheDeviceAndCostTime()
    {
        Scenario scenario = onHoppers("llama-3.1-8b", "megatron-core", 1);
        const Report onDevice = evaluate(scenario);
        double time = onDevice.stepTime;
        for (const double share : {0.25, 0.5, 1.0}) {
            scenario.workload.offloadedStates = share;
            const Report report = evaluate(scenario);
            QVERIFY(close(held(report, MemoryKind::OptimizerStates) + 1,
                          held(onDevice, MemoryKind::OptimizerStates) * (1 - share) + 1, 1e-9));
            QVERIFY(report.time[TimeKind::Optimizer] > 0);
            QVERIFY(report.stepTime > time);
            time = report.stepTime;
        }
    }

    void storageIsChosenApartFromCompute()
    {
        Scenario scenario = onHoppers("llama-3.1-8b", "megatron-core", 1);
        scenario.stack.fp8WeightCopies = 0;
        scenario.workload.precision = Precision::Fp8;
        const Report wide = evaluate(scenario);
        scenario.workload.weights = WeightStorage::Fp8;
        const Report narrow = evaluate(scenario);
        const double layers = 8'030'261'248.0 - 2.0 * 128256 * 4096 - 4096;
        QVERIFY(close(held(wide, MemoryKind::Weights) - held(narrow, MemoryKind::Weights), layers, 1e-9));
        QVERIFY(narrow.stepTime <= wide.stepTime);
        scenario.stack.fp8WeightCopies = 2; // row- and column-wise: no smaller than 16 bit
        QCOMPARE(held(evaluate(scenario), MemoryKind::Weights), held(wide, MemoryKind::Weights));
        scenario.workload.gradients = GradientStorage::Bf16;
        QVERIFY(close(held(evaluate(scenario), MemoryKind::Gradients), held(wide, MemoryKind::Gradients) / 2, 1e-12));
    }

    void rowWiseScalesCostMoreThanOnePerTensor()
    {
        Scenario scenario = onHoppers("llama-3.1-8b", "torchtitan", 1);
        scenario.layout.zeroStage = 3;
        const double bf16 = evaluate(scenario).stepTime;
        scenario.workload.precision = Precision::Fp8Row;
        const double rows = evaluate(scenario).stepTime;
        scenario.workload.precision = Precision::Fp8;
        const double tensor = evaluate(scenario).stepTime;
        QVERIFY(tensor < rows);
        QVERIFY(rows < bf16);
    }

    void gatheredWeightsStayUnderPipelinesWhereTheStackKeepsThem()
    {
        Scenario scenario = onHoppers("llama-3.1-8b", "torchtitan", 1);
        scenario.layout.pp = 2;
        scenario.layout.dp = 4;
        scenario.layout.zeroStage = 3;
        const Report kept = evaluate(scenario);
        scenario.stack.keepsGathered = false;
        const Report dropped = evaluate(scenario);
        QVERIFY(close(held(kept, MemoryKind::Gradients), 4 * held(dropped, MemoryKind::Gradients), 1e-12));
        QCOMPARE(held(kept, MemoryKind::OptimizerStates), held(dropped, MemoryKind::OptimizerStates));
        QVERIFY(held(kept, MemoryKind::Weights) > held(dropped, MemoryKind::Weights));
    }

    /// arXiv:2412.19437 section 2.1.2: a token goes to at most 4 of 8 nodes; sent to each once, 4 copies of 8 cross.
    void nodeLimitedDispatchSendsHalfTheCopies()
    {
        Stack stack;
        GroupSpan span;
        span.members = {8, 64};
        Exchange exchange;
        exchange.copies = 8;
        exchange.nodes = 4;
        QCOMPARE(dispatchShares(stack, exchange, span).sent, 1.0);
        QCOMPARE(dispatchShares(stack, exchange, span).beyondNode, 1.0);
        stack.sendsOncePerNode = true;
        const auto crossing = [&] {
            const DispatchShares shares = dispatchShares(stack, exchange, span);
            return shares.sent * shares.beyondNode;
        };
        QCOMPARE(crossing(), 0.5);
        exchange.nodes = 0; // 8 draws of 8 nodes reach 5.25 of them, of 64 devices 7.57
        QVERIFY(close(crossing(), 1 - std::pow(7.0 / 8, 8), 1e-12));
        QVERIFY(close(8 * dispatchShares(stack, exchange, span).sent, 64 * (1 - std::pow(63.0 / 64, 8)), 1e-12));
        exchange.copies = 1;
        QCOMPARE(crossing(), 1.0);
    }

    /// Megatron-Core's recompute module "moe": the mixtures run again, exchanges included, and keep their input alone.
    void expertsAreComputedAgainByThemselves()
    {
        Scenario scenario = onHoppers("qwen3-30b-a3b", "megatron-core", 2);
        scenario.layout.ep = 16;
        const Report none = evaluate(scenario);
        scenario.layout.recompute = Recompute::Experts;
        const Report experts = evaluate(scenario);
        scenario.layout.recompute = Recompute::Full;
        const Report full = evaluate(scenario);
        QVERIFY(none.stepTime < experts.stepTime && experts.stepTime < full.stepTime);
        QVERIFY(held(none, MemoryKind::Activations) > held(experts, MemoryKind::Activations));
        QVERIFY(held(experts, MemoryKind::Activations) > held(full, MemoryKind::Activations));
        QVERIFY(close(experts.time[TimeKind::EpExposed] / none.time[TimeKind::EpExposed], 1.5, 1e-9));
        const auto more = [](const Report& report) { return report.hfu.full / report.mfu.full; };
        QVERIFY(more(none) < more(experts) && more(experts) < more(full));
        scenario.layout.recompute = Recompute::Experts;
        scenario.model = *catalogue().model("llama-3.1-8b");
        scenario.layout.ep = 1;
        const Report dense = evaluate(scenario);
        QVERIFY(!dense.problems.empty());
        QCOMPARE(dense.problems.front().field, std::string("layout.recompute"));
    }

    /// Kernels an expert: fuller with fewer experts a device, free of the host in a graph.
    void productsLaunchedPerExpertCostMoreTheMoreExpertsThereAre()
    {
        const auto slower = [](int ep) {
            Scenario scenario = onHoppers("qwen3-30b-a3b", "megatron-core", 8);
            scenario.layout.ep = ep;
            const double grouped = evaluate(scenario).stepTime;
            scenario.stack.launchesPerExpert = true;
            return evaluate(scenario).stepTime - grouped;
        };
        QVERIFY(slower(4) > slower(16));
        QVERIFY(slower(16) > 0);
    }

    /// NVIDIA-NeMo/Megatron-Bridge, DeepSeek-V3 on 16 chunks: four layers each, the last one beside module and loss.
    void predictionModulesTakeTheRoomOfLayers()
    {
        Scenario scenario = onHoppers("deepseek-v3", "megatron-core", 32);
        scenario.layout.pp = 16;
        scenario.layout.dp = 16;
        std::vector<int> expected(16, 4);
        expected.back() = 1;
        QCOMPARE(layersPerChunk(scenario), expected);
    }

    /// DeepSeek-V3: the module is a layer, a projection of two hidden states and the head again, on the last stage.
    void predictionModulesCostALayerAndAHead()
    {
        Scenario scenario = onHoppers("deepseek-v3", "megatron-core", 16);
        scenario.layout.pp = 4;
        scenario.layout.dp = 32;
        scenario.layout.ep = 32;
        scenario.layout.layersPerStage = {16, 16, 16, 13};
        QVERIFY(scenario.model.multiTokenPrediction == 1);
        const Report with = evaluate(scenario);
        scenario.model.multiTokenPrediction = 0;
        const Report without = evaluate(scenario);
        QVERIFY2(with.legal(), with.legal() ? "" : with.problems.front().message.c_str());
        QCOMPARE(with.stages.front().forward, without.stages.front().forward);
        QVERIFY(with.stages.back().forward > without.stages.back().forward);
        const double more = with.stages.back().parameters - without.stages.back().parameters;
        const double sharedEmbedding = 129280.0 * 7168;
        const double layer = 256.0 / 32 * 3 * 7168 * 2048; // experts of this device alone
        QVERIFY(more > sharedEmbedding + layer && more < sharedEmbedding + 2 * layer);
        QVERIFY(with.modelFlopsPerStep > without.modelFlopsPerStep);
    }
};

QTEST_APPLESS_MAIN(TestRecipes)
#include "tst_recipes.moc"
