// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/difference.h"

#include <QTest>

#include <random>

using namespace partita;

class DifferenceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theWayAddsUpToTheLastBit();
    void equalTermsAreLeftOut();
    void theLargestChangesAreNamedAndTheRestIsSummed();
    void memoryIsToldByCategory();
};

namespace {

TimeBreakdown randomTimes(std::mt19937& generator)
{
    std::uniform_real_distribution<double> seconds(0, 3);
    TimeBreakdown time;
    for (double& part : time.seconds) {
        part = generator() % 4 == 0 ? 0.5 : seconds(generator);
    }
    return time;
}

} // namespace

void DifferenceTest::theWayAddsUpToTheLastBit()
{
    std::mt19937 generator(7);
    for (int i = 0; i < 2000; ++i) {
        const TimeBreakdown before = randomTimes(generator);
        const TimeBreakdown after = randomTimes(generator);
        const TimeDifference way = difference(before, after);
        QVERIFY(way.before == before.total() && way.after == after.total());
        QVERIFY(!way.terms.empty());
        QVERIFY(way.terms.front().from == way.before && way.terms.back().to == way.after);
        for (std::size_t t = 0; t < way.terms.size(); ++t) {
            const DifferenceTerm<TimeKind>& term = way.terms[t];
            QVERIFY(t == 0 || term.from == way.terms[t - 1].to);
            QVERIFY(std::abs(term.change() - (after[term.kind] - before[term.kind])) < 1e-12);
            QVERIFY(term.before == before[term.kind] && term.after == after[term.kind]);
        }
    }
}

void DifferenceTest::equalTermsAreLeftOut()
{
    TimeBreakdown before;
    before[TimeKind::Gemm] = 2;
    before[TimeKind::Bubble] = 1;
    TimeBreakdown after = before;
    QVERIFY(difference(before, after).terms.empty());
    QCOMPARE(describe(difference(before, after)), std::string("the same step time, term by term"));
    after[TimeKind::Bubble] = 0.25;
    const TimeDifference way = difference(before, after);
    QCOMPARE(way.terms.size(), std::size_t{1});
    QCOMPARE(way.terms[0].kind, TimeKind::Bubble);
    QCOMPARE(describe(way), std::string("750 ms faster (−25.0 %): bubble −750 ms"));
}

void DifferenceTest::theLargestChangesAreNamedAndTheRestIsSummed()
{
    TimeBreakdown before;
    TimeBreakdown after;
    before[TimeKind::Gemm] = 10;
    after[TimeKind::Gemm] = 9;
    after[TimeKind::Bubble] = 4;
    after[TimeKind::TpExposed] = 2;
    after[TimeKind::Host] = 0.5;
    after[TimeKind::Optimizer] = 0.25;
    QCOMPARE(describe(difference(before, after)),
             std::string("5.75 s slower (+57.5 %): bubble +4.00 s, TP exposed +2.00 s, GEMM −1.00 s, others +750 ms"));
    QCOMPARE(difference(before, after).bySize().front().kind, TimeKind::Bubble);
}

void DifferenceTest::memoryIsToldByCategory()
{
    constexpr double gibi = 1073741824;
    MemoryBreakdown before;
    MemoryBreakdown after;
    before[MemoryKind::Weights] = 10 * gibi;
    after[MemoryKind::Weights] = 5 * gibi;
    after[MemoryKind::Activations] = 20 * gibi;
    QCOMPARE(describe(difference(before, after)),
             std::string("15.0 GiB more: activations +20.0 GiB, weights −5.00 GiB"));
}

QTEST_GUILESS_MAIN(DifferenceTest)
#include "tst_difference.moc"
