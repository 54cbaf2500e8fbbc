// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/catalogue.h"
#include "core/scenario/rules.h"
#include "core/scenario/stack_offer.h"
#include "core/search/fast_model.h"
#include "core/search/layout_space.h"
#include "core/search/stack_limits.h"
#include "core/training/evaluate.h"
#include "search_cases.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

using namespace partita;

class LayoutSpaceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_catalogue = loadCatalogue({PARTITA_SOURCE_DIR "/presets"}); }
    void holdsWhatTheRulesAllowAndNothingElse_data();
    void holdsWhatTheRulesAllowAndNothingElse();
    void countsWithoutMaking_data() { holdsWhatTheRulesAllowAndNothingElse_data(); }
    void nothingIsShownTwiceForItsZeroStage_data();
    void nothingIsShownTwiceForItsZeroStage();
    void countsWithoutMaking();
    void makesEveryLayoutOnce_data() { holdsWhatTheRulesAllowAndNothingElse_data(); }
    void makesEveryLayoutOnce();
    void limitsHold_data();
    void limitsHold();
    void whatIsNotUnderstoodIsSaid_data();
    void whatIsNotUnderstoodIsSaid();
    void everyWordMaySayItsOwnLimit();
    void rankOrdersThatCostTheSameCountOnce();
    void rankOrdersCanBeNamed();
    void splitsCanBeNamed();
    void aSingleStageHasOneChunk();
    void liftedLimitsAreGone();
    void aStackLimitsWhatItDoesNotOffer_data();
    void aStackLimitsWhatItDoesNotOffer();
    void aNamedChoiceBeatsTheStack();
    void whatAStackLeavesOutIsCounted();
    void emptySpacesAreEmpty();

private:
    Catalogue m_catalogue;
};

namespace {

/// Whatever the stack offers.
const SearchSpace unlimited = [] {
    SearchSpace space;
    space.beyondStack = true;
    return space;
}();

std::vector<Layout> everyLayout(const Scenario& scenario, const SearchSpace& limits)
{
    std::vector<Layout> all;
    LayoutSpace space(scenario, limits);
    for (const DeviceSplit& split : space.deviceSplits()) {
        space.visit(split, [&](const Layout& layout) { all.push_back(layout); });
    }
    return all;
}

using Key = std::tuple<int, int, int, int, int, int, int, bool, int, std::int64_t, Recompute, ScheduleKind>;

Key keyOfLayout(const Layout& l)
{
    return {l.tp,        l.cp,         l.pp,        l.vpp,     l.dp, l.ep, l.etp, l.sequenceParallel,
            l.zeroStage, l.microBatch, l.recompute, l.schedule};
}

bool legal(const Scenario& scenario)
{
    const Layout& layout = scenario.layout;
    return checkLayout(scenario).empty()
        && checkSchedule(layout.schedule, layout.pp, static_cast<int>(layout.microBatches()), layout.vpp).empty();
}

} // namespace

void LayoutSpaceTest::holdsWhatTheRulesAllowAndNothingElse_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<int>("devices");
    QTest::addColumn<int>("batch");
    QTest::newRow("dense") << "llama-3.2-1b" << 8 << 16;
    QTest::newRow("few heads") << "qwen2.5-0.5b" << 12 << 12;
    QTest::newRow("experts") << "mixtral-8x7b" << 8 << 8;
    QTest::newRow("latent attention") << "deepseek-v2-lite" << 8 << 4;
    QTest::newRow("hybrid") << "jamba-v0.1" << 8 << 8;
}

/// Every combination of degrees, asked of the rules one by one, against those the space makes.
void LayoutSpaceTest::holdsWhatTheRulesAllowAndNothingElse()
{
    QFETCH(QString, model);
    QFETCH(int, devices);
    QFETCH(int, batch);
    Scenario scenario = search_cases::scenario(m_catalogue, model, "hgx-h100", devices, batch);
    SearchSpace limits = unlimited;
    limits.stageSplit = StageSplit::Any;
    limits.vpp.most = 4;
    std::set<Key> made;
    for (const Layout& layout : everyLayout(scenario, limits)) {
        scenario.layout = layout;
        QVERIFY2(legal(scenario), qPrintable(search_cases::textOf(layout)));
        made.insert(keyOfLayout(layout));
    }
    Layout layout;
    layout.globalBatch = batch;
    std::size_t allowed = 0;
    const auto ask = [&] {
        scenario.layout = layout;
        if (legal(scenario)) {
            ++allowed;
            QVERIFY2(made.count(keyOfLayout(layout)) == 1, qPrintable(search_cases::textOf(layout)));
        }
    };
    // More than one stage and tensor rank: where nothing is left out because it changes nothing.
    for (layout.tp = 2; layout.tp <= devices; ++layout.tp) {
        for (layout.cp = 1; layout.tp * layout.cp <= devices; ++layout.cp) {
            for (layout.pp = 2; layout.tp * layout.cp * layout.pp <= devices; ++layout.pp) {
                layout.dp = devices / (layout.tp * layout.cp * layout.pp);
                for (layout.ep = 1; layout.ep <= devices; ++layout.ep) {
                    for (layout.etp = 1; layout.etp <= devices / layout.ep; ++layout.etp) {
                        for (layout.microBatch = 1; layout.microBatch <= batch; ++layout.microBatch) {
                            for (layout.vpp = 1; layout.vpp <= 4; ++layout.vpp) {
                                for (const auto& schedule : Names<ScheduleKind>::table) {
                                    layout.schedule = schedule.value;
                                    const bool shards = layout.dp * layout.cp > 1;
                                    if (shards && !(schedule.value == ScheduleKind::BreadthFirst && layout.vpp == 1)) {
                                        ask();
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    QVERIFY(allowed > 0);
}

void LayoutSpaceTest::nothingIsShownTwiceForItsZeroStage_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<bool>("experts"); // copies of experts on the ranks of a tensor group are sharded, too
    QTest::newRow("dense") << "llama-3.2-1b" << false;
    QTest::newRow("experts") << "mixtral-8x7b" << true;
}

/// Where no states are sharded, no stage is faster or needs less memory than the one that stands for all.
void LayoutSpaceTest::nothingIsShownTwiceForItsZeroStage()
{
    QFETCH(QString, model);
    QFETCH(bool, experts);
    Scenario scenario = search_cases::scenario(m_catalogue, model, "hgx-h100", 8, 8);
    SearchSpace limits = unlimited;
    QVERIFY(narrow(limits, "dp=1, cp=1, micro_batch=1, recompute=none, schedule=1f1b").empty());
    std::map<Key, std::vector<Layout>> alike;
    for (const Layout& layout : everyLayout(scenario, limits)) {
        Layout key = layout;
        key.zeroStage = 0;
        alike[keyOfLayout(key)].push_back(layout);
    }
    QCOMPARE(std::any_of(alike.begin(), alike.end(), [](const auto& group) { return group.second.size() > 1; }),
             experts);
    for (const auto& [key, layouts] : alike) {
        if (layouts.size() > 1) {
            continue;
        }
        scenario.layout = layouts.front();
        const Report one = evaluate(scenario);
        for (const int stage : {1, 2, 3}) {
            scenario.layout.zeroStage = stage;
            const Report other = evaluate(scenario);
            QVERIFY(std::abs(other.stepTime / one.stepTime - 1) < 1e-12);
            const double memory = FastModel(scenario).peakMemory(scenario.layout);
            QVERIFY(memory > FastModel(scenario).peakMemory(layouts.front()) * (1 - 1e-12)); // some need buffers
            QCOMPARE(brokenLimit(withinStack(limits, scenario), scenario.layout, scenario), std::string_view());
        }
    }
}

void LayoutSpaceTest::countsWithoutMaking()
{
    QFETCH(QString, model);
    QFETCH(int, devices);
    QFETCH(int, batch);
    const Scenario scenario = search_cases::scenario(m_catalogue, model, "hgx-h100", devices, batch);
    QCOMPARE(LayoutSpace(scenario, unlimited).size(),
             static_cast<std::int64_t>(everyLayout(scenario, unlimited).size()));
}

void LayoutSpaceTest::makesEveryLayoutOnce()
{
    QFETCH(QString, model);
    QFETCH(int, devices);
    QFETCH(int, batch);
    const Scenario scenario = search_cases::scenario(m_catalogue, model, "hgx-h100", devices, batch);
    const std::vector<Layout> all = everyLayout(scenario, unlimited);
    std::set<Key> keys;
    for (const Layout& layout : all) {
        keys.insert(keyOfLayout(layout));
    }
    QCOMPARE(keys.size(), all.size());
}

void LayoutSpaceTest::limitsHold_data()
{
    QTest::addColumn<QString>("fix");
    QTest::addColumn<QString>("least");
    QTest::addColumn<QString>("most");
    QTest::newRow("one degree") << "tp=4"
                                << ""
                                << "";
    QTest::newRow("several") << "tp=2,pp=2,zero=1,schedule=1f1b|zb-h1,recompute=full"
                             << ""
                             << "";
    QTest::newRow("ends") << "sequence-parallel=on"
                          << "dp=2"
                          << "pp=4,micro-batch=2,vpp=2,ep=1,cp=1";
}

void LayoutSpaceTest::limitsHold()
{
    QFETCH(QString, fix);
    QFETCH(QString, least);
    QFETCH(QString, most);
    SearchSpace limits;
    QCOMPARE(narrow(limits, Limit::Fix, fix.toStdString()), Problems{});
    QCOMPARE(narrow(limits, Limit::Least, least.toStdString()), Problems{});
    QCOMPARE(narrow(limits, Limit::Most, most.toStdString()), Problems{});
    const Scenario scenario = search_cases::scenario(m_catalogue, "llama-3.2-1b", "hgx-h100", 16, 32);
    limits = withinStack(limits, scenario);
    const std::vector<Layout> all = everyLayout(scenario, limits);
    QVERIFY(!all.empty());
    const auto among = [](const auto& values, auto value) {
        return std::find(values.begin(), values.end(), value) != values.end();
    };
    for (const Layout& layout : all) {
        QVERIFY(limits.tp.hold(layout.tp) && limits.cp.hold(layout.cp) && limits.pp.hold(layout.pp)
                && limits.vpp.hold(layout.vpp) && limits.dp.hold(layout.dp) && limits.ep.hold(layout.ep)
                && limits.etp.hold(layout.etp) && limits.microBatch.hold(layout.microBatch));
        QVERIFY(among(limits.zeroStages, layout.zeroStage) && among(limits.recompute, layout.recompute)
                && among(limits.schedules, layout.schedule) && among(limits.sequenceParallel, layout.sequenceParallel));
    }
}

void LayoutSpaceTest::whatIsNotUnderstoodIsSaid_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("fix");
    QTest::addColumn<int>("problems");
    QTest::newRow("unknown key") << "tq=8" << true << 1;
    QTest::newRow("two values") << "tp=8,tp=4" << true << 1;
    QTest::newRow("a value twice") << "tp=8,tp=8" << true << 0;
    QTest::newRow("no number") << "tp=eight,pp=" << true << 2;
    QTest::newRow("below one") << "tp=0" << false << 1;
    QTest::newRow("unknown choices") << "recompute=some,schedule=1f1b|nothing|zb-h1,zero=4" << true << 3;
    QTest::newRow("a choice has no ends") << "schedule=1f1b" << false << 1;
    QTest::newRow("no value") << "recompute=" << true << 1;
    QTest::newRow("nothing") << "" << true << 0;
}

void LayoutSpaceTest::whatIsNotUnderstoodIsSaid()
{
    QFETCH(QString, text);
    QFETCH(bool, fix);
    QFETCH(int, problems);
    SearchSpace space;
    QCOMPARE(static_cast<int>(narrow(space, fix ? Limit::Fix : Limit::Most, text.toStdString()).size()), problems);
}

void LayoutSpaceTest::everyWordMaySayItsOwnLimit()
{
    SearchSpace space;
    QCOMPARE(narrow(space, " tp<=8, dp >= 2,pp=4, schedule = 1f1b|zb-h1, "), Problems{});
    QCOMPARE(space.tp, (Bounds{1, 8}));
    QCOMPARE(space.dp.least, std::int64_t{2});
    QVERIFY(space.pp.fixed());
    QCOMPARE(space.schedules, (std::vector{ScheduleKind::OneFOneB, ScheduleKind::ZbH1}));
    QCOMPARE(narrow(space, "tp<8, tp, pp=>2, recompute<=full").size(), std::size_t{4});
    QCOMPARE(narrow(space, ""), Problems{});
}

void LayoutSpaceTest::rankOrdersThatCostTheSameCountOnce()
{
    const Scenario scenario = search_cases::scenario(m_catalogue, "llama-3.2-1b", "hgx-h100", 16, 16);
    SearchSpace limits;
    QVERIFY(narrow(limits, Limit::Fix, "tp=4,cp=1,pp=2,recompute=none,schedule=1f1b,zero=1,micro-batch=1").empty());
    limits.sequenceParallel = {true};
    const std::size_t own = everyLayout(scenario, limits).size();
    QCOMPARE(own, std::size_t{1});
    limits.rankOrders = true;
    const std::vector<Layout> placed = everyLayout(scenario, limits);
    QVERIFY(placed.size() > own);
    QVERIFY(placed.size() < 120);
    QCOMPARE(LayoutSpace(scenario, limits).size(), static_cast<std::int64_t>(placed.size()));
}

void LayoutSpaceTest::rankOrdersCanBeNamed()
{
    const Scenario scenario = search_cases::scenario(m_catalogue, "llama-3.2-1b", "hgx-h100", 16, 16);
    SearchSpace any;
    QVERIFY(narrow(any, "rank_order=any").empty());
    QVERIFY(any.rankOrders);
    SearchSpace limits;
    QVERIFY(narrow(limits, Limit::Fix, "tp=2,rank-order=tp-pp-cp-ep-dp|dp-tp-cp-ep-pp,micro_batch=1").empty());
    QCOMPARE(limits.orders.size(), std::size_t{2});
    std::map<std::array<Axis, 5>, int> found;
    for (const Layout& layout : everyLayout(scenario, limits)) {
        ++found[layout.rankOrder];
        QVERIFY(brokenLimit(withinStack(limits, scenario), layout, scenario).empty());
        Layout other = layout;
        other.rankOrder = Layout().rankOrder;
        QCOMPARE(brokenLimit(withinStack(limits, scenario), other, scenario), std::string_view("rank_order"));
    }
    QCOMPARE(found.size(), std::size_t{2});
    QCOMPARE(found.begin()->second, found.rbegin()->second);
    QCOMPARE(found.count(limits.orders[0]), std::size_t{1});
    for (const char* wrong : {"rank_order=tp-cp", "rank_order=tp-tp-cp-ep-dp", "rank_order=", "rank_order=none"}) {
        const Problems problems = narrow(limits, wrong);
        QCOMPARE(problems.size(), std::size_t{1});
        QVERIFY(QString::fromStdString(problems[0].suggestion).contains("tp-cp-ep-dp-pp"));
    }
    QCOMPARE(narrow(limits, "rank_order<=any").size(), std::size_t{1});
}

void LayoutSpaceTest::splitsCanBeNamed()
{
    const Scenario scenario = search_cases::scenario(m_catalogue, "qwen2.5-0.5b", "hgx-h100", 12, 12); // 24 layers
    std::array<std::size_t, 3> sizes{};
    for (const Name<StageSplit>& split : Names<StageSplit>::table) {
        SearchSpace limits;
        QVERIFY(narrow(limits, "split=" + std::string(split.key)).empty());
        QCOMPARE(limits.stageSplit, split.value);
        const std::vector<Layout> all = everyLayout(scenario, limits);
        sizes[static_cast<std::size_t>(split.value)] = all.size();
        for (const Layout& layout : all) {
            QVERIFY(brokenLimit(withinStack(limits, scenario), layout, scenario).empty());
        }
    }
    QVERIFY(sizes[0] <= sizes[1] && sizes[1] < sizes[2]);
    SearchSpace limits;
    QCOMPARE(narrow(limits, "split=some").size(), std::size_t{1});
    QCOMPARE(narrow(limits, "split=any|even").size(), std::size_t{1});
}

void LayoutSpaceTest::aSingleStageHasOneChunk()
{
    const Scenario scenario = search_cases::scenario(m_catalogue, "llama-3.2-1b", "hgx-h100", 8, 8);
    for (const char* text : {"", "schedule=zb-v|interleaved", "vpp>=1"}) {
        SearchSpace limits = unlimited;
        QVERIFY(narrow(limits, text).empty());
        std::size_t single = 0;
        for (const Layout& layout : everyLayout(scenario, limits)) {
            single += layout.pp == 1;
            QVERIFY(layout.pp > 1 || layout.vpp == 1);
        }
        QVERIFY(single > 0);
    }
    SearchSpace limits;
    QVERIFY(narrow(limits, "vpp=2").empty());
    for (const Layout& layout : everyLayout(scenario, limits)) {
        QVERIFY(layout.pp > 1);
    }
}

/// Every limit has a name and can be lifted by it.
void LayoutSpaceTest::liftedLimitsAreGone()
{
    SearchSpace space;
    QVERIFY(narrow(space,
                   "tp<=4, cp=1, pp>=2, vpp=2, dp=2, ep=1, etp=1, micro_batch<=2, micro_batches>=4, zero=1, sp=on, "
                   "recompute=none|full, schedule=1f1b, rank_order=tp-pp-cp-ep-dp, split=even")
                .empty());
    space.tensorInsideNode = true;
    std::vector<NamedLimit> limits = namedLimits(space);
    QCOMPARE(limits.size(), std::size_t{16});
    QCOMPARE(limits[0].text, std::string("tp ≤ 4"));
    for (std::size_t left = limits.size(); left > 0; --left) {
        space = without(space, namedLimits(space).front().key);
        QCOMPARE(namedLimits(space).size(), left - 1);
    }
    QVERIFY(space == SearchSpace());
}

void LayoutSpaceTest::aStackLimitsWhatItDoesNotOffer_data()
{
    QTest::addColumn<QString>("stack");
    for (const Stack& stack : m_catalogue.stacks) {
        QTest::newRow(stack.id.c_str()) << QString::fromStdString(stack.id);
    }
}

/// The space is every layout the rules allow, less those about which the scenario is told that the stack has no such
/// thing.
void LayoutSpaceTest::aStackLimitsWhatItDoesNotOffer()
{
    QFETCH(QString, stack);
    Scenario scenario = search_cases::scenario(m_catalogue, "mixtral-8x7b", "hgx-h100", 8, 8, stack);
    SearchSpace limits;
    QVERIFY(narrow(limits, "micro_batch=1, etp=1").empty());
    const auto beyond = [&](const Layout& layout) {
        scenario.layout = layout;
        return !beyondOffer(scenario).empty();
    };
    std::set<Key> within;
    const Scenario asked = scenario;
    const SearchSpace full = withinStack(limits, asked);
    const auto broken = [&](const Layout& layout) { return !brokenLimit(full, layout, asked).empty(); };
    for (const Layout& layout : everyLayout(asked, limits)) {
        QVERIFY2(!beyond(layout) && !broken(layout), qPrintable(search_cases::textOf(layout)));
        within.insert(keyOfLayout(layout));
    }
    limits.beyondStack = true;
    std::size_t others = 0;
    for (Layout layout : everyLayout(asked, limits)) {
        // What changes nothing is not varied: the first choice stands for all.
        layout.sequenceParallel = layout.tp > 1 ? layout.sequenceParallel : full.sequenceParallel.front();
        const bool shards = layout.dp * layout.cp > 1;
        if (shards && layout.pp > 1 && within.count(keyOfLayout(layout)) == 0) {
            ++others;
            QVERIFY2(beyond(layout) && broken(layout), qPrintable(search_cases::textOf(layout)));
        }
    }
    QCOMPARE(others > 0, asked.stack.offer != Offer());
}

void LayoutSpaceTest::aNamedChoiceBeatsTheStack()
{
    const Scenario scenario =
        search_cases::scenario(m_catalogue, "llama-3.2-1b", "hgx-h100", 8, 8, QStringLiteral("pytorch-fsdp"));
    SearchSpace limits;
    for (const Layout& layout : everyLayout(scenario, limits)) {
        QCOMPARE(layout.dp, 8);
    }
    QVERIFY(narrow(limits, "tp=2, pp>=2, schedule=zb-v, zero=1").empty());
    const std::vector<Layout> all = everyLayout(scenario, limits);
    QVERIFY(!all.empty());
    for (const Layout& layout : all) {
        QVERIFY(layout.tp == 2 && layout.pp >= 2 && layout.cp == 1 && layout.zeroStage == 1
                && layout.schedule == ScheduleKind::ZbV);
    }
}

void LayoutSpaceTest::whatAStackLeavesOutIsCounted()
{
    Scenario scenario = search_cases::scenario(m_catalogue, "llama-3.2-1b", "hgx-h100", 8, 8);
    const auto beyond = [&](const SearchSpace& space) {
        const auto never = [] { return false; };
        return layoutsBeyondStack(scenario, space, {LayoutSpace(scenario, space).size()}, never).value_or(-1);
    };
    QVERIFY(beyond({}) > 0);
    QCOMPARE(beyond(unlimited), std::int64_t{0});
    QCOMPARE(beyond({}) + LayoutSpace(scenario, {}).size(), LayoutSpace(scenario, unlimited).size());
    scenario.stack = *m_catalogue.stack("ideal");
    QCOMPARE(beyond({}), std::int64_t{0});
}

void LayoutSpaceTest::emptySpacesAreEmpty()
{
    Scenario scenario = search_cases::scenario(m_catalogue, "llama-3.2-1b", "hgx-h100", 8, 8);
    SearchSpace limits;
    limits.tp = {3, 3};
    QCOMPARE(LayoutSpace(scenario, limits).size(), std::int64_t{0});
    scenario.cluster.nodes = 0;
    QCOMPARE(LayoutSpace(scenario, {}).size(), std::int64_t{0});
}

QTEST_GUILESS_MAIN(LayoutSpaceTest)
#include "tst_layout_space.moc"
