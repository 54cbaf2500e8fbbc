// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/scenario_options.h"
#include "core/scenario/serving.h"

namespace partita::cli {

/// The options of `serve` beside those of scenarios.
const std::vector<Option>& servingOptions();

/// "--serve" of verbs that work on the step where it is left out. help: outlives the option.
Option serveOption(std::string_view help);
/// Refuses options of serving where nothing is served, and a sweep, which is not one scenario.
void refuseMisplaced(OptionReader& reader, bool serves);

/// Changes what a scenario serves as the options say. A batch that is a sweep is left to the caller.
void applyServingOptions(OptionReader& reader, Serving& serving);

/// Refuses batches in flight for which a pipeline has no room. Not for verbs that look at other splits, too.
void refuseIdleInFlight(OptionReader& reader, int stages, std::int64_t inFlight);

/// What is served: the file named first ("-" for standard input), or Llama 3.1 70B on one node under vLLM, changed by
/// the options of scenarios and of serving; nothing when the reader holds problems.
std::optional<Scenario> servedScenarioOf(OptionReader& reader, const Catalogue& catalogue);

/// "sweep", instead of a number, for --batch.
bool sweepsBatch(const Arguments& arguments);

} // namespace partita::cli
