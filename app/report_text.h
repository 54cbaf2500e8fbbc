// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.h"
#include "core/training/report.h"

#include <string>

namespace partita {

/// A legal report as a table for the terminal, at most 100 columns wide, ending in a newline.
std::string reportText(const Scenario& scenario, const Report& report);

/// "tp 8 × cp 1 × pp 4 × dp 2 = 64".
std::string productLine(const Layout& layout);

} // namespace partita
