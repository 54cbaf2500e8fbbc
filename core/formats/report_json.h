// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/report.h"

#include <string>

namespace partita {

/// What `partita evaluate --json` prints: names and values in base units (bytes, seconds, FLOP), canonical text. An
/// illegal layout has only parameters, problems and warnings, and fits = false.
std::string writeReport(const Report& report);

/// {"problems": [{"field", "value", "message", "suggestion"}]}, for input that never became a scenario.
std::string writeProblems(const Problems& problems);
/// One line each, as describe() says it, for a terminal.
std::string problemLines(const Problems& problems);

} // namespace partita
