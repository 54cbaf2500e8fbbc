// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/advice/reliefs.h"

#include <optional>

namespace partita {

/// The legal layout within the limits of the costs that changes least of one that is not; one that fits where there is
/// one among those looked at.
std::optional<LayoutCost> nearestLayout(LayoutCosts& costs, ReliefFinder& finder, const Layout& wanted);

} // namespace partita
