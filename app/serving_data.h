// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.h"
#include "widgets/serving_charts.h"

namespace partita::ui {

/// A scenario's model served as it asks, at every batch up to a full cache, and with its tensor groups on the network
/// between nodes. A few milliseconds.
std::shared_ptr<const ServingData> servingData(const Scenario& scenario);

/// The same devices without the links inside nodes: every group lies on the outermost level.
Scenario onNetwork(const Scenario& scenario);

} // namespace partita::ui
