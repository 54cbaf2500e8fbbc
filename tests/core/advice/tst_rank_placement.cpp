// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/preset_scenario.h"
#include "core/advice/rank_placement.h"
#include "core/training/evaluate.h"

#include <QTest>

#include <algorithm>

using namespace partita;
using samples::presetScenario;

class RankPlacementTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theBestOfAllOrdersIsFound_data();
    void theBestOfAllOrdersIsFound();
    void tensorParallelismBelongsInsideTheNode();
    void insideOneDomainNothingCrosses();
    void oddNodesAreCrossedByGroupsThatDoNotDivideThem();
    void crossingGroupsCostWhatTheReportSays();
};

namespace {

Scenario split(Scenario scenario, int tp, int cp, int pp, int ep)
{
    Layout& layout = scenario.layout;
    layout.tp = tp;
    layout.cp = cp;
    layout.pp = pp;
    layout.ep = ep;
    layout.dp = static_cast<int>(solvedDp(layout, scenario.cluster.devices()));
    return scenario;
}

const PlacedGroup* groupOf(const std::vector<PlacedGroup>& groups, GroupKind kind)
{
    const auto found =
        std::find_if(groups.begin(), groups.end(), [kind](const PlacedGroup& group) { return group.kind == kind; });
    return found == groups.end() ? nullptr : &*found;
}

} // namespace

void RankPlacementTest::theBestOfAllOrdersIsFound_data()
{
    QTest::addColumn<QString>("cluster");
    QTest::addColumn<int>("nodes");
    QTest::addColumn<int>("perNode");
    QTest::addColumn<int>("tp");
    QTest::addColumn<int>("cp");
    QTest::addColumn<int>("pp");
    QTest::addColumn<int>("ep");
    QTest::addRow("nodes of 8") << "hgx-h100" << 8 << 8 << 4 << 2 << 2 << 8;
    QTest::addRow("two NVL72 racks") << "gb200-nvl72" << 2 << 72 << 4 << 1 << 4 << 2;
    QTest::addRow("nodes of 6") << "hgx-h100" << 4 << 6 << 4 << 1 << 3 << 2;
    QTest::addRow("nodes of 12") << "hgx-h100" << 4 << 12 << 8 << 1 << 2 << 1;
}

/// Orders that place all groups alike are tried once; that must not lose any.
void RankPlacementTest::theBestOfAllOrdersIsFound()
{
    QFETCH(QString, cluster);
    QFETCH(int, nodes);
    QFETCH(int, perNode);
    QFETCH(int, tp);
    QFETCH(int, cp);
    QFETCH(int, pp);
    QFETCH(int, ep);
    Scenario scenario = presetScenario("mixtral-8x7b", cluster.toUtf8(), nodes, nodes * perNode);
    scenario.cluster.devicesPerNode = perNode;
    scenario.cluster.levels.front().domain = perNode;
    scenario = split(scenario, tp, cp, pp, ep);
    const std::vector<RankPlacement> placements = rankPlacements(scenario);
    QVERIFY(!placements.empty());
    double best = 1e9;
    Scenario permuted = scenario;
    std::array<Axis, 5>& order = permuted.layout.rankOrder;
    std::sort(order.begin(), order.end());
    do {
        const Report report = evaluate(permuted);
        QVERIFY(report.legal());
        best = std::min(best, report.stepTime);
    } while (std::next_permutation(order.begin(), order.end()));
    QCOMPARE(placements.front().cost.stepTime, best);
    QCOMPARE(std::count_if(placements.begin(), placements.end(), [](const RankPlacement& p) { return p.current; }), 1);
    for (std::size_t i = 1; i < placements.size(); ++i) {
        QVERIFY(placements[i - 1].cost.stepTime <= placements[i].cost.stepTime);
    }
}

void RankPlacementTest::tensorParallelismBelongsInsideTheNode()
{
    const Scenario scenario = split(presetScenario("llama-3.1-70b", "hgx-h100", 8, 64), 8, 1, 4, 1);
    const std::vector<RankPlacement> placements = rankPlacements(scenario);
    QVERIFY(!groupOf(placements.front().groups, GroupKind::Tensor)->crosses());
    QVERIFY(groupOf(placements.back().groups, GroupKind::Tensor)->crosses());
    QVERIFY(groupOf(placements.back().groups, GroupKind::Tensor)->slowdown > 5);
    QVERIFY(placements.back().cost.stepTime > 1.3 * placements.front().cost.stepTime);
    QVERIFY(describe(placements.front().groups).find("tp 8 inside NVLink") == 0);
}

void RankPlacementTest::insideOneDomainNothingCrosses()
{
    const Scenario scenario = split(presetScenario("llama-3.1-70b", "gb200-nvl72", 18, 72), 8, 1, 3, 1);
    const std::vector<RankPlacement> placements = rankPlacements(scenario);
    QCOMPARE(placements.size(), std::size_t{1});
    QVERIFY(placements.front().current);
    for (const PlacedGroup& group : placements.front().groups) {
        QVERIFY(!group.crosses());
        QCOMPARE(group.slowdown, 1.0);
    }
}

void RankPlacementTest::oddNodesAreCrossedByGroupsThatDoNotDivideThem()
{
    Scenario scenario = presetScenario("llama-3.1-70b", "hgx-h100", 4, 24);
    scenario.cluster.devicesPerNode = 6;
    scenario.cluster.levels.front().domain = 6;
    for (const RankPlacement& placement : rankPlacements(split(scenario, 4, 1, 1, 1))) {
        QVERIFY(groupOf(placement.groups, GroupKind::Tensor)->crosses());
    }
    QVERIFY(!groupOf(rankPlacements(split(scenario, 2, 1, 1, 1)).front().groups, GroupKind::Tensor)->crosses());
}

void RankPlacementTest::crossingGroupsCostWhatTheReportSays()
{
    const Scenario scenario = split(presetScenario("mixtral-8x7b", "hgx-h100", 4, 64), 2, 1, 2, 8);
    for (const RankPlacement& placement : rankPlacements(scenario)) {
        Scenario ordered = scenario;
        ordered.layout = placement.cost.layout;
        const Report report = evaluate(ordered);
        QCOMPARE(groupOf(placement.groups, GroupKind::Tensor)->exposed, report.time[TimeKind::TpExposed]);
        QCOMPARE(groupOf(placement.groups, GroupKind::Expert)->exposed, report.time[TimeKind::EpExposed]);
        QCOMPARE(groupOf(placement.groups, GroupKind::Gradient)->exposed, report.time[TimeKind::DpExposed]);
    }
    Scenario illegal = scenario;
    illegal.layout.tp = 3;
    QVERIFY(rankPlacements(illegal).empty());
    QVERIFY(placedGroups(illegal, {}).empty());
}

QTEST_GUILESS_MAIN(RankPlacementTest)
#include "tst_rank_placement.moc"
