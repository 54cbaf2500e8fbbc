// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/stage_plan.h"

namespace partita {

/// A layer, the embedding or the head on one device, before recomputation and ZeRO add to it.
struct PricedLayer {
    LayerCost cost;
    DeviceParameters parameters;
};

/// Depends on Shard and on where tensor, context, expert and expert-tensor groups lie; on nothing else of a layout.
struct LayerPrices {
    std::vector<PricedLayer> kinds; ///< by Model::kinds
    PricedLayer embedding;
    PricedLayer head; ///< without the copy of the embedding that tied models keep beside it
    PricedLayer prediction; ///< of a multi-token prediction module what is not a layer or the head: its projection's
                            ///< cost, but all its parameters
};

/// What one device does of a layer for one micro-batch.
Shard deviceShard(const Scenario& scenario);

LayerPrices priceLayers(const Scenario& scenario, const RankGrid& grid);
/// The same in two steps, of which the first depends neither on the split of the experts nor on their groups: layers
/// with experts are priced at what they take at least in any. A search repeats the second.
LayerPrices priceWithoutExperts(const Scenario& scenario, const RankGrid& grid, GemmTimes* products = nullptr);
void priceExperts(LayerPrices& prices, const Scenario& scenario, const RankGrid& grid, GemmTimes* products = nullptr);
/// What layers of a kind take at least beyond what the first step counts, however few kernels wait for the host: the
/// second step's cost of their routed experts, [kind]. Depends on Shard::residualTokens() and on where expert and
/// expert-tensor groups lie.
std::vector<LayerCost> priceRouted(const Scenario& scenario, const RankGrid& grid, GemmTimes* products = nullptr);
/// Parameters alone: all costs are 0.
LayerPrices unpricedLayers(const Scenario& scenario);

/// Bytes of a layer's input, which every way of recomputing keeps.
double layerInputBytes(const Scenario& scenario);

/// What of a model ZeRO-3 gathers at once. A layer's backward pass gathers it again; that of the embedding needs no
/// weights, and the head's, which comes next, finds them there (torchtitan,
/// torchtitan/models/llama3/infra/parallelize.py).
enum class ShardedUnit { Layer, Embedding, Head };

/// Bytes of each parameter that is gathered.
double gatheredBytes(const Scenario& scenario, ShardedUnit unit);

/// The cost of a layer together with what ZeRO-3 adds to it: weights gathered before its passes, gradients scattered
/// after them, every micro-batch; hidden as far as the layer's own passes are long (PyTorch FSDP, arXiv:2304.11277
/// section 3.3).
LayerCost withShardedWeights(const Scenario& scenario, const RankGrid& grid, const PricedLayer& layer,
                             ShardedUnit unit);

/// Adds layers up to model chunks. Refers to the scenario and the grid it is made from.
class ChunkPlanner {
public:
    ChunkPlanner(const Scenario& scenario, const RankGrid& grid, const LayerPrices& prices);

    /// Layers [firstLayer, firstLayer + layers), with the embedding in the first chunk and the head in the last.
    ChunkPlan chunk(int firstLayer, int layers, bool first, bool last) const;
    /// The same of so many layers of each kind: their order costs nothing.
    ChunkPlan chunk(const std::vector<int>& layersOfKind, bool first, bool last) const;

private:
    /// A layer kind, ready to be added up.
    struct KindCost {
        LayerCost cost;
        DeviceParameters parameters;
        double kept = 0;
        double workingSet = 0;
    };

    bool adapters() const { return m_scenario.workload.training != Training::Full; }
    DeviceParameters trainedOf(const KindCost& kind) const { return adapters() ? kind.cost.adapters : kind.parameters; }
    KindCost kindCost(const PricedLayer& layer) const;
    void recompute(KindCost& kind) const;
    void addWeights(ChunkPlan& plan, const DeviceParameters& weights) const;
    void addEmbedding(ChunkPlan& plan) const;
    void addHead(ChunkPlan& plan, bool withEmbedding) const;
    void addPredictionModule(ChunkPlan& plan) const;

    const Scenario& m_scenario;
    const RankGrid& m_grid;
    OpStyle m_style;
    Shard m_shard;
    double m_inputBytes; ///< of a layer
    std::vector<KindCost> m_kinds;
    PricedLayer m_embedding;
    PricedLayer m_head;
    PricedLayer m_prediction;
};

} // namespace partita
