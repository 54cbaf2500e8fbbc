// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/names.h"
#include "core/pipeline/placement.h"
#include "core/scenario/scenario.h"
#include "core/training/chunk_planner.h"

#include <array>
#include <functional>
#include <vector>

namespace partita {

/// Cost of a chunk that holds layers [first, first + count); must not fall as the range grows on either side.
using RangeCost = std::function<double(int chunk, int first, int count)>;

/// Layers per chunk, in model order, for which the dearest chunk is as cheap as it can be; of those splits, one with
/// the least sum of squared costs. Exact: halving finds the first, dynamic programming over (chunk, layers before it)
/// the second, of the few places a cut can then have. chunks >= 1, layers >= 0; a chunk may hold none.
std::vector<int> balanceRanges(int layers, int chunks, const RangeCost& cost);

enum class BalanceBy {
    Time, ///< forward and backward of one micro-batch
    Memory ///< of a device, activations as the schedule holds them
};

template <> struct Names<BalanceBy> {
    static constexpr std::array table{
        Name<BalanceBy>{BalanceBy::Time, "time", "time"},
        Name<BalanceBy>{BalanceBy::Memory, "memory", "memory"},
    };
};

/// Layers per model chunk for Layout::layersPerStage, embedding and head counted where they live. The dearest chunk is
/// cheapest; where a rank holds several chunks each of them counts by itself. Needs a scenario that evaluate() finds
/// legal with an even split.
std::vector<int> balanceStages(const Scenario& scenario, BalanceBy by);

/// The same for many pipelines of layers that cost the same.
class StageBalance {
public:
    /// Both must outlive it; what the scenario's layout is when it is asked counts.
    StageBalance(const Scenario& scenario, const ChunkPlanner& planner);

    std::vector<int> byTime(int chunks) const;
    /// inFlight: [rank] micro-batches of activations held at most.
    std::vector<int> byMemory(const Placement& placement, const std::vector<double>& inFlight) const;
    /// By time among the splits that leave no rank with more than `limit` bytes; empty where there is none, and where a
    /// rank holds several chunks, whose memory is not each one's own.
    std::vector<int> byTimeWithin(double limit, const Placement& placement, const std::vector<double>& inFlight) const;

private:
    class Memory;

    double time(int chunk, int chunks, int first, int count) const;

    const Scenario& m_scenario;
    const ChunkPlanner& m_planner;
    std::vector<std::vector<int>> m_kinds; ///< [layer] layers of each kind before it
    std::vector<double> m_times; ///< [layer] s of the layers before it
    double m_embedding = 0; ///< s
    double m_head = 0; ///< s
};

} // namespace partita
