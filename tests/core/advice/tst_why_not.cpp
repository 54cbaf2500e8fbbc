// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/preset_scenario.h"
#include "core/advice/why_not.h"
#include "core/formats/typed_layout.h"
#include "core/layout/layout_text.h"
#include "core/search/stack_limits.h"
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
    void theNearestChangesLeast_data();
    void theNearestChangesLeast();
    void outOfMemoryNamesStageCategoryShortfallAndTheCheapestFix();
    void slowerIsAWaterfallThatAddsUp();
    void theReferenceItselfIsTheSame();
    void hostileLayoutsAreAnswered();
    void aBrokenLimitIsNamed_data();
    void aBrokenLimitIsNamed();
    void headRoomIsALimitLikeAnother();
    void whatTheStackDoesNotOfferIsSaidAndCostedAllTheSame();
    void fixesKeepToTheLimits();
    void anotherBatchIsComparedForAsManyTokens();
    void whatRoundingAloneChangesIsTheSame();
    void aScheduleWithoutItsChunksIsGivenThem();

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
    QVERIFY(answer.nearest.has_value());
    QVERIFY(reportOf(answer.nearest->layout).legal());
    QCOMPARE(QString::fromStdString(layoutText(answer.nearest->layout)), nearest);
    QVERIFY(QString::fromStdString(answer.text).contains(nearest));
}

void WhyNotTest::theNearestChangesLeast_data()
{
    QTest::addColumn<QByteArray>("model");
    QTest::addColumn<QByteArray>("cluster");
    QTest::addColumn<int>("nodes");
    QTest::addColumn<QString>("wanted");
    QTest::addColumn<QString>("nearest");
    const auto row = [](const char* model, const char* cluster, int nodes, const char* wanted, const char* nearest) {
        QTest::addRow("%s: %s", model, wanted) << QByteArray(model) << QByteArray(cluster) << nodes
                                               << QString::fromUtf8(wanted) << QString::fromUtf8(nearest);
    };
    row("llama-3.1-70b", "hgx-h100", 8, "ep=4,tp=2,zero=3", "tp 2 · dp 32 · ZeRO-3");
    row("llama-3.1-70b", "hgx-h100", 8, "tp=3,pp=2", "tp 4 · pp 2 · dp 8 · ZeRO-1 · 1F1B");
    row("llama-3.1-70b", "hgx-h100", 8, "tp=8,dp=5", "tp 8 · dp 8 · ZeRO-1");
    row("llama-3.1-70b", "hgx-h100", 8, "dp=64,micro_batch=2", "dp 64 · ZeRO-1");
    row("llama-3.1-405b", "hgx-h100", 128, "tp=16,pp=3,micro_batch=4",
        "tp 16 · pp 4 · dp 16 · ZeRO-1 · 1F1B · micro-batch 4");
    row("deepseek-v2", "hgx-h200", 16, "tp=3,pp=2,zero=0,ep=4", "tp 4 · pp 2 · dp 16 · ep 4 · ZeRO-0 · 1F1B");
}

void WhyNotTest::theNearestChangesLeast()
{
    QFETCH(QByteArray, model);
    QFETCH(QByteArray, cluster);
    QFETCH(int, nodes);
    QFETCH(QString, wanted);
    QFETCH(QString, nearest);
    const Scenario scenario = presetScenario(model.constData(), cluster.constData(), nodes, 8 * nodes);
    const Result<TypedLayout> typed = readTypedLayout(wanted.toStdString(), scenario.layout, scenario);
    QVERIFY(typed);
    const WhyNot answer = whyNot(scenario, typed->layout, {}, typed->named);
    QCOMPARE(answer.verdict, Verdict::Illegal);
    QVERIFY(answer.nearest.has_value());
    QCOMPARE(QString::fromStdString(layoutText(answer.nearest->layout)), nearest);
    // What does not fit is said not to, and beside it is one that does.
    QVERIFY(QString::fromStdString(answer.text).contains("Nearest legal: " + nearest));
    QCOMPARE(QString::fromStdString(answer.text).contains("lacks"), !answer.nearest->fits);
    QVERIFY(answer.nearest->fits != answer.nearestThatFits.has_value());
    if (answer.nearestThatFits) {
        Scenario fitting = scenario;
        fitting.layout = answer.nearestThatFits->layout;
        QVERIFY(evaluate(fitting).fits);
        QVERIFY(QString::fromStdString(answer.text)
                    .contains("Nearest legal that fits: " + QString::fromStdString(layoutText(fitting.layout))));
    }
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
            QVERIFY(!answer.nearest || answer.nearest->legal());
        }
    }
}

void WhyNotTest::aBrokenLimitIsNamed_data()
{
    QTest::addColumn<QString>("limits");
    QTest::addColumn<bool>("inNode");
    QTest::addColumn<QString>("named");
    QTest::addRow("most") << "tp<=4" << false << "tp ≤ 4";
    QTest::addRow("least") << "dp>=4" << false << "dp ≥ 4";
    QTest::addRow("fixed") << "micro_batch=2" << false << "micro_batch = 2";
    QTest::addRow("list") << "recompute=selective|full" << false << "recompute = selective|full";
    QTest::addRow("order") << "rank_order=tp-pp-cp-ep-dp" << false << "rank_order = tp-pp-cp-ep-dp";
    QTest::addRow("two") << "tp<=4, schedule=interleaved" << false << "tp ≤ 4; schedule = interleaved";
    QTest::addRow("node") << "" << true << "tp inside a node";
}

void WhyNotTest::aBrokenLimitIsNamed()
{
    QFETCH(QString, limits);
    QFETCH(bool, inNode);
    QFETCH(QString, named);
    SearchSpace space;
    QVERIFY(narrow(space, limits.toStdString()).empty());
    space.tensorInsideNode = inNode;
    Layout wanted = m_scenario.layout;
    if (inNode) {
        wanted.tp = 16;
        wanted.dp = 1;
    }
    const WhyNot answer = whyNot(m_scenario, wanted, space);
    QCOMPARE(answer.verdict, Verdict::OutsideLimits);
    QVERIFY2(QString::fromStdString(answer.text).contains("Outside your limits: " + named + "."), answer.text.c_str());
    QCOMPARE(answer.wanted.stepTime, reportOf(wanted).stepTime); // costed all the same
    QVERIFY(answer.nearest.has_value());
    Scenario scenario = m_scenario;
    QVERIFY(brokenLimit(withinStack(space, scenario), answer.nearest->layout, scenario).empty());
    QVERIFY(reportOf(answer.nearest->fits ? answer.nearest->layout : answer.nearestThatFits.value().layout).fits);
    // Without the limits there is nothing to say against it.
    QVERIFY(whyNot(m_scenario, wanted).broken.empty());
}

void WhyNotTest::headRoomIsALimitLikeAnother()
{
    Layout wanted = m_scenario.layout;
    const Report report = reportOf(wanted);
    QVERIFY(report.fits);
    SearchSpace space;
    space.headRoom = 1 - 0.99 * report.peakMemory() / m_scenario.cluster.accelerator.memoryBytes;
    const WhyNot answer = whyNot(m_scenario, wanted, space);
    QCOMPARE(answer.verdict, Verdict::OutsideLimits);
    QVERIFY(QString::fromStdString(answer.broken.front()).startsWith("head-room"));
    QVERIFY(answer.nearest && answer.nearest->fits);
    QVERIFY(answer.nearest->memory.total() <= 0.99 * report.peakMemory());
    space.headRoom = 1 - 1.01 * report.peakMemory() / m_scenario.cluster.accelerator.memoryBytes;
    QCOMPARE(whyNot(m_scenario, wanted, space).verdict, Verdict::Same);
}

void WhyNotTest::whatTheStackDoesNotOfferIsSaidAndCostedAllTheSame()
{
    Layout wanted = m_scenario.layout;
    wanted.schedule = ScheduleKind::ZbV;
    wanted.vpp = 2;
    const WhyNot answer = whyNot(m_scenario, wanted);
    QCOMPARE(answer.verdict, Verdict::NotOffered);
    QVERIFY(QString::fromStdString(answer.text).contains("does not offer ZB-V"));
    QVERIFY(answer.time.after == reportOf(wanted).stepTime);
    QVERIFY(answer.nearest && answer.nearest->layout.schedule != ScheduleKind::ZbV);
    SearchSpace beyond;
    beyond.beyondStack = true;
    QVERIFY(whyNot(m_scenario, wanted, beyond).broken.empty());
    SearchSpace named; // by the user, whatever the stack offers
    named.schedules = {ScheduleKind::ZbV};
    QVERIFY(whyNot(m_scenario, wanted, named).broken.empty());
}

void WhyNotTest::fixesKeepToTheLimits()
{
    Layout wanted = m_scenario.layout;
    wanted.microBatch = 8;
    const WhyNot free = whyNot(m_scenario, wanted);
    QCOMPARE(free.verdict, Verdict::OutOfMemory);
    QVERIFY(free.cheapestFix.has_value());
    QVERIFY(free.cheapestFix->cost.layout.microBatch < 8);
    SearchSpace space;
    QVERIFY(narrow(space, "micro_batch>=8").empty());
    const WhyNot limited = whyNot(m_scenario, wanted, space);
    QCOMPARE(limited.verdict, Verdict::OutOfMemory);
    QVERIFY(!limited.cheapestFix || limited.cheapestFix->cost.layout.microBatch >= 8);
}

void WhyNotTest::anotherBatchIsComparedForAsManyTokens()
{
    Layout wanted = m_scenario.layout;
    wanted.globalBatch /= 2;
    const WhyNot answer = whyNot(m_scenario, wanted);
    QVERIFY(answer.wanted.stepTime < answer.reference.stepTime);
    // Half the micro-batches behind the same bubble: each token takes longer.
    QCOMPARE(answer.verdict, Verdict::Slower);
    QVERIFY(std::abs(answer.time.after / (2 * answer.wanted.stepTime) - 1) < 1e-12);
    QVERIFY(QString::fromStdString(answer.text).contains("a step of 32 sequences instead of 64"));
}

void WhyNotTest::whatRoundingAloneChangesIsTheSame()
{
    Scenario scenario = m_scenario;
    scenario.layout.pp = 1;
    scenario.layout.dp = 8;
    scenario.layout.zeroStage = 3;
    Layout wanted = scenario.layout;
    wanted.schedule = ScheduleKind::OneFOneBOverlap; // of passes with nothing to overlap
    const WhyNot answer = whyNot(scenario, wanted);
    QCOMPARE(answer.verdict, Verdict::Same);
    QVERIFY(QString::fromStdString(answer.text).contains("the same step time"));
    QVERIFY(!QString::fromStdString(answer.text).contains("0.0000"));
}

void WhyNotTest::aScheduleWithoutItsChunksIsGivenThem()
{
    Layout wanted = m_scenario.layout;
    wanted.schedule = ScheduleKind::ZbV; // two chunks a rank
    SearchSpace space;
    space.beyondStack = true;
    const WhyNot answer = whyNot(m_scenario, wanted, space);
    QCOMPARE(answer.verdict, Verdict::Illegal);
    QVERIFY(answer.nearest.has_value());
    QVERIFY(answer.nearest->fits);
    QCOMPARE(answer.nearest->layout.schedule, ScheduleKind::ZbV);
    QCOMPARE(answer.nearest->layout.vpp, 2);
}

QTEST_GUILESS_MAIN(WhyNotTest)
#include "tst_why_not.moc"
