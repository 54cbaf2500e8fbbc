// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/stage_plan.h"

namespace partita {

/// What follows the pipeline within a step, in s. reduced + gather + optimizer + the stack's step overhead is the step.
struct StepTail {
    std::size_t critical = 0; ///< stage whose gradients are reduced last
    double gradients = 0; ///< exposed on that stage
    double reduced = 0; ///< from the start of the step until then
    double optimizer = 0; ///< of the stage that ends the step; so the next
    double gather = 0;
};

/// Puts the ops of the whole step behind those of the pipeline: gradients are reduced as a stage's last backward ends;
/// the clipping norm joins all stages before the update; updated weights are gathered; then the host's overhead.
/// Ops that take no time are left out.
StepTail addStepTail(Timeline& timeline, const Scenario& scenario, const std::vector<StagePlan>& plans,
                     const RankGrid& grid);

} // namespace partita
