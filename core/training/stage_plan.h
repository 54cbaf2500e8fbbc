// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/weights.h"
#include "core/pipeline/schedule.h"
#include "core/training/layer_cost.h"

namespace partita {

/// A model chunk: consecutive layers, with the embedding or the head where they live.
struct ChunkPlan {
    int layers = 0;
    LayerCost cost; ///< one micro-batch, recomputation and sharded-weight exchange included
    DeviceParameters parameters; ///< of the model: adapters left out
    DeviceParameters layerWeights; ///< part of parameters that belongs to layers: what a narrow storage narrows
    DeviceParameters trained; ///< all of parameters, or the adapters
    double kept = 0; ///< bytes of activations a micro-batch in flight keeps, head and loss left out
    double headBytes = 0; ///< logits and loss
    double workingSet = 0; ///< bytes of the largest layer recomputed and of the largest operator's gradients
    double largestLayer = 0; ///< parameters of the largest layer on this device: what ZeRO-3 gathers at once

    ChunkPlan& operator+=(const ChunkPlan& other); ///< the two in one chunk
};

/// The chunks of one pipeline rank. They may belong to several copies of the model (DualPipe: stage i of one and stage
/// p - 1 - i of the other); then a micro-batch meets only one copy, and what is stated per copy is the mean.
struct StagePlan {
    std::vector<ChunkPlan> chunks;
    int copies = 1;

    int layers() const; ///< of all copies
    DeviceParameters parameters() const { return perCopy(&ChunkPlan::parameters); }
    DeviceParameters layerWeights() const { return perCopy(&ChunkPlan::layerWeights); }
    DeviceParameters trained() const { return perCopy(&ChunkPlan::trained); }
    double kept() const; ///< ChunkPlan::kept per copy
    TimeBreakdown forward() const { return perCopy(&LayerCost::forward); } ///< of one micro-batch, per copy
    TimeBreakdown backwardInput() const { return perCopy(&LayerCost::backwardInput); }
    TimeBreakdown backwardWeight() const { return perCopy(&LayerCost::backwardWeight); }
    TimeBreakdown perMicroBatch() const; ///< forward and backward, per copy

private:
    TimeBreakdown perCopy(TimeBreakdown LayerCost::*part) const;
    DeviceParameters perCopy(DeviceParameters ChunkPlan::*part) const;
};

/// Layers of each model chunk in model order: as stated, or as even as possible. What is spare goes away from the ends,
/// unless all come out even with the embedding and the head counted as a layer each.
std::vector<int> layersPerChunk(const Scenario& scenario);

std::vector<StagePlan> planStages(const Scenario& scenario, const Placement& placement, const RankGrid& grid);

/// The model in units that can move between stages; a chunk is the sum of its units.
struct UnitPlans {
    std::vector<ChunkPlan> layers;
    ChunkPlan embedding; ///< holds no layer
    ChunkPlan head; ///< as where the embedding lives elsewhere
};

UnitPlans planUnits(const Scenario& scenario, const RankGrid& grid);

/// Devices that a ZeRO shard of dense, or of expert, parameters spans.
double denseShards(const Layout& layout);
double expertShards(const Layout& layout);
/// Parameters whose states one device keeps when they are sharded.
double shardedTotal(const DeviceParameters& parameters, const Layout& layout);
/// Bytes that cross a stage boundary for one micro-batch, each way.
double boundaryBytes(const Scenario& scenario);

} // namespace partita
