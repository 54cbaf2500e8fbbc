// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/advise.h"
#include "core/advice/preset_scenario.h"
#include "core/serving/serve.h"

#include <QTest>

using namespace partita;
using samples::presetScenario;

class ServingRecipeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theSmallestEngineWithRoomIsTaken();
    void stagesCrossNodesOnlyWhenTheWeightsMust();
    void oneEngineAndTwoReplicasAreSetSideBySide();
    void aLimitOnTheTokenTurnsReplicasIntoOneEngine();
};

namespace {

Advice recipeFor(const Scenario& scenario)
{
    return advise(scenario, Voice::ServingRecipe);
}

ServingReport served(Scenario scenario, const Layout& layout)
{
    scenario.layout = layout;
    return serve(scenario);
}

} // namespace

void ServingRecipeTest::theSmallestEngineWithRoomIsTaken()
{
    const Scenario scenario = presetScenario("llama-3.1-70b", "hgx-h100", 1, 8, "vllm");
    const Advice advice = recipeFor(scenario);
    QVERIFY(advice.problems.empty() && advice.pick.fits);
    // 141 GB of weights do not fit on one device of 80 GB; on two they leave too little room for 32 requests.
    QVERIFY(!advice.steps.front().reliefs.front().cost.fits);
    const ServingReport pick = served(scenario, advice.pick.layout);
    QVERIFY(pick.fits && pick.waiting <= 0);
    QCOMPARE(pick.tpot, advice.pick.stepTime);
    for (const Relief& relief : advice.steps.front().reliefs) {
        const ServingReport other = served(scenario, relief.cost.layout);
        QVERIFY(relief.cost.layout.tp >= advice.pick.layout.tp || !other.fits || other.waiting > 0);
        QCOMPARE(relief.cost.layout.devices(), std::int64_t{8});
    }
    QVERIFY(describe(advice.pick).find("a token") != std::string::npos);
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

void ServingRecipeTest::oneEngineAndTwoReplicasAreSetSideBySide()
{
    const Scenario scenario = presetScenario("llama-3.1-8b", "hgx-h100", 1, 8, "vllm");
    const Advice advice = recipeFor(scenario);
    QCOMPARE(advice.steps.back().binding.kind, Constraint::ServiceTarget);
    QVERIFY(advice.steps.back().binding.text.find("two replicas") != std::string::npos);
    const Relief& engine = advice.steps.back().reliefs.front();
    QCOMPARE(engine.cost.layout.tp, 2 * advice.steps.back().before.layout.tp);
    // Latency against throughput: the wider engine answers sooner, the replicas more.
    QVERIFY(engine.cost.stepTime < advice.pick.stepTime);
    QVERIFY(served(scenario, engine.cost.layout).tokensPerSecond
            < served(scenario, advice.pick.layout).tokensPerSecond);
}

void ServingRecipeTest::aLimitOnTheTokenTurnsReplicasIntoOneEngine()
{
    Scenario scenario = presetScenario("llama-3.1-8b", "hgx-h100", 1, 8, "vllm");
    const Advice free = recipeFor(scenario);
    scenario.serving.tpotLimit = free.pick.stepTime * 0.8;
    const Advice limited = recipeFor(scenario);
    QVERIFY(limited.pick.layout.tp > free.pick.layout.tp);
    QVERIFY(served(scenario, limited.pick.layout).meetsTpot);
}

QTEST_GUILESS_MAIN(ServingRecipeTest)
#include "tst_serving_recipe.moc"
