// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/gradient_exchange.h"

#include "core/training/memory.h"

#include <algorithm>

namespace partita {

SplitSpan splitSpan(const GroupSpan& span, double shards)
{
    SplitSpan split;
    const auto inner = static_cast<std::int64_t>(shards);
    for (std::int64_t members : span.members) {
        split.inner.members.push_back(std::min(members, inner));
        split.outer.members.push_back(std::max<std::int64_t>(1, members / inner));
    }
    return split;
}

namespace {

struct Reduction {
    double gradients = 0;
    double weights = 0;
};

Reduction reduceOver(const Scenario& scenario, const GroupSpan& span, double shards, double parameters,
                     const StateBytes& bytes)
{
    const Cluster& cluster = scenario.cluster;
    const double gradientBytes = parameters * bytes.gradient;
    if (scenario.layout.zeroStage == 0) {
        return {exchangeTime(cluster, span, CollectiveKind::AllReduce, gradientBytes), 0};
    }
    const SplitSpan split = splitSpan(span, shards);
    Reduction reduction;
    if (scenario.layout.zeroStage < 3) {
        reduction.gradients = exchangeTime(cluster, split.inner, CollectiveKind::ReduceScatter, gradientBytes);
        reduction.weights = exchangeTime(cluster, split.inner, CollectiveKind::AllGather, parameters * bytes.weight);
    }
    reduction.gradients += exchangeTime(cluster, split.outer, CollectiveKind::AllReduce, gradientBytes / shards);
    return reduction;
}

} // namespace

GradientExchange gradientExchange(const Scenario& scenario, const StagePlan& stage, const RankGrid& grid,
                                  double forward, double backward)
{
    const Layout& layout = scenario.layout;
    const StateBytes bytes = stateBytes(scenario.workload, scenario.stack);
    const DeviceParameters parameters = stage.parameters();
    const Reduction dense =
        reduceOver(scenario, grid.span(GroupKind::Gradient), denseShards(layout), parameters.dense, bytes);
    const Reduction experts =
        reduceOver(scenario, grid.span(GroupKind::ExpertData), expertShards(layout), parameters.experts, bytes);
    const double gradients = dense.gradients + experts.gradients;
    const double weights = dense.weights + experts.weights;

    GradientExchange exchange;
    if (scenario.stack.dpOverlap) {
        // The last bucket has no backward left to hide behind, the first gathered layer no forward.
        const double tail = 1.0 / std::max(1, stage.layers());
        exchange.exposed =
            std::max(gradients - backward, gradients * tail) + std::max(weights - forward, weights * tail);
    } else {
        exchange.exposed = gradients + weights;
    }
    // Passes of an unfused optimizer step: gradients zeroed, their norm, clipping, the update of master copy and
    // moments, the 16-bit weights (Megatron-LM optimizer.step: zero_grad, clip_grad_norm, multi-tensor Adam, copy to
    // model parameters).
    const bool sharded = layout.zeroStage >= 1;
    const double updated = sharded ? shardedTotal(parameters, layout) : parameters.total();
    constexpr double gradientPasses = 4; // norm reads, clipping reads and writes, the update reads
    const double traffic = updated * (gradientPasses * bytes.gradient + 2 * bytes.optimizer + 4 + bytes.weight)
        + parameters.total() * bytes.gradient;
    exchange.optimizer = memoryPassTime(traffic, scenario.cluster.accelerator);
    return exchange;
}

} // namespace partita
