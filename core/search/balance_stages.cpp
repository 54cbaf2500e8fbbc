// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/balance_stages.h"

#include "core/pipeline/live_activations.h"
#include "core/pipeline/schedule.h"
#include "core/training/memory.h"
#include "core/training/stage_plan.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <utility>

namespace partita {

namespace {

constexpr double unreachable = std::numeric_limits<double>::infinity();

/// Most layers from `first` on, up to `last`, that a chunk holds within a limit; none where it cannot hold 0.
int mostWithin(int chunk, int first, int last, const RangeCost& cost, double limit)
{
    if (cost(chunk, first, 0) > limit) {
        return -1;
    }
    int holds = 0;
    int tooMany = last - first + 1;
    while (tooMany - holds > 1) {
        const int middle = holds + (tooMany - holds) / 2;
        (cost(chunk, first, middle) > limit ? tooMany : holds) = middle;
    }
    return holds;
}

/// Every chunk as full as a limit allows, from the first on: where that leaves layers over, all splits do. Then empty,
/// and `least` is what the dearest chunk costs at least in any split.
std::vector<int> filled(int layers, int chunks, const RangeCost& cost, double limit, double* least = nullptr)
{
    double next = unreachable; // of limits the smallest under which the filling goes on another way
    std::vector<int> split;
    int first = 0;
    for (int chunk = 0; chunk < chunks; ++chunk) {
        const int count = mostWithin(chunk, first, layers, cost, limit);
        if (first + count < layers && least != nullptr) {
            next = std::min(next, cost(chunk, first, count + 1));
        }
        if (count < 0) {
            first = -1;
            break;
        }
        split.push_back(count);
        first += count;
    }
    if (least != nullptr) {
        *least = next;
    }
    return first == layers ? split : std::vector<int>();
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

/// What the dearest chunk costs at least, by halving between a split and what no split undercuts.
double leastDearest(const std::vector<int>& some, int layers, const RangeCost& cost)
{
    const auto chunks = static_cast<int>(some.size());
    double high = dearest(some, cost);
    double low = 0;
    while (low < high) {
        const double middle = low + (high - low) / 2;
        const double limit = middle < high ? middle : low;
        double least = 0;
        const std::vector<int> split = filled(layers, chunks, cost, limit, &least);
        if (split.empty()) {
            low = least;
        } else {
            high = dearest(split, cost);
        }
    }
    return high;
}

/// The split of least sum of squares with no chunk above a limit, which some split must keep. By dynamic programming
/// over the layers before each chunk, as few as leave no more than the chunks behind can hold and as many as those
/// before can.
std::vector<int> flattest(int layers, int chunks, const RangeCost& cost, double limit)
{
    const auto ends = static_cast<std::size_t>(chunks) + 1;
    std::vector<int> most(ends, 0);
    std::vector<int> fewest(ends, layers);
    for (int chunk = 0; chunk < chunks; ++chunk) {
        const auto at = static_cast<std::size_t>(chunk);
        most[at + 1] = most[at] + mostWithin(chunk, most[at], layers, cost, limit);
    }
    for (int chunk = chunks; chunk-- > 0;) {
        const auto at = static_cast<std::size_t>(chunk);
        int first = fewest[at + 1];
        while (first > 0 && cost(chunk, first - 1, fewest[at + 1] - first + 1) <= limit) {
            --first;
        }
        fewest[at] = first;
    }
    std::vector<double> best{0}; // [layers before the chunk beyond the fewest]
    std::vector<std::vector<int>> counts; // [chunk][layers up to its end beyond the fewest] of the chunk itself
    for (int chunk = 0; chunk < chunks; ++chunk) {
        const auto at = static_cast<std::size_t>(chunk);
        const int begin = chunk == 0 ? 0 : fewest[at];
        const auto room = static_cast<std::size_t>(most[at + 1] - fewest[at + 1] + 1);
        std::vector<double> next(room, unreachable);
        std::vector<int> count(room, 0);
        for (int first = begin; first <= most[at]; ++first) {
            const double before = best[static_cast<std::size_t>(first - begin)];
            for (int end = std::max(first, fewest[at + 1]); before < unreachable && end <= most[at + 1]; ++end) {
                const double one = cost(chunk, first, end - first);
                if (one > limit) {
                    break; // more layers cost no less
                }
                const auto place = static_cast<std::size_t>(end - fewest[at + 1]);
                if (const double total = before + one * one; total < next[place]) {
                    next[place] = total;
                    count[place] = end - first;
                }
            }
        }
        best = std::move(next);
        counts.push_back(std::move(count));
    }
    std::vector<int> split(static_cast<std::size_t>(chunks));
    int end = layers;
    for (auto chunk = static_cast<std::size_t>(chunks); chunk-- > 0;) {
        split[chunk] = counts[chunk][static_cast<std::size_t>(end - fewest[chunk + 1])];
        end -= split[chunk];
    }
    return split;
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

/// The flattest of the splits whose dearest chunk is cheapest, from one whose chunks all cost less than unreachable.
std::vector<int> balanceFrom(const std::vector<int>& some, int layers, const RangeCost& cost)
{
    return flattest(layers, static_cast<int>(some.size()), cost, leastDearest(some, layers, cost));
}

} // namespace

std::vector<int> balanceRanges(int layers, int chunks, const RangeCost& cost)
{
    std::vector<int> even(static_cast<std::size_t>(chunks), layers / chunks);
    std::fill_n(even.begin(), layers % chunks, layers / chunks + 1);
    return balanceFrom(even, layers, cost);
}

/// Of chunks of one pipeline, each worked out once.
class StageBalance::Memory {
public:
    Memory(const StageBalance& balance, const Placement& placement, const std::vector<double>& inFlight)
        : m_balance(balance)
        , m_chunks(placement.modelChunks)
        , m_ranks(ranksOfChunks(placement))
        , m_inFlight(inFlight)
    {
    }

    /// Bytes of a rank that holds this chunk alone.
    double of(int chunk, int first, int count)
    {
        const auto [at, isNew] = m_known.try_emplace({chunk, first, count});
        if (isNew) {
            std::vector<int> kinds = m_balance.m_kinds[static_cast<std::size_t>(first + count)];
            const std::vector<int>& before = m_balance.m_kinds[static_cast<std::size_t>(first)];
            std::transform(kinds.begin(), kinds.end(), before.begin(), kinds.begin(), std::minus<>());
            StagePlan alone;
            alone.chunks.push_back(m_balance.m_planner.chunk(kinds, chunk == 0, chunk + 1 == m_chunks));
            const int rank = m_ranks[static_cast<std::size_t>(chunk)];
            at->second = stageMemory(m_balance.m_scenario, alone, m_inFlight[static_cast<std::size_t>(rank)]).total();
        }
        return at->second;
    }

private:
    const StageBalance& m_balance;
    int m_chunks;
    std::vector<int> m_ranks; ///< [chunk]
    const std::vector<double>& m_inFlight;
    std::map<std::array<int, 3>, double> m_known; ///< by chunk, first layer and count
};

StageBalance::StageBalance(const Scenario& scenario, const ChunkPlanner& planner)
    : m_scenario(scenario)
    , m_planner(planner)
{
    const std::vector<int> none(scenario.model.kinds.size(), 0);
    std::vector<double> times;
    for (std::size_t kind = 0; kind < none.size(); ++kind) {
        std::vector<int> one = none;
        one[kind] = 1;
        times.push_back(timeOf(planner.chunk(one, false, false)));
    }
    m_kinds.push_back(none);
    m_times.push_back(0);
    for (const int kind : scenario.model.layers) {
        m_kinds.push_back(m_kinds.back());
        ++m_kinds.back()[static_cast<std::size_t>(kind)];
        m_times.push_back(m_times.back() + times[static_cast<std::size_t>(kind)]);
    }
    m_embedding = timeOf(planner.chunk(none, true, false));
    m_head = timeOf(planner.chunk(none, false, true));
}

double StageBalance::time(int chunk, int chunks, int first, int count) const
{
    return m_times[static_cast<std::size_t>(first + count)] - m_times[static_cast<std::size_t>(first)]
        + (chunk == 0 ? m_embedding : 0) + (chunk + 1 == chunks ? m_head : 0);
}

std::vector<int> StageBalance::byTime(int chunks) const
{
    return balanceRanges(m_scenario.model.layerCount(), chunks,
                         [&](int chunk, int first, int count) { return time(chunk, chunks, first, count); });
}

std::vector<int> StageBalance::byMemory(const Placement& placement, const std::vector<double>& inFlight) const
{
    Memory memory(*this, placement, inFlight);
    return balanceRanges(m_scenario.model.layerCount(), placement.modelChunks,
                         [&](int chunk, int first, int count) { return memory.of(chunk, first, count); });
}

std::vector<int> StageBalance::byTimeWithin(double limit, const Placement& placement,
                                            const std::vector<double>& inFlight) const
{
    if (placement.chunks > 1) {
        return {};
    }
    Memory memory(*this, placement, inFlight);
    const int layers = m_scenario.model.layerCount();
    const int chunks = placement.modelChunks;
    const std::vector<int> some = filled(
        layers, chunks, [&](int chunk, int first, int count) { return memory.of(chunk, first, count); }, limit);
    return some.empty() ? some : balanceFrom(some, layers, [&](int chunk, int first, int count) {
        return memory.of(chunk, first, count) <= limit ? time(chunk, chunks, first, count) : unreachable;
    });
}

std::vector<int> balanceStages(const Scenario& scenario, BalanceBy by)
{
    Scenario even = scenario;
    even.layout.layersPerStage.clear();
    const Layout& layout = even.layout;
    const Result<Schedule> schedule =
        makeSchedule(layout.schedule, layout.pp, static_cast<int>(layout.microBatches()), layout.vpp);
    if (!schedule) {
        return layersPerChunk(even);
    }
    const RankGrid grid(layout, even.cluster);
    const ChunkPlanner planner(even, grid, priceLayers(even, grid));
    const StageBalance balance(even, planner);
    if (by == BalanceBy::Time) {
        return balance.byTime(schedule->placement.modelChunks);
    }
    // What a rank holds at once follows from the order of its ops alone, whatever they take.
    std::vector<double> inFlight;
    for (const std::vector<ScheduleOp>& order : schedule->order) {
        inFlight.push_back(peakActivations(order, schedule->placement.stageShare()));
    }
    return balance.byMemory(schedule->placement, inFlight);
}

} // namespace partita
