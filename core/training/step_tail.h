// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/pipeline/pipeline_figures.h"
#include "core/pipeline/timeline.h"
#include "core/training/gradient_exchange.h"

namespace partita {

/// What follows the pipeline within a step, in s. reduced + gather + optimizer + the stack's step overhead is the step.
struct StepTail {
    std::vector<GradientExchange> exchanges; ///< [stage]
    std::size_t critical = 0; ///< whose gradients are reduced last; the first of those that only rounding tells apart
    double gradients = 0; ///< exposed on that stage
    double reduced = 0; ///< from the start of the step until then
    double optimizer = 0; ///< of the stage that ends the step; so the next
    double gather = 0;
};

/// Gradients are reduced as a stage's last backward ends; the clipping norm joins all stages before the update; updated
/// weights are gathered; then comes the host's overhead.
StepTail stepTail(const PipelineFigures& pipeline, const Scenario& scenario, const std::vector<StagePlan>& plans,
                  const RankGrid& grid);

/// Puts the ops of the whole step behind those of the pipeline. Ops that take no time are left out. stepOverhead: s of
/// the host.
void addStepTail(Timeline& timeline, const StepTail& tail, double stepOverhead);

} // namespace partita
