// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/option_reader.h"
#include "core/compare/comparison.h"
#include "core/formats/catalogue.h"

#include <memory>

namespace partita::cli {

/// "--compare FILE", which may be given up to three times.
Option compareOption();

using EvaluatedScenario = std::pair<Scenario, std::shared_ptr<const Report>>;

/// The files of --compare; the reader holds what is wrong with them.
std::vector<EvaluatedScenario> readCompared(OptionReader& reader, const Catalogue& catalogue);

/// A legal scenario and those beside it; empty when there are none.
std::vector<ComparedLayout> comparedWith(const Scenario& scenario, const Report& report,
                                         std::vector<EvaluatedScenario> others);

} // namespace partita::cli
