// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/chunk_planner.h"

#include "core/training/gradient_exchange.h"
#include "core/training/memory.h"

#include <algorithm>

namespace partita {

namespace {

DeviceParameters onDevice(const ShardedParameters& sharded, const Layout& layout)
{
    const double experts = static_cast<double>(sharded.experts) / (static_cast<double>(layout.ep) * layout.etp);
    return {sharded.perDevice(layout.tp, layout.ep, layout.etp) - experts, experts};
}

bool holdsExperts(const LayerKind& kind)
{
    return std::holds_alternative<MoeFfn>(kind.feedForward);
}

Pricing pricingOf(const Scenario& scenario, const RankGrid& grid, GemmTimes* products)
{
    return {scenario.cluster,
            scenario.stack,
            grid,
            opStyle(scenario.stack, scenario.workload),
            gradientType(scenario.workload, scenario.stack) == DataType::Fp32,
            products};
}

void repeatExchanges(const TimeBreakdown& forward, TimeBreakdown& backward)
{
    for (TimeKind exposed : {TimeKind::TpExposed, TimeKind::CpExposed, TimeKind::EpExposed}) {
        backward[exposed] += forward[exposed];
    }
}

} // namespace

Shard deviceShard(const Scenario& scenario)
{
    const Layout& layout = scenario.layout;
    return {layout.tp,
            layout.cp,
            layout.ep,
            layout.etp,
            layout.sequenceParallel && layout.tp > 1,
            layout.microBatch,
            scenario.workload.sequenceLength};
}

double layerInputBytes(const Scenario& scenario)
{
    return opStyle(scenario.stack, scenario.workload).activationBytes * deviceShard(scenario).residualTokens()
        * static_cast<double>(scenario.model.hidden);
}

LayerPrices unpricedLayers(const Scenario& scenario)
{
    const Model& model = scenario.model;
    LayerPrices prices;
    for (const LayerKind& kind : model.kinds) {
        prices.kinds.push_back({{}, onDevice(shardedParameters(kind, model), scenario.layout)});
    }
    prices.embedding.parameters = onDevice(shardedEmbedding(model), scenario.layout);
    prices.head.parameters = onDevice(shardedHead(model), scenario.layout);
    if (model.multiTokenPrediction > 0) {
        prices.prediction.parameters = onDevice(shardedPredictionModule(model), scenario.layout);
    }
    return prices;
}

LayerPrices priceWithoutExperts(const Scenario& scenario, const RankGrid& grid, GemmTimes* products)
{
    const Model& model = scenario.model;
    const Shard shard = deviceShard(scenario);
    const Pricing pricing = pricingOf(scenario, grid, products);
    LayerPrices prices = unpricedLayers(scenario);
    for (std::size_t i = 0; i < model.kinds.size(); ++i) {
        const LayerKind& kind = model.kinds[i];
        prices.kinds[i].cost = priceLayer(holdsExperts(kind) ? leastOps(model, kind, shard, pricing.style)
                                                             : layerOps(model, kind, shard, pricing.style),
                                          pricing);
    }
    const Pricing wide{pricing.cluster,          pricing.stack,       grid,
                       wideStyle(pricing.style), pricing.accumulates, pricing.products};
    prices.embedding.cost = price(embeddingOps(model, shard, wide.style), wide);
    prices.head.cost = price(headOps(model, shard, wide.style, scenario.stack), wide);
    if (model.multiTokenPrediction > 0) {
        prices.prediction.cost = price(predictionOps(model, shard, wide.style), wide);
    }
    return prices;
}

void priceExperts(LayerPrices& prices, const Scenario& scenario, const RankGrid& grid, GemmTimes* products)
{
    const Model& model = scenario.model;
    const Pricing pricing = pricingOf(scenario, grid, products);
    for (std::size_t i = 0; i < model.kinds.size(); ++i) {
        if (const LayerKind& kind = model.kinds[i]; holdsExperts(kind)) {
            prices.kinds[i] = {priceLayer(layerOps(model, kind, deviceShard(scenario), pricing.style), pricing),
                               onDevice(shardedParameters(kind, model), scenario.layout)};
        }
    }
    if (model.multiTokenPrediction > 0) {
        prices.prediction.parameters = onDevice(shardedPredictionModule(model), scenario.layout);
    }
}

std::vector<LayerCost> priceRouted(const Scenario& scenario, const RankGrid& grid, GemmTimes* products)
{
    const Pricing pricing = pricingOf(scenario, grid, products);
    const Shard shard = deviceShard(scenario);
    std::vector<LayerCost> costs;
    for (const LayerKind& kind : scenario.model.kinds) {
        costs.push_back(price(routedOps(scenario.model, kind, shard, pricing.style), pricing));
        LayerCost& cost = costs.back();
        cost.add(price(leastRoutedOps(scenario.model, kind, shard, pricing.style), pricing), -1);
        for (TimeBreakdown* pass : {&cost.forward, &cost.backwardInput, &cost.backwardWeight}) {
            (*pass)[TimeKind::Host] = 0;
        }
    }
    return costs;
}

LayerPrices priceLayers(const Scenario& scenario, const RankGrid& grid)
{
    LayerPrices prices = priceWithoutExperts(scenario, grid);
    priceExperts(prices, scenario, grid);
    return prices;
}

double gatheredBytes(const Scenario& scenario, ShardedUnit unit)
{
    return unit == ShardedUnit::Layer ? layerWeightBytes(scenario.workload)
                                      : stateBytes(scenario.workload, scenario.stack).weight;
}

LayerCost withShardedWeights(const Scenario& scenario, const RankGrid& grid, const PricedLayer& layer, ShardedUnit unit)
{
    LayerCost cost = layer.cost;
    const Layout& layout = scenario.layout;
    if (layout.zeroStage != 3 || keepsGathered(scenario)) {
        return cost;
    }
    const GroupSpan dense = splitSpan(grid.span(GroupKind::Gradient), denseShards(layout)).inner;
    const GroupSpan experts = splitSpan(grid.span(GroupKind::ExpertData), expertShards(layout)).inner;
    const auto exchange = [&](CollectiveKind collective, const DeviceParameters& what, double bytes) {
        return exchangeTime(scenario.cluster, dense, collective, bytes * what.dense)
            + exchangeTime(scenario.cluster, experts, collective, bytes * what.experts);
    };
    const bool full = scenario.workload.training == Training::Full;
    const double gather = exchange(CollectiveKind::AllGather, layer.parameters, gatheredBytes(scenario, unit));
    const double again = unit == ShardedUnit::Layer ? gather : 0;
    const double scatter = exchange(CollectiveKind::ReduceScatter, full ? layer.parameters : cost.adapters,
                                    bytesPerElement(gradientType(scenario.workload, scenario.stack)));
    const bool overlaps = scenario.stack.dpOverlap;
    const double forward = overlaps ? cost.forward.total() : 0;
    const double input = overlaps ? cost.backwardInput.total() : 0;
    const double weight = overlaps ? cost.backwardWeight.total() : 0;
    cost.forward[TimeKind::DpExposed] += std::max(0.0, gather - forward);
    if (describe(layout.schedule).splitsBackward) {
        cost.backwardInput[TimeKind::DpExposed] += std::max(0.0, again - input);
        cost.backwardWeight[TimeKind::DpExposed] += std::max(0.0, scatter - weight);
    } else {
        cost.backwardWeight[TimeKind::DpExposed] += std::max(0.0, again + scatter - input - weight);
    }
    return cost;
}

ChunkPlanner::ChunkPlanner(const Scenario& scenario, const RankGrid& grid, const LayerPrices& prices)
    : m_scenario(scenario)
    , m_grid(grid)
    , m_style(opStyle(scenario.stack, scenario.workload))
    , m_shard(deviceShard(scenario))
    , m_inputBytes(layerInputBytes(scenario))
    , m_embedding(prices.embedding)
    , m_head(prices.head)
    , m_prediction(prices.prediction)
{
    for (const PricedLayer& layer : prices.kinds) {
        m_kinds.push_back(kindCost(layer));
    }
    m_embedding.cost = withShardedWeights(scenario, grid, m_embedding, ShardedUnit::Embedding);
    m_head.cost = withShardedWeights(scenario, grid, m_head, ShardedUnit::Head);
}

ChunkPlan ChunkPlanner::chunk(int firstLayer, int layers, bool first, bool last) const
{
    std::vector<int> layersOfKind(m_kinds.size(), 0);
    for (int i = firstLayer; i < firstLayer + layers; ++i) {
        ++layersOfKind[static_cast<std::size_t>(m_scenario.model.layers[static_cast<std::size_t>(i)])];
    }
    return chunk(layersOfKind, first, last);
}

ChunkPlan ChunkPlanner::chunk(const std::vector<int>& layersOfKind, bool first, bool last) const
{
    ChunkPlan plan;
    for (std::size_t i = 0; i < layersOfKind.size(); ++i) {
        const int count = layersOfKind[i];
        if (count == 0) {
            continue;
        }
        const KindCost& kind = m_kinds[i];
        const DeviceParameters parameters = kind.parameters.times(count);
        plan.layers += count;
        plan.cost.add(kind.cost, count);
        plan.parameters += parameters;
        plan.layerWeights += parameters;
        plan.trained += trainedOf(kind).times(count);
        plan.kept += kind.kept * count;
        plan.workingSet = std::max(plan.workingSet, kind.workingSet);
        plan.largestLayer = std::max(plan.largestLayer, kind.parameters.total());
    }
    if (first) {
        addEmbedding(plan);
    }
    if (last) {
        addHead(plan, first);
    }
    return plan;
}

ChunkPlanner::KindCost ChunkPlanner::kindCost(const PricedLayer& layer) const
{
    KindCost kind{withShardedWeights(m_scenario, m_grid, layer, ShardedUnit::Layer), layer.parameters, layer.cost.saved,
                  layer.cost.transient};
    recompute(kind);
    return kind;
}

void ChunkPlanner::recompute(KindCost& kind) const
{
    TimeBreakdown& backward = kind.cost.backwardInput;
    switch (m_scenario.layout.recompute) {
    case Recompute::None:
        return;
    case Recompute::Selective:
        backward[TimeKind::Recompute] += kind.cost.core.compute();
        kind.kept -= kind.cost.savedCore;
        kind.workingSet += kind.cost.savedCore;
        return;
    case Recompute::Experts:
        if (kind.cost.savedExperts > 0) {
            backward[TimeKind::Recompute] += kind.cost.experts.compute();
            repeatExchanges(kind.cost.experts, backward);
            kind.kept += m_inputBytes - kind.cost.savedExperts; // the mixture's input is kept
            kind.workingSet += kind.cost.savedExperts;
        }
        return;
    case Recompute::PerOperator: {
        TimeBreakdown again = kind.cost.forward;
        again[TimeKind::Attention] = 0;
        again[TimeKind::Gemm] /= 2;
        backward[TimeKind::Recompute] += again.compute();
        backward[TimeKind::TpExposed] += again[TimeKind::TpExposed] / 2; // gathers; what is scattered is kept
        backward[TimeKind::EpExposed] += again[TimeKind::EpExposed];
        kind.kept = m_inputBytes + kind.cost.savedPerOperator;
        kind.workingSet += std::max(0.0, kind.cost.saved - kind.cost.savedPerOperator);
        return;
    }
    case Recompute::Full: {
        TimeBreakdown again = kind.cost.forward;
        again[TimeKind::DpExposed] = 0; // the gather for the backward pass serves both
        backward[TimeKind::Recompute] += again.compute();
        repeatExchanges(again, backward);
        kind.kept = m_inputBytes;
        kind.workingSet += kind.cost.saved;
        return;
    }
    }
}

/// Weights that belong to no layer: frozen beside adapters.
void ChunkPlanner::addWeights(ChunkPlan& plan, const DeviceParameters& weights) const
{
    plan.parameters += weights;
    plan.trained += adapters() ? DeviceParameters{} : weights;
}

void ChunkPlanner::addEmbedding(ChunkPlan& plan) const
{
    plan.cost += m_embedding.cost;
    plan.kept += m_embedding.cost.saved;
    addWeights(plan, m_embedding.parameters);
}

void ChunkPlanner::addHead(ChunkPlan& plan, bool withEmbedding) const
{
    const Model& model = m_scenario.model;
    plan.cost += m_head.cost;
    const double columns = static_cast<double>(paddedVocabulary(model, m_shard.tp)) / m_shard.tp;
    // The head's weight gradient is formed in 16 bit before it is added to the main gradient.
    plan.headBytes = m_head.cost.saved + wideStyle(m_style).operandBytes * columns * static_cast<double>(model.hidden);
    addWeights(plan, m_head.parameters);
    if (!withEmbedding && (model.tiedEmbeddings || model.multiTokenPrediction > 0)) {
        addWeights(
            plan,
            {static_cast<double>(model.vocabulary) * static_cast<double>(model.embeddingColumns()) / m_shard.tp, 0});
    }
    for (int i = 0; i < model.multiTokenPrediction; ++i) {
        addPredictionModule(plan);
    }
}

/// A projection of two hidden states, a layer of the last kind and the shared head once more (arXiv:2412.19437
/// section 2.2).
void ChunkPlanner::addPredictionModule(ChunkPlan& plan) const
{
    const KindCost& last = m_kinds[static_cast<std::size_t>(m_scenario.model.layers.back())];
    plan.cost += last.cost;
    plan.cost += m_head.cost;
    plan.cost += m_prediction.cost;
    plan.kept += last.kept + m_prediction.cost.saved;
    plan.headBytes += m_head.cost.saved;
    plan.workingSet = std::max(plan.workingSet, last.workingSet);
    plan.largestLayer = std::max(plan.largestLayer, last.parameters.total());
    const DeviceParameters& weights = m_prediction.parameters;
    plan.parameters += weights;
    plan.layerWeights += weights;
    plan.trained += adapters() ? last.cost.adapters : weights;
}

} // namespace partita
