// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/layout/rank_grid.h"
#include "core/scenario/scenario.h"

namespace partita {

/// Time of the collective a kind of group runs, over what it would take if the group lay inside one domain of the
/// innermost level: 1 for a group that does. Tensor: all-reduce of a micro-batch's activations; context: their
/// all-gather; expert: their all-to-all; pipeline: their transfer; others: all-reduce of a device's gradients.
/// Needs a layout without problems.
double groupSlowdown(const Scenario& scenario, const RankGrid& grid, GroupKind kind);

} // namespace partita
