// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/optimum.h"
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
    void theGapIsToldInWords();
};

void RegretTest::theAdviceIsNearTheOptimum()
{
    std::vector<double> regrets;
    int cases = 0;
    for (const regret::Case& each : regret::grid()) {
        const Scenario& scenario = each.scenario;
        const bool large = scenario.cluster.devices() > 32 || scenario.model.name.find("Mixtral") != std::string::npos;
        if (large || ++cases % 3 != 0) {
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
    QVERIFY(regrets.size() >= 18);
    std::sort(regrets.begin(), regrets.end());
    QVERIFY(regrets[regrets.size() / 2] <= 0.02);
    QVERIFY(regret::grid().size() >= 200);
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
