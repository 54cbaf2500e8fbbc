// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/layout_text.h"
#include "core/layout/rank_grid.h"
#include "core/scenario/group_slowdown.h"
#include "core/scenario/rules.h"
#include "core/scenario/split_limits.h"
#include "core/scenario/stack_offer.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {

namespace {

using Advice = std::vector<std::string>;

/// What leaving a domain costs, as the end of a sentence about a collective.
std::string slower(double ratio)
{
    constexpr double noticed = 1.05;
    if (ratio < noticed) {
        return "no slower";
    }
    return (ratio < 9.95 ? fmt::format("{:.1f}×", ratio) : fmt::format("{:.0f}×", ratio)) + " slower";
}

void adviseTensor(const Scenario& scenario, const RankGrid& grid, Advice& advice)
{
    const Cluster& cluster = scenario.cluster;
    const GroupSpan& span = grid.span(GroupKind::Tensor);
    if (span.outermostLevel() == 0) {
        return;
    }
    const double ratio = groupSlowdown(scenario, grid, GroupKind::Tensor);
    const Level& fast = cluster.levels.front();
    if (span.size() > fast.domain) {
        advice.push_back(fmt::format("TP {} leaves the domain of {} devices ({}): its all-reduce is {}.", span.size(),
                                     fast.domain, fast.name, slower(ratio)));
    } else if (scenario.layout.rankOrder.front() == Axis::Tp) {
        advice.push_back(fmt::format("TP {} does not divide the domain of {} devices ({}), so some groups cross it: "
                                     "their all-reduce is {}.",
                                     span.size(), fast.domain, fast.name, slower(ratio)));
    } else {
        advice.push_back(fmt::format(
            "Rank order {} moves TP groups across a node boundary, though TP {} fits the domain of {} devices "
            "({}): all-reduce is {}.",
            rankOrderText(scenario.layout.rankOrder), span.size(), fast.domain, fast.name, slower(ratio)));
    }
}

void adviseExperts(const Scenario& scenario, const RankGrid& grid, Advice& advice)
{
    const Cluster& cluster = scenario.cluster;
    const GroupSpan& span = grid.span(GroupKind::Expert);
    if (span.size() == 1) {
        return;
    }
    if (span.outermostLevel() > 0) {
        const double ratio = groupSlowdown(scenario, grid, GroupKind::Expert);
        advice.push_back(fmt::format("EP {} leaves the domain of {} devices ({}): its all-to-all is {}.", span.size(),
                                     cluster.levels.front().domain, cluster.levels.front().name, slower(ratio)));
    }
    for (const LayerKind& kind : scenario.model.kinds) {
        const auto* moe = std::get_if<MoeFfn>(&kind.feedForward);
        if (moe != nullptr && moe->experts / scenario.layout.ep < 2) {
            advice.push_back(
                fmt::format("EP {} leaves one expert a device: one that gets r times its share slows every layer by r.",
                            scenario.layout.ep));
            break;
        }
    }
}

void adviseCopies(const Scenario& scenario, Advice& advice)
{
    const int tp = scenario.layout.tp;
    bool keys = false;
    bool groups = false;
    for (const LayerKind& kind : scenario.model.kinds) {
        if (const auto* attention = std::get_if<Attention>(&kind.mixer);
            attention != nullptr && tp > attention->kvHeads && !keys) {
            keys = true;
            advice.push_back(fmt::format("TP {} is more than {} KV heads: keys and values are stored {} times.", tp,
                                         attention->kvHeads, tp / attention->kvHeads));
        }
        if (const auto* mamba = std::get_if<Mamba2>(&kind.mixer); mamba != nullptr && tp > mamba->groups && !groups) {
            groups = true;
            advice.push_back(fmt::format("TP {} is more than {} state space groups: B and C are computed {} times.", tp,
                                         mamba->groups, tp / mamba->groups));
        }
    }
}

void advisePipeline(const Scenario& scenario, Advice& advice)
{
    const Layout& layout = scenario.layout;
    if (layout.pp == 1) {
        return;
    }
    const std::int64_t wanted = 4 * std::int64_t{layout.pp};
    if (layout.microBatches() < wanted) {
        advice.push_back(fmt::format("{} micro-batch{} for {} pipeline stages: a small bubble needs m ≥ 4p = {}.",
                                     layout.microBatches(), layout.microBatches() == 1 ? "" : "es", layout.pp, wanted));
    }
    const int layers = scenario.model.layerCount();
    const int chunks = layout.pp * layout.vpp;
    if (!layout.layersPerStage.empty()) {
        const auto [least, most] = std::minmax_element(layout.layersPerStage.begin(), layout.layersPerStage.end());
        if (*least != *most) {
            advice.push_back(
                fmt::format("Model chunks hold {} to {} layers: the fullest sets the pace.", *least, *most));
        }
    } else if (layers % chunks != 0) {
        advice.push_back(fmt::format(
            "{} layers over {} model chunks are uneven: some hold {}, some {}, and the fullest set the pace.", layers,
            chunks, layers / chunks, layers / chunks + 1));
    }
    if (layout.zeroStage == 3) {
        advice.push_back(fmt::format("ZeRO 3 in a pipeline gathers the weights again for each of {} micro-batches.",
                                     layout.microBatches()));
    }
}

} // namespace

std::vector<std::string> adviseLayout(const Scenario& scenario)
{
    if (!checkLayout(scenario).empty()) {
        return {};
    }
    Advice advice = beyondOffer(scenario);
    if (std::string server = servesOnlyText(scenario.stack); !server.empty()) {
        advice.insert(advice.begin(), std::move(server));
    }
    const RankGrid grid(scenario.layout, scenario.cluster);
    adviseTensor(scenario, grid, advice);
    adviseExperts(scenario, grid, advice);
    adviseCopies(scenario, advice);
    advisePipeline(scenario, advice);
    if (scenario.layout.tp > 1 && !scenario.layout.sequenceParallel) {
        advice.push_back(
            fmt::format("Without sequence parallelism, activations outside the split blocks are stored {} times.",
                        scenario.layout.tp));
    }
    const std::int64_t trained = scenario.model.maxPositions;
    if (trained > 0 && scenario.workload.sequenceLength > trained) {
        advice.push_back(fmt::format("Sequences of {} tokens are longer than the {} positions the model is made for.",
                                     scenario.workload.sequenceLength, trained));
    }
    return advice;
}

} // namespace partita
