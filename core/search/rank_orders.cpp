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

Lie lieOf(const Layout& layout, const Cluster& cluster, CountedShares* known)
{
    const RankGrid grid(layout, cluster, known);
    Lie lie{{}, grid.pipelineLevel()};
    for (const Name<GroupKind>& name : Names<GroupKind>::table) {
        lie.spans.push_back(grid.span(name.value));
    }
    return lie;
}

/// A rank order without the axes that number nothing, as digits.
int numberingAxes(const Layout& layout)
{
    constexpr int base = 8;
    int digits = 0;
    for (const Axis axis : layout.rankOrder) {
        const bool numbers = axis == Axis::Tp ? layout.tp > 1 || layout.etp > 1
            : axis == Axis::Cp                ? layout.cp > 1
            : axis == Axis::Ep                ? layout.ep > 1
            : axis == Axis::Pp                ? layout.pp > 1
                                              : layout.dp > 1 || layout.tp > 1 || layout.cp > 1;
        if (numbers) {
            digits = base * digits + static_cast<int>(axis) + 1;
        }
    }
    return digits;
}

} // namespace

std::vector<Layout> distinctRankOrders(const Layout& layout, const Cluster& cluster, CountedShares* known)
{
    std::vector<int> tried;
    std::vector<Lie> seen;
    std::vector<Layout> result;
    const auto add = [&](const Layout& candidate) {
        const int axes = numberingAxes(candidate);
        if (std::find(tried.begin(), tried.end(), axes) != tried.end()) {
            return;
        }
        tried.push_back(axes);
        Lie lie = lieOf(candidate, cluster, known);
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
