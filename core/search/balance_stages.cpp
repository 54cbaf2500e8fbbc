// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/balance_stages.h"

#include "core/pipeline/schedule.h"
#include "core/training/memory.h"
#include "core/training/stage_times.h"

#include <algorithm>
#include <limits>

namespace partita {

namespace {

constexpr double unreachable = std::numeric_limits<double>::infinity();

/// The split of least total, where a chunk's cost joins the total of those before it by `join`; no chunk above `limit`,
/// which some split must keep.
template <class Join>
std::vector<int> cheapestSplit(int layers, int chunks, const RangeCost& cost, double limit, const Join& join)
{
    const auto side = static_cast<std::size_t>(layers) + 1;
    std::vector<double> best(side, unreachable); // by layers placed so far
    best[0] = 0;
    std::vector<std::vector<int>> counts; // [chunk][layers placed with it] of the chunk itself
    for (int chunk = 0; chunk < chunks; ++chunk) {
        std::vector<double> next(side, unreachable);
        std::vector<int> count(side, 0);
        for (int first = 0; first <= layers; ++first) {
            const double before = best[static_cast<std::size_t>(first)];
            for (int taken = 0; before < unreachable && first + taken <= layers; ++taken) {
                const double one = cost(chunk, first, taken);
                if (one > limit) {
                    break; // more layers cost no less
                }
                const auto placed = static_cast<std::size_t>(first + taken);
                if (const double total = join(before, one); total < next[placed]) {
                    next[placed] = total;
                    count[placed] = taken;
                }
            }
        }
        best = std::move(next);
        counts.push_back(std::move(count));
    }
    std::vector<int> split(static_cast<std::size_t>(chunks));
    auto placed = static_cast<std::size_t>(layers);
    for (auto chunk = static_cast<std::size_t>(chunks); chunk-- > 0;) {
        split[chunk] = counts[chunk][placed];
        placed -= static_cast<std::size_t>(split[chunk]);
    }
    return split;
}

double dearest(const std::vector<int>& split, const RangeCost& cost)
{
    double most = 0;
    int first = 0;
    for (std::size_t chunk = 0; chunk < split.size(); ++chunk) {
        most = std::max(most, cost(static_cast<int>(chunk), first, split[chunk]));
        first += split[chunk];
    }
    return most;
}

/// Sums over the first i layers, so that any range is one subtraction.
std::vector<double> runningSums(const std::vector<ChunkPlan>& layers, double (*value)(const ChunkPlan&))
{
    std::vector<double> sums{0};
    for (const ChunkPlan& layer : layers) {
        sums.push_back(sums.back() + value(layer));
    }
    return sums;
}

double timeOf(const ChunkPlan& plan)
{
    return plan.cost.forward.total() + plan.cost.backwardInput.total() + plan.cost.backwardWeight.total();
}

/// Where each model chunk lives, by rank; of several copies the first.
std::vector<int> ranksOfChunks(const Placement& placement)
{
    std::vector<int> ranks(static_cast<std::size_t>(placement.modelChunks), -1);
    for (int slot = 0; slot < placement.chunks; ++slot) {
        for (int rank = 0; rank < placement.stages; ++rank) {
            int& home = ranks[static_cast<std::size_t>(placement.link(rank, slot).modelChunk)];
            home = home < 0 ? rank : home;
        }
    }
    return ranks;
}

} // namespace

std::vector<int> balanceRanges(int layers, int chunks, const RangeCost& cost)
{
    std::vector<int> even(static_cast<std::size_t>(chunks), layers / chunks);
    std::fill_n(even.begin(), layers % chunks, layers / chunks + 1);
    const std::vector<int> flattest = cheapestSplit(layers, chunks, cost, dearest(even, cost),
                                                    [](double before, double one) { return std::max(before, one); });
    return cheapestSplit(layers, chunks, cost, dearest(flattest, cost),
                         [](double before, double one) { return before + one * one; });
}

std::vector<int> balanceStages(const Scenario& scenario, BalanceBy by)
{
    Scenario even = scenario;
    even.layout.layersPerStage.clear();
    const Layout& layout = even.layout;
    const std::vector<int> evenSplit = layersPerChunk(even);
    const Result<Schedule> schedule =
        makeSchedule(layout.schedule, layout.pp, static_cast<int>(layout.microBatches()), layout.vpp);
    if (!schedule) {
        return evenSplit;
    }
    const RankGrid grid(layout, even.cluster);
    const UnitPlans units = planUnits(even, grid);
    const int layers = even.model.layerCount();
    const int chunks = static_cast<int>(evenSplit.size());
    if (by == BalanceBy::Time) {
        const std::vector<double> sums = runningSums(units.layers, timeOf);
        return balanceRanges(layers, chunks, [&](int chunk, int first, int count) {
            return sums[static_cast<std::size_t>(first + count)] - sums[static_cast<std::size_t>(first)]
                + (chunk == 0 ? timeOf(units.embedding) : 0) + (chunk + 1 == chunks ? timeOf(units.head) : 0);
        });
    }
    // What a rank holds at once follows from the order of its ops alone, whatever they take.
    const Result<Timeline> timeline = simulate(*schedule, stageTimes(even, planStages(even, *schedule, grid), grid));
    if (!timeline) {
        return evenSplit;
    }
    const std::vector<int> ranks = ranksOfChunks(schedule->placement);
    ChunkPlan run; // of layers [runFirst, runFirst + run.layers): counts are asked for in ascending order
    int runFirst = 0;
    return balanceRanges(layers, chunks, [&](int chunk, int first, int count) {
        if (first != runFirst || count < run.layers) {
            run = {};
            runFirst = first;
        }
        while (run.layers < count) {
            run += units.layers[static_cast<std::size_t>(first + run.layers)];
        }
        StagePlan alone;
        alone.chunks.push_back(run);
        if (chunk == 0) {
            alone.chunks.front() += units.embedding;
        }
        if (chunk + 1 == chunks) {
            alone.chunks.front() += units.head;
        }
        const auto rank = static_cast<std::size_t>(ranks[static_cast<std::size_t>(chunk)]);
        return stageMemory(even, alone, timeline->stages[rank].peakActivations).total();
    });
}

} // namespace partita
