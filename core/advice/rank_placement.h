// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/advice/layout_costs.h"
#include "core/layout/rank_grid.h"

#include <optional>
#include <string>
#include <vector>

namespace partita {

/// Where the groups of a kind lie, and what that costs.
struct PlacedGroup {
    GroupKind kind = GroupKind::Tensor;
    std::int64_t size = 1; ///< stages for the pipeline
    int level = 0; ///< outermost level a group crosses
    std::string levelName;
    double slowdown = 1; ///< of its collective, against lying inside one innermost domain
    double exposed = 0; ///< s of the step it is waited for

    bool crosses() const { return level > 0; }
    bool operator==(const PlacedGroup&) const = default;
};

/// A way to number the ranks.
struct RankPlacement {
    LayoutCost cost; ///< its layout has the rank order
    std::vector<PlacedGroup> groups; ///< those of more than one rank
    bool current = false; ///< lies as the scenario's own order does

    bool operator==(const RankPlacement&) const = default;
};

/// The part of the step in which a kind of group is waited for, those of experts' gradients with the others'; nothing
/// for kinds that are not waited for by themselves.
std::optional<TimeKind> exposedKind(GroupKind kind);

/// Every rank order that places some group of the scenario's layout differently, the fastest first; ties keep the
/// scenario's own order in front. Empty for a layout with problems.
std::vector<RankPlacement> rankPlacements(const Scenario& scenario);

/// The groups of a scenario's layout as they lie; empty for a layout with problems.
std::vector<PlacedGroup> placedGroups(const Scenario& scenario, const TimeBreakdown& time);

/// "tp 8 inside NVLink 4; dp 2 across InfiniBand (8.9× slower, 1.20 s exposed)".
std::string describe(const std::vector<PlacedGroup>& groups);

} // namespace partita
