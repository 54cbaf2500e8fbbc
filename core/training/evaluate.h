// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.h"
#include "core/training/report.h"

namespace partita {

/// The cost of a scenario: pure, deterministic, never throws. Illegal layouts come back with their problems.
Report evaluate(const Scenario& scenario);

} // namespace partita
