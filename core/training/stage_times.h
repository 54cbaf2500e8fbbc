// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/stage_plan.h"

namespace partita {

/// What the planned stages take in a simulation of their schedule.
StageTimes stageTimes(const Scenario& scenario, const std::vector<StagePlan>& stages, const RankGrid& grid);

} // namespace partita
