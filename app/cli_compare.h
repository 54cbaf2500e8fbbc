// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli_options.h"
#include "core/compare/comparison.h"

namespace partita::cli {

/// Scenarios beside the first, or why there are none and the exit code that says so.
struct Compared {
    std::vector<ComparedLayout> layouts; ///< the first included; empty when none was asked for
    Problems problems;
    int exitCode = 0;
};

/// "--compare FILE", which may be given up to three times.
Option compareOption();
/// The files of --compare beside a legal scenario.
Compared comparedWith(const Arguments& arguments, const Scenario& scenario, const Report& report,
                      const Catalogue& catalogue);

} // namespace partita::cli
