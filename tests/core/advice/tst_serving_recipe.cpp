// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/advise.h"
#include "core/advice/preset_scenario.h"
#include "core/serving/serve.h"
#include "core/serving/serving_layout.h"
#include "core/serving/serving_recipe.h"

#include <QTest>

using namespace partita;
using samples::presetScenario;

class ServingRecipeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theVoiceTellsTheRecipe_data();
    void theVoiceTellsTheRecipe();
    void textsOfServingAreNotOfTraining();
    void theBestOfAllLayoutsIsSaid();
    void stagesCrossNodesOnlyWhenTheWeightsMust();
    void aLimitOnTheTokenTurnsReplicasIntoOneEngine();
    void aSplitForServingLeavesTheRestOfTraining();
};

namespace {

Advice recipeFor(const Scenario& scenario)
{
    return advise(scenario, Voice::ServingRecipe);
}

} // namespace

void ServingRecipeTest::theVoiceTellsTheRecipe_data()
{
    QTest::addColumn<QByteArray>("model");
    QTest::addColumn<QByteArray>("cluster");
    QTest::addColumn<int>("nodes");
    QTest::addColumn<double>("tpotLimit");
    QTest::addColumn<double>("ttftLimit");
    const auto row = [](const char* model, const char* cluster, int nodes, double tpot, double ttft) {
        QTest::addRow("%s on %d of %s, %g %g", model, nodes, cluster, tpot, ttft)
            << QByteArray(model) << QByteArray(cluster) << nodes << tpot << ttft;
    };
    row("llama-3.1-70b", "hgx-h100", 1, 0, 0);
    row("llama-3.1-70b", "hgx-h100", 8, 0, 0);
    row("llama-3.1-8b", "hgx-h100", 1, 0.003, 0);
    row("llama-3.1-70b", "hgx-h100", 1, 0.012, 0.02);
    row("llama-3.1-405b", "hgx-h100", 2, 0, 0);
    row("llama-3.1-405b", "hgx-h100", 1, 0, 0); // does not fit
    row("deepseek-v3", "gb200-nvl72", 18, 0, 0);
}

void ServingRecipeTest::theVoiceTellsTheRecipe()
{
    QFETCH(QByteArray, model);
    QFETCH(QByteArray, cluster);
    QFETCH(int, nodes);
    QFETCH(double, tpotLimit);
    QFETCH(double, ttftLimit);
    Scenario scenario = presetScenario(model.constData(), cluster.constData(), nodes, 8 * nodes, "vllm");
    scenario.serving.tpotLimit = tpotLimit;
    scenario.serving.ttftLimit = ttftLimit;
    const ServingRecipe recipe = serveByRecipe(scenario);
    const Advice advice = recipeFor(scenario);
    QVERIFY(advice.problems.empty() && !advice.steps.empty());
    QVERIFY(advice.pick.layout == recipe.pick.layout);
    // Every decision of the recipe is one of the answers, in its order.
    std::size_t decided = 0;
    for (const AdviceStep& step : advice.steps) {
        for (const Relief& relief : step.reliefs) {
            QVERIFY(decided < recipe.steps.size());
            QVERIFY(relief.cost.layout == recipe.steps[decided].layout);
            ++decided;
        }
        QVERIFY(step.reason.find(recipe.steps[decided - 1].reason) != std::string::npos);
    }
    QCOMPARE(decided, recipe.steps.size());
    scenario.layout = advice.pick.layout;
    const ServingReport pick = serve(scenario);
    QCOMPARE(pick.fits, advice.pick.fits);
    QCOMPARE(pick.tpot, advice.pick.stepTime);
}

void ServingRecipeTest::textsOfServingAreNotOfTraining()
{
    for (const char* model : {"llama-3.1-70b", "llama-3.1-405b"}) {
        const std::string text = adviceText(recipeFor(presetScenario(model, "hgx-h100", 1, 8, "vllm")));
        for (const char* word : {"ZeRO", "MFU", "recompute", "micro-batch", "1F1B"}) {
            QVERIFY2(text.find(word) == std::string::npos, text.c_str());
        }
    }
}

void ServingRecipeTest::theBestOfAllLayoutsIsSaid()
{
    const Scenario scenario = presetScenario("llama-3.1-70b", "hgx-h100", 1, 8, "vllm");
    const ServingRecipe recipe = serveByRecipe(scenario);
    QVERIFY(recipe.gap > 0);
    const std::string text = adviceText(recipeFor(scenario));
    QVERIFY2(text.find("The best of all layouts: " + servingText(recipe.optimum.layout)) != std::string::npos,
             text.c_str());
}

void ServingRecipeTest::stagesCrossNodesOnlyWhenTheWeightsMust()
{
    QCOMPARE(recipeFor(presetScenario("llama-3.1-70b", "hgx-h100", 2, 16, "vllm")).pick.layout.pp, 1);
    // 811 GB of 16-bit weights: more than the 640 GB of a node.
    const Advice large = recipeFor(presetScenario("llama-3.1-405b", "hgx-h100", 2, 16, "vllm"));
    QVERIFY(large.pick.fits);
    QCOMPARE(large.pick.layout.tp, 8);
    QCOMPARE(large.pick.layout.pp, 2);
    const Advice tooLarge = recipeFor(presetScenario("llama-3.1-405b", "hgx-h100", 1, 8, "vllm"));
    QVERIFY(!tooLarge.pick.fits);
    QVERIFY(describe(tooLarge.pick).find("no room") != std::string::npos);
}

void ServingRecipeTest::aLimitOnTheTokenTurnsReplicasIntoOneEngine()
{
    Scenario scenario = presetScenario("llama-3.1-8b", "hgx-h100", 1, 8, "vllm");
    const ServingRecipe free = serveByRecipe(scenario);
    scenario.layout = free.pick.layout;
    scenario.serving.batch = 1;
    const double alone = serve(scenario).tpot;
    scenario.serving.tpotLimit = alone * 0.8;
    const Advice limited = recipeFor(scenario);
    QVERIFY(limited.pick.layout.tp > free.pick.layout.tp);
    QVERIFY(limited.pick.stepTime <= scenario.serving.tpotLimit);
}

void ServingRecipeTest::aSplitForServingLeavesTheRestOfTraining()
{
    Layout training;
    training.tp = 8;
    training.pp = 4;
    training.vpp = 5;
    training.schedule = ScheduleKind::Interleaved;
    training.zeroStage = 2;
    training.microBatch = 2;
    training.globalBatch = 128;
    training.recompute = Recompute::Selective;
    Layout serving;
    serving.tp = 2;
    serving.dp = 16;
    const Layout both = splitForServing(training, serving);
    QCOMPARE(servingText(both), servingText(serving));
    QCOMPARE(both.zeroStage, 2);
    QCOMPARE(both.microBatch, std::int64_t{2});
    QCOMPARE(both.globalBatch, std::int64_t{128});
    QCOMPARE(both.recompute, Recompute::Selective);
    QCOMPARE(both.vpp, 1); // of the one stage that is left
    QVERIFY(splitForServing(training, training) == training);
}

QTEST_GUILESS_MAIN(ServingRecipeTest)
#include "tst_serving_recipe.moc"
