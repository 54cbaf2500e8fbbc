// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/layout_figures.h"
#include "core/search/search.h"

#include <string>
#include <vector>

namespace partita {

/// A search with the figures of what it found.
struct SearchAnswer {
    SearchResult result;
    std::vector<LayoutFigures> best; ///< of result.best, in its order
    std::vector<LayoutFigures> front;
    bool withFront = false;
    double seconds = 0; ///< the search took
};

/// "counts", "best" and, with a front, "front"; a layout is spelled as in scenario files.
std::string writeSearch(const SearchAnswer& answer);

} // namespace partita
