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
    double scatter = 0; ///< of gradients
    double reduce = 0;
    double weights = 0;

    double gradients() const { return scatter + reduce; }
    Reduction& operator+=(const Reduction& other)
    {
        scatter += other.scatter;
        reduce += other.reduce;
        weights += other.weights;
        return *this;
    }
};

/// Bytes of gradients and of weights before sharding.
Reduction reduceOver(const Scenario& scenario, const GroupSpan& span, double shards, double gradientBytes,
                     double weightBytes)
{
    const Cluster& cluster = scenario.cluster;
    if (scenario.layout.zeroStage == 0) {
        return {0, exchangeTime(cluster, span, CollectiveKind::AllReduce, gradientBytes), 0};
    }
    const SplitSpan split = splitSpan(span, shards);
    Reduction reduction;
    if (scenario.layout.zeroStage < 3 || keepsGathered(scenario)) {
        reduction.scatter = exchangeTime(cluster, split.inner, CollectiveKind::ReduceScatter, gradientBytes);
        reduction.weights = exchangeTime(cluster, split.inner, CollectiveKind::AllGather, weightBytes);
    }
    reduction.reduce = exchangeTime(cluster, split.outer, CollectiveKind::AllReduce, gradientBytes / shards);
    return reduction;
}

/// Bytes of the weights that every rank gathers after the update, or before the step: those trained, and all where they
/// are sharded between steps.
DeviceParameters gatheredBytes(const Scenario& scenario, const StagePlan& stage, const StateBytes& bytes)
{
    const DeviceParameters trained = stage.trained();
    if (scenario.workload.training != Training::Full && !keepsGathered(scenario)) {
        return {bytes.weight * trained.dense, bytes.weight * trained.experts};
    }
    const DeviceParameters all = stage.parameters();
    const DeviceParameters layers = stage.layerWeights();
    const double inLayer = layerWeightBytes(scenario.workload);
    return {bytes.weight * (all.dense - layers.dense) + inLayer * layers.dense,
            bytes.weight * (all.experts - layers.experts) + inLayer * layers.experts};
}

/// Seconds of the share of the update that runs on the host: gradients down and weights back over the host link, each
/// way at once, beside the host's own traffic (ZeRO-Offload, arXiv:2101.06840 section 4).
double hostUpdate(const Scenario& scenario, double parameters, const StateBytes& bytes)
{
    const double transfer =
        parameters * std::max(bytes.gradient, bytes.weight) / scenario.cluster.accelerator.hostBandwidth;
    const double update = parameters * (bytes.gradient + 2 * bytes.optimizer + bytes.weight) / hostMemoryBandwidth;
    return std::max(transfer, update);
}

} // namespace

GradientExchange gradientExchange(const Scenario& scenario, const StagePlan& stage, const RankGrid& grid,
                                  double forward, double backward)
{
    const Layout& layout = scenario.layout;
    const StateBytes bytes = stateBytes(scenario.workload, scenario.stack);
    const DeviceParameters trained = stage.trained();
    const DeviceParameters weightBytes = gatheredBytes(scenario, stage, bytes);
    Reduction all = reduceOver(scenario, grid.span(GroupKind::Gradient), denseShards(layout),
                               bytes.gradient * trained.dense, weightBytes.dense);
    all += reduceOver(scenario, grid.span(GroupKind::ExpertData), expertShards(layout),
                      bytes.gradient * trained.experts, weightBytes.experts);
    double gradients = all.gradients();
    double weights = all.weights;
    if (scenario.stack.dpOverlap) {
        // The last bucket has no backward left to hide behind, the first gathered layer no forward.
        const double tail = 1.0 / std::max(1, stage.layers());
        gradients = std::max(gradients - backward, gradients * tail);
        weights = std::max(weights - forward, weights * tail);
    }
    GradientExchange exchange;
    exchange.gather = weights;
    if (all.gradients() > 0) { // every bucket is scattered, then reduced: what sticks out has its share of both
        exchange.reduceScatter = gradients * (all.scatter / all.gradients());
        exchange.allReduce = gradients * (all.reduce / all.gradients());
    }
    // Passes of an unfused optimizer step: gradients zeroed, their norm, clipping, the update of master copy and
    // moments, the 16-bit weights (Megatron-LM optimizer.step: zero_grad, clip_grad_norm, multi-tensor Adam, copy to
    // model parameters).
    const bool sharded = layout.zeroStage >= 1;
    const double updated = sharded ? shardedTotal(trained, layout) : trained.total();
    const double offloaded = updated * scenario.workload.offloadedStates;
    constexpr double gradientPasses = 4; // norm reads, clipping reads and writes, the update reads
    const double traffic =
        (updated - offloaded) * (gradientPasses * bytes.gradient + 2 * bytes.optimizer + 4 + bytes.weight)
        + trained.total() * bytes.gradient;
    exchange.optimizer = memoryPassTime(traffic, scenario.cluster.accelerator) + hostUpdate(scenario, offloaded, bytes);
    return exchange;
}

} // namespace partita
