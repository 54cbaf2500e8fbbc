// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.h"
#include "core/serving/serving_recipe.h"
#include "core/serving/serving_report.h"
#include "core/serving/serving_search.h"

#include <string>
#include <vector>

namespace partita {

/// What `partita serve` prints for people: the scenario in three lines, figures, room, time between tokens, notes.
std::string servingText(const Scenario& scenario, const ServingReport& report);
/// A table of one line a batch size.
std::string sweepText(const std::vector<ServingReport>& reports);
/// Layouts that no other beats, and how many there were.
std::string searchText(const ServingSearch& search);
/// One wide engine beside several narrow ones, a column each.
std::string widthsText(const std::vector<ServingPoint>& points);
/// The decisions of a recipe, its pick and the best of all layouts.
std::string recipeText(const ServingRecipe& recipe);

} // namespace partita
