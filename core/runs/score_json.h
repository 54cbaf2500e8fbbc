// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"
#include "core/runs/score.h"

#include <string>
#include <vector>

namespace partita {

/// What `partita score --json` prints: rows[], sources[], overall, problems[]. Shares and errors are fractions, memory
/// is in GiB, rates in tokens per second and device; what is not known is null.
std::string writeScore(const std::vector<ScoredRun>& rows, const Score& score, const Problems& problems);

} // namespace partita
