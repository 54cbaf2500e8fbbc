// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/preset_scenario.h"
#include "core/advice/why_not.h"
#include "core/layout/layout_text.h"
#include "core/training/evaluate.h"

#include <QTest>

using namespace partita;
using samples::presetScenario;

class WhyNotTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void illegalLayoutsNameTheRuleAndTheNearestLegal_data();
    void illegalLayoutsNameTheRuleAndTheNearestLegal();
    void outOfMemoryNamesStageCategoryShortfallAndTheCheapestFix();
    void slowerIsAWaterfallThatAddsUp();
    void theReferenceItselfIsTheSame();
    void hostileLayoutsAreAnswered();

private:
    Report reportOf(const Layout& layout) const;

    Scenario m_scenario;
};

void WhyNotTest::init()
{
    m_scenario = presetScenario("llama-3.1-70b", "hgx-h100", 8, 64);
    m_scenario.layout.tp = 8;
    m_scenario.layout.pp = 4;
    m_scenario.layout.dp = 2;
}

Report WhyNotTest::reportOf(const Layout& layout) const
{
    Scenario scenario = m_scenario;
    scenario.layout = layout;
    return evaluate(scenario);
}

void WhyNotTest::illegalLayoutsNameTheRuleAndTheNearestLegal_data()
{
    QTest::addColumn<int>("tp");
    QTest::addColumn<int>("pp");
    QTest::addColumn<int>("dp");
    QTest::addColumn<QString>("field");
    QTest::addColumn<QString>("nearest");
    QTest::addRow("heads") << 3 << 4 << 5 << "layout.tp"
                           << "tp 4 · pp 4 · dp 4 · ZeRO-1 · 1F1B";
    QTest::addRow("devices") << 8 << 3 << 2 << "layout.dp"
                             << "tp 8 · pp 4 · dp 2 · ZeRO-1 · 1F1B";
    QTest::addRow("dp alone") << 8 << 4 << 3 << "layout.dp"
                              << "tp 8 · pp 4 · dp 2 · ZeRO-1 · 1F1B";
}

void WhyNotTest::illegalLayoutsNameTheRuleAndTheNearestLegal()
{
    QFETCH(int, tp);
    QFETCH(int, pp);
    QFETCH(int, dp);
    QFETCH(QString, field);
    QFETCH(QString, nearest);
    Layout wanted = m_scenario.layout;
    wanted.tp = tp;
    wanted.pp = pp;
    wanted.dp = dp;
    const WhyNot answer = whyNot(m_scenario, wanted);
    QCOMPARE(answer.verdict, Verdict::Illegal);
    QVERIFY(answer.problems == reportOf(wanted).problems);
    QVERIFY(std::any_of(answer.problems.begin(), answer.problems.end(),
                        [&](const Problem& problem) { return problem.field == field.toStdString(); }));
    QVERIFY(answer.nearestLegal.has_value());
    QVERIFY(reportOf(answer.nearestLegal->layout).legal());
    QCOMPARE(QString::fromStdString(layoutText(answer.nearestLegal->layout)), nearest);
    QVERIFY(QString::fromStdString(answer.text).contains(nearest));
}

void WhyNotTest::outOfMemoryNamesStageCategoryShortfallAndTheCheapestFix()
{
    Layout wanted = m_scenario.layout;
    wanted.pp = 1;
    wanted.dp = 8;
    wanted.microBatch = 4;
    const Report report = reportOf(wanted);
    QVERIFY(report.legal() && !report.fits);
    const WhyNot answer = whyNot(m_scenario, wanted);
    QCOMPARE(answer.verdict, Verdict::OutOfMemory);
    QCOMPARE(answer.wanted.peakStage, report.peakStage);
    QCOMPARE(answer.wanted.lacks(), report.peakMemory() - report.memoryLimit);
    const MemoryBreakdown& memory = report.stages[static_cast<std::size_t>(report.peakStage)].memory;
    for (const Name<MemoryKind>& name : Names<MemoryKind>::table) {
        QVERIFY(memory[name.value] <= memory[answer.category]);
    }
    QVERIFY(answer.cheapestFix.has_value());
    QVERIFY(answer.cheapestFix->cost.fits);
    QVERIFY(reportOf(answer.cheapestFix->cost.layout).fits);
    // One change and the dp that follows from it: of settings that can be tried by hand, none fits and is faster.
    for (const int microBatch : {1, 2, 8}) {
        Layout other = wanted;
        other.microBatch = microBatch;
        const Report changed = reportOf(other);
        QVERIFY(!changed.fits || changed.stepTime >= answer.cheapestFix->cost.stepTime);
    }
    for (const Recompute recompute : {Recompute::Selective, Recompute::Full}) {
        Layout other = wanted;
        other.recompute = recompute;
        const Report changed = reportOf(other);
        QVERIFY(!changed.fits || changed.stepTime >= answer.cheapestFix->cost.stepTime);
    }
}

void WhyNotTest::slowerIsAWaterfallThatAddsUp()
{
    Layout wanted = m_scenario.layout;
    wanted.recompute = Recompute::Full;
    const WhyNot answer = whyNot(m_scenario, wanted);
    QCOMPARE(answer.verdict, Verdict::Slower);
    QVERIFY(answer.time.before == reportOf(m_scenario.layout).stepTime);
    QVERIFY(answer.time.after == reportOf(wanted).stepTime);
    QVERIFY(answer.time.terms.front().from == answer.time.before);
    QVERIFY(answer.time.terms.back().to == answer.time.after);
    QCOMPARE(answer.time.bySize().front().kind, TimeKind::Recompute);
    QVERIFY(QString::fromStdString(answer.text).contains("recompute +"));

    // The other way round it is faster, by the same amount.
    Scenario other = m_scenario;
    other.layout = wanted;
    const WhyNot back = whyNot(other, m_scenario.layout);
    QCOMPARE(back.verdict, Verdict::Faster);
    QVERIFY(back.time.before == answer.time.after && back.time.after == answer.time.before);
}

void WhyNotTest::theReferenceItselfIsTheSame()
{
    const WhyNot answer = whyNot(m_scenario, m_scenario.layout);
    QCOMPARE(answer.verdict, Verdict::Same);
    QVERIFY(answer.time.terms.empty());
}

void WhyNotTest::hostileLayoutsAreAnswered()
{
    for (const int hostile : {0, -1, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
        for (int field = 0; field < 9; ++field) {
            Layout wanted = m_scenario.layout;
            int* degrees[] = {&wanted.tp, &wanted.cp, &wanted.pp, &wanted.vpp, &wanted.dp, &wanted.ep, &wanted.etp};
            if (field < 7) {
                *degrees[field] = hostile;
            } else {
                (field == 7 ? wanted.microBatch : wanted.globalBatch) = hostile;
            }
            const WhyNot answer = whyNot(m_scenario, wanted);
            QCOMPARE(answer.verdict, Verdict::Illegal);
            QVERIFY(!answer.problems.empty() && !answer.text.empty());
            QVERIFY(!answer.nearestLegal || answer.nearestLegal->legal());
        }
    }
}

QTEST_GUILESS_MAIN(WhyNotTest)
#include "tst_why_not.moc"
