// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/advice/reliefs.h"

#include <optional>
#include <string>
#include <vector>

namespace partita {

struct NearestLayouts {
    std::optional<LayoutCost> legal; ///< one that fits, of several that change as little
    std::optional<LayoutCost> fits; ///< where that does not
};

/// The legal layouts within the limits of the costs that change least of one that is not: the fewest fields, those
/// that are named last, then the fewest octaves. dp follows from the devices and is free unless it is named.
NearestLayouts nearestLayouts(LayoutCosts& costs, ReliefFinder& finder, const Layout& wanted,
                              const std::vector<std::string>& named);

} // namespace partita
