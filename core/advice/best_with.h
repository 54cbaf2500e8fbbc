// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/advice/layout_costs.h"
#include "core/search/search_space.h"

#include <functional>
#include <optional>
#include <string>

namespace partita {

/// The fastest of all layouts that keep what somebody asks for, held against a reference.
struct BestWith {
    std::string kept; ///< "tp = 4; recompute = full"
    std::optional<LayoutCost> cost; ///< one that fits, if any; of the asked layout where no other is faster
    bool someLegal = true; ///< otherwise no layout keeps that and is legal
    bool isAsked = false; ///< the asked layout itself
    bool complete = true; ///< otherwise the search was stopped before
    std::optional<double> gap; ///< s of a sequence over those of the reference, less 1; where both fit

    bool operator==(const BestWith&) const = default;
};

/// kept: limits as narrow() reads them, in the place of those that limit the same. What a search does not vary, the
/// batch and the order of ranks, is the asked layout's. Nothing where `kept` keeps nothing that a search varies.
std::optional<BestWith> findBestWith(const Scenario& scenario, const LayoutCost& asked, const LayoutCost& reference,
                                     const SearchSpace& limits, const std::string& kept, int threads,
                                     const std::function<bool()>& stop);

/// "Best with tp = 4: tp 4 · pp 8 ...: 5.1 s, ...; 2.1 % slower than the advice."
std::string describe(const BestWith& best);

} // namespace partita
