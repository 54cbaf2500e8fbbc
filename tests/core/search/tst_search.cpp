// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/catalogue.h"
#include "core/search/balance_stages.h"
#include "core/search/fast_model.h"
#include "core/search/layout_space.h"
#include "core/search/search.h"
#include "core/search/stack_limits.h"
#include "core/training/evaluate.h"
#include "search_cases.h"

#include <QTest>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>

using namespace partita;

class SearchTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_catalogue = loadCatalogue({PARTITA_SOURCE_DIR "/presets"}); }
    void findsWhatBruteForceFinds_data();
    void findsWhatBruteForceFinds();
    void mixturesOfExpertsAreAsBruteForceHasThem_data();
    void mixturesOfExpertsAreAsBruteForceHasThem() { findsWhatBruteForceFinds(); }
    void balancedStagesAreAsBruteForceHasThem_data();
    void balancedStagesAreAsBruteForceHasThem();
    void whatIsFastEnoughIsAllThatIsLookedFor();
    void theFrontIsWhatNothingBeats_data() { findsWhatBruteForceFinds_data(); }
    void theFrontIsWhatNothingBeats();
    void threadsDoNotChangeTheResult();
    void streamsAndCountsUpToTheResult();
    void stopsWhenTold();
    void stopsWhileTheSpaceIsCounted();
    void headRoomIsLeftFree();
    void whereNothingFitsTheLeanestIsNamed();
    void noLayoutIsAProblem();
    void theLimitThatEmptiesTheSpaceIsNamed_data();
    void theLimitThatEmptiesTheSpaceIsNamed();

private:
    Catalogue m_catalogue;
};

namespace {

const auto never = [] { return false; };

SearchResult found(const Scenario& scenario, const SearchSpace& space, const SearchOptions& options = {})
{
    const Result<SearchResult> result = searchLayouts(scenario, space, options, never, nullptr);
    return result ? *result : SearchResult{};
}

SearchSpace limited(const QString& most)
{
    SearchSpace space;
    space.beyondStack = true;
    if (!narrow(space, Limit::Most, most.toStdString()).empty()) {
        qFatal("limits");
    }
    return space;
}

/// Every layout of the space that fits, by evaluate().
std::vector<FoundLayout> bruteForce(Scenario scenario, const SearchSpace& limits)
{
    std::vector<FoundLayout> all;
    const Scenario original = scenario;
    LayoutSpace space(original, limits);
    for (const DeviceSplit& split : space.deviceSplits()) {
        space.visit(split, [&](const Layout& layout) {
            scenario.layout = layout;
            if (const Report report = evaluate(scenario); report.fits) {
                all.push_back({layout, report.stepTime, report.peakMemory()});
            }
        });
    }
    return all;
}

/// Rows of small spaces: a model on devices of a cluster, and limits.
void addSpaceColumns()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("cluster");
    QTest::addColumn<int>("devices");
    QTest::addColumn<int>("batch");
    QTest::addColumn<QString>("most");
}

void addSpace(const char* name, const char* model, const char* cluster, int devices, int batch, const char* most)
{
    QTest::newRow(name) << QString::fromLatin1(model) << QString::fromLatin1(cluster) << devices << batch
                        << QString::fromLatin1(most);
}

bool near(double a, double b)
{
    return std::abs(a - b) <= 1e-3 * std::abs(b);
}

} // namespace

void SearchTest::findsWhatBruteForceFinds_data()
{
    addSpaceColumns();
    const auto row = addSpace;
    row("dense, roomy", "llama-3.2-1b", "hgx-h100", 8, 32, "cp=2");
    row("dense, tight", "llama-3-8b", "hgx-a100", 8, 16, "cp=2,micro-batch=4");
    row("dense, several nodes", "llama-2-13b", "p4d-a100", 16, 32, "cp=1,vpp=3,micro-batch=2");
    row("experts", "mixtral-8x7b", "hgx-h100", 16, 16, "cp=1,vpp=2,micro-batch=2,etp=2");
    row("latent attention", "deepseek-v2-lite", "hgx-h100", 16, 16, "cp=1,vpp=2,micro-batch=2,etp=1");
    row("hybrid", "mamba2-hybrid-8b", "hgx-h100", 8, 16, "cp=2,micro-batch=4");
}

/// Random shapes of clusters, batches and limits.
void SearchTest::mixturesOfExpertsAreAsBruteForceHasThem_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("cluster");
    QTest::addColumn<int>("devices");
    QTest::addColumn<int>("batch");
    QTest::addColumn<QString>("most");
    std::mt19937 random(7);
    const auto one = [&](const QStringList& of) {
        return of[static_cast<int>(random() % static_cast<unsigned>(of.size()))];
    };
    for (int i = 0; i < 4; ++i) {
        const int devices = one({"8", "12", "16"}).toInt();
        const int batch = devices * one({"1", "2"}).toInt();
        QTest::addRow("%d", i) << one({"mixtral-8x7b", "deepseek-v2-lite", "qwen3-30b-a3b", "jamba-v0.1"})
                               << one({"hgx-h100", "hgx-a100", "h800-2048"}) << devices << batch
                               << one({"cp=1,tp=4,vpp=2,micro-batch=1,etp=1",
                                       "cp=2,tp=2,pp=4,vpp=2,micro-batch=1,etp=2",
                                       "cp=1,tp=2,pp=2,micro-batch=2,etp=1"});
    }
}

void SearchTest::findsWhatBruteForceFinds()
{
    QFETCH(QString, model);
    QFETCH(QString, cluster);
    QFETCH(int, devices);
    QFETCH(int, batch);
    QFETCH(QString, most);
    const Scenario scenario = search_cases::scenario(m_catalogue, model, cluster, devices, batch);
    const SearchSpace space = limited(most);
    std::vector<FoundLayout> all = bruteForce(scenario, space);
    std::sort(all.begin(), all.end(),
              [](const FoundLayout& a, const FoundLayout& b) { return a.stepTime < b.stepTime; });
    SearchOptions options;
    options.top = 20;
    const SearchResult result = found(scenario, space, options);
    QVERIFY(result.complete);
    QCOMPARE(result.counts.fit, static_cast<std::int64_t>(all.size()));
    QCOMPARE(result.counts.legal, result.counts.enumerated);
    QCOMPARE(result.counts.legal, result.counts.evaluated + result.counts.pruned);
    QCOMPARE(result.best.size(), std::min(all.size(), std::size_t{20}));
    options.countFitsUpTo = 0;
    const SearchResult quick = found(scenario, space, options);
    QCOMPARE(quick.best, result.best);
    QCOMPARE(quick.counts.legal, result.counts.legal);
    for (std::size_t i = 0; i < result.best.size(); ++i) {
        QVERIFY2(near(result.best[i].stepTime, all[i].stepTime), qPrintable(search_cases::textOf(all[i].layout)));
    }
}

void SearchTest::balancedStagesAreAsBruteForceHasThem_data()
{
    addSpaceColumns();
    const auto row = addSpace;
    row("a large head", "llama-3.2-1b", "hgx-h100", 8, 16, "cp=1,tp=2,vpp=3,micro-batch=2");
    row("tight", "llama-3-8b", "hgx-a100", 8, 16, "cp=1,tp=2,vpp=2,micro-batch=2");
    row("no even split fits", "llama-2-13b", "p4d-a100", 8, 16, "cp=1,tp=1,vpp=1,micro-batch=1");
    row("two kinds of layers", "deepseek-v2-lite", "hgx-a100", 8, 8, "cp=1,tp=2,vpp=2,micro-batch=1,etp=1");
    row("hybrid", "mamba2-hybrid-8b", "hgx-h100", 8, 16, "cp=1,tp=2,vpp=2,micro-batch=2");
}

/// Every layout with its even split, the one balanced by time and, where that does not fit, the fastest that does.
void SearchTest::balancedStagesAreAsBruteForceHasThem()
{
    QFETCH(QString, model);
    QFETCH(QString, cluster);
    QFETCH(int, devices);
    QFETCH(int, batch);
    QFETCH(QString, most);
    const Scenario scenario = search_cases::scenario(m_catalogue, model, cluster, devices, batch);
    SearchSpace space = limited(most);
    space.stageSplit = StageSplit::Any;
    std::vector<double> times;
    Scenario asked = scenario;
    LayoutSpace layouts(scenario, space);
    for (const DeviceSplit& split : layouts.deviceSplits()) {
        layouts.visit(split, [&](const Layout& layout) {
            FastModel fast(scenario);
            std::vector<std::vector<int>> ways{{}};
            if (layout.pp > 1) {
                asked.layout = layout;
                ways.push_back(balanceStages(asked, BalanceBy::Time));
                for (const std::vector<int>& way :
                     fast.balancedSplits(scenario.cluster.accelerator.memoryBytes, layout)) {
                    ways.push_back(way);
                }
            }
            for (const std::vector<int>& way : ways) {
                asked.layout = layout;
                asked.layout.layersPerStage = way;
                if (const Report report = evaluate(asked); report.fits) {
                    times.push_back(report.stepTime);
                }
            }
        });
    }
    SearchOptions options;
    options.top = 1;
    const SearchResult result = found(scenario, space, options);
    QCOMPARE(result.best.empty(), times.empty());
    QCOMPARE(result.counts.legal, result.counts.enumerated);
    QCOMPARE(result.counts.legal, result.counts.evaluated + result.counts.pruned);
    if (!times.empty()) {
        QVERIFY(near(result.best.front().stepTime, *std::min_element(times.begin(), times.end())));
    }
    options.countFitsUpTo = 0;
    for (const int threads : {1, 3}) {
        options.threads = threads;
        QCOMPARE(found(scenario, space, options).best, result.best);
    }
}

void SearchTest::whatIsFastEnoughIsAllThatIsLookedFor()
{
    const Scenario scenario = search_cases::scenario(m_catalogue, "llama-3-8b", "hgx-h100", 8, 16);
    SearchOptions options;
    options.top = 5;
    const SearchResult all = found(scenario, {}, options);
    options.enough = all.best[2].stepTime;
    const SearchResult some = found(scenario, {}, options);
    QVERIFY(some.complete && some.best.size() >= 3);
    QCOMPARE(some.best[0], all.best[0]);
    QVERIFY(some.best.back().stepTime <= options.enough * (1 + 1e-6));
    options.enough = all.best[0].stepTime / 2;
    QVERIFY(found(scenario, {}, options).best.empty());
}

void SearchTest::theFrontIsWhatNothingBeats()
{
    QFETCH(QString, model);
    QFETCH(QString, cluster);
    QFETCH(int, devices);
    QFETCH(int, batch);
    QFETCH(QString, most);
    const Scenario scenario = search_cases::scenario(m_catalogue, model, cluster, devices, batch);
    SearchOptions options;
    options.top = 1;
    options.front = true;
    const SearchSpace space = limited(most);
    const SearchResult result = found(scenario, space, options);
    QVERIFY(!result.front.empty());
    options.countFitsUpTo = 0;
    QCOMPARE(found(scenario, space, options).front, result.front);
    for (std::size_t i = 1; i < result.front.size(); ++i) {
        QVERIFY(result.front[i - 1].peakMemory < result.front[i].peakMemory);
        QVERIFY(result.front[i - 1].stepTime > result.front[i].stepTime);
    }
    for (const FoundLayout& one : bruteForce(scenario, space)) {
        const auto covers = [&](const FoundLayout& corner) {
            return corner.peakMemory <= one.peakMemory * (1 + 1e-12) && corner.stepTime <= one.stepTime * 1.001;
        };
        QVERIFY2(std::any_of(result.front.begin(), result.front.end(), covers),
                 qPrintable(search_cases::textOf(one.layout)));
    }
}

void SearchTest::threadsDoNotChangeTheResult()
{
    const Scenario scenario = search_cases::scenario(m_catalogue, "mixtral-8x7b", "hgx-h100", 16, 32);
    const SearchSpace space = limited(QStringLiteral("cp=1,vpp=2,micro-batch=2,etp=2"));
    SearchOptions options;
    options.front = true;
    const SearchResult one = found(scenario, space, options);
    for (const int threads : {2, 3, 8}) {
        options.threads = threads;
        const SearchResult many = found(scenario, space, options);
        QCOMPARE(many.best, one.best);
        QCOMPARE(many.front, one.front);
        QCOMPARE(many.counts.fit, one.counts.fit);
        QCOMPARE(many.counts.legal, one.counts.legal);
    }
}

void SearchTest::streamsAndCountsUpToTheResult()
{
    const Scenario scenario = search_cases::scenario(m_catalogue, "llama-3-8b", "hgx-a100", 16, 16);
    SearchOptions options;
    options.threads = 2;
    std::vector<SearchResult> stream;
    const Result<SearchResult> result =
        searchLayouts(scenario, {}, options, never, [&](const SearchResult& soFar) { stream.push_back(soFar); });
    QVERIFY(result);
    QVERIFY(stream.size() > 2);
    for (std::size_t i = 1; i < stream.size(); ++i) {
        QVERIFY(stream[i].counts.legal >= stream[i - 1].counts.legal);
        QVERIFY(stream[i].best.size() >= stream[i - 1].best.size());
        QVERIFY(stream[i - 1].best.empty() || stream[i].best[0].stepTime <= stream[i - 1].best[0].stepTime);
    }
    QCOMPARE(stream.back().best, result->best);
    QCOMPARE(stream.back().counts, result->counts);
}

void SearchTest::stopsWhenTold()
{
    const Scenario scenario = search_cases::scenario(m_catalogue, "mixtral-8x7b", "hgx-h100", 64, 256);
    const double optimum = found(scenario, {}).best.front().stepTime;
    for (const int patience : {3, 30, 300, 3000}) {
        std::atomic<int> asked = 0;
        SearchOptions options;
        options.wantsBound = [] { return true; };
        const Result<SearchResult> result = searchLayouts(
            scenario, {}, options, [&] { return ++asked > patience; }, nullptr);
        QVERIFY(result);
        QVERIFY(!result->complete);
        QVERIFY(result->counts.legal < result->counts.enumerated);
        const double best = result->best.empty() ? result->bound : result->best.front().stepTime;
        QVERIFY(result->bound > 0);
        QVERIFY(std::min(best, result->bound) <= optimum * (1 + 1e-12));
    }
}

void SearchTest::stopsWhileTheSpaceIsCounted()
{
    const Scenario scenario = search_cases::scenario(m_catalogue, "mixtral-8x7b", "hgx-h100", 64, 256);
    SearchSpace space;
    const std::int64_t ownOrder = LayoutSpace(scenario, space).size();
    space.rankOrders = true;
    const std::int64_t all = LayoutSpace(scenario, space).size();
    std::int64_t before = 0;
    for (const int patience : {0, 10, 100}) {
        std::atomic<int> asked = 0;
        SearchOptions options;
        options.wantsBound = [] { return true; };
        const auto stop = [&] { return ++asked > patience; };
        const Result<SearchResult> result = searchLayouts(scenario, space, options, stop, nullptr);
        QVERIFY(result);
        QVERIFY(!result->complete);
        QVERIFY(!result->counts.counted);
        QCOMPARE(result->counts.legal, std::int64_t{0});
        QVERIFY(result->counts.enumerated >= std::max(ownOrder, before) && result->counts.enumerated < all);
        QVERIFY(result->bound > 0);
        QVERIFY(!layoutsBeyondStack(scenario, space, result->counts, never));
        before = result->counts.enumerated;
    }
    QVERIFY(before > ownOrder);
    const SearchResult whole = found(scenario, space);
    QVERIFY(whole.counts.counted);
    QCOMPARE(whole.counts.enumerated, all);
    QCOMPARE(whole.counts.legal, all);
}

void SearchTest::headRoomIsLeftFree()
{
    const Scenario scenario = search_cases::scenario(m_catalogue, "llama-3-8b", "hgx-a100", 16, 16);
    SearchSpace space = limited(QStringLiteral("cp=1,micro-batch=1"));
    const SearchResult all = found(scenario, space);
    space.headRoom = 0.5;
    const SearchResult half = found(scenario, space);
    QVERIFY(half.counts.fit < all.counts.fit);
    QVERIFY(!half.best.empty());
    for (const FoundLayout& layout : half.best) {
        QVERIFY(layout.peakMemory <= 0.5 * scenario.cluster.accelerator.memoryBytes);
    }
}

void SearchTest::whereNothingFitsTheLeanestIsNamed()
{
    const Scenario scenario = search_cases::scenario(m_catalogue, "llama-3.1-405b", "hgx-h100", 8, 8);
    const SearchSpace limits = limited(QStringLiteral("micro-batch=1"));
    const SearchResult result = found(scenario, limits);
    QVERIFY(result.complete);
    QVERIFY(result.best.empty());
    QVERIFY(result.leanest);
    QVERIFY(result.leanest->peakMemory > result.memoryLimit);
    Scenario other = scenario;
    const Scenario original = scenario;
    LayoutSpace space(original, limits);
    for (const DeviceSplit& split : space.deviceSplits()) {
        space.visit(split, [&](const Layout& layout) {
            other.layout = layout;
            QVERIFY(evaluate(other).peakMemory() >= result.leanest->peakMemory);
        });
    }
}

void SearchTest::noLayoutIsAProblem()
{
    const Scenario scenario = search_cases::scenario(m_catalogue, "llama-3-8b", "hgx-a100", 8, 8);
    SearchSpace space;
    space.tp = {7, 7};
    const Result<SearchResult> result = searchLayouts(scenario, space, {}, never, nullptr);
    QVERIFY(!result);
    QCOMPARE(result.problems.size(), std::size_t{1});
    Scenario broken = scenario;
    broken.model.hidden = 0;
    QVERIFY(!searchLayouts(broken, {}, {}, never, nullptr));
}

void SearchTest::theLimitThatEmptiesTheSpaceIsNamed_data()
{
    QTest::addColumn<QString>("limits");
    QTest::addColumn<int>("batch");
    QTest::addColumn<QString>("named");
    QTest::newRow("one of two") << "tp=7, pp=2" << 8 << "tp = 7";
    QTest::newRow("two that exclude each other") << "pp=1, vpp=2" << 8 << "pp = 1; vpp = 2";
    QTest::newRow("together too many devices") << "tp=8, cp<=4, pp>=2" << 8 << "tp = 8; pp ≥ 2";
    QTest::newRow("each impossible") << "tp=7, pp=5" << 8 << "tp = 7; pp = 5";
    QTest::newRow("the stack") << "schedule=1f1b, ep=1, vpp=2" << 8 << "vpp = 2; schedule = 1f1b";
}

void SearchTest::theLimitThatEmptiesTheSpaceIsNamed()
{
    QFETCH(QString, limits);
    QFETCH(int, batch);
    QFETCH(QString, named);
    const Scenario scenario = search_cases::scenario(m_catalogue, "llama-3-8b", "hgx-a100", 8, batch);
    SearchSpace space;
    QVERIFY(narrow(space, limits.toStdString()).empty());
    const Result<SearchResult> result = searchLayouts(scenario, space, {}, never, nullptr);
    QVERIFY(!result);
    QCOMPARE(QString::fromStdString(result.problems.front().value), named);
}

QTEST_GUILESS_MAIN(SearchTest)
#include "tst_search.moc"
