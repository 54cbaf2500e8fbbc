// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.h"
#include "core/serving/serving_report.h"

#include <string>
#include <vector>

namespace partita {

/// What `partita serve` prints for people: the scenario in three lines, figures, room, time between tokens, notes.
std::string servingText(const Scenario& scenario, const ServingReport& report);
/// A table of one line a batch size.
std::string sweepText(const std::vector<ServingReport>& reports);

} // namespace partita
