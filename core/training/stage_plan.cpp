// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/stage_plan.h"

#include "core/training/chunk_planner.h"

#include <algorithm>

namespace partita {

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
    // A prediction module and the two losses beside it (Megatron Bridge, pipeline layouts of DeepSeek-V3).
    constexpr int beside = 3;
    if (spare > 0 && (layers + 2) % chunks == 0) {
        // Embedding and head count as a layer each (Megatron-LM --account-for-embedding-in-pipeline-split).
        result.assign(result.size(), (layers + 2) / chunks);
        --result.front();
        --result.back();
        return result;
    }
    if (spare > 0 && scenario.model.multiTokenPrediction > 0 && (layers + beside) % chunks == 0
        && (layers + beside) / chunks > beside) {
        result.assign(result.size(), (layers + beside) / chunks);
        result.back() -= beside;
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

std::vector<StagePlan> planStages(const Scenario& scenario, const Placement& placement, const RankGrid& grid)
{
    const ChunkPlanner planner(scenario, grid, priceLayers(scenario, grid));
    const std::vector<int> layers = layersPerChunk(scenario);
    std::vector<int> firstLayer{0};
    for (int count : layers) {
        firstLayer.push_back(firstLayer.back() + count);
    }
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
    const ChunkPlanner planner(scenario, grid, priceLayers(scenario, grid));
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
