// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/rank_placement.h"

#include "core/base/format.h"
#include "core/scenario/group_slowdown.h"
#include "core/scenario/rules.h"
#include "core/search/rank_orders.h"
#include "core/training/evaluate.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {

std::optional<TimeKind> exposedKind(GroupKind kind)
{
    switch (kind) {
    case GroupKind::Tensor:
        return TimeKind::TpExposed;
    case GroupKind::Context:
        return TimeKind::CpExposed;
    case GroupKind::Expert:
        return TimeKind::EpExposed;
    case GroupKind::Pipeline:
        return TimeKind::PpExposed;
    case GroupKind::Gradient:
        return TimeKind::DpExposed;
    case GroupKind::Data:
    case GroupKind::ExpertTensor:
    case GroupKind::ExpertData:
        break;
    }
    return std::nullopt;
}

std::vector<PlacedGroup> placedGroups(const Scenario& scenario, const TimeBreakdown& time)
{
    std::vector<PlacedGroup> groups;
    if (!checkLayout(scenario).empty()) {
        return groups;
    }
    const RankGrid grid(scenario.layout, scenario.cluster);
    for (const GroupKind kind :
         {GroupKind::Tensor, GroupKind::Context, GroupKind::Expert, GroupKind::Gradient, GroupKind::Pipeline}) {
        const bool stages = kind == GroupKind::Pipeline;
        PlacedGroup group;
        group.kind = kind;
        group.size = stages ? scenario.layout.pp : grid.span(kind).size();
        if (group.size == 1) {
            continue;
        }
        group.level = stages ? grid.pipelineLevel() : grid.span(kind).outermostLevel();
        const auto level = static_cast<std::size_t>(group.level);
        group.levelName = level < scenario.cluster.levels.size() ? scenario.cluster.levels[level].name : std::string();
        group.slowdown = groupSlowdown(scenario, grid, kind);
        const std::optional<TimeKind> waited = exposedKind(kind);
        group.exposed = waited ? time[*waited] : 0;
        groups.push_back(std::move(group));
    }
    return groups;
}

std::vector<RankPlacement> rankPlacements(const Scenario& scenario)
{
    std::vector<RankPlacement> placements;
    Scenario numbered = scenario;
    if (!evaluate(scenario).legal()) {
        return placements;
    }
    for (const Layout& layout : distinctRankOrders(scenario.layout, scenario.cluster)) {
        numbered.layout = layout;
        const Report report = evaluate(numbered);
        placements.push_back({costOf(layout, report), placedGroups(numbered, report.time),
                              layout.rankOrder == scenario.layout.rankOrder});
    }
    // Memory does not depend on the order of ranks.
    std::stable_sort(placements.begin(), placements.end(),
                     [](const RankPlacement& a, const RankPlacement& b) { return a.cost.stepTime < b.cost.stepTime; });
    return placements;
}

std::string describe(const std::vector<PlacedGroup>& groups)
{
    std::string text;
    for (const PlacedGroup& group : groups) {
        text += fmt::format("{}{} {} {} {}", text.empty() ? "" : "; ", keyOf(group.kind), group.size,
                            group.crosses() ? "across" : "inside", group.levelName);
        if (group.crosses()) {
            constexpr double noticed = 1.05;
            text += group.slowdown < noticed
                ? fmt::format(" (no slower, {} exposed)", formatSeconds(group.exposed))
                : fmt::format(" ({}× slower, {} exposed)", formatSignificant(group.slowdown, 2),
                              formatSeconds(group.exposed));
        }
    }
    return text.empty() ? "no groups" : text;
}

} // namespace partita
