// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/stage_plan.h"

#include "core/training/gradient_exchange.h"

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
        , m_pricing{scenario.cluster, scenario.stack, grid, opStyle(scenario.stack, scenario.workload.precision)}
        , m_widePricing{scenario.cluster, scenario.stack, grid, wideStyle(m_pricing.style)}
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
    KindCost priceKind(const LayerKind& layer) const
    {
        KindCost kind;
        kind.cost = price(layerOps(m_scenario.model, layer, m_shard, m_pricing.style), m_pricing);
        kind.parameters = onDevice(shardedParameters(layer, m_scenario.model), m_scenario.layout);
        kind.kept = kind.cost.saved;
        kind.workingSet = kind.cost.transient;
        if (m_scenario.layout.zeroStage == 3) {
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
        case Recompute::Full: {
            TimeBreakdown again = kind.cost.forward;
            again[TimeKind::DpExposed] = 0; // the gather for the backward pass serves both
            backward[TimeKind::Recompute] += again.compute();
            for (TimeKind exposed : {TimeKind::TpExposed, TimeKind::CpExposed, TimeKind::EpExposed}) {
                backward[exposed] += again[exposed];
            }
            kind.kept = m_pricing.style.activationBytes * m_shard.residualTokens()
                * static_cast<double>(m_scenario.model.hidden);
            kind.workingSet += kind.cost.saved;
            return;
        }
        }
    }

    /// ZeRO-3: weights gathered before the forward and the backward pass, gradients scattered after it, every
    /// micro-batch; the neighbouring layer's compute hides them (PyTorch FSDP, arXiv:2304.11277 §3.3).
    void addShardedWeightExchange(KindCost& kind) const
    {
        const double weightBytes =
            bytesPerElement(m_pricing.style.activationBytes > 2 ? DataType::Fp32 : DataType::Bf16);
        const double gradientBytes = bytesPerElement(m_scenario.stack.gradientType);
        const Layout& layout = m_scenario.layout;
        const GroupSpan dense = splitSpan(m_pricing.grid.span(GroupKind::Gradient), denseShards(layout)).inner;
        const GroupSpan experts = splitSpan(m_pricing.grid.span(GroupKind::ExpertData), expertShards(layout)).inner;
        const auto exchange = [&](CollectiveKind collective, double bytes) {
            return exchangeTime(m_scenario.cluster, dense, collective, bytes * kind.parameters.dense)
                + exchangeTime(m_scenario.cluster, experts, collective, bytes * kind.parameters.experts);
        };
        const double gather = exchange(CollectiveKind::AllGather, weightBytes);
        const double scatter = exchange(CollectiveKind::ReduceScatter, gradientBytes);
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
        plan.parameters += onDevice(shardedEmbedding(m_scenario.model), m_scenario.layout);
    }

    void addHead(ChunkPlan& plan, bool withEmbedding) const
    {
        const Model& model = m_scenario.model;
        const LayerCost head = price(headOps(model, m_shard, m_widePricing.style, m_scenario.stack), m_widePricing);
        plan.cost += head;
        const double columns = static_cast<double>(paddedVocabulary(model, m_shard.tp)) / m_shard.tp;
        // The head's weight gradient is formed in 16 bit before it is added to the main gradient.
        plan.headBytes = head.saved + m_widePricing.style.operandBytes * columns * static_cast<double>(model.hidden);
        plan.parameters += onDevice(shardedHead(model), m_scenario.layout);
        if (model.tiedEmbeddings && !withEmbedding) {
            plan.parameters.dense +=
                static_cast<double>(model.vocabulary) * static_cast<double>(model.embeddingColumns()) / m_shard.tp;
        }
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

DeviceParameters StagePlan::parameters() const
{
    DeviceParameters sum;
    for (const ChunkPlan& chunk : chunks) {
        sum += chunk.parameters;
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
    return opStyle(scenario.stack, scenario.workload.precision).activationBytes * tokens
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
