// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/calibration/stack_fit.h"

namespace partita::calibration {

/// Fits the constants of serving engines to measured serving points: generated tokens/s, and where only that is known
/// the time to the first token. Cost and printing as in fitStacks(). Constants belong to an engine, never to a source
/// or a row.
Fit fitEngines(const std::vector<RunFile>& runs, const Catalogue& catalogue, const Log& log);

} // namespace partita::calibration
