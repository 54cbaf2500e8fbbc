// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/rank_orders.h"

#include <algorithm>
#include <initializer_list>

namespace partita {

namespace {

/// The axes of an order that pass, as digits.
template <class Passes> int digitsOf(const RankOrders::Order& order, Passes passes)
{
    constexpr int base = 8;
    int digits = 0;
    for (const Axis axis : order) {
        if (passes(axis)) {
            digits = base * digits + static_cast<int>(axis) + 1;
        }
    }
    return digits;
}

std::vector<GroupSpan> spansOf(const RankGrid& grid, std::initializer_list<GroupKind> kinds)
{
    std::vector<GroupSpan> spans;
    for (const GroupKind kind : kinds) {
        spans.push_back(grid.span(kind));
    }
    return spans;
}

/// Where an element is in a list, added if it is new.
template <class T> int indexIn(std::vector<T>& list, const T& element)
{
    const auto at = std::find(list.begin(), list.end(), element);
    const auto index = static_cast<int>(at - list.begin());
    if (at == list.end()) {
        list.push_back(element);
    }
    return index;
}

std::int64_t stageRanks(const Layout& layout)
{
    return std::int64_t{layout.tp} * layout.cp * layout.dp;
}

/// How many ranks of a stage are numbered before the pipeline axis.
std::int64_t ranksInsideStage(const Layout& layout, const RankOrders::Order& order)
{
    std::int64_t ranks = 1;
    for (const Axis axis : order) {
        if (axis == Axis::Pp) {
            break;
        }
        ranks *= axis == Axis::Tp ? layout.tp : axis == Axis::Cp ? layout.cp : axis == Axis::Dp ? layout.dp : 1;
    }
    return ranks;
}

} // namespace

RankOrders::RankOrders(const Cluster& cluster, const Order& own)
    : m_cluster(cluster)
    , m_orders{own}
{
    Order order = own;
    std::sort(order.begin(), order.end());
    do {
        m_orders.push_back(order);
    } while (std::next_permutation(order.begin(), order.end()));
}

const std::vector<RankOrders::Placing>& RankOrders::densePlacings(const Layout& layout)
{
    const auto [entry, isNew] = m_dense.try_emplace({layout.tp, layout.cp, layout.pp, layout.dp});
    std::vector<Placing>& placings = entry->second;
    if (!isNew) {
        return placings;
    }
    using Lie = std::pair<std::vector<GroupSpan>, int>;
    std::vector<Lie> lies;
    std::map<int, int> known; // by the axes that number something
    Layout dense = layout;
    dense.ep = 1;
    dense.etp = 1;
    for (const Order& order : m_orders) {
        const int axes = digitsOf(order, [&](Axis axis) {
            return axis == Axis::Tp ? layout.tp > 1
                : axis == Axis::Cp  ? layout.cp > 1
                : axis == Axis::Pp  ? layout.pp > 1
                                    : axis == Axis::Dp && layout.dp > 1;
        });
        const auto [lie, unseen] = known.try_emplace(axes);
        if (unseen) {
            dense.rankOrder = order;
            const RankGrid grid(dense, m_cluster, &m_shares);
            lie->second = indexIn(lies,
                                  Lie{spansOf(grid,
                                              {GroupKind::Tensor, GroupKind::Context, GroupKind::Data,
                                               GroupKind::Gradient, GroupKind::Pipeline}),
                                      grid.pipelineLevel()});
        }
        const int expertAxes =
            digitsOf(order, [](Axis axis) { return axis == Axis::Tp || axis == Axis::Ep || axis == Axis::Dp; });
        const Placing placing{order, ranksInsideStage(layout, order), expertAxes, lie->second};
        const bool twin = std::any_of(placings.begin(), placings.end(), [&](const Placing& other) {
            return other.insideStage == placing.insideStage && other.expertAxes == placing.expertAxes
                && other.dense == placing.dense;
        });
        if (!twin) {
            placings.push_back(placing);
        }
    }
    return placings;
}

int RankOrders::expertLie(ExpertPlacing& experts, const Layout& layout, const Placing& placing)
{
    const auto [entry, isNew] = experts.known.try_emplace({placing.insideStage, placing.expertAxes});
    if (isNew) {
        Layout placed = layout;
        placed.rankOrder = placing.order;
        const RankGrid grid(placed, m_cluster, &m_shares);
        entry->second =
            indexIn(experts.lies, spansOf(grid, {GroupKind::Expert, GroupKind::ExpertTensor, GroupKind::ExpertData}));
    }
    return entry->second;
}

std::vector<RankOrders::Order> RankOrders::of(const Layout& layout)
{
    ExpertPlacing& experts = m_experts[{layout.pp, stageRanks(layout), layout.ep, layout.etp}];
    std::vector<std::pair<int, int>> seen;
    std::vector<Order> orders;
    for (const Placing& placing : densePlacings(layout)) {
        const std::pair lie(placing.dense, expertLie(experts, layout, placing));
        if (std::find(seen.begin(), seen.end(), lie) == seen.end()) {
            seen.push_back(lie);
            orders.push_back(placing.order);
        }
    }
    return orders;
}

std::vector<Layout> distinctRankOrders(const Layout& layout, const Cluster& cluster)
{
    std::vector<Layout> placed;
    for (const RankOrders::Order& order : RankOrders(cluster, layout.rankOrder).of(layout)) {
        placed.push_back(layout);
        placed.back().rankOrder = order;
    }
    return placed;
}

} // namespace partita
