// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/optimum.h"
#include "core/advice/question_rows.h"
#include "core/advice/regret_cases.h"

#include <QTest>

#include <algorithm>

using namespace partita;

/// The advisor against the best of all layouts, on the cases of the grid that are searched quickly. All of them:
/// tests/bench/measure_regret.cpp.
class RegretTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theAdviceIsNearTheOptimum();
    void degreesThatMustMoveTogetherDo_data();
    void degreesThatMustMoveTogetherDo();
    void theBestIsNeverWorseThanTheAdvice_data();
    void theBestIsNeverWorseThanTheAdvice();
    void theGapIsToldInWords();
};

void RegretTest::theAdviceIsNearTheOptimum()
{
    std::vector<double> regrets;
    for (const regret::Case& each : regret::grid()) {
        const Scenario& scenario = each.scenario;
        if (scenario.cluster.devices() > 16) {
            continue;
        }
        const regret::Outcome outcome = regret::measure(scenario, 1);
        QVERIFY2(outcome.complete, each.name.c_str());
        QVERIFY2(!outcome.disagree(), each.name.c_str());
        QVERIFY2(outcome.regret() <= 0.1, each.name.c_str());
        if (outcome.bestTime > 0) {
            regrets.push_back(std::max(0.0, outcome.regret()));
        }
    }
    QVERIFY(regrets.size() >= 50);
    std::sort(regrets.begin(), regrets.end());
    QVERIFY(regrets[regrets.size() / 2] <= 0.02);
    QVERIFY(regret::grid().size() >= 200);
}

void RegretTest::degreesThatMustMoveTogetherDo_data()
{
    samples::addQuestionColumns();
    samples::addQuestion("one large micro-batch fits where several small ones do not", "gemma-3-27b", "hgx-h200", 2,
                         "jax", 32768, 32);
    samples::addQuestion("stages, experts and context", "glm-4.5-air", "hgx-a100", 8, "torchtitan", 8192, 64);
    samples::addQuestion("stages and experts", "mixtral-8x22b", "hgx-b200", 8, "megatron-core", 8192, 128);
    samples::addQuestion("experts and context, no stages", "gpt-oss-120b", "hgx-h200", 8, "deepspeed", 32768, 128);
    samples::addQuestion("experts split themselves", "mixtral-8x22b", "ascend-910b-8", 8, "megatron-bridge", 32768,
                         128);
    samples::addQuestion("a sequence a step: one degree traded for another", "gpt-oss-20b", "h100-pcie", 2, "ideal",
                         4096, 1);
    samples::addQuestion("experts follow a stage that grows", "qwen3-30b-a3b", "h100-pcie", 2, "nanotron", 4096, 3);
    samples::addQuestion("experts split themselves as a stage grows", "mixtral-8x7b", "hgx-h100", 4, "nanotron", 4096,
                         1);
    samples::addQuestion("few degrees at all", "nemotron-3-nano-30b-a3b", "h100-pcie", 2, "nanotron", 8192, 60);
}

/// Replicas that gather their weights are the best that single changes find in each of these; the best of all is a
/// split several changes away.
void RegretTest::degreesThatMustMoveTogetherDo()
{
    const Scenario scenario = samples::askedScenario();
    const regret::Outcome outcome = regret::measure(scenario, 1);
    QVERIFY(outcome.complete && outcome.bestTime > 0 && outcome.advisedTime > 0);
    QVERIFY2(outcome.regret() <= 0.1, qPrintable(QString::number(outcome.regret())));
}

/// Little memory: layers moved between stages and rank orders decide.
void RegretTest::theBestIsNeverWorseThanTheAdvice_data()
{
    samples::addQuestionColumns();
    samples::addQuestion("a head as dear as three layers", "gpt-oss-120b", "rtx-pro-6000", 5, "nanotron", 8192, 160);
    samples::addQuestion("dense", "llama-3.1-70b", "rtx-pro-6000", 4, "megatron-lm-2022", 4096, 64);
    samples::addQuestion("seven nodes", "llama-4-scout", "hgx-h100", 7, "torchtitan", 8192, 112);
}

void RegretTest::theBestIsNeverWorseThanTheAdvice()
{
    const Scenario scenario = samples::askedScenario();
    const Advice advice = advise(scenario, Voice::ConstraintFirst);
    const Optimum optimum = findOptimum(scenario, advice, 2, [] { return false; });
    QVERIFY(optimum.complete && optimum.best && optimum.orders && optimum.balanced);
    QVERIFY2(optimum.gap() >= 0 && optimum.gap() <= 0.1, describe(optimum).c_str());
    const Optimum blind = findOptimum(scenario, Advice{}, 2, [] { return false; }); // the search alone finds as much
    QVERIFY(blind.best && blind.best->stepTime <= optimum.best->stepTime * (1 + 1e-9));
    QVERIFY(describe(optimum).find("in every rank order") != std::string::npos);
}

void RegretTest::theGapIsToldInWords()
{
    const Scenario scenario = samples::presetScenario("llama-3.1-8b", "hgx-h100", 1, 64);
    const Advice advice = advise(scenario, Voice::TopologyFirst);
    int told = 0;
    const Optimum optimum = findOptimum(
        scenario, advice, 1, [] { return false; }, [&](const Optimum& soFar) { told += soFar.complete ? 0 : 1; });
    QVERIFY(optimum.complete && optimum.best && told > 0);
    QCOMPARE(optimum.looked, optimum.space);
    QVERIFY(optimum.gap() > 0); // the tree does not recompute, and splits more than it must
    QCOMPARE(optimum.gap(), advice.pick.stepTime / optimum.best->stepTime - 1);
    QVERIFY(describe(optimum).find("the advice takes") != std::string::npos);
    const Optimum stopped = findOptimum(scenario, advice, 1, [] { return true; });
    QVERIFY(!stopped.complete);
    QVERIFY(describe(stopped).find("so far") != std::string::npos);
}

QTEST_GUILESS_MAIN(RegretTest)
#include "tst_regret.moc"
