// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/catalogue.h"
#include "core/search/fast_model.h"
#include "core/search/layout_space.h"
#include "core/training/evaluate.h"
#include "search_cases.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

using namespace partita;

/// The fast model against evaluate() over random layouts of random spaces.
class FastModelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_catalogue = loadCatalogue({PARTITA_SOURCE_DIR "/presets"}); }
    void agreesWithEvaluate_data();
    void agreesWithEvaluate();
    void nothingOfAFamilyIsBelowItsFloors_data() { agreesWithEvaluate_data(); }
    void nothingOfAFamilyIsBelowItsFloors();
    void statedLayersAgreeWithEvaluate_data() { agreesWithEvaluate_data(); }
    void statedLayersAgreeWithEvaluate();
    void doesNotDependOnWhatWasAskedBefore();

private:
    Catalogue m_catalogue;
};

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// So many layouts of a space, in its order.
std::vector<Layout> sample(const Scenario& scenario, SearchSpace limits, std::size_t count, unsigned seed)
{
    limits.beyondStack = true;
    LayoutSpace space(scenario, limits);
    const double share = static_cast<double>(count) / static_cast<double>(std::max<std::int64_t>(1, space.size()));
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> draw(0, 1);
    std::vector<Layout> layouts;
    for (const DeviceSplit& split : space.deviceSplits()) {
        space.visit(split, [&](const Layout& layout) {
            if (draw(random) < share) {
                layouts.push_back(layout);
            }
        });
    }
    return layouts;
}

/// Sets what of a workload has a word: "fp8 muon lora".
void setWorkload(Workload& workload, const QString& words)
{
    for (const QString& word : words.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        const std::string key = word.toStdString();
        if (const auto precision = fromKey<Precision>(key)) {
            workload.precision = *precision;
        } else if (const auto optimizer = fromKey<Optimizer>(key)) {
            workload.optimizer = *optimizer;
        } else if (const auto training = fromKey<Training>(key)) {
            workload.training = *training;
        } else if (key == "fp8-weights") {
            workload.weights = WeightStorage::Fp8;
        } else if (key == "bf16-gradients") {
            workload.gradients = GradientStorage::Bf16;
        } else if (key == "offload") {
            workload.offloadedStates = 0.5;
        } else {
            QFAIL(qPrintable(word));
        }
    }
}

bool close(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::abs(b);
}

} // namespace

void FastModelTest::agreesWithEvaluate_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("cluster");
    QTest::addColumn<QString>("stack");
    QTest::addColumn<int>("devices");
    QTest::addColumn<int>("batch");
    QTest::addColumn<QString>("workload");
    const auto row = [](const char* name, const char* model, const char* cluster, const char* stack, int devices,
                        int batch, const char* workload = "") {
        QTest::newRow(name) << QString::fromLatin1(model) << QString::fromLatin1(cluster) << QString::fromLatin1(stack)
                            << devices << batch << QString::fromLatin1(workload);
    };
    row("dense", "llama-3-8b", "hgx-h100", "megatron-core", 32, 64);
    row("dense, blocking sends", "gpt3-13b", "selene", "megatron-lm-2021", 64, 96);
    row("dense, tied embeddings", "llama-3.2-1b", "hgx-a100", "nanotron", 16, 64);
    row("dense, layers that hardly divide", "llama-3.1-405b", "llama3-h100", "meta-llama3", 256, 128);
    row("dense, FSDP", "llama-3.1-70b", "hgx-h100", "torchtitan", 64, 64);
    row("dense, windows", "gemma-2-9b", "hgx-h200", "megatron-core", 32, 48);
    row("dense, torus", "llama-2-7b", "tpu-v5p-2048", "jax", 64, 64);
    row("dense, shared bus", "llama-2-7b", "rtx4090-pcie", "deepspeed", 8, 32);
    row("experts", "mixtral-8x7b", "hgx-h100", "megatron-core", 32, 32);
    row("experts, few dense layers", "deepseek-v2-lite", "h800-2048", "megatron-core", 64, 64);
    row("many experts, latent attention", "deepseek-v3", "gb200-nvl72-8", "nemo", 144, 288);
    row("experts on Ascend", "qwen3-30b-a3b", "ascend-910b-128", "mindspeed", 32, 64);
    row("experts with biases, launched one by one", "gpt-oss-20b", "hgx-h100", "nemo", 32, 64);
    row("state space", "mamba2-2.7b", "hgx-h100", "megatron-core", 16, 32);
    row("hybrid", "mamba2-hybrid-8b", "hgx-h100", "megatron-core", 16, 32);
    row("hybrid with experts", "jamba-v0.1", "mi300x-8", "megatron-core", 16, 32);
    row("delta rule with experts", "qwen3-next-80b-a3b", "hgx-b200", "megatron-core", 32, 64);
    row("FP8", "llama-3-8b", "hgx-h100", "megatron-core", 32, 64, "fp8");
    row("FP8, row-wise, FSDP", "llama-3.1-70b", "hgx-h100", "torchtitan", 64, 64, "fp8-row");
    row("FP8 by blocks, experts", "deepseek-v2-lite", "h800-2048", "megatron-core", 64, 64,
        "fp8-block adam-bf16-states");
    row("FP8 weights alone", "llama-3-8b", "hgx-h100", "megatron-core", 16, 32, "fp8 fp8-weights bf16-gradients");
    row("MXFP8", "llama-3.1-70b", "hgx-b200", "nemo", 32, 64, "mxfp8");
    row("NVFP4, experts", "qwen3-30b-a3b", "hgx-b200", "megatron-core", 32, 64, "nvfp4 adam-8bit");
    row("Muon", "llama-3-8b", "hgx-h100", "megatron-core", 32, 64, "muon");
    row("Muon, experts", "mixtral-8x7b", "hgx-h100", "megatron-core", 16, 32, "muon");
    row("SGD", "llama-2-7b", "hgx-a100", "deepspeed", 16, 32, "sgd");
    row("Adam in FP32", "llama-3.2-1b", "hgx-a100", "nanotron", 16, 32, "fp32 adam-fp32");
    row("states in host memory", "llama-3-8b", "hgx-h100", "deepspeed", 16, 32, "offload");
    row("LoRA", "llama-3-8b", "hgx-h100", "megatron-core", 16, 32, "lora");
    row("LoRA in FP8, experts", "mixtral-8x7b", "hgx-h100", "megatron-core", 16, 32, "fp8 lora");
    row("QLoRA", "llama-3.1-70b", "hgx-h100", "torchtitan", 16, 32, "qlora adam-8bit");
    row("LoRA, hybrid", "mamba2-hybrid-8b", "hgx-h100", "megatron-core", 16, 32, "lora sgd");
}

void FastModelTest::agreesWithEvaluate()
{
    QFETCH(QString, model);
    QFETCH(QString, cluster);
    QFETCH(QString, stack);
    QFETCH(int, devices);
    QFETCH(int, batch);
    QFETCH(QString, workload);
    Scenario scenario = search_cases::scenario(m_catalogue, model, cluster, devices, batch, stack);
    setWorkload(scenario.workload, workload);
    SearchSpace limits;
    limits.stageSplit = StageSplit::Any;
    limits.vpp.most = 6;
    limits.rankOrders = devices <= 32;
    FastModel fast(scenario);
    Scenario asked = scenario;
    const std::vector<Layout> layouts = sample(scenario, limits, 1200, static_cast<unsigned>(devices));
    QVERIFY(layouts.size() > 500);
    for (const Layout& layout : layouts) {
        asked.layout = layout;
        const Report report = evaluate(asked);
        const QByteArray text = search_cases::textOf(layout).toUtf8();
        QVERIFY2(report.legal(), text);
        const double memory = fast.peakMemory(layout);
        QVERIFY2(close(memory, report.peakMemory()), text);
        QCOMPARE(memory <= report.memoryLimit, report.fits);
        const double quick = fast.stepTimeBound(layout, 0);
        const double thorough = fast.stepTimeBound(layout, infinity);
        QVERIFY2(quick <= thorough, text);
        const double time = fast.stepTime(layout);
        QVERIFY2(close(time, report.stepTime),
                 QByteArray(text + ": " + QByteArray::number(time) + " for " + QByteArray::number(report.stepTime)));
        QVERIFY2(thorough <= time * (1 + 1e-10), text);
    }
}

/// Splits at random, and those that a search looks at.
void FastModelTest::statedLayersAgreeWithEvaluate()
{
    QFETCH(QString, model);
    QFETCH(QString, cluster);
    QFETCH(QString, stack);
    QFETCH(int, devices);
    QFETCH(int, batch);
    QFETCH(QString, workload);
    Scenario scenario = search_cases::scenario(m_catalogue, model, cluster, devices, batch, stack);
    setWorkload(scenario.workload, workload);
    SearchSpace limits;
    limits.stageSplit = StageSplit::Any;
    limits.vpp.most = 4;
    limits.pp.least = 2;
    FastModel fast(scenario);
    Scenario asked = scenario;
    const double memoryLimit = scenario.cluster.accelerator.memoryBytes;
    std::mt19937 random(static_cast<unsigned>(batch));
    for (const Layout& layout : sample(scenario, limits, 150, static_cast<unsigned>(devices))) {
        std::vector<std::vector<int>> splits = fast.balancedSplits(memoryLimit, layout);
        std::vector<int> drawn(static_cast<std::size_t>(layout.pp * layout.vpp), 0);
        for (int i = 0; i < scenario.model.layerCount(); ++i) {
            ++drawn[random() % drawn.size()];
        }
        splits.push_back(drawn);
        for (const std::vector<int>& split : splits) {
            asked.layout = layout;
            asked.layout.layersPerStage = split;
            const Report report = evaluate(asked);
            const QByteArray text = search_cases::textOf(asked.layout).toUtf8();
            QVERIFY2(report.legal(), text);
            QVERIFY2(close(fast.peakMemory(asked.layout), report.peakMemory()), text);
            const double time = fast.stepTime(asked.layout);
            QVERIFY2(close(time, report.stepTime), text);
            QVERIFY2(fast.stepTimeBound(asked.layout, infinity) <= time * (1 + 1e-10), text);
            QVERIFY2(fast.anySplitFloor(layout) <= time * (1 + 1e-10), text);
        }
    }
}

void FastModelTest::nothingOfAFamilyIsBelowItsFloors()
{
    QFETCH(QString, model);
    QFETCH(QString, cluster);
    QFETCH(QString, stack);
    QFETCH(int, devices);
    QFETCH(int, batch);
    QFETCH(QString, workload);
    Scenario scenario = search_cases::scenario(m_catalogue, model, cluster, devices, batch, stack);
    setWorkload(scenario.workload, workload);
    SearchSpace limits;
    limits.vpp.most = devices <= 16 ? 2 : 4;
    limits.rankOrders = devices <= 16;
    for (const auto& schedule : Names<ScheduleKind>::table) {
        if (devices <= 32) {
            limits.schedules.push_back(schedule.value);
        }
    }
    LayoutSpace space(scenario, limits);
    FastModel floors(scenario);
    FastModel fast(scenario);
    std::mt19937 random(3);
    double memory = 0; // floors of the families that have been entered
    FastModel::GroupFloors shared;
    FastModel::Floor bare;
    using FloorByRecompute = std::array<FastModel::Floor, Names<Recompute>::table.size()>;
    FloorByRecompute ofGroup{};
    FloorByRecompute ofKernels{};
    FloorByRecompute routed{};
    const std::vector<Recompute> recompute = everyValue<Recompute>();
    FastModel::StatesByZero states{};
    double memoryOfStages = 0;
    FastModel::Common common;
    std::array<double, 4> times{}; // by Family, and of the group
    int asked = 0;
    int groups = 0;
    for (const DeviceSplit& split : space.deviceSplits()) {
        space.visit(split,
                    {[&](const LayoutGroup& group) {
                         common = FastModel::common(group);
                         floors.addLoads(group, common);
                         times.back() = floors.timeFloor(group, common);
                         shared = floors.groupFloors(group, recompute, common);
                         bare = floors.floor(FastModel::statesAlone(group), floors.leastStates(group, common),
                                             Recompute::None, common);
                         for (const Recompute each : recompute) {
                             ofGroup[static_cast<std::size_t>(each)] =
                                 floors.floor(shared, floors.leastStates(group, common), each, common);
                         }
                         ++groups;
                         return true;
                     },
                     [&](Family family, const Layout& layout, std::int64_t) {
                         if (family == Family::Kernels && random() % 3 != 0) {
                             return false;
                         }
                         if (family == Family::Kernels) {
                             states = floors.states(layout, common);
                             for (const Recompute each : recompute) {
                                 const auto i = static_cast<std::size_t>(each);
                                 ofKernels[i] = floors.floor(shared, states, each, common);
                                 routed[i] = floors.floor(shared, states, floors.routed(layout), layout, each, common);
                             }
                         }
                         constexpr double all = std::numeric_limits<double>::infinity();
                         times[static_cast<std::size_t>(family)] =
                             std::max(floors.timeFloor(family, layout, 0, common),
                                      floors.timeFloor(family, layout, all, common));
                         if (family == Family::Stages) {
                             memoryOfStages = floors.memoryFloor(family, shared, states, layout, common);
                         } else {
                             memory = floors.memoryFloor(family, layout, common);
                         }
                         if (family == Family::Passes) {
                             memory = std::max(memory, floors.memoryFloor(family, shared, states, layout, common));
                         }
                         return true;
                     },
                     [&](const Layout& layout) {
                         if (random() % 4 == 0) {
                             ++asked;
                             const QByteArray text = search_cases::textOf(layout).toUtf8();
                             const double held = fast.peakMemory(layout) * (1 + 1e-12);
                             QVERIFY2(std::max({memory, memoryOfStages, bare.memory}) <= held, text);
                             const double taken = fast.stepTime(layout) * (1 + 1e-10);
                             QVERIFY2(*std::max_element(times.begin(), times.end()) <= taken, text);
                             for (const FloorByRecompute* each : {&ofGroup, &ofKernels, &routed}) {
                                 const FastModel::Floor& floor = (*each)[static_cast<std::size_t>(layout.recompute)];
                                 QVERIFY2(floor.memory <= held && floor.time <= taken, text);
                             }
                         }
                     }});
    }
    QVERIFY(asked > 20);
    QVERIFY(groups > 0);
}

void FastModelTest::doesNotDependOnWhatWasAskedBefore()
{
    const Scenario scenario =
        search_cases::scenario(m_catalogue, QStringLiteral("mixtral-8x7b"), QStringLiteral("hgx-h100"), 16, 32);
    std::vector<Layout> layouts = sample(scenario, {}, 400, 1);
    FastModel inOrder(scenario);
    std::vector<double> times;
    for (const Layout& layout : layouts) {
        times.push_back(inOrder.stepTime(layout));
    }
    std::vector<std::size_t> order(layouts.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::shuffle(order.begin(), order.end(), std::mt19937(2));
    FastModel mixed(scenario);
    for (const std::size_t i : order) {
        QCOMPARE(mixed.stepTime(layouts[i]), times[i]);
    }
}

QTEST_GUILESS_MAIN(FastModelTest)
#include "tst_fast_model.moc"
