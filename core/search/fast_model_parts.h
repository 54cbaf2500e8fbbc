// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/balance_stages.h"
#include "core/search/fast_model.h"

#include "core/training/stage_times.h"

/// What FastModel keeps, for the files that it is written in.
namespace partita {

/// Facts of a schedule without the sentences that describe() makes every time.
struct Habits {
    bool splitsBackward = false;
    bool pairs = false;
};

const Habits& habitsOf(ScheduleKind kind);

/// Layers that wait for devices alone: a schedule that pairs passes may hide what a host-bound one waits for.
LayerPrices withoutHost(LayerPrices prices);

/// Kernels that work on the same shards for groups that lie alike.
struct FastModel::Place {
    std::map<ShardKey, LayerPrices> prices;
    std::map<std::pair<ShardKey, Recompute>, Sketch> passes;
};

/// Layers with no more than what experts take in any split.
struct FastModel::Dense {
    std::optional<LayerPrices> prices; ///< once asked for, and again when they were too many
    PassTimes whole; ///< a micro-batch on the whole model
    std::array<std::optional<Sketch>, Names<Recompute>::table.size()> sketches; ///< once asked for
};

/// What experts take and keep that are split in one way beyond the least in any.
struct FastModel::Routed {
    PassTimes whole; ///< a micro-batch on the whole model
    double saved = 0; ///< bytes of its layers
    double savedPerLayer = 0; ///< of the commonest kind
    double transient = 0; ///< bytes of its largest operator's gradients
};

/// Chunks of which only the parameters count, on a device.
struct FastModel::Parameters {
    ChunkPlan model;
    ChunkPlan layer; ///< of the commonest kind
};

/// Stages of one shape with their costs, one of each sort; "row" as in StageShape.
struct FastModel::StageSet {
    std::shared_ptr<const StageShape> shape;
    bool pairs = false; ///< the schedule runs forwards beside backwards
    std::optional<StageFloor> floor; ///< once asked for
    std::vector<StagePlan> plans; ///< [row] all chunks in one; empty until asked for
    std::optional<StageTimes> times; ///< [row][slot]
    std::array<std::vector<GradientExchange>, 4> exchanges; ///< [ZeRO stage][row]; empty until asked for
};

/// Chunks with the costs of one way of recomputing and sharding, and the stages made of them so far.
struct FastModel::Planner {
    bool gathers = false; ///< ZeRO-3 exchanges weights every micro-batch
    bool splits = false; ///< and then it matters whether the schedule splits backwards
    std::optional<ChunkPlanner> chunks; ///< here and below, once asked for
    std::optional<StepFloor> floor;
    std::vector<std::unique_ptr<StageSet>> sets;
    std::optional<StageBalance> balance; ///< once asked for
    std::map<int, std::vector<int>> balanced; ///< [chunks] by time
};

/// One schedule on a set of stages.
struct FastModel::Run {
    StageSet* set = nullptr;
    ScheduleKind schedule = ScheduleKind::OneFOneB;
    const std::vector<double>* inFlight = nullptr; ///< once asked for
    std::vector<double> ends; ///< [row] of the last rank; empty until asked for
};

} // namespace partita
