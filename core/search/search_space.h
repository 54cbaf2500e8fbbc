// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/names.h"
#include "core/base/problem.h"
#include "core/layout/layout.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

struct Model;
struct Scenario;

/// The values a degree may take, ends included: free as it is, fixed where both ends are the same.
struct Bounds {
    std::int64_t least = 1;
    std::int64_t most = std::numeric_limits<std::int64_t>::max();

    bool hold(std::int64_t value) const { return value >= least && value <= most; }
    bool fixed() const { return least == most; }
    bool operator==(const Bounds&) const = default;
};

/// What an enumeration has names for, in their order.
template <class E> std::vector<E> everyValue()
{
    std::vector<E> values;
    for (const Name<E>& name : Names<E>::table) {
        values.push_back(name.value);
    }
    return values;
}

/// Whether model chunks must hold equally many layers, embedding and head counted as a layer each or not at all.
enum class StageSplit {
    Even,
    UnevenWhereNeeded, ///< as even as possible where a number of stages has no even split
    Any
};

template <> struct Names<StageSplit> {
    static constexpr std::array table{
        Name<StageSplit>{StageSplit::Even, "even", "equally many layers"},
        Name<StageSplit>{StageSplit::UnevenWhereNeeded, "needed", "uneven where needed"},
        Name<StageSplit>{StageSplit::Any, "any", "any"},
    };
};

/// What a search of layouts may vary; everything that is legal and that the scenario's stack offers as it is.
struct SearchSpace {
    Bounds tp;
    Bounds cp;
    Bounds pp;
    Bounds vpp;
    Bounds dp;
    Bounds ep;
    Bounds etp;
    Bounds microBatch;
    Bounds microBatches; ///< of a replica in a step
    std::vector<int> zeroStages; ///< empty, here and below: all that the stack offers
    std::vector<bool> sequenceParallel;
    std::vector<Recompute> recompute;
    std::vector<ScheduleKind> schedules;
    int pipelineZeroStage = 3; ///< the highest ZeRO stage of layouts with pp > 1
    bool beyondStack = false; ///< also what the stack does not offer
    bool rankOrders = false; ///< every order that places some group differently
    std::vector<std::array<Axis, 5>> orders; ///< of ranks, else; empty: the scenario's
    StageSplit stageSplit = StageSplit::UnevenWhereNeeded;
    bool tensorInsideNode = false; ///< tp at most a node's devices, and a divisor of them
    double headRoom = 0; ///< share of a device's memory to leave free, 0..1

    bool operator==(const SearchSpace&) const = default;
};

/// Whether chunks can hold equally many layers, embedding and head counted as a layer each or not at all.
bool splitsEvenly(int layers, int pp, int vpp);
/// Chunks that each of pp ranks may hold at most, embedding and head counted as layers.
int mostChunks(int layers, int pp);

/// Whether ZeRO changes anything: there is more than one rank to shard some states over.
bool shardsStates(const Model& model, const Layout& layout);

/// The limit that a legal layout of the scenario breaks, of a space with no empty list (withinStack()), by the key of
/// its NamedLimit; empty where the space holds the layout. What changes nothing is not looked at: the schedule of a
/// single stage, ZeRO where there is nothing to shard over. Memory is not asked.
std::string_view brokenLimit(const SearchSpace& space, const Layout& layout, const Scenario& scenario);

/// One limit in words.
struct NamedLimit {
    std::string_view key; ///< as limits spell it, or tp_in_node
    std::string text; ///< "tp ≤ 8"

    bool operator==(const NamedLimit&) const = default;
};

/// What a space limits of its own, in the order in which brokenLimit() asks. Limits of the stack are not among them.
std::vector<NamedLimit> namedLimits(const SearchSpace& space);
/// All that a space limits, head-room too: "tp ≤ 8; head-room 10.0 %"; empty where it limits nothing.
std::string describe(const SearchSpace& space);
/// What a search of the space could vary and does not unless it is asked to, a phrase each: "other orders of ranks".
struct Unvaried {
    std::string text;
    std::string_view key; ///< limit that asks for it, with the value "any"
};
std::vector<Unvaried> unvaried(const SearchSpace& space);
/// The space with one of its limits lifted.
SearchSpace without(SearchSpace space, std::string_view key);

/// Whether a limit is one of numbers: a degree's, or of micro-batches. By its key.
bool hasBounds(std::string_view key);

enum class Limit { Fix, Least, Most };

/// Narrows the space by "tp=8,pp=4,schedule=1f1b": keys as layouts have them in files. Limit::Fix takes lists
/// ("recompute=none|full", "rank_order=any", "split=even"), the others numbers only. Every word that is not understood
/// is a Problem.
Problems narrow(SearchSpace& space, Limit limit, std::string_view text);

/// The same where every word says its own limit: "tp<=8, pp=4, dp>=2, recompute=none|full".
Problems narrow(SearchSpace& space, std::string_view text);

} // namespace partita
