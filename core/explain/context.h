// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What derivations of a legal scenario are read off, and the families that enter them. Internal to core/explain.

#include "core/explain/ledger.h"
#include "core/training/chunk_planner.h"
#include "core/training/flops.h"
#include "core/training/gradient_exchange.h"
#include "core/training/memory.h"
#include "core/training/stage_times.h"
#include "core/training/step_tail.h"

#include <optional>

namespace partita {

/// A layer kind, the embedding, the head or the projection of a multi-token prediction module on one device: its
/// operators and what they cost.
struct Block {
    std::string path; ///< "layer_kinds[0]", "embedding", "head", "prediction"
    std::string name;
    std::optional<ShardedUnit> unit; ///< none for what joins a prediction module
    std::vector<Op> ops;
    std::vector<LayerCost> opCosts; ///< [op], each priced alone: what it exposes beside covers is left to the block
    LayerCost alone; ///< before recomputation and the exchange of sharded weights
    ChunkPlan plan; ///< with them
    DeviceParameters parameters;
    ShardedParameters weights;
    bool hasExperts = false;
    std::optional<Pricing> pricing;

    bool layer() const { return unit == ShardedUnit::Layer; }
};

/// How many times a block runs in a chunk, and how many times its weights are there. A prediction module runs a layer
/// and the head once more; its own weights hold the layer's.
struct BlockCount {
    std::size_t block = 0;
    int runs = 0;
    int weights = 0;
};

struct ExplainContext {
    ExplainContext(const Scenario& scenario, const Report& report);

    const Scenario scenario;
    const Report report;
    // The rest is empty for an illegal layout.
    std::optional<RankGrid> grid;
    std::vector<StagePlan> plans;
    StageTimes times;
    StepTail tail;
    std::size_t lastUpdate = 0; ///< stage whose update and gathering of weights take longest
    StateBytes bytes;
    std::vector<Block> blocks; ///< layer kinds, embedding, head, prediction
    std::vector<std::vector<std::vector<BlockCount>>> chunkBlocks; ///< [stage][chunk slot]

    std::size_t embedding() const { return blocks.size() - 3; }
    std::size_t head() const { return blocks.size() - 2; }
    std::size_t prediction() const { return blocks.size() - 1; }
    bool adapters() const { return scenario.workload.training != Training::Full; }
};

// A family enters its values; derivations keep references to both, which must outlive them. Order is free: terms are
// looked up when a derivation is asked for.
void addParameterValues(Ledger& ledger, const ExplainContext& context);
void addRateValues(Ledger& ledger, const ExplainContext& context);
void addFlopValues(Ledger& ledger, const ExplainContext& context);
void addMemoryValues(Ledger& ledger, const ExplainContext& context);
void addStageValues(Ledger& ledger, const ExplainContext& context);
void addStepValues(Ledger& ledger, const ExplainContext& context);
void addPipelineValues(Ledger& ledger, const ExplainContext& context);
/// What there would be too much of to enter it before it is asked for: ends of operations, idle times before them, time
/// of several; see operationPath() and its like. False for any other path, and for operations that do not exist.
bool addOperationValue(Ledger& ledger, const ExplainContext& context, std::string_view path);
void addChunkValues(Ledger& ledger, const ExplainContext& context);
void addBlockValues(Ledger& ledger, const ExplainContext& context);
void addExchangeValues(Ledger& ledger, const ExplainContext& context);

/// Sets of weights that memory and exchange count apart, each dense and of experts.
struct WeightSet {
    std::string_view key; ///< in paths
    std::string_view label;
    DeviceParameters ChunkPlan::*part;
    DeviceParameters (StagePlan::*ofStage)() const;
};

inline constexpr std::array weightSets{
    WeightSet{"parameters", "parameters", &ChunkPlan::parameters, &StagePlan::parameters},
    WeightSet{"layer_weights", "weights of the layers", &ChunkPlan::layerWeights, &StagePlan::layerWeights},
    WeightSet{"trained", "trained weights", &ChunkPlan::trained, &StagePlan::trained},
};

/// A pass of a block, chunk or stage.
struct PassPart {
    std::string_view key; ///< in paths
    std::string_view label;
    TimeBreakdown LayerCost::*part;
    TimeBreakdown (StagePlan::*ofStage)() const;
    int LayerCost::*kernels;
};

inline constexpr std::array passParts{
    PassPart{"forward", "forward", &LayerCost::forward, &StagePlan::forward, &LayerCost::forwardKernels},
    PassPart{"backward_input", "input gradient", &LayerCost::backwardInput, &StagePlan::backwardInput,
             &LayerCost::inputKernels},
    PassPart{"backward_weight", "weight gradient", &LayerCost::backwardWeight, &StagePlan::backwardWeight,
             &LayerCost::weightKernels},
};

/// "stages[3]" and the like.
std::string indexed(std::string_view name, std::size_t index);
std::string chunkPath(std::size_t stage, std::size_t chunk);
/// "a, b" of an accelerator's, a level's, a stack's sources, with the preset's name in front.
std::vector<std::string> acceleratorSources(const Scenario& scenario);
std::vector<std::string> stackSources(const Scenario& scenario);

namespace sources {
inline constexpr std::string_view activations = "Korthikanti et al. 2022, arXiv:2205.05198";
inline constexpr std::string_view zero = "Rajbhandari et al. 2020 (ZeRO), arXiv:1910.02054";
inline constexpr std::string_view megatron = "Narayanan et al. 2021, arXiv:2104.04473";
inline constexpr std::string_view mfu = "Chowdhery et al. 2022 (PaLM), arXiv:2204.02311, appendix B";
inline constexpr std::string_view zeroBubble = "Qi et al. 2024, arXiv:2401.10241";
inline constexpr std::string_view fsdp = "Zhao et al. 2023 (PyTorch FSDP), arXiv:2304.11277";
inline constexpr std::string_view ring = "Liu et al. 2023 (ring attention), arXiv:2310.01889";
} // namespace sources

} // namespace partita
