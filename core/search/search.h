// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"
#include "core/scenario/scenario.h"
#include "core/search/search_space.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace partita {

class FastModel;

/// A layout a search has found, with what evaluate() says of it (fast_model.h).
struct FoundLayout {
    Layout layout;
    double stepTime = 0; ///< s
    double peakMemory = 0; ///< bytes on the fullest device

    bool operator==(const FoundLayout&) const = default;
};

/// legal = evaluated + pruned when the search is complete.
struct SearchCounts {
    std::int64_t enumerated = 0; ///< layouts of the space; only legal ones are made
    std::int64_t legal = 0; ///< of them looked at so far
    std::int64_t fit = 0; ///< of those in memory, unseen ones left out
    std::int64_t evaluated = 0; ///< of those whose step time was computed
    std::int64_t pruned = 0; ///< left out: too large for memory, or by a bound on their step time
    std::int64_t unseen = 0; ///< part of pruned: layouts, mostly in groups, whose memory was not looked at, either
    bool counted = true; ///< else it was stopped before, and enumerated is a least number

    bool operator==(const SearchCounts&) const = default;
};

struct SearchOptions {
    int top = 10; ///< layouts to keep, fastest first
    bool front = false; ///< also keep what no other layout beats in both throughput and memory
    int threads = 1;
    std::vector<Layout> known; ///< fast or lean ones; a search for the best alone uses those that the space holds
    FastModel* model = nullptr; ///< of the scenario, for one thread: what it has learnt serves the searches after
    std::function<bool()> wantsBound; ///< asked once it has stopped half-way; no bound where there is none to ask
    double enough = std::numeric_limits<double>::infinity(); ///< s; slower layouts are of no interest
    std::int64_t countFitsUpTo = 5'000'000; ///< spaces so large: every layout's memory is looked at, though it be slow
    bool countSpace = true; ///< else `enumerated` stays 0 and fits are not counted either
};

struct SearchResult {
    std::vector<FoundLayout> best; ///< fastest first; of equals the one that needs less memory
    std::vector<FoundLayout> front; ///< least memory first
    std::optional<FoundLayout> leanest; ///< what needs least memory, its time unknown; where nothing fits
    SearchCounts counts;
    double memoryLimit = 0; ///< bytes a layout may take, head-room left out
    bool complete = false; ///< nothing left to look at: best is the optimum
    double bound =
        0; ///< s; where it stopped half-way and was asked for, no layout of what it had not finished is faster

    bool operator==(const SearchResult&) const = default;
};

/// What no search can start from: the model, the number of devices, the batch, the workload.
Problems searchProblems(const Scenario& scenario);

/// Looks at every layout of the space and keeps the best: what is left out is proven to be worse. Where the space asks
/// for any split of the layers, each layout is looked at as evenly split as it can be, balanced by time and, where that
/// does not fit, balanced within memory (FastModel::balancedSplits()); it counts as one, but may be found in more than
/// one of these ways. Best, front and leanest depend neither on threads nor on countFitsUpTo, nor do `enumerated` and
/// `legal`; in larger spaces, and where splits are balanced, `fit` is a least number and depends on both. `evaluated`,
/// `pruned` and `unseen` always do: the sooner something fast is found, the less is timed. `stop` is asked often, while
/// the space is counted, too, from any thread; `progress` is called from any thread, one at a time, when the best
/// changes and after every part of the space. A model that is not legal, or a space without a layout, is a Problem.
Result<SearchResult> searchLayouts(const Scenario& scenario, const SearchSpace& space, const SearchOptions& options,
                                   const std::function<bool()>& stop,
                                   const std::function<void(const SearchResult&)>& progress);

} // namespace partita
