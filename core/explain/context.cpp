// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/context.h"

#include <fmt/format.h>

namespace partita {

namespace {

Block blockOf(std::string path, std::string name, std::vector<Op> ops, const Pricing& pricing)
{
    Block block;
    block.path = std::move(path);
    block.name = std::move(name);
    block.alone = priceLayer(ops, pricing);
    for (const Op& op : ops) {
        block.opCosts.push_back(price({op}, pricing));
    }
    block.ops = std::move(ops);
    block.plan.cost = block.alone;
    block.plan.kept = block.alone.saved;
    block.pricing.emplace(pricing);
    return block;
}

void setWeights(Block& block, const ShardedParameters& weights, const Layout& layout)
{
    block.weights = weights;
    const double experts = static_cast<double>(weights.experts) / (static_cast<double>(layout.ep) * layout.etp);
    block.parameters = {weights.perDevice(layout.tp, layout.ep, layout.etp) - experts, experts};
}

/// Of what is no layer; those come planned.
void setCost(Block& block, ShardedUnit unit, const Scenario& scenario, const RankGrid& grid)
{
    block.unit = unit;
    block.plan.cost = withShardedWeights(scenario, grid, {block.alone, block.parameters}, unit);
}

struct MixerName {
    std::string operator()(const std::monostate&) const { return {}; }
    std::string operator()(const Attention& attention) const
    {
        return attention.window > 0 ? "windowed attention" : "attention";
    }
    std::string operator()(const LatentAttention&) const { return "latent attention"; }
    std::string operator()(const Mamba1&) const { return "Mamba-1"; }
    std::string operator()(const Mamba2&) const { return "Mamba-2"; }
    std::string operator()(const GatedDelta&) const { return "gated delta"; }
};

std::string nameOf(const LayerKind& kind)
{
    std::string name = std::visit(MixerName{}, kind.mixer);
    if (std::holds_alternative<DenseFfn>(kind.feedForward)) {
        name += name.empty() ? "feed-forward" : " and feed-forward";
    } else if (std::holds_alternative<MoeFfn>(kind.feedForward)) {
        name += name.empty() ? "experts" : " and experts";
    }
    return "layer of " + name;
}

std::vector<Block> blocksOf(const Scenario& scenario, const RankGrid& grid)
{
    const Model& model = scenario.model;
    const Layout& layout = scenario.layout;
    const Shard shard = deviceShard(scenario);
    const Pricing pricing{scenario.cluster, scenario.stack, grid, opStyle(scenario.stack, scenario.workload),
                          gradientType(scenario.workload, scenario.stack) == DataType::Fp32};
    const Pricing wide{scenario.cluster, scenario.stack, grid, wideStyle(pricing.style), pricing.accumulates};
    const UnitPlans units = planUnits(scenario, grid);
    std::vector<ChunkPlan> ofKind(model.kinds.size());
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
        ofKind[static_cast<std::size_t>(model.layers[i])] = units.layers[i];
    }
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < model.kinds.size(); ++i) {
        Block block = blockOf(indexed("layer_kinds", i), nameOf(model.kinds[i]),
                              layerOps(model, model.kinds[i], shard, pricing.style), pricing);
        block.unit = ShardedUnit::Layer;
        block.hasExperts = std::holds_alternative<MoeFfn>(model.kinds[i].feedForward);
        block.plan = ofKind[i];
        setWeights(block, shardedParameters(model.kinds[i], model), layout);
        blocks.push_back(std::move(block));
    }
    blocks.push_back(blockOf("embedding", "embedding", embeddingOps(model, shard, wide.style), wide));
    setWeights(blocks.back(), shardedEmbedding(model), layout);
    setCost(blocks.back(), ShardedUnit::Embedding, scenario, grid);
    blocks.push_back(blockOf("head", "head and loss", headOps(model, shard, wide.style, scenario.stack), wide));
    setWeights(blocks.back(), shardedHead(model), layout);
    setCost(blocks.back(), ShardedUnit::Head, scenario, grid);
    blocks.push_back(blockOf("prediction", "prediction module", predictionOps(model, shard, wide.style), wide));
    if (model.multiTokenPrediction > 0) {
        setWeights(blocks.back(), shardedPredictionModule(model), layout);
    }
    return blocks;
}

std::vector<BlockCount> blocksIn(const ExplainContext& context, std::size_t modelChunk, const std::vector<int>& layers)
{
    const Model& model = context.scenario.model;
    const bool last = modelChunk + 1 == layers.size();
    const int modules = last ? model.multiTokenPrediction : 0;
    std::vector<BlockCount> counts(model.kinds.size());
    std::size_t at = 0;
    for (std::size_t i = 0; i < modelChunk; ++i) {
        at += static_cast<std::size_t>(layers[i]);
    }
    for (int i = 0; i < layers[modelChunk]; ++i) {
        BlockCount& count = counts[static_cast<std::size_t>(model.layers[at + static_cast<std::size_t>(i)])];
        ++count.runs;
        ++count.weights;
    }
    if (modules > 0) {
        counts[static_cast<std::size_t>(model.layers.back())].runs += modules;
    }
    std::vector<BlockCount> result;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i].runs > 0) {
            result.push_back({i, counts[i].runs, counts[i].weights});
        }
    }
    if (modelChunk == 0) {
        result.push_back({context.embedding(), 1, 1});
    }
    if (last) {
        result.push_back({context.head(), 1 + modules, 1});
    }
    if (modules > 0) {
        result.push_back({context.prediction(), modules, modules});
    }
    return result;
}

} // namespace

ExplainContext::ExplainContext(const Scenario& s, const Report& r)
    : scenario(s)
    , report(r)
{
    if (!report.legal()) {
        return;
    }
    const Layout& layout = scenario.layout;
    grid.emplace(layout, scenario.cluster);
    const Placement placement = placementOf(layout.schedule, layout.pp, layout.vpp);
    plans = planStages(scenario, placement, *grid);
    times = stageTimes(scenario, plans, *grid);
    tail = stepTail(figuresOf(report.timeline), scenario, plans, *grid);
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const auto after = [this](std::size_t stage) {
            return tail.exchanges[stage].optimizer + tail.exchanges[stage].gather;
        };
        lastUpdate = after(i) > after(lastUpdate) ? i : lastUpdate;
    }
    bytes = stateBytes(scenario.workload, scenario.stack);
    blocks = blocksOf(scenario, *grid);
    const std::vector<int> layers = layersPerChunk(scenario);
    for (int rank = 0; rank < placement.stages; ++rank) {
        chunkBlocks.emplace_back();
        for (int slot = 0; slot < placement.chunks; ++slot) {
            chunkBlocks.back().push_back(
                blocksIn(*this, static_cast<std::size_t>(placement.link(rank, slot).modelChunk), layers));
        }
    }
}

std::string indexed(std::string_view name, std::size_t index)
{
    return fmt::format("{}[{}]", name, index);
}

std::string chunkPath(std::size_t stage, std::size_t chunk)
{
    return fmt::format("stages[{}].chunks[{}]", stage, chunk);
}

std::vector<std::string> acceleratorSources(const Scenario& scenario)
{
    const Accelerator& accelerator = scenario.cluster.accelerator;
    std::vector<std::string> list;
    for (const std::string& source : accelerator.sources) {
        list.push_back(accelerator.name + ": " + source);
    }
    if (!accelerator.kernels.source.empty()) {
        list.push_back(accelerator.name + ", kernels: " + accelerator.kernels.source);
    }
    return list;
}

std::vector<std::string> stackSources(const Scenario& scenario)
{
    std::vector<std::string> list;
    for (const std::string& source : scenario.stack.sources) {
        list.push_back(scenario.stack.name + ": " + source);
    }
    return list;
}

} // namespace partita
