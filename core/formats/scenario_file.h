// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/formats/catalogue.h"
#include "core/scenario/scenario.h"

#include <string>
#include <string_view>
#include <vector>

namespace partita {

/// What "$schema" says in a scenario file.
inline constexpr std::string_view scenarioSchema = "partita-scenario";

/// A scenario from a `.partita` file's text, or from a chart or report that carries it. Model, cluster and stack are
/// ids of presets or whole objects; layout, workload, serving and stack may be left out; dp, left out, follows from the
/// devices. Every problem at once; fields are named as in the file ("layout.tp").
Result<Scenario> readScenario(std::string_view text, const Catalogue& catalogue);

/// All that a carrier holds, the one it shows first; none of what is no carrier. When any of them is damaged or gone
/// that is a problem: a comparison of fewer would be another one.
Result<std::vector<Scenario>> readCarried(std::string_view text, const Catalogue& catalogue);

/// Canonical text: fixed order of keys, 2 spaces of indent, final newline. A part that equals its preset is written as
/// the preset's id. readScenario() of the text gives the same value again.
std::string writeScenario(const Scenario& scenario, const Catalogue& catalogue);

} // namespace partita
