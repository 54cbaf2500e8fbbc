// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.h"
#include "core/layout/rank_grid.h"

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace partita {

/// The rank orders that place some group differently, of layout after layout on one cluster. Orders under which all
/// groups lie alike are represented by the first of them: by the layouts' own where it is among them.
class RankOrders {
public:
    using Order = decltype(Layout::rankOrder);

    RankOrders(const Cluster& cluster, const Order& own);

    /// By the layout's degrees; needs a layout without problems.
    std::vector<Order> of(const Layout& layout);

private:
    /// What a cost depends on, numbered; the groups of the experts lie by less than all degrees and axes, and so do the
    /// others: each are placed once for the many layouts they are the same in.
    struct Placing {
        Order order{};
        std::int64_t insideStage = 1; ///< ranks of a stage numbered before the pipeline axis
        int expertAxes = 0; ///< order of the three that number expert groups
        int dense = 0;
    };
    struct ExpertPlacing {
        std::map<std::pair<std::int64_t, int>, int> known; ///< by ranks inside a stage and order of axes
        std::vector<std::vector<GroupSpan>> lies;
    };

    const std::vector<Placing>& densePlacings(const Layout& layout);
    int expertLie(ExpertPlacing& experts, const Layout& layout, const Placing& placing);

    const Cluster& m_cluster;
    std::vector<Order> m_orders; ///< all, own first
    std::map<std::array<int, 4>, std::vector<Placing>> m_dense; ///< by tp, cp, pp, dp
    std::map<std::array<std::int64_t, 4>, ExpertPlacing> m_experts; ///< by pp, ranks of a stage, ep, etp
    CountedShares m_shares;
};

/// The layout under every such order.
std::vector<Layout> distinctRankOrders(const Layout& layout, const Cluster& cluster);

} // namespace partita
