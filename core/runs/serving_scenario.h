// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/runs/run_scenario.h"

namespace partita {

/// A serving point as a scenario: model, device and engine by the names of the source, formats by its words. What
/// cannot be guessed, or expressed, is a Problem.
Result<RunScenario> servingScenarioOf(const PublishedRun& run, const Catalogue& catalogue);

/// Measured figures in base units; a rate that is not stated follows from the latency of whole requests.
ServingFigures measuredFigures(const PublishedRun& run);

/// Serves a point and sets it beside what was measured.
ScoredRun scoreServing(const PublishedRun& run, const std::string& source, const Catalogue& catalogue);

} // namespace partita
