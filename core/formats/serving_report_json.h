// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/serving/serving_recipe.h"
#include "core/serving/serving_report.h"
#include "core/serving/serving_search.h"

#include <optional>
#include <string>
#include <vector>

namespace partita {

/// What a report can be accompanied by; absent parts are left out.
struct ServingExtras {
    std::vector<ServingReport> sweep; ///< one a batch size
    std::optional<ServingSearch> search;
    std::vector<ServingPoint> widths; ///< replicasOrWider()
    std::optional<ServingRecipe> recipe;
};

/// What `partita serve --json` prints: base units (bytes, seconds), canonical text. An illegal scenario has only
/// problems and warnings, and fits = false.
std::string writeServingReport(const ServingReport& report, const ServingExtras& extras = {});

} // namespace partita
