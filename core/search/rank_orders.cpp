// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/rank_orders.h"

#include "core/layout/rank_grid.h"

#include <algorithm>

namespace partita {

namespace {

/// All that the cost of a rank order depends on.
struct Lie {
    std::vector<GroupSpan> spans;
    int pipelineLevel = 0;

    bool operator==(const Lie&) const = default;
};

Lie lieOf(const Layout& layout, const Cluster& cluster)
{
    const RankGrid grid(layout, cluster);
    Lie lie{{}, grid.pipelineLevel()};
    for (const Name<GroupKind>& name : Names<GroupKind>::table) {
        lie.spans.push_back(grid.span(name.value));
    }
    return lie;
}

} // namespace

std::vector<Layout> distinctRankOrders(const Layout& layout, const Cluster& cluster)
{
    std::vector<Lie> seen;
    std::vector<Layout> result;
    const auto add = [&](const Layout& candidate) {
        Lie lie = lieOf(candidate, cluster);
        if (std::find(seen.begin(), seen.end(), lie) == seen.end()) {
            seen.push_back(std::move(lie));
            result.push_back(candidate);
        }
    };
    add(layout);
    Layout candidate = layout;
    std::sort(candidate.rankOrder.begin(), candidate.rankOrder.end());
    do {
        add(candidate);
    } while (std::next_permutation(candidate.rankOrder.begin(), candidate.rankOrder.end()));
    return result;
}

} // namespace partita
