// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/report.h"

#include <optional>
#include <string>
#include <vector>

namespace partita {

/// Step times between which measured runs of the same kind make the true one likely, and the ids of those runs.
struct StepTimeBand {
    double low = 0; ///< s
    double high = 0; ///< s
    std::vector<std::string> runs; ///< nearest first
};

/// What `partita evaluate --json` prints: names and values in base units (bytes, seconds, FLOP), canonical text. An
/// illegal layout has only parameters, problems and warnings, and fits = false.
std::string writeReport(const Report& report, const std::optional<StepTimeBand>& band = std::nullopt);

/// {"problems": [{"field", "value", "message", "suggestion"}]}, for input that never became a scenario.
std::string writeProblems(const Problems& problems);

} // namespace partita
