// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/names.h"
#include "core/scenario/scenario.h"

#include <array>
#include <functional>
#include <vector>

namespace partita {

/// Cost of a chunk that holds layers [first, first + count); must not fall as count grows.
using RangeCost = std::function<double(int chunk, int first, int count)>;

/// Layers per chunk, in model order, for which the dearest chunk is as cheap as it can be; of those splits, one with
/// the least sum of squared costs. Exact, by dynamic programming over (chunk, layers before it); about O(layers^2)
/// where costs are near even. chunks >= 1, layers >= 0; a chunk may hold none.
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

} // namespace partita
