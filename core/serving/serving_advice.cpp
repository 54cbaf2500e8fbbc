// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serving/serving_advice.h"

#include "core/base/format.h"
#include "core/layout/rank_grid.h"
#include "core/serving/experts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace partita {

namespace {

using Advice = std::vector<std::string>;

void adviseCopies(const Scenario& scenario, const ServingReport& report, Advice& advice)
{
    if (report.keyValueCopies > 1 + 1e-9) {
        int heads = 0;
        bool latent = false;
        for (const LayerKind& kind : scenario.model.kinds) {
            if (const auto* attention = std::get_if<Attention>(&kind.mixer)) {
                heads = heads == 0 ? attention->kvHeads : std::min(heads, attention->kvHeads);
            }
            latent = latent || std::holds_alternative<LatentAttention>(kind.mixer);
        }
        advice.push_back(
            fmt::format("TP {} keeps every key {:.3g} times ({}): decode context parallelism or "
                        "data-parallel attention would not.",
                        report.layout.tp, report.keyValueCopies,
                        latent ? std::string("one latent for all heads") : fmt::format("{} KV heads", heads)));
    }
}

void adviseTensor(const Scenario& scenario, const ServingReport& report, Advice& advice)
{
    const RankGrid grid(scenario.layout, scenario.cluster);
    const GroupSpan& span = grid.span(GroupKind::Tensor);
    if (span.outermostLevel() == 0) {
        return;
    }
    const GroupSpan inside{std::vector<std::int64_t>(span.members.size(), span.size())};
    const double bytes = 2 * report.batch * static_cast<double>(scenario.model.hidden);
    const double out = directAllReduceTime(scenario.cluster, span, bytes);
    const double in = directAllReduceTime(scenario.cluster, inside, bytes);
    advice.push_back(fmt::format("TP {} leaves the domain of {} devices ({}): each of {} all-reduces a step takes {} "
                                 "instead of {}.",
                                 span.size(), scenario.cluster.levels.front().domain,
                                 scenario.cluster.levels.front().name, 2 * scenario.model.layerCount(),
                                 formatSeconds(out), formatSeconds(in)));
}

void advisePipeline(const ServingReport& report, Advice& advice)
{
    if (report.layout.pp == 1) {
        return;
    }
    advice.push_back(fmt::format("PP {} does not shorten a request: every token passes all stages.", report.layout.pp));
    if (report.pipelineIdle > 0.05) {
        advice.push_back(fmt::format("{} batches in flight leave {} of the {} stages' time idle.",
                                     report.layout.inFlight, formatPercent(report.pipelineIdle), report.layout.pp));
    }
}

void adviseExperts(const Scenario& scenario, const ServingReport& report, Advice& advice)
{
    for (const LayerKind& kind : scenario.model.kinds) {
        const auto* moe = std::get_if<MoeFfn>(&kind.feedForward);
        if (moe == nullptr || report.layout.ep == 1) {
            continue;
        }
        const double tokens = report.batch;
        const double touched = expertsTouched(moe->experts, moe->topK, tokens);
        const double busiest = ExpertPlacement(moe->experts, report.layout.ep).busiest(touched);
        const double ratio = busiest * report.layout.ep / std::max(touched, 1e-9);
        if (ratio > 1.25) {
            advice.push_back(fmt::format("Batch {:.3g} visits {:.3g} of {} experts: the busiest of {} ranks reads "
                                         "{:.2g}× its share.",
                                         tokens, touched, moe->experts, report.layout.ep, ratio));
        } else if (scenario.stack.expertImbalance > 1.05) {
            advice.push_back(fmt::format("The busiest expert rank gets {:.2f}× its share of tokens and sets the pace.",
                                         scenario.stack.expertImbalance));
        }
        return;
    }
}

void adviseRoom(const Scenario& scenario, const ServingReport& report, Advice& advice)
{
    const CacheRoom& cache = report.cache;
    if (!report.fits) {
        advice.push_back(noRoomText(scenario, report));
    } else if (report.waiting >= 1) {
        advice.push_back(fmt::format("{} requests find no room and wait; {}.",
                                     formatCount(std::llround(report.waiting)), report.eviction));
    } else if (cache.room[RoomKind::KeyValues] < 0.1 * scenario.cluster.accelerator.memoryBytes) {
        advice.push_back(
            fmt::format("Little room for keys and values: {} a device.", formatBytes(cache.room[RoomKind::KeyValues])));
    }
}

void adviseLimits(const Scenario& scenario, const ServingReport& report, Advice& advice)
{
    const Serving& serving = scenario.serving;
    if (!report.meetsTtft) {
        advice.push_back(fmt::format("First token after {}, limit {}.", formatSeconds(report.ttft),
                                     formatSeconds(serving.ttftLimit)));
    }
    if (!report.meetsTpot) {
        advice.push_back(
            fmt::format("{} between tokens, limit {}.", formatSeconds(report.tpot), formatSeconds(serving.tpotLimit)));
    }
    const std::int64_t longest = scenario.model.maxPositions;
    if (longest > 0 && serving.prompt + serving.output > longest) {
        advice.push_back(fmt::format("Requests of {} tokens, but the model was trained for {}.",
                                     formatCount(serving.prompt + serving.output), formatCount(longest)));
    }
}

} // namespace

std::string noRoomText(const Scenario& scenario, const ServingReport& report)
{
    const Room& room = report.cache.room;
    const double held = room.total() - room[RoomKind::Unused] - room[RoomKind::KeyValues];
    return fmt::format("Out of memory: {} without any KV cache on a device of {}.", formatBytes(held),
                       formatBytes(scenario.cluster.accelerator.memoryBytes));
}

std::vector<std::string> adviseServing(const Scenario& scenario, const ServingReport& report)
{
    Advice advice;
    adviseRoom(scenario, report, advice);
    adviseTensor(scenario, report, advice);
    adviseCopies(scenario, report, advice);
    advisePipeline(report, advice);
    adviseExperts(scenario, report, advice);
    adviseLimits(scenario, report, advice);
    return advice;
}

} // namespace partita
