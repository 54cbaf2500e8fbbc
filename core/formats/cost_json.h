// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What layouts cost, as several JSON answers have it. Internal to core/formats.

#include "core/advice/layout_costs.h"

#include <nlohmann/json.hpp>

namespace partita {

nlohmann::ordered_json costObject(const LayoutCost& cost);

} // namespace partita
