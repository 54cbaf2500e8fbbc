// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/stage_plan.h"

namespace partita {

/// What the planned stages take in a simulation of their schedule.
StageTimes stageTimes(const Scenario& scenario, const std::vector<StagePlan>& stages, const RankGrid& grid);

/// s between two neighbouring stages, each way; 0 of a single stage.
double transferTime(const Scenario& scenario, const RankGrid& grid);

/// Of a pass, what another that runs beside it can hide, and what it hides the other's behind.
struct PassOverlap {
    double exchange = 0; ///< s of exposed expert all-to-all
    double compute = 0;
};

PassOverlap overlapOf(const TimeBreakdown& pass);

/// s that a pair of a forward and a backward pass takes less than both.
double hiddenInPair(const PassOverlap& forward, const PassOverlap& backward);

} // namespace partita
