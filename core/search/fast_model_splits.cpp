// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/fast_model_parts.h"

namespace partita {

double FastModel::anySplitFloor(const Layout& layout)
{
    moveToKernels(layout);
    return meanTime(layout, stepFloor().whole(m_layersOfKind), common({{layout.schedule, layout.vpp}}));
}

StageBalance& FastModel::balance()
{
    Planner& current = planner();
    if (!current.balance) {
        current.balance.emplace(m_scenario, chunks());
    }
    return *current.balance;
}

const std::vector<int>& FastModel::balancedByTime()
{
    const int chunks = m_scenario.layout.pp * m_scenario.layout.vpp;
    const auto [at, isNew] = planner().balanced.try_emplace(chunks);
    if (isNew) {
        at->second = balance().byTime(chunks);
    }
    return at->second;
}

std::vector<std::vector<int>> FastModel::balancedSplits(double limit, const Layout& layout)
{
    moveToKernels(layout);
    std::vector<std::vector<int>> splits;
    const std::vector<int> even = layersPerChunk(m_scenario);
    Layout moved = layout;
    const auto add = [&](const std::vector<int>& split) {
        if (!split.empty() && split != even) {
            splits.push_back(split);
            moved.layersPerStage = split;
        }
    };
    add(balancedByTime());
    if (peakMemory(moved) > limit) {
        moveTo(layout);
        const Placement& placement = m_set->shape->placement;
        add(balance().byTimeWithin(limit, placement, m_shapes.inFlightOfRanks(layout, placement)));
    }
    return splits;
}

} // namespace partita
