// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/catalogue.h"
#include "core/layout/layout_text.h"
#include "core/pipeline/schedule.h"
#include "core/scenario/split_limits.h"
#include "core/search/plane.h"
#include "core/training/evaluate.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>

using namespace partita;

/// evaluate() with and without its timeline.
class EvaluateFiguresTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_catalogue = loadCatalogue({PARTITA_SOURCE_DIR "/presets"}); }
    void areTheReports_data();
    void areTheReports();
    void ofWhatIsIllegalSayTheSame();

private:
    Scenario drawScenario(ScheduleKind kind, std::mt19937& random) const;

    Catalogue m_catalogue;
};

namespace {

/// relative, or of a share or a sum whose parts cancel: of the whole that they are parts of.
bool close(double a, double b, double whole)
{
    return std::abs(a - b) <= 1e-9 * std::abs(b) + 1e-11 * whole;
}

template <class T> T oneOf(const std::vector<T>& values, std::mt19937& random)
{
    return values[random() % values.size()];
}

QByteArray textOf(const Scenario& scenario)
{
    return QByteArray::fromStdString(scenario.model.name + " on " + scenario.cluster.name + ", " + scenario.stack.name
                                     + ": " + layoutText(scenario.layout));
}

void compare(const Scenario& scenario, const Report& figures, const Report& report)
{
    const QByteArray text = textOf(scenario);
    QVERIFY2(figures.problems == report.problems, text);
    QVERIFY(figures.timeline.stages.empty());
    QVERIFY2(figures.warnings == report.warnings, text);
    QVERIFY2(figures.parameters == report.parameters, text);
    QVERIFY2(figures.stages == report.stages, text); // memory and what it holds has nothing to round
    QCOMPARE(figures.peakStage, report.peakStage);
    QCOMPARE(figures.fits, report.fits);
    QCOMPARE(figures.memoryLimit, report.memoryLimit);
    for (const auto& name : Names<TimeKind>::table) {
        QVERIFY2(close(figures.time[name.value], report.time[name.value], report.stepTime),
                 QByteArray(text + " " + std::string(name.key).c_str() + ": "
                            + QByteArray::number(figures.time[name.value], 'g', 15) + " for "
                            + QByteArray::number(report.time[name.value], 'g', 15)));
    }
    if (!report.legal()) {
        return;
    }
    for (const auto& name : Names<PlaneQuantity>::table) {
        const double whole = isShare(name.value) ? 1 : 0;
        const double a = quantityOf(figures, name.value);
        const double b = quantityOf(report, name.value);
        QVERIFY2(close(a, b, whole),
                 QByteArray(text + " " + std::string(name.key).c_str() + ": " + QByteArray::number(a, 'g', 15) + " for "
                            + QByteArray::number(b, 'g', 15)));
    }
    QVERIFY2(close(figures.hfu.causal, report.hfu.causal, 0), text);
    QVERIFY2(close(figures.trainingDays, report.trainingDays, 0), text);
    QVERIFY2(close(figures.trainingCost, report.trainingCost, 0), text);
}

} // namespace

/// Legal or not.
Scenario EvaluateFiguresTest::drawScenario(ScheduleKind kind, std::mt19937& random) const
{
    const std::vector<std::string> models{"llama-3-8b",       "llama-3.1-405b", "gpt3-13b",         "mixtral-8x7b",
                                          "deepseek-v2-lite", "deepseek-v3",    "mamba2-hybrid-8b", "gpt-oss-20b"};
    const std::vector<std::string> clusters{"hgx-h100", "h800-2048", "rtx4090-pcie", "gb200-nvl72-8", "selene"};
    const std::vector<std::string> stacks{"megatron-core", "megatron-lm-2021", "torchtitan", "deepspeed"};
    Scenario scenario;
    scenario.model = *m_catalogue.model(oneOf(models, random));
    scenario.cluster = *m_catalogue.cluster(oneOf(clusters, random));
    scenario.stack = *m_catalogue.stack(oneOf(stacks, random));
    scenario.workload.sequenceLength = oneOf<std::int64_t>({512, 2048, 8192}, random);
    scenario.workload.training = oneOf<Training>({Training::Full, Training::Full, Training::Lora}, random);
    scenario.workload.trainingTokens = 1e12;
    Layout& layout = scenario.layout;
    const ScheduleFacts facts = describe(kind);
    layout.schedule = kind;
    layout.pp = 1 + static_cast<int>(random() % 16);
    layout.vpp = facts.chunks > 0 ? facts.chunks : std::max(facts.minChunks, 1 + static_cast<int>(random() % 3));
    layout.tp = oneOf<int>({1, 1, 2, 4}, random);
    layout.dp = oneOf<int>({1, 2, 8}, random);
    const bool experts = isMoe(scenario.model);
    layout.ep = experts ? oneOf<int>({1, 2, 4}, random) : 1;
    layout.recompute = oneOf<Recompute>({Recompute::None, Recompute::Selective, Recompute::Full}, random);
    layout.zeroStage = static_cast<int>(random() % 4);
    const auto most = std::int64_t{1} << (random() % 13);
    std::int64_t microBatches = 1 + static_cast<std::int64_t>(random()) % most;
    if (random() % 2 == 0) {
        microBatches += layout.pp * 2 - microBatches % (layout.pp * 2);
    }
    layout.microBatch = 1 + random() % 2;
    layout.globalBatch = microBatches * layout.dp * layout.microBatch;
    if (random() % 2 == 0) {
        layout.layersPerStage.assign(static_cast<std::size_t>(layout.pp * layout.vpp), 0);
        for (int layer = 0; layer < scenario.model.layerCount(); ++layer) {
            ++layout.layersPerStage[random() % layout.layersPerStage.size()];
        }
    }
    scenario.cluster.devicesPerNode = static_cast<int>(std::min<std::int64_t>(8, layout.devices()));
    scenario.cluster.nodes = layout.devices() / scenario.cluster.devicesPerNode;
    return scenario;
}

void EvaluateFiguresTest::areTheReports_data()
{
    QTest::addColumn<int>("kind");
    for (const auto& name : Names<ScheduleKind>::table) {
        QTest::newRow(std::string(name.key).c_str()) << static_cast<int>(name.value);
    }
}

void EvaluateFiguresTest::areTheReports()
{
    QFETCH(int, kind);
    std::mt19937 random(static_cast<unsigned>(kind));
    int legal = 0;
    for (int round = 0; round < 400; ++round) {
        const Scenario scenario = drawScenario(static_cast<ScheduleKind>(kind), random);
        const Report report = evaluate(scenario);
        legal += report.legal() ? 1 : 0;
        compare(scenario, evaluateFigures(scenario), report);
    }
    QVERIFY2(legal > 80, QByteArray::number(legal));
}

void EvaluateFiguresTest::ofWhatIsIllegalSayTheSame()
{
    std::mt19937 random(7);
    const Scenario legal = [&] {
        Scenario scenario = drawScenario(ScheduleKind::OneFOneB, random);
        while (!evaluate(scenario).legal()) {
            scenario = drawScenario(ScheduleKind::OneFOneB, random);
        }
        return scenario;
    }();
    std::vector<Scenario> illegal(5, legal);
    illegal[0].layout.pp = 0;
    illegal[1].layout.schedule = ScheduleKind::ZbV;
    illegal[1].layout.vpp = 5;
    illegal[2].layout.globalBatch = 0;
    illegal[3].model.layers.clear();
    illegal[4].layout.tp = 7;
    for (const Scenario& scenario : illegal) {
        const Report report = evaluate(scenario);
        QVERIFY2(!report.legal(), textOf(scenario));
        QVERIFY2(evaluateFigures(scenario) == report, textOf(scenario));
    }
}

QTEST_GUILESS_MAIN(EvaluateFiguresTest)
#include "tst_evaluate_figures.moc"
