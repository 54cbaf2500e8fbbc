// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/advice/scaling.h"
#include "core/formats/catalogue.h"
#include "core/search/search.h"
#include "core/training/report.h"
#include "widgets/chart.h"
#include "widgets/runs_view.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace partita::ui {

/// Charts whose answer takes a search, a sweep or the published runs: the window works them out beside itself while
/// their card is open, the command line when they are asked for by name.
std::vector<std::string> studyChartIds();

/// Whether a chart of those is of a scenario that is served.
bool isOfServing(const std::string& id);

struct StudyAxes {
    ScalingAxis axis = ScalingAxis::Devices;
    PlaneQuantity quantity = PlaneQuantity::Mfu; ///< of the scaling chart
    SearchSpace limits; ///< of the search
    RunFilter runs; ///< which published runs are shown
};

/// Of a legal scenario; the id must be one of studyChartIds(). stop: asked from any thread; true ends it, and what
/// comes back is not all of it.
Result<std::shared_ptr<const Chart>> studyChart(
    const std::string& id, const Scenario& scenario, const Report& report, const Catalogue& catalogue,
    const StudyAxes& axes, const std::function<bool()>& stop = [] { return false; });

} // namespace partita::ui
