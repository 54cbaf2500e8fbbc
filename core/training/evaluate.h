// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.h"
#include "core/training/report.h"

namespace partita {

/// The cost of a scenario: pure, deterministic, never throws. Illegal layouts come back with their problems.
Report evaluate(const Scenario& scenario);

/// The same without a timeline, which stays empty: all other numbers to rounding, at the cost of the pipeline's
/// filling, one period and draining, however many micro-batches run between them.
Report evaluateFigures(const Scenario& scenario);

} // namespace partita
