// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/serving/serving_report.h"

#include <string>
#include <vector>

namespace partita {

/// Legal but unwise, one sentence each: more tensor ranks than KV heads, TP across nodes, pipelines that do not shorten
/// a request, experts out of balance, limits missed, requests that wait.
std::vector<std::string> adviseServing(const Scenario& scenario, const ServingReport& report);

/// What stands in the way of one that does not fit.
std::string noRoomText(const Scenario& scenario, const ServingReport& report);

} // namespace partita
