// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/advice/advise.h"

// The rules by which the engine can speak; each fills steps and pick. Internal to core/advice.

namespace partita {

void adviseConstraintFirst(Advice& advice, LayoutCosts& costs, ReliefFinder& finder, const std::function<bool()>& stop);
void adviseTopologyFirst(Advice& advice, LayoutCosts& costs, ReliefFinder& finder, const std::function<bool()>& stop);
/// What serveByRecipe() decides, as steps. Costs are times a token; their figures tell what is served.
void adviseServingRecipe(Advice& advice, const Scenario& scenario);

} // namespace partita
