// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/serving/serving_search.h"

#include <string>
#include <vector>

namespace partita {

/// One decision on the way to a layout.
struct RecipeStep {
    std::string decision; ///< "TP 4"
    std::string reason; ///< what was in the way, with its numbers
    Layout layout; ///< after the decision
    bool settled = false; ///< nothing is in the way any more

    bool operator==(const RecipeStep&) const = default;
};

/// A layout found by the rule of thumb of serving guides, with the way there, beside the best of all layouts.
struct ServingRecipe {
    std::vector<RecipeStep> steps;
    ServingPoint pick; ///< batch 0 where no batch meets the limits
    ServingPoint optimum; ///< of searchServing(); batch 0 where none meets them
    double gap = 0; ///< tokens/s/device of the optimum over the pick's, less one; 0 where either is missing
};

/// The smallest tensor degree inside the fast domain that fits with room for requests; pipeline stages where one domain
/// is too small; more tensor ranks where the time per token is missed, context ranks where the first token is late;
/// expert ranks where they read less than slices of experts; replicas of what is left.
ServingRecipe serveByRecipe(const Scenario& scenario);

} // namespace partita
