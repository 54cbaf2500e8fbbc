// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/plane.h"
#include "widgets/heatmap_chart.h"

namespace partita::ui {

/// "TP 8", or "8.03 B" of parameters.
QString stopText(PlaneAxis axis, std::int64_t stop);

/// A plane of layouts as the heatmap shows it: columns left to right, rows top to bottom, the scenario's cell ringed.
HeatmapData heatmapData(const Plane& plane, const Scenario& scenario, PlaneQuantity quantity,
                        const Report* report = nullptr);

} // namespace partita::ui
