// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.h"
#include "core/search/search.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace partita {

/// The space in full: its empty lists hold what the stack offers, and dimensions that the stack does not split along
/// have degree 1. What the space itself names stays: its lists, and degrees it asks to be more than 1.
SearchSpace withinStack(const SearchSpace& space, const Scenario& scenario);

/// The scenario with the memory that the space wants free taken from its devices.
Scenario withHeadRoom(Scenario scenario, const SearchSpace& space);

/// What holds of a search as a whole, a sentence each: what its limits ask for that the stack does not offer, in the words
/// that the layouts get it told in, and what a limit cannot mean.
std::vector<std::string> searchWarnings(const Scenario& scenario, const SearchSpace& space);

/// How many more legal layouts than those counted the space has beyond the scenario's stack; as cheap as
/// LayoutSpace::size(). Nothing where `stop` says so before all are counted.
std::optional<std::int64_t> layoutsBeyondStack(const Scenario& scenario, const SearchSpace& space,
                                               const SearchCounts& counts, const std::function<bool()>& stop);

} // namespace partita
