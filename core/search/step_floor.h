// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/stage_shapes.h"
#include "core/training/chunk_planner.h"
#include "core/training/stage_times.h"

#include <vector>

namespace partita {

/// Seconds of one micro-batch on a part of the model.
struct PassTimes {
    double forward = 0;
    double backward = 0;
    double input = 0; ///< part of backward: up to the input's gradient
    PassOverlap beside; ///< of the forward pass
    PassOverlap besideBackward;

    void add(const PassTimes& other, double count);
    double total() const { return forward + backward; }
    /// s that pairs of passes take less, where such a share of them run in pairs.
    double hidden(double paired) const
    {
        return hiddenInPair({paired * beside.exchange, beside.compute},
                            {paired * besideBackward.exchange, besideBackward.compute});
    }
};

PassTimes passTimesOf(const LayerCost& cost);

/// What the stages of one shape take, and when they end at the earliest, whatever the schedule.
struct StageFloor {
    std::vector<PassTimes> rows; ///< [row] a micro-batch on a rank, per copy of the model
    std::vector<double> ends; ///< [row] the row's last rank
    double returned = 0; ///< the first stage, where backwards are whole
    double through = 0; ///< the first stage, where they are not
};

/// Adds up plain seconds of layer kinds: what no schedule of any stages undercuts, at a few nanoseconds a row.
class StepFloor {
public:
    StepFloor(const ChunkPlanner& planner, std::size_t kinds);
    /// Before recomputation and ZeRO add to them.
    StepFloor(const LayerPrices& prices, const Model& model);

    /// A micro-batch on the whole model.
    PassTimes whole(const std::vector<int>& layersOfKind) const { return timesOf({layersOfKind, true, true}); }
    /// transfer: s between neighbours; paired: forwards that run beside backwards, which hide what they can.
    void find(const StageShape& shape, double microBatches, double transfer, const PairedRanks& paired,
              StageFloor& floor);

private:
    PassTimes timesOf(const ChunkShape& chunk) const;
    double hiddenOn(const RankReach& reach, const StageShape& shape, const PairedRanks& paired) const;

    std::vector<PassTimes> m_kinds;
    PassTimes m_embedding;
    PassTimes m_head;
    std::vector<PassTimes> m_chunks; ///< of the shape asked about last
};

} // namespace partita
