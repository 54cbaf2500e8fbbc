// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/option_reader.h"
#include "core/formats/catalogue.h"
#include "core/scenario/scenario.h"

namespace partita::cli {

/// The options of `evaluate` that change a scenario.
const std::vector<Option>& scenarioOptions();

/// Changes a scenario as the options say; dp follows from the devices and the other degrees unless it is stated.
/// plain: the scenario does not come from the user, so what the options leave open is set to what goes with them
/// (no split, one pass of micro-batches per device at least, a sequence the model knows).
std::optional<Refusal> applyOptions(const Arguments& arguments, const Catalogue& catalogue, bool plain,
                                    Scenario& scenario);

/// A scenario as a command line names it, or why there is none and the exit code that says so.
struct ScenarioInput {
    std::optional<Scenario> scenario;
    Problems problems;
    int exitCode = 0;
};

/// The file named first ("-" for standard input), or the default scenario, changed by the options.
ScenarioInput scenarioOf(const Arguments& arguments, const Catalogue& catalogue);

} // namespace partita::cli
