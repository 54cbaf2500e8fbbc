// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/preset_scenario.h"
#include "core/advice/scaling.h"
#include "core/training/evaluate.h"

#include <QTest>

using namespace partita;
using samples::presetScenario;

class ScalingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyAxisPassesThroughTheScenario_data();
    void everyAxisPassesThroughTheScenario();
    void moreDevicesShareTheSameBatchAtFallingMfu();
    void aBatchThatGrowsWithTheDevicesKeepsThemBusier();
    void largerBatchesHideTheBubble();
    void fasterLinksNeverSlowAStep();
    void adviceFollowsAndIsNeverSlower();
    void theNetworkIsAbsentInsideOneLevel();

private:
    Scenario scenario() const;
};

Scenario ScalingTest::scenario() const
{
    Scenario scenario = presetScenario("llama-3.1-70b", "hgx-h100", 8, 128);
    scenario.layout.tp = 8;
    scenario.layout.pp = 4;
    scenario.layout.dp = 2;
    return scenario;
}

void ScalingTest::everyAxisPassesThroughTheScenario_data()
{
    QTest::addColumn<int>("axis");
    for (const Name<ScalingAxis>& axis : Names<ScalingAxis>::table) {
        QTest::addRow("%s", axis.key.data()) << static_cast<int>(axis.value);
    }
}

void ScalingTest::everyAxisPassesThroughTheScenario()
{
    QFETCH(int, axis);
    const ScalingCurve curve = scalingCurve(scenario(), static_cast<ScalingAxis>(axis), ScalingMode::Held);
    const Report report = evaluate(scenario());
    QVERIFY(curve.points.size() >= 5);
    QVERIFY(std::is_sorted(curve.points.begin(), curve.points.end(),
                           [](const ScalingPoint& a, const ScalingPoint& b) { return a.value < b.value; }));
    const auto own = std::find_if(curve.points.begin(), curve.points.end(), [&](const ScalingPoint& point) {
        return point.cost == costOf(scenario().layout, report);
    });
    QVERIFY(own != curve.points.end());
    QVERIFY(std::abs(own->tokensPerSecondPerDevice() / report.tokensPerSecondPerDevice - 1) < 1e-12);
    QVERIFY(scaledTo(scenario(), curve.axis, own->value) == scenario());
}

void ScalingTest::moreDevicesShareTheSameBatchAtFallingMfu()
{
    const ScalingPoint* before = nullptr;
    const ScalingCurve curve = scalingCurve(scenario(), ScalingAxis::Devices, ScalingMode::Held);
    for (const ScalingPoint& point : curve.points) {
        if (point.cost.fits && before != nullptr) {
            QVERIFY(point.cost.stepTime < before->cost.stepTime);
            QVERIFY(point.cost.mfu < before->cost.mfu);
        }
        QCOMPARE(point.cost.fits || !point.cost.legal() || point.cost.lacks() > 0, true);
        before = point.cost.fits ? &point : before;
    }
    QVERIFY(before != nullptr);
}

void ScalingTest::aBatchThatGrowsWithTheDevicesKeepsThemBusier()
{
    const ScalingCurve strong = scalingCurve(scenario(), ScalingAxis::Devices, ScalingMode::Held);
    const ScalingCurve weak = scalingCurve(scenario(), ScalingAxis::DevicesAndBatch, ScalingMode::Held);
    const ScalingPoint& strongest = strong.points.back();
    const ScalingPoint& weakest = weak.points.back();
    QCOMPARE(strongest.devices, weakest.devices);
    QVERIFY(weakest.cost.mfu > 1.3 * strongest.cost.mfu);
}

void ScalingTest::largerBatchesHideTheBubble()
{
    const ScalingCurve curve = scalingCurve(scenario(), ScalingAxis::GlobalBatch, ScalingMode::Held);
    for (std::size_t i = 1; i < curve.points.size(); ++i) {
        QVERIFY(curve.points[i].cost.mfu > curve.points[i - 1].cost.mfu);
    }
}

void ScalingTest::fasterLinksNeverSlowAStep()
{
    for (const ScalingAxis axis : {ScalingAxis::FastBandwidth, ScalingAxis::NetworkBandwidth}) {
        const ScalingCurve curve = scalingCurve(scenario(), axis, ScalingMode::Held);
        for (std::size_t i = 1; i < curve.points.size(); ++i) {
            QVERIFY(curve.points[i].cost.stepTime <= curve.points[i - 1].cost.stepTime);
        }
    }
}

void ScalingTest::adviceFollowsAndIsNeverSlower()
{
    const ScalingCurve held = scalingCurve(scenario(), ScalingAxis::SequenceLength, ScalingMode::Held);
    const ScalingCurve advised = scalingCurve(scenario(), ScalingAxis::SequenceLength, ScalingMode::Advised);
    QCOMPARE(held.points.size(), advised.points.size());
    for (std::size_t i = 0; i < held.points.size(); ++i) {
        QVERIFY(!held.points[i].cost.fits || advised.points[i].cost.stepTime <= held.points[i].cost.stepTime);
        QCOMPARE(advised.points[i].tokensPerStep, held.points[i].tokensPerStep);
    }
    // What a long sequence needs, the held layout does not have.
    QVERIFY(!held.points.back().cost.fits && advised.points.back().cost.fits);
    QVERIFY(advised.points.back().cost.layout.cp > 1);
    int asked = 0;
    QVERIFY(
        scalingCurve(scenario(), ScalingAxis::Devices, ScalingMode::Advised, [&] { return ++asked > 40; }).points.size()
        < 3);
}

void ScalingTest::theNetworkIsAbsentInsideOneLevel()
{
    Scenario one = scenario();
    one.cluster.levels.resize(1);
    QVERIFY(scalingValues(one, ScalingAxis::NetworkBandwidth).empty());
    QVERIFY(!scalingValues(one, ScalingAxis::FastBandwidth).empty());
    one.cluster.levels.clear();
    QVERIFY(scalingValues(one, ScalingAxis::FastBandwidth).empty());
}

QTEST_GUILESS_MAIN(ScalingTest)
#include "tst_scaling.moc"
