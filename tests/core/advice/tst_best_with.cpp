// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/advise.h"
#include "core/advice/optimum.h"
#include "core/formats/advice_json.h"
#include "core/formats/typed_layout.h"
#include "core/search/search.h"
#include "core/search/stack_limits.h"
#include "core/training/evaluate.h"
#include "preset_scenario.h"

#include <QTest>

#include <cmath>

using namespace partita;
using samples::presetScenario;

/// "Why not tp 4?" is also asked of the best layout with tp 4.
class BestWithTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void isTheFastestOfAllThatKeepWhatWasTyped_data();
    void isTheFastestOfAllThatKeepWhatWasTyped();
    void schedulesOfPipelinesKeepAPipeline();
    void noBetterOneIsSaid();
    void whatIsTypedLiftsItsLimitOnly();
    void whatTheStackDoesNotOfferIsAskedAllTheSame();
    void whereNothingFitsOrIsLegalThatIsSaid();
    void wholeLayoutsAndWhatNoSearchVariesHaveNone_data();
    void wholeLayoutsAndWhatNoSearchVariesHaveNone();
    void anotherBatchIsComparedBySequences();

private:
    WhyNot ask(const char* typed, const SearchSpace& limits = {}) const;
    double fastest(const SearchSpace& space) const;

    Scenario m_scenario;
    Layout m_pick;
};

namespace {

const auto never = [] { return false; };

bool same(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::max(a, b);
}

} // namespace

void BestWithTest::initTestCase()
{
    m_scenario = presetScenario("llama-3.1-70b", "hgx-h100", 8, 64);
    m_pick = advise(m_scenario, Voice::ConstraintFirst).pick.layout;
}

WhyNot BestWithTest::ask(const char* typed, const SearchSpace& limits) const
{
    const Result<WhyNot> answer = whyNotTyped(m_scenario, m_pick, limits, typed, 2, never);
    return answer ? *answer : WhyNot();
}

/// Step time in s.
double BestWithTest::fastest(const SearchSpace& space) const
{
    const Result<SearchResult> found = searchLayouts(m_scenario, space, {}, never, nullptr);
    return found && !found->best.empty() ? found->best.front().stepTime : 0;
}

void BestWithTest::isTheFastestOfAllThatKeepWhatWasTyped_data()
{
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("fixed");
    QTest::newRow("one degree") << "tp 2"
                                << "tp=2";
    QTest::newRow("two") << "tp=8,pp=2"
                         << "tp=8,pp=2";
    QTest::newRow("a setting") << "recompute=full"
                               << "recompute=full";
    QTest::newRow("short for") << "zero=0, sp=off"
                               << "zero_stage=0,sequence_parallel=off";
    QTest::newRow("a schedule") << "pp=2, schedule=interleaved"
                                << "schedule=interleaved,pp=2";
    QTest::newRow("beside what is not varied") << "tp=2,global_batch=64"
                                               << "tp=2";
}

void BestWithTest::isTheFastestOfAllThatKeepWhatWasTyped()
{
    QFETCH(QString, typed);
    QFETCH(QString, fixed);
    const WhyNot answer = ask(typed.toUtf8().constData());
    QVERIFY(answer.bestWith && answer.bestWith->cost);
    SearchSpace space;
    QVERIFY(narrow(space, Limit::Fix, fixed.toStdString()).empty());
    space = choicesWithin(space);
    const LayoutCost& best = *answer.bestWith->cost;
    QVERIFY(same(best.stepTime, fastest(space)));
    QVERIFY(brokenLimit(withinStack(space, m_scenario), best.layout, m_scenario).empty());
    QVERIFY(best.fits && (!answer.wanted.fits || best.stepTime < answer.wanted.stepTime));
    QVERIFY(std::abs(*answer.bestWith->gap - (best.stepTime / answer.reference.stepTime - 1)) < 1e-9);
    QVERIFY(answer.text.find("Best with " + answer.bestWith->kept) != std::string::npos);
    QVERIFY(answer.text.find("slower than the advice") != std::string::npos);
    QVERIFY(writeAdvice(Advice(), std::nullopt, answer).find("\"best_with\"") != std::string::npos);
}

void BestWithTest::schedulesOfPipelinesKeepAPipeline()
{
    const WhyNot answer = ask("schedule=interleaved");
    QCOMPARE(m_pick.pp, 1);
    QVERIFY(answer.verdict != Verdict::Illegal);
    QCOMPARE(answer.wanted.layout.pp, 2); // a schedule asks for something to schedule
    QVERIFY(answer.bestWith && answer.bestWith->cost);
    QCOMPARE(answer.bestWith->cost->layout.schedule, ScheduleKind::Interleaved);
    QVERIFY(answer.bestWith->cost->layout.pp > 1);
}

void BestWithTest::noBetterOneIsSaid()
{
    const std::string tp = "tp=" + std::to_string(m_pick.tp);
    const WhyNot answer = ask(tp.c_str());
    QCOMPARE(answer.verdict, Verdict::Same);
    QVERIFY(answer.bestWith && answer.bestWith->isAsked);
    QCOMPARE(answer.bestWith->cost->layout, m_pick);
    QCOMPARE(*answer.bestWith->gap, 0.0);
    QVERIFY(answer.text.find("No layout with tp = " + std::to_string(m_pick.tp) + " is faster.") != std::string::npos);
}

void BestWithTest::whatIsTypedLiftsItsLimitOnly()
{
    SearchSpace limits;
    QVERIFY(narrow(limits, "tp=8, pp<=4, recompute=full").empty());
    const WhyNot answer = ask("tp=2", limits);
    QCOMPARE(answer.verdict, Verdict::OutsideLimits);
    SearchSpace others;
    QVERIFY(narrow(others, "tp=2, pp<=4, recompute=full").empty());
    QVERIFY(answer.bestWith && answer.bestWith->cost);
    QVERIFY(same(answer.bestWith->cost->stepTime, fastest(others)));
    QVERIFY(!answer.bestWith->isAsked);
}

void BestWithTest::whatTheStackDoesNotOfferIsAskedAllTheSame()
{
    const WhyNot answer = ask("schedule=zb-h1,pp=4");
    QCOMPARE(answer.verdict, Verdict::NotOffered);
    QVERIFY(answer.bestWith && answer.bestWith->cost);
    QCOMPARE(answer.bestWith->cost->layout.schedule, ScheduleKind::ZbH1);
    QCOMPARE(answer.bestWith->cost->layout.pp, 4);
}

void BestWithTest::whereNothingFitsOrIsLegalThatIsSaid()
{
    const WhyNot illegal = ask("tp=3");
    QCOMPARE(illegal.verdict, Verdict::Illegal);
    QVERIFY(illegal.bestWith && !illegal.bestWith->someLegal && !illegal.bestWith->cost);
    QVERIFY(illegal.text.find("No layout with tp = 3 is legal.") != std::string::npos);
    const WhyNot large = ask("tp=1,pp=1,cp=1,zero=0,micro_batch=1");
    QCOMPARE(large.verdict, Verdict::OutOfMemory);
    QVERIFY(large.bestWith && large.bestWith->someLegal && !large.bestWith->cost && !large.bestWith->gap);
    QVERIFY(large.text.find(" fits.") != std::string::npos);
}

void BestWithTest::wholeLayoutsAndWhatNoSearchVariesHaveNone_data()
{
    QTest::addColumn<QString>("typed");
    QTest::newRow("a printed line") << "tp 8 · pp 4 · dp 2 · ZeRO-1 · 1F1B";
    QTest::newRow("a batch") << "global_batch=128";
    QTest::newRow("layers") << "pp=2,layers_per_stage=41|39";
}

void BestWithTest::wholeLayoutsAndWhatNoSearchVariesHaveNone()
{
    QFETCH(QString, typed);
    const WhyNot answer = ask(typed.toUtf8().constData());
    QVERIFY(!answer.readAs.empty());
    QVERIFY(!answer.bestWith);
    const std::size_t understood = answer.text.find(answer.readAs);
    QVERIFY(understood != std::string::npos && understood > answer.text.find('\n')); // the verdict comes first
}

void BestWithTest::anotherBatchIsComparedBySequences()
{
    const WhyNot answer = ask("tp=2,global_batch=128");
    QVERIFY(answer.bestWith && answer.bestWith->cost);
    QCOMPARE(answer.bestWith->cost->layout.globalBatch, std::int64_t{128});
    const double perSequence = answer.bestWith->cost->stepTime / 128;
    QVERIFY(std::abs(*answer.bestWith->gap - (perSequence / (answer.reference.stepTime / 64) - 1)) < 1e-9);
}

QTEST_APPLESS_MAIN(BestWithTest)
#include "tst_best_with.moc"
