// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/advise.h"
#include "core/advice/memory_floor.h"
#include "core/advice/preset_scenario.h"
#include "core/advice/why_not.h"
#include "core/training/evaluate.h"

#include <QTest>

using namespace partita;
using samples::presetScenario;

/// Layouts that a widely read training guide names for 70B, 405B and MoE models on 8, 64 and 1024 devices of 80 GB:
/// some hold, some do not fit whatever is done.
class GuideClaimsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void feasibleLayoutsFitAndAreAdvisedOrBeaten_data();
    void feasibleLayoutsFitAndAreAdvisedOrBeaten();
    void expertsOn1024DevicesAreSpreadFirst();
    void infeasibleClaimsAreRefutedByArithmetic_data();
    void infeasibleClaimsAreRefutedByArithmetic();
    void shardingOverTensorRanksIsNotWhatZeroDoes();
};

void GuideClaimsTest::feasibleLayoutsFitAndAreAdvisedOrBeaten_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<int>("nodes");
    QTest::addColumn<int>("batch");
    QTest::addColumn<int>("tp");
    QTest::addColumn<int>("pp");
    QTest::addColumn<int>("vpp");
    QTest::addRow("70B on 64: TP 8, PP 8") << "llama-3.1-70b" << 8 << 32 << 8 << 8 << 1;
    QTest::addRow("70B on 64: TP 8, PP 8, interleaved") << "llama-3.1-70b" << 8 << 32 << 8 << 8 << 2;
    QTest::addRow("70B on 1024: TP 8, PP 8, DP 16") << "llama-3.1-70b" << 128 << 1024 << 8 << 8 << 1;
    QTest::addRow("405B on 1024: TP 8, PP 16, DP 8, v 2") << "llama-3.1-405b" << 128 << 512 << 8 << 16 << 2;
}

void GuideClaimsTest::feasibleLayoutsFitAndAreAdvisedOrBeaten()
{
    QFETCH(QString, model);
    QFETCH(int, nodes);
    QFETCH(int, batch);
    QFETCH(int, tp);
    QFETCH(int, pp);
    QFETCH(int, vpp);
    Scenario scenario = presetScenario(model.toUtf8(), "hgx-h100", nodes, batch);
    scenario.stack.gradientType = DataType::Bf16; // 16 bytes a parameter, as the guide counts
    Layout& layout = scenario.layout;
    layout.tp = tp;
    layout.pp = pp;
    layout.vpp = vpp;
    layout.schedule = vpp > 1 ? ScheduleKind::Interleaved : ScheduleKind::OneFOneB;
    layout.dp = static_cast<int>(solvedDp(layout, scenario.cluster.devices()));
    const Report report = evaluate(scenario);
    QVERIFY(report.legal());
    QVERIFY(report.fits);
    for (const Name<Voice>& voice : Names<Voice>::table) {
        if (!trains(voice.value)) {
            continue;
        }
        const Advice advice = advise(scenario, voice.value);
        QVERIFY2(advice.pick.fits, voice.key.data());
        QVERIFY2(voice.value != Voice::ConstraintFirst || advice.pick.stepTime <= report.stepTime, voice.key.data());
        QVERIFY2(advice.pick.stepTime < 1.15 * report.stepTime, voice.key.data());
    }
    // The tree keeps tensor parallelism inside the node.
    QVERIFY(advise(scenario, Voice::TopologyFirst).pick.layout.tp <= 8);
}

/// A mixture of a trillion parameters, which nothing fits on 8 or 64 devices, on 1024: expert parallelism carries it,
/// stages take the rest, no tensor split of experts.
void GuideClaimsTest::expertsOn1024DevicesAreSpreadFirst()
{
    Scenario scenario = presetScenario("kimi-k2", "hgx-h100", 128, 4096);
    scenario.stack.gradientType = DataType::Bf16;
    QVERIFY(memoryFloor(scenario).fits());
    Layout& layout = scenario.layout;
    layout.pp = 16;
    layout.ep = 64;
    layout.dp = 64;
    layout.recompute = Recompute::Full;
    const Report report = evaluate(scenario);
    QVERIFY(report.legal());
    QVERIFY(report.fits);
    Layout alone = layout;
    alone.ep = 1;
    QCOMPARE(whyNot(scenario, alone).verdict, Verdict::OutOfMemory);
    for (const Name<Voice>& voice : Names<Voice>::table) {
        if (!trains(voice.value)) {
            continue;
        }
        const Advice advice = advise(scenario, voice.value);
        QVERIFY2(advice.pick.fits, voice.key.data());
        QVERIFY2(advice.pick.stepTime <= report.stepTime, voice.key.data());
        QVERIFY2(advice.pick.layout.ep >= 16 && advice.pick.layout.tp <= 8 && advice.pick.layout.etp == 1,
                 voice.key.data());
    }
}

void GuideClaimsTest::infeasibleClaimsAreRefutedByArithmetic_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<int>("nodes");
    QTest::addColumn<double>("gibibytes"); // of states a device
    QTest::addRow("70B on 8, \"60 to 70 GB\"") << "llama-3.1-70b" << 1 << 131.4;
    QTest::addRow("405B on 64, \"about 50 GB\"") << "llama-3.1-405b" << 8 << 94.5;
    QTest::addRow("1T MoE on 8") << "kimi-k2" << 1 << 1911.0;
    QTest::addRow("1T MoE on 64") << "kimi-k2" << 8 << 238.9;
}

void GuideClaimsTest::infeasibleClaimsAreRefutedByArithmetic()
{
    QFETCH(QString, model);
    QFETCH(int, nodes);
    QFETCH(double, gibibytes);
    Scenario scenario = presetScenario(model.toUtf8(), "hgx-h100", nodes, 64);
    scenario.stack.gradientType = DataType::Bf16;
    const MemoryFloor floor = memoryFloor(scenario);
    QCOMPARE(floor.perParameter.total(), 16.0);
    QVERIFY(!floor.fits());
    QVERIFY2(std::abs(floor.bytes / 1073741824 / gibibytes - 1) < 0.02,
             qPrintable(QString::number(floor.bytes / 1073741824)));
    for (const Name<Voice>& voice : Names<Voice>::table) {
        if (!trains(voice.value)) {
            continue;
        }
        const Advice advice = advise(scenario, voice.value);
        QVERIFY(!advice.pick.fits);
        QVERIFY(advice.pick.lacks() > 0);
        QCOMPARE(advice.notes.front(), describe(floor));
        QVERIFY(QString::fromStdString(advice.notes.front()).contains("no layout fits"));
    }
}

void GuideClaimsTest::shardingOverTensorRanksIsNotWhatZeroDoes()
{
    Scenario scenario = presetScenario("llama-3.1-70b", "hgx-h100", 1, 32);
    scenario.stack.gradientType = DataType::Bf16;
    Layout wanted = scenario.layout;
    wanted.tp = 8;
    wanted.dp = 1;
    wanted.zeroStage = 1;
    wanted.recompute = Recompute::Full;
    const WhyNot answer = whyNot(scenario, wanted);
    QCOMPARE(answer.verdict, Verdict::OutOfMemory);
    QCOMPARE(answer.category, MemoryKind::OptimizerStates);
    // 12 bytes of 70,553,706,496 parameters over 8 devices, norms copied: ZeRO-1 shards over dp = 1.
    QVERIFY(std::abs(answer.wanted.memory[MemoryKind::OptimizerStates] / (12 * 70553706496.0 / 8) - 1) < 0.001);
    QVERIFY(!answer.cheapestFix);
}

QTEST_GUILESS_MAIN(GuideClaimsTest)
#include "tst_guide_claims.moc"
