// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.h"
#include "core/layout/rank_grid.h"

#include <vector>

namespace partita {

/// The layout under every rank order that places some group differently; orders under which all groups lie alike are
/// represented by the first of them, the layout's own where it is among them. Needs a layout without problems.
/// known as for RankGrid.
std::vector<Layout> distinctRankOrders(const Layout& layout, const Cluster& cluster, CountedShares* known = nullptr);

} // namespace partita
