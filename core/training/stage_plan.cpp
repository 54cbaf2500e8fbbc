// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/stage_plan.h"

#include "core/training/gradient_exchange.h"
#include "core/training/memory.h"

#include <algorithm>

namespace partita {

namespace {

/// Costs of one layer kind, ready to be added up.
struct KindCost {
    LayerCost cost;
    DeviceParameters parameters;
    double kept = 0;
    double workingSet = 0;
};

DeviceParameters onDevice(const ShardedParameters& sharded, const Layout& layout)
{
    const double experts = static_cast<double>(sharded.experts) / (static_cast<double>(layout.ep) * layout.etp);
    return {sharded.perDevice(layout.tp, layout.ep, layout.etp) - experts, experts};
}

class Planner {
public:
    Planner(const Scenario& scenario, const RankGrid& grid)
        : m_scenario(scenario)
        , m_pricing{scenario.cluster, scenario.stack, grid, opStyle(scenario.stack, scenario.workload),
                    gradientType(scenario.workload, scenario.stack) == DataType::Fp32}
        , m_widePricing{scenario.cluster, scenario.stack, grid, wideStyle(m_pricing.style), m_pricing.accumulates}
    {
        const Layout& layout = scenario.layout;
        m_shard = {layout.tp,
                   layout.cp,
                   layout.ep,
                   layout.etp,
                   layout.sequenceParallel && layout.tp > 1,
                   layout.microBatch,
                   scenario.workload.sequenceLength};
        for (const LayerKind& kind : scenario.model.kinds) {
            m_kinds.push_back(priceKind(kind));
        }
    }

    ChunkPlan chunk(int firstLayer, int layers, bool first, bool last) const
    {
        ChunkPlan plan;
        plan.layers = layers;
        for (int i = firstLayer; i < firstLayer + layers; ++i) {
            const KindCost& kind =
                m_kinds[static_cast<std::size_t>(m_scenario.model.layers[static_cast<std::size_t>(i)])];
            plan.cost += kind.cost;
            plan.parameters += kind.parameters;
            plan.layerWeights += kind.parameters;
            plan.trained += trainedOf(kind);
            plan.kept += kind.kept;
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

private:
    bool adapters() const { return m_scenario.workload.training != Training::Full; }
    DeviceParameters trainedOf(const KindCost& kind) const { return adapters() ? kind.cost.adapters : kind.parameters; }
    /// Weights that belong to no layer: frozen beside adapters.
    void addWeights(ChunkPlan& plan, const DeviceParameters& weights) const
    {
        plan.parameters += weights;
        plan.trained += adapters() ? DeviceParameters{} : weights;
    }

    KindCost priceKind(const LayerKind& layer) const
    {
        KindCost kind;
        kind.cost = price(layerOps(m_scenario.model, layer, m_shard, m_pricing.style), m_pricing);
        kind.parameters = onDevice(shardedParameters(layer, m_scenario.model), m_scenario.layout);
        kind.kept = kind.cost.saved;
        kind.workingSet = kind.cost.transient;
        if (std::holds_alternative<MoeFfn>(layer.feedForward)) {
            kind.cost.forward[TimeKind::Host] += m_scenario.stack.expertHost;
        }
        if (m_scenario.layout.zeroStage == 3 && !keepsGathered(m_scenario)) {
            addShardedWeightExchange(kind);
        }
        recompute(kind);
        return kind;
    }

    void recompute(KindCost& kind) const
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
        case Recompute::PerOperator: {
            TimeBreakdown again = kind.cost.forward;
            again[TimeKind::Attention] = 0;
            again[TimeKind::Gemm] /= 2;
            backward[TimeKind::Recompute] += again.compute();
            backward[TimeKind::TpExposed] += again[TimeKind::TpExposed] / 2; // gathers; what is scattered is kept
            backward[TimeKind::EpExposed] += again[TimeKind::EpExposed];
            kind.kept = inputBytes() + kind.cost.savedPerOperator;
            kind.workingSet += std::max(0.0, kind.cost.saved - kind.cost.savedPerOperator);
            return;
        }
        case Recompute::Full: {
            TimeBreakdown again = kind.cost.forward;
            again[TimeKind::DpExposed] = 0; // the gather for the backward pass serves both
            backward[TimeKind::Recompute] += again.compute();
            for (TimeKind exposed : {TimeKind::TpExposed, TimeKind::CpExposed, TimeKind::EpExposed}) {
                backward[exposed] += again[exposed];
            }
            kind.kept = inputBytes();
            kind.workingSet += kind.cost.saved;
            return;
        }
        }
    }

    /// Of a layer.
    double inputBytes() const
    {
        return m_pricing.style.activationBytes * m_shard.residualTokens()
            * static_cast<double>(m_scenario.model.hidden);
    }

    /// ZeRO-3: weights gathered before the forward and the backward pass, gradients scattered after it, every
    /// micro-batch; the neighbouring layer's compute hides them (PyTorch FSDP, arXiv:2304.11277 §3.3).
    void addShardedWeightExchange(KindCost& kind) const
    {
        const double weightBytes = layerWeightBytes(m_scenario.workload);
        const double gradientBytes = bytesPerElement(gradientType(m_scenario.workload, m_scenario.stack));
        const Layout& layout = m_scenario.layout;
        const GroupSpan dense = splitSpan(m_pricing.grid.span(GroupKind::Gradient), denseShards(layout)).inner;
        const GroupSpan experts = splitSpan(m_pricing.grid.span(GroupKind::ExpertData), expertShards(layout)).inner;
        const auto exchange = [&](CollectiveKind collective, const DeviceParameters& what, double bytes) {
            return exchangeTime(m_scenario.cluster, dense, collective, bytes * what.dense)
                + exchangeTime(m_scenario.cluster, experts, collective, bytes * what.experts);
        };
        const double gather = exchange(CollectiveKind::AllGather, kind.parameters, weightBytes);
        const double scatter = exchange(CollectiveKind::ReduceScatter, trainedOf(kind), gradientBytes);
        const bool overlaps = m_scenario.stack.dpOverlap;
        const double forward = overlaps ? kind.cost.forward.total() : 0;
        const double input = overlaps ? kind.cost.backwardInput.total() : 0;
        const double weight = overlaps ? kind.cost.backwardWeight.total() : 0;
        kind.cost.forward[TimeKind::DpExposed] += std::max(0.0, gather - forward);
        if (describe(layout.schedule).splitsBackward) {
            kind.cost.backwardInput[TimeKind::DpExposed] += std::max(0.0, gather - input);
            kind.cost.backwardWeight[TimeKind::DpExposed] += std::max(0.0, scatter - weight);
        } else {
            kind.cost.backwardWeight[TimeKind::DpExposed] += std::max(0.0, gather + scatter - input - weight);
        }
    }

    void addEmbedding(ChunkPlan& plan) const
    {
        const LayerCost embedding = price(embeddingOps(m_scenario.model, m_shard, m_widePricing.style), m_widePricing);
        plan.cost += embedding;
        plan.kept += embedding.saved;
        addWeights(plan, onDevice(shardedEmbedding(m_scenario.model), m_scenario.layout));
    }

    void addHead(ChunkPlan& plan, bool withEmbedding) const
    {
        const Model& model = m_scenario.model;
        const LayerCost head = price(headOps(model, m_shard, m_widePricing.style, m_scenario.stack), m_widePricing);
        plan.cost += head;
        const double columns = static_cast<double>(paddedVocabulary(model, m_shard.tp)) / m_shard.tp;
        // The head's weight gradient is formed in 16 bit before it is added to the main gradient.
        plan.headBytes = head.saved + m_widePricing.style.operandBytes * columns * static_cast<double>(model.hidden);
        addWeights(plan, onDevice(shardedHead(model), m_scenario.layout));
        if (!withEmbedding && (model.tiedEmbeddings || model.multiTokenPrediction > 0)) {
            addWeights(
                plan,
                {static_cast<double>(model.vocabulary) * static_cast<double>(model.embeddingColumns()) / m_shard.tp,
                 0});
        }
        for (int i = 0; i < model.multiTokenPrediction; ++i) {
            addPredictionModule(plan, head);
        }
    }

    /// A projection of two hidden states, a layer of the last kind and the shared head once more (arXiv:2412.19437
    /// section 2.2).
    void addPredictionModule(ChunkPlan& plan, const LayerCost& head) const
    {
        const Model& model = m_scenario.model;
        const KindCost& last = m_kinds[static_cast<std::size_t>(model.layers.back())];
        const LayerCost projection = price(predictionOps(model, m_shard, m_widePricing.style), m_widePricing);
        plan.cost += last.cost;
        plan.cost += head;
        plan.cost += projection;
        plan.kept += last.kept + projection.saved;
        plan.headBytes += head.saved;
        plan.workingSet = std::max(plan.workingSet, last.workingSet);
        plan.largestLayer = std::max(plan.largestLayer, last.parameters.total());
        const DeviceParameters weights = onDevice(shardedPredictionModule(model), m_scenario.layout);
        plan.parameters += weights;
        plan.layerWeights += weights;
        plan.trained += adapters() ? last.cost.adapters : weights;
    }

    const Scenario& m_scenario;
    Pricing m_pricing;
    Pricing m_widePricing;
    Shard m_shard;
    std::vector<KindCost> m_kinds;
};

} // namespace

int StagePlan::layers() const
{
    int sum = 0;
    for (const ChunkPlan& chunk : chunks) {
        sum += chunk.layers;
    }
    return sum;
}

DeviceParameters StagePlan::perCopy(DeviceParameters ChunkPlan::*part) const
{
    DeviceParameters sum;
    for (const ChunkPlan& chunk : chunks) {
        sum += chunk.*part;
    }
    return {sum.dense / copies, sum.experts / copies};
}

double StagePlan::kept() const
{
    double sum = 0;
    for (const ChunkPlan& chunk : chunks) {
        sum += chunk.kept;
    }
    return sum / copies;
}

TimeBreakdown StagePlan::perCopy(TimeBreakdown LayerCost::*part) const
{
    TimeBreakdown sum;
    for (const ChunkPlan& chunk : chunks) {
        sum += chunk.cost.*part;
    }
    return sum.scaled(1.0 / copies);
}

TimeBreakdown StagePlan::perMicroBatch() const
{
    TimeBreakdown sum = forward();
    sum += backwardInput();
    sum += backwardWeight();
    return sum;
}

std::vector<int> layersPerChunk(const Scenario& scenario)
{
    const Layout& layout = scenario.layout;
    if (!layout.layersPerStage.empty()) {
        return layout.layersPerStage;
    }
    const int chunks = layout.pp * layout.vpp;
    const int layers = scenario.model.layerCount();
    std::vector<int> result(static_cast<std::size_t>(chunks), layers / chunks);
    int spare = layers % chunks;
    if (spare > 0 && (layers + 2) % chunks == 0) {
        // Embedding and head count as a layer each (Megatron-LM --account-for-embedding-in-pipeline-split).
        result.assign(result.size(), (layers + 2) / chunks);
        --result.front();
        --result.back();
        return result;
    }
    for (int i = 1; i + 1 < chunks && spare > 0; ++i, --spare) {
        ++result[static_cast<std::size_t>(i)];
    }
    if (spare > 0) {
        ++result.front();
    }
    return result;
}

double denseShards(const Layout& layout)
{
    const int group = layout.dp * layout.cp;
    return layout.shardGroup > 0 ? std::min(layout.shardGroup, group) : group;
}

double expertShards(const Layout& layout)
{
    const double group =
        static_cast<double>(layout.tp) * layout.cp * layout.dp / (static_cast<double>(layout.ep) * layout.etp);
    return layout.shardGroup > 0 ? std::min<double>(layout.shardGroup, group) : group;
}

double shardedTotal(const DeviceParameters& parameters, const Layout& layout)
{
    return parameters.dense / denseShards(layout) + parameters.experts / expertShards(layout);
}

double boundaryBytes(const Scenario& scenario)
{
    const Layout& layout = scenario.layout;
    const double tokens = static_cast<double>(layout.microBatch) * static_cast<double>(scenario.workload.sequenceLength)
        / layout.cp / (layout.sequenceParallel ? layout.tp : 1);
    return opStyle(scenario.stack, scenario.workload).activationBytes * tokens
        * static_cast<double>(scenario.model.hidden);
}

std::vector<StagePlan> planStages(const Scenario& scenario, const Schedule& schedule, const RankGrid& grid)
{
    const Planner planner(scenario, grid);
    const std::vector<int> layers = layersPerChunk(scenario);
    std::vector<int> firstLayer{0};
    for (int count : layers) {
        firstLayer.push_back(firstLayer.back() + count);
    }
    const Placement& placement = schedule.placement;
    std::vector<StagePlan> stages(static_cast<std::size_t>(placement.stages));
    for (int rank = 0; rank < placement.stages; ++rank) {
        stages[static_cast<std::size_t>(rank)].copies = placement.weightCopies();
        for (int slot = 0; slot < placement.chunks; ++slot) {
            const auto chunk = static_cast<std::size_t>(placement.link(rank, slot).modelChunk);
            stages[static_cast<std::size_t>(rank)].chunks.push_back(
                planner.chunk(firstLayer[chunk], layers[chunk], chunk == 0, chunk + 1 == layers.size()));
        }
    }
    return stages;
}

ChunkPlan& ChunkPlan::operator+=(const ChunkPlan& other)
{
    layers += other.layers;
    cost += other.cost;
    parameters += other.parameters;
    layerWeights += other.layerWeights;
    trained += other.trained;
    kept += other.kept;
    headBytes += other.headBytes;
    workingSet = std::max(workingSet, other.workingSet);
    largestLayer = std::max(largestLayer, other.largestLayer);
    return *this;
}

UnitPlans planUnits(const Scenario& scenario, const RankGrid& grid)
{
    const Planner planner(scenario, grid);
    UnitPlans units;
    const int layers = scenario.model.layerCount();
    for (int i = 0; i < layers; ++i) {
        units.layers.push_back(planner.chunk(i, 1, false, false));
    }
    units.embedding = planner.chunk(0, 0, true, false);
    units.head = planner.chunk(layers, 0, false, true);
    return units;
}

} // namespace partita
