// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/advice/rank_placement.h"
#include "core/advice/scaling.h"
#include "core/advice/sensitivity.h"

#include <string>
#include <vector>

namespace partita {

/// What was asked about a scenario; empty parts were not.
struct Study {
    std::vector<RankPlacement> placements;
    std::vector<ScalingCurve> scaling;
    Tornado tornado;
};

/// What `partita study --json` prints: {"placements": [], "scaling": [], "sensitivity": {}}, base units, without the
/// parts that were not asked for.
std::string writeStudy(const Study& study);

} // namespace partita
