// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/layout_figures.h"
#include "core/search/resource_front.h"
#include "core/search/search.h"

#include <optional>
#include <string>
#include <vector>

namespace partita {

/// A search with the figures of what it found.
struct SearchAnswer {
    SearchResult result;
    std::vector<LayoutFigures> best; ///< of result.best, in its order
    std::vector<LayoutFigures> front;
    std::optional<FrontAgainst> against; ///< what the front was asked for
    double pricePerHour = 0; ///< USD a device; 0 = unknown
    std::string priceOrigin; ///< whose, and of which day
    std::optional<std::int64_t> beyondStack; ///< layouts left out because the stack does not offer them; once counted
    std::vector<std::string> warnings; ///< of the search as a whole
    std::vector<Unvaried> unvaried; ///< of its space
    double seconds = 0; ///< the search took
    std::vector<std::int64_t> frontDevices; ///< of the sizes searched for a front against what they take, ascending
};

/// "counts", "best" and, with a front, "front"; a layout is spelled as in scenario files.
std::string writeSearch(const SearchAnswer& answer);

} // namespace partita
