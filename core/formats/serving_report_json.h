// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/serving/serving_report.h"

#include <string>
#include <vector>

namespace partita {

/// What `partita serve --json` prints: base units (bytes, seconds), canonical text. sweep: one entry a batch size, left
/// out when empty. An illegal scenario has only problems and warnings, and fits = false.
std::string writeServingReport(const ServingReport& report, const std::vector<ServingReport>& sweep = {});

} // namespace partita
