// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/preset_scenario.h"
#include "core/advice/sensitivity.h"
#include "core/search/search.h"
#include "core/training/evaluate.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace partita;
using samples::presetScenario;

class SensitivityTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void barsAreSortedAndAgreeWithEvaluation();
    void fasterHardwareNeverSlowsAStep();
    void aMemoryLimitTurnsFit();
    void aSlowNetworkChangesTheRanking();
    void memoryThatTheWinnerNeedsIsShownFirst();
    void whatReplacesTheWinnerIsTheBestOfASearch();
    void sharesStopAtOne();
    void illegalLayoutsHaveNoTornado();

private:
    Scenario scenario() const;
};

namespace {

const Sensitivity* barOf(const Tornado& tornado, const std::string& label)
{
    const auto found = std::find_if(tornado.bars.begin(), tornado.bars.end(),
                                    [&](const Sensitivity& bar) { return bar.label == label; });
    return found == tornado.bars.end() ? nullptr : &*found;
}

} // namespace

Scenario SensitivityTest::scenario() const
{
    Scenario scenario = presetScenario("llama-3.1-70b", "hgx-h100", 8, 64);
    scenario.layout.tp = 8;
    scenario.layout.pp = 4;
    scenario.layout.dp = 2;
    return scenario;
}

void SensitivityTest::barsAreSortedAndAgreeWithEvaluation()
{
    const Tornado result = tornado(scenario(), {});
    QVERIFY(result.bars.size() > 8);
    QCOMPARE(result.stepTime, evaluate(scenario()).stepTime);
    for (std::size_t i = 1; i < result.bars.size(); ++i) {
        const bool turns = result.bars[i].changesRanking(result.unchanged);
        const bool turnedBefore = result.bars[i - 1].changesRanking(result.unchanged);
        QVERIFY(turnedBefore || !turns);
        QVERIFY(turns != turnedBefore || result.bars[i].swing() <= result.bars[i - 1].swing());
    }
    const Sensitivity* peak = barOf(result, "matrix peak");
    QVERIFY(peak != nullptr);
    Scenario slower = scenario();
    slower.cluster.accelerator.peak.bf16 *= 0.8;
    slower.cluster.accelerator.peak.fp16 *= 0.8;
    QCOMPARE(peak->low.value, slower.cluster.accelerator.peak.bf16);
    QCOMPARE(peak->low.stepTime, evaluate(slower).stepTime);
    // No constant moves the step by more than its own share would if it were all of it.
    for (const Sensitivity& bar : result.bars) {
        QVERIFY(bar.low.stepTime < result.stepTime / 0.8 * 1.0001 && bar.high.stepTime < result.stepTime * 1.2001);
        QVERIFY(bar.low.stepTime > result.stepTime * 0.7999 && bar.high.stepTime > result.stepTime / 1.2001);
    }
}

void SensitivityTest::fasterHardwareNeverSlowsAStep()
{
    const Tornado result = tornado(scenario(), {});
    for (const char* label : {"matrix peak", "memory bandwidth", "GEMM efficiency", "attention efficiency",
                              "bandwidth of NVLink 4", "sustained clock"}) {
        const Sensitivity* bar = barOf(result, label);
        QVERIFY2(bar != nullptr, label);
        QVERIFY2(bar->high.stepTime <= result.stepTime && bar->low.stepTime >= result.stepTime, label);
    }
}

void SensitivityTest::aMemoryLimitTurnsFit()
{
    Scenario tight = scenario();
    tight.cluster.accelerator.memoryBytes = 1.05 * evaluate(tight).peakMemory();
    const Tornado result = tornado(tight, {});
    const Sensitivity* memory = barOf(result, "memory of a device");
    QVERIFY(memory != nullptr);
    QVERIFY(!memory->low.fits && memory->high.fits);
    QCOMPARE(memory->swing(), 0.0);
}

/// On the network's bandwidth it depends whether data parallelism across nodes or a pipeline is better.
void SensitivityTest::aSlowNetworkChangesTheRanking()
{
    Scenario sharded = scenario();
    sharded.layout.pp = 1;
    sharded.layout.dp = 8;
    sharded.layout.zeroStage = 3;
    const std::vector<Layout> candidates{scenario().layout, sharded.layout};
    double bandwidth = 0;
    for (double rate = 400e9; rate > 1e9; rate *= 0.97) {
        Scenario slower = sharded;
        slower.cluster.levels[1].bandwidth = rate;
        Scenario other = slower;
        other.layout = scenario().layout;
        if (evaluate(slower).stepTime > evaluate(other).stepTime) {
            break;
        }
        bandwidth = rate;
    }
    QVERIFY(bandwidth > 0); // the last at which sharding still wins
    sharded.cluster.levels[1].bandwidth = bandwidth;
    const Tornado result = tornado(sharded, candidates);
    QVERIFY(result.unchanged.best == sharded.layout);
    QCOMPARE(result.unchanged.regret(), 0.0);
    const Sensitivity* network = barOf(result, "bandwidth of " + sharded.cluster.levels[1].name);
    QVERIFY(network != nullptr);
    QVERIFY(network->changesRanking(result.unchanged));
    QVERIFY(network->low.best == scenario().layout);
    QVERIFY(network->low.regret() > 0);
    QVERIFY(network->high.best == sharded.layout);
}

/// A lean layout has room with a fifth of the memory less, the fastest has not: that is what the constant decides.
void SensitivityTest::memoryThatTheWinnerNeedsIsShownFirst()
{
    const Scenario lean = scenario();
    const Tornado result = tornado(lean, contenders(lean));
    QVERIFY(result.unchanged.best != lean.layout);
    const Sensitivity* memory = barOf(result, "memory of a device");
    QVERIFY(memory != nullptr);
    QVERIFY(memory->low.fits);
    QCOMPARE(memory->swing(), 0.0);
    QVERIFY(memory->changesRanking(result.unchanged));
    bool turned = true;
    for (const Sensitivity& bar : result.bars) {
        QVERIFY2(turned || !bar.changesRanking(result.unchanged), bar.label.c_str());
        turned = bar.changesRanking(result.unchanged);
    }
}

void SensitivityTest::whatReplacesTheWinnerIsTheBestOfASearch()
{
    const auto searched = [](const Scenario& scenario) {
        SearchOptions options;
        options.top = 1;
        return searchLayouts(
                   scenario, {}, options, [] { return false; }, [](const SearchResult&) {})
            ->best.front();
    };
    Scenario winner = scenario();
    winner.layout = searched(winner).layout;
    const Tornado result = tornado(winner, {}); // even where nobody else is known
    QVERIFY(result.unchanged.best == winner.layout);
    const Sensitivity* memory = barOf(result, "memory of a device");
    QVERIFY(memory != nullptr && !memory->low.fits);
    Scenario smaller = winner;
    smaller.cluster.accelerator.memoryBytes *= 0.8;
    const FoundLayout best = searched(smaller);
    QVERIFY(memory->low.best == best.layout);
    QVERIFY(std::abs(memory->low.bestStepTime / best.stepTime - 1) < 1e-9);
    QVERIFY(memory->changesRanking(result.unchanged));

    // Where nothing fits, that is told; where more memory would make something fit, what.
    Scenario tiny = winner;
    tiny.cluster.accelerator.memoryBytes = 5e9;
    const Tornado none = tornado(tiny, contenders(tiny));
    QCOMPARE(none.unchanged.bestStepTime, 0.0);
    Scenario almost = tiny;
    double least = 5e9;
    for (; least < 80e9; least *= 1.1) {
        almost.cluster.accelerator.memoryBytes = 1.1 * least;
        if (!searchLayouts(
                 almost, {}, {}, [] { return false; }, [](const SearchResult&) {})
                 ->best.empty()) {
            break;
        }
    }
    almost.cluster.accelerator.memoryBytes = least;
    const Tornado more = tornado(almost, contenders(almost));
    QCOMPARE(more.unchanged.bestStepTime, 0.0);
    const Sensitivity* larger = barOf(more, "memory of a device");
    QVERIFY(larger != nullptr && larger->high.bestStepTime > 0 && larger->low.bestStepTime == 0);
    QVERIFY(larger->changesRanking(more.unchanged));
}

void SensitivityTest::sharesStopAtOne()
{
    const Tornado result = tornado(scenario(), {});
    int stopped = 0;
    for (const Sensitivity& bar : result.bars) {
        QVERIFY(bar.low.clamped == (std::abs(bar.low.value - 0.8 * bar.value) > 1e-9 * bar.value));
        QVERIFY(bar.high.clamped == (std::abs(bar.high.value - 1.2 * bar.value) > 1e-9 * bar.value));
        if (bar.high.clamped) {
            QCOMPARE(bar.high.value, 1.0);
            ++stopped;
        }
    }
    QVERIFY(stopped > 0);
}

void SensitivityTest::illegalLayoutsHaveNoTornado()
{
    Scenario illegal = scenario();
    illegal.layout.tp = 3;
    QVERIFY(tornado(illegal, {}).bars.empty());
    const std::vector<Layout> near = contenders(scenario());
    QVERIFY(near.size() > 1);
    QVERIFY(near.front() == scenario().layout);
}

QTEST_GUILESS_MAIN(SensitivityTest)
#include "tst_sensitivity.moc"
