// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout_search.h"

#include "app/default_scenario.h"
#include "core/search/stack_limits.h"
#include "core/training/evaluate.h"

#include <QSignalSpy>
#include <QTest>

using namespace partita;
using namespace partita::ui;

class LayoutSearchTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void endsWithTheOptimum();
    void theNewestRequestWins();
    void adoptingAFindDoesNotSearchAgain();
    void stoppingKeepsWhatWasFound();
    void stoppingWhatHasEndedChangesNothing();
    void anImpossibleSpaceSaysWhy();
    void whatIsToBeKnownOfTheSearchComesWithIt();
    void itMayBeDestroyedWhileItWorks();

private:
    static SearchSpace narrowSpace()
    {
        SearchSpace space;
        narrow(space, "cp=1, vpp<=2, micro_batch=1");
        return space;
    }
    const Catalogue m_catalogue = loadPresets();
    const Scenario m_scenario = *defaultScenario(m_catalogue);
};

void LayoutSearchTest::endsWithTheOptimum()
{
    LayoutSearch search;
    search.start(m_scenario, narrowSpace());
    QVERIFY(search.running());
    QTRY_VERIFY_WITH_TIMEOUT(!search.running(), 60000);
    const SearchState& state = search.state();
    QVERIFY(state.result.complete);
    QVERIFY(!state.best.empty());
    QCOMPARE(state.best.size(), state.result.best.size());
    QCOMPARE(state.front.size(), state.result.front.size());
    const Result<SearchResult> alone = searchLayouts(
        m_scenario, narrowSpace(), {}, [] { return false; }, nullptr);
    QVERIFY(alone);
    QCOMPARE(state.best.front().layout, alone->best.front().layout);
    Scenario opened = m_scenario;
    opened.layout = state.best.front().layout;
    QCOMPARE(evaluate(opened).stepTime, state.best.front().stepTime);
}

void LayoutSearchTest::theNewestRequestWins()
{
    LayoutSearch search;
    Scenario scenario = m_scenario;
    for (int i = 0; i < 20; ++i) {
        scenario.workload.sequenceLength = 1024 * (i + 1);
        search.start(scenario, narrowSpace());
    }
    scenario.layout.globalBatch = 32;
    search.start(scenario, narrowSpace());
    QTRY_VERIFY_WITH_TIMEOUT(!search.running(), 60000);
    QCOMPARE(search.state().best.front().layout.globalBatch, std::int64_t{32});
}

void LayoutSearchTest::adoptingAFindDoesNotSearchAgain()
{
    LayoutSearch search;
    search.follow(m_scenario, narrowSpace());
    QTRY_VERIFY_WITH_TIMEOUT(!search.running(), 60000);
    QSignalSpy advanced(&search, &LayoutSearch::advanced);
    Scenario adopted = m_scenario;
    adopted.layout = search.state().best.front().layout;
    search.follow(adopted, narrowSpace());
    QVERIFY(!search.running());
    QCOMPARE(advanced.size(), 0);
    adopted.workload.sequenceLength /= 2;
    search.follow(adopted, narrowSpace());
    QVERIFY(search.running());
    QTRY_VERIFY_WITH_TIMEOUT(!search.running(), 60000);
}

void LayoutSearchTest::stoppingKeepsWhatWasFound()
{
    LayoutSearch search;
    search.start(m_scenario, {});
    QTRY_VERIFY_WITH_TIMEOUT(!search.state().best.empty(), 60000);
    search.stop();
    QVERIFY(!search.running());
    QVERIFY(!search.state().best.empty());
    const double best = search.state().best.front().stepTime;
    QTRY_VERIFY_WITH_TIMEOUT(search.state().result.bound > 0 || search.state().result.complete, 60000);
    QVERIFY(!search.running());
    QVERIFY(search.state().best.front().stepTime <= best);
}

void LayoutSearchTest::stoppingWhatHasEndedChangesNothing()
{
    LayoutSearch search;
    search.start(m_scenario, narrowSpace());
    QTRY_VERIFY_WITH_TIMEOUT(!search.running(), 60000);
    QSignalSpy advanced(&search, &LayoutSearch::advanced);
    search.stop();
    QVERIFY(search.state().result.complete);
    QCOMPARE(advanced.size(), 0);
}

void LayoutSearchTest::anImpossibleSpaceSaysWhy()
{
    LayoutSearch search;
    SearchSpace space;
    space.tp = {7, 7};
    search.start(m_scenario, space);
    QTRY_VERIFY_WITH_TIMEOUT(!search.running(), 60000);
    QCOMPARE(search.state().problems.size(), std::size_t{1});
}

void LayoutSearchTest::whatIsToBeKnownOfTheSearchComesWithIt()
{
    LayoutSearch search;
    SearchSpace space = narrowSpace();
    space.schedules = {ScheduleKind::OneFOneB};
    const std::vector<std::string> expected = searchWarnings(m_scenario, space);
    QVERIFY(!expected.empty());
    search.start(m_scenario, space);
    QTRY_VERIFY_WITH_TIMEOUT(!search.running(), 60000);
    QCOMPARE(search.state().warnings, expected);
}

void LayoutSearchTest::itMayBeDestroyedWhileItWorks()
{
    for (int i = 0; i < 5; ++i) {
        LayoutSearch search;
        search.start(m_scenario, {});
        QCoreApplication::processEvents();
    }
}

QTEST_MAIN(LayoutSearchTest)
#include "tst_layout_search.moc"
