// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/catalogue.h"
#include "core/search/balance_stages.h"
#include "core/training/evaluate.h"
#include "core/training/stage_plan.h"

#include <QtTest>

#include <numeric>
#include <random>

using namespace partita;

namespace {

struct Cost {
    std::vector<double> layers;
    std::vector<double> perChunk; ///< what a chunk costs besides its layers
    std::vector<double> weight; ///< of a layer in that chunk

    double operator()(int chunk, int first, int count) const
    {
        const auto i = static_cast<std::size_t>(chunk);
        return perChunk[i] + weight[i] * std::accumulate(layers.begin() + first, layers.begin() + first + count, 0.0);
    }
};

struct Score {
    double most = 0;
    double squares = 0;
};

Score score(const std::vector<int>& split, const RangeCost& cost)
{
    Score result;
    int first = 0;
    for (std::size_t chunk = 0; chunk < split.size(); ++chunk) {
        const double one = cost(static_cast<int>(chunk), first, split[chunk]);
        result.most = std::max(result.most, one);
        result.squares += one * one;
        first += split[chunk];
    }
    return result;
}

/// Of every way there is.
Score bruteForce(int layers, int chunks, const RangeCost& cost)
{
    Score best{1e300, 1e300};
    std::vector<int> split(static_cast<std::size_t>(chunks), 0);
    const std::function<void(std::size_t, int)> place = [&](std::size_t chunk, int left) {
        if (chunk + 1 == split.size()) {
            split[chunk] = left;
            const Score one = score(split, cost);
            if (one.most < best.most || (one.most == best.most && one.squares < best.squares)) {
                best = one;
            }
            return;
        }
        for (int count = 0; count <= left; ++count) {
            split[chunk] = count;
            place(chunk + 1, left - count);
        }
    };
    place(0, layers);
    return best;
}

Scenario scenarioWith(const std::string& model, int pp, int vpp, ScheduleKind kind)
{
    static const Catalogue catalogue = loadCatalogue({PARTITA_SOURCE_DIR "/presets"});
    Scenario scenario;
    scenario.model = *catalogue.model(model);
    scenario.cluster = makeCluster(*catalogue.accelerator("h100-sxm-80gb"), pp, 8, catalogue);
    scenario.workload.sequenceLength = 4096;
    scenario.layout.tp = 8;
    scenario.layout.pp = pp;
    scenario.layout.vpp = vpp;
    scenario.layout.globalBatch = 32;
    scenario.layout.schedule = kind;
    return scenario;
}

double slowestStage(const Report& report)
{
    double most = 0;
    for (const StageReport& stage : report.stages) {
        most = std::max(most, stage.forward + stage.backwardInput + stage.backwardWeight);
    }
    return most;
}

} // namespace

class TestBalanceStages : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void noSplitOfAllBeatsIt()
    {
        std::mt19937 random(11);
        for (int trial = 0; trial < 300; ++trial) {
            const int layers = static_cast<int>(random() % 9);
            const int chunks = 1 + static_cast<int>(random() % 4);
            Cost cost;
            for (int i = 0; i < layers; ++i) {
                cost.layers.push_back(static_cast<double>(random() % 8)); // some layers cost nothing
            }
            for (int i = 0; i < chunks; ++i) {
                cost.perChunk.push_back(trial % 2 == 0 ? 0 : static_cast<double>(random() % 12));
                cost.weight.push_back(trial % 3 == 0 ? static_cast<double>(1 + random() % 4) : 1);
            }
            const std::vector<int> split = balanceRanges(layers, chunks, cost);
            QCOMPARE(split.size(), static_cast<std::size_t>(chunks));
            QVERIFY(std::all_of(split.begin(), split.end(), [](int count) { return count >= 0; }));
            QCOMPARE(std::accumulate(split.begin(), split.end(), 0), layers);
            const Score got = score(split, cost);
            const Score best = bruteForce(layers, chunks, cost);
            QCOMPARE(got.most, best.most);
            QCOMPARE(got.squares, best.squares); // whole numbers: exact
        }
    }

    void equalLayersSpreadEvenly()
    {
        const auto cost = [](int, int, int count) { return static_cast<double>(count); };
        QCOMPARE(balanceRanges(80, 8, cost), std::vector<int>(8, 10));
        std::vector<int> split = balanceRanges(10, 4, cost);
        std::sort(split.begin(), split.end());
        QCOMPARE(split, (std::vector<int>{2, 2, 3, 3}));
    }

    void balancingAModelHelpsAndKeepsItsLayers_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("pp");
        QTest::addColumn<int>("vpp");
        QTest::addColumn<ScheduleKind>("kind");
        QTest::newRow("large vocabulary") << "llama-3.1-8b" << 4 << 1 << ScheduleKind::OneFOneB;
        QTest::newRow("deep") << "llama-3.1-70b" << 8 << 1 << ScheduleKind::OneFOneB;
        QTest::newRow("interleaved") << "llama-3.1-70b" << 4 << 4 << ScheduleKind::Interleaved;
        QTest::newRow("V") << "llama-3.1-70b" << 4 << 2 << ScheduleKind::ZbV;
        QTest::newRow("two copies") << "llama-3.1-70b" << 4 << 1 << ScheduleKind::DualPipe;
        QTest::newRow("dense then experts") << "deepseek-v3" << 16 << 1 << ScheduleKind::OneFOneB;
    }
    void balancingAModelHelpsAndKeepsItsLayers()
    {
        QFETCH(QString, model);
        QFETCH(int, pp);
        QFETCH(int, vpp);
        QFETCH(ScheduleKind, kind);
        const Scenario even = scenarioWith(model.toStdString(), pp, vpp, kind);
        const Report before = evaluate(even);
        QVERIFY(before.legal());
        for (const auto& by : Names<BalanceBy>::table) {
            Scenario balanced = even;
            balanced.layout.layersPerStage = balanceStages(even, by.value);
            const std::vector<int> split = balanced.layout.layersPerStage;
            QCOMPARE(split.size(), static_cast<std::size_t>(pp * vpp));
            QCOMPARE(std::accumulate(split.begin(), split.end(), 0), even.model.layerCount());
            const Report after = evaluate(balanced);
            QVERIFY(after.legal());
            if (vpp == 1 && kind == ScheduleKind::OneFOneB) { // a rank is a chunk: nothing can be worse than even
                const bool better = by.value == BalanceBy::Time
                    ? slowestStage(after) <= slowestStage(before) * (1 + 1e-12)
                    : after.peakMemory() <= before.peakMemory() * (1 + 1e-12);
                QVERIFY(better);
            }
            balanced.layout.layersPerStage.front() += 1; // what it starts from does not matter
            balanced.layout.layersPerStage.back() -= 1;
            QCOMPARE(balanceStages(balanced, by.value), split);
        }
    }

    void byTimeTheHeadTakesTheRoomOfLayers()
    {
        const Scenario even = scenarioWith("llama-3.1-8b", 4, 1, ScheduleKind::OneFOneB);
        const std::vector<int> split = balanceStages(even, BalanceBy::Time);
        QVERIFY(split.back() < split[1]); // 128,256 rows of logits cost about as much as two layers
    }

    void byMemoryTheFirstStageOf1F1BHoldsFewestLayers()
    {
        const Scenario even = scenarioWith("llama-3.1-70b", 8, 1, ScheduleKind::OneFOneB);
        const std::vector<int> split = balanceStages(even, BalanceBy::Memory);
        QVERIFY(split[0] < split[6]); // p micro-batches of activations against two
    }

    void unitsAddUpToTheChunks()
    {
        const Scenario scenario = scenarioWith("deepseek-v3", 16, 1, ScheduleKind::OneFOneB);
        const RankGrid grid(scenario.layout, scenario.cluster);
        const auto schedule = makeSchedule(ScheduleKind::OneFOneB, 16, 32, 1);
        const UnitPlans units = planUnits(scenario, grid);
        double parts = units.embedding.parameters.total() + units.head.parameters.total();
        double time = units.embedding.cost.forward.total() + units.head.cost.forward.total();
        for (const ChunkPlan& layer : units.layers) {
            parts += layer.parameters.total();
            time += layer.cost.forward.total();
        }
        double whole = 0;
        double wholeTime = 0;
        for (const StagePlan& stage : planStages(scenario, schedule->placement, grid)) {
            whole += stage.parameters().total();
            wholeTime += stage.forward().total();
        }
        QVERIFY(std::abs(parts / whole - 1) < 1e-12);
        QVERIFY(std::abs(time / wholeTime - 1) < 1e-12);
    }
};

QTEST_GUILESS_MAIN(TestBalanceStages)
#include "tst_balance_stages.moc"
