// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/layout_space.h"
#include "core/search/rank_orders.h"
#include "search_cases.h"

#include <QTest>

#include <algorithm>
#include <utility>
#include <vector>

using namespace partita;

class RankOrdersTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_catalogue = loadCatalogue({PARTITA_SOURCE_DIR "/presets"}); }
    void onesThatPlaceGroupsAlikeAreTheSame_data();
    void onesThatPlaceGroupsAlikeAreTheSame();
    void aLayoutsOwnStandsForItsTwins();

private:
    Catalogue m_catalogue;
};

namespace {

using Lie = std::pair<std::vector<GroupSpan>, int>;

Lie lieOf(const Layout& layout, const Cluster& cluster)
{
    const RankGrid grid(layout, cluster);
    Lie lie{{}, grid.pipelineLevel()};
    for (const Name<GroupKind>& kind : Names<GroupKind>::table) {
        lie.first.push_back(grid.span(kind.value));
    }
    return lie;
}

/// One rank grid for each of all orders.
std::vector<RankOrders::Order> byBruteForce(Layout layout, const Cluster& cluster)
{
    std::vector<RankOrders::Order> orders{layout.rankOrder};
    std::vector<Lie> seen{lieOf(layout, cluster)};
    std::sort(layout.rankOrder.begin(), layout.rankOrder.end());
    do {
        const Lie lie = lieOf(layout, cluster);
        if (std::find(seen.begin(), seen.end(), lie) == seen.end()) {
            seen.push_back(lie);
            orders.push_back(layout.rankOrder);
        }
    } while (std::next_permutation(layout.rankOrder.begin(), layout.rankOrder.end()));
    return orders;
}

} // namespace

void RankOrdersTest::onesThatPlaceGroupsAlikeAreTheSame_data()
{
    QTest::addColumn<QString>("cluster");
    QTest::addColumn<int>("devices");
    QTest::newRow("nodes of 8") << "hgx-h100" << 64;
    QTest::newRow("nodes of 8, a third of which is divided") << "hgx-h100" << 48;
    QTest::newRow("domains of 72") << "gb200-nvl72" << 144;
}

void RankOrdersTest::onesThatPlaceGroupsAlikeAreTheSame()
{
    QFETCH(QString, cluster);
    QFETCH(int, devices);
    Scenario scenario = search_cases::scenario(m_catalogue, "mixtral-8x7b", cluster, devices, devices);
    scenario.layout.rankOrder = {Axis::Tp, Axis::Pp, Axis::Cp, Axis::Ep, Axis::Dp};
    SearchSpace limits;
    QVERIFY(narrow(limits, "micro_batch=1, recompute=none, schedule=1f1b, zero_stage=1, vpp=1").empty());
    limits.sequenceParallel = {false};
    limits.beyondStack = true;
    LayoutSpace space(scenario, limits);
    RankOrders orders(scenario.cluster, scenario.layout.rankOrder); // one for all, as a search has it
    int layouts = 0;
    for (const DeviceSplit& split : space.deviceSplits()) {
        space.visit(split, [&](const Layout& layout) {
            ++layouts;
            QCOMPARE(orders.of(layout), byBruteForce(layout, scenario.cluster));
        });
    }
    QVERIFY(layouts > 50);
}

void RankOrdersTest::aLayoutsOwnStandsForItsTwins()
{
    Scenario scenario = search_cases::scenario(m_catalogue, "llama-3-8b", "hgx-h100", 8, 8);
    scenario.layout.rankOrder = {Axis::Pp, Axis::Dp, Axis::Ep, Axis::Cp, Axis::Tp};
    const std::vector<Layout> placed = distinctRankOrders(scenario.layout, scenario.cluster);
    QCOMPARE(placed.size(), std::size_t{1}); // in a node all places are alike
    QCOMPARE(placed.front(), scenario.layout);
}

QTEST_APPLESS_MAIN(RankOrdersTest)
#include "tst_rank_orders.moc"
