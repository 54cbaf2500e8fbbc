// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/default_scenario.h"
#include "app/option_reader.h"
#include "core/formats/catalogue.h"
#include "core/scenario/scenario.h"

namespace partita::cli {

/// What a scenario's options are for: a training step with its layout, the choice of a layout for one, or serving.
enum class Purpose { Step, Choice, Serving };

/// The options that change a scenario. Those without effect on the purpose are there to be refused with the reason.
std::vector<Option> scenarioOptions(Purpose purpose);

/// The file named first ("-" for standard input), or what a plain command line means.
std::optional<Scenario> givenScenario(OptionReader& reader, const Catalogue& catalogue,
                                      Result<Scenario> (*plain)(const Catalogue&) = defaultScenario);

/// givenScenario(), changed by the options; nothing
/// when the reader holds problems. dp follows from the devices and the other degrees unless it is stated. A plain
/// scenario does not come from the user, so what the options leave open is set to what goes with them (no split, one
/// pass of micro-batches per device at least, a sequence the model knows).
std::optional<Scenario> scenarioOf(OptionReader& reader, const Catalogue& catalogue,
                                   Result<Scenario> (*plain)(const Catalogue&) = defaultScenario);

/// The scenario of a file ("-" for standard input), as it stands there.
std::optional<Scenario> readScenarioFile(OptionReader& reader, const std::string& path, const Catalogue& catalogue);

/// "--save FILE". help: outlives the option.
Option saveOption(std::string_view help);
/// Writes a scenario to the file that --save names, where it is given; the exit code.
int saveAsked(const Arguments& arguments, const Scenario& scenario, const Catalogue& catalogue);
/// What to end with once an answer has been told: Done, unless a layout was to be saved of which none fits.
int endOf(const Arguments& arguments, bool fits);

} // namespace partita::cli
