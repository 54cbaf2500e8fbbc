// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/option_reader.h"
#include "core/scenario/serving.h"

namespace partita::cli {

/// The options of `serve` beside those of scenarios.
const std::vector<Option>& servingOptions();

/// Changes what a scenario serves as the options say. A batch that is a sweep is left to the caller.
std::optional<Refusal> applyServingOptions(const Arguments& arguments, Serving& serving);

/// "sweep", instead of a number, for --batch.
bool sweepsBatch(const Arguments& arguments);

} // namespace partita::cli
