// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/formats/catalogue.h"
#include "core/runs/error_band.h"
#include "core/runs/load_runs.h"

#include <vector>

namespace partita::cli {

/// The published runs that come with the presets; what is wrong with them goes to standard error.
std::vector<ComparableRun> loadComparableRuns(const Catalogue& catalogue);

/// Exit code of a verb that found no row it can use in the files it was given.
int withoutRows(const LoadedRuns& loaded);

} // namespace partita::cli
