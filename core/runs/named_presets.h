// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/formats/catalogue.h"
#include "core/runs/published_run.h"

#include <string>
#include <string_view>
#include <vector>

namespace partita {

/// Presets that a source means by a name of its own, by the catalogue's runNames or their id; nullptr when none is
/// known.
const Model* namedModel(std::string_view name, const Catalogue& catalogue);
const Accelerator* namedAccelerator(std::string_view name, const Catalogue& catalogue);
const Stack* namedStack(std::string_view name, const Catalogue& catalogue);

/// The preset with what a run states of it: fewer layers, key-value heads, vocabulary, prediction modules. A fact that
/// makes it another model (width, experts) is a Problem. Assumptions are added.
Result<Model> modelAsStated(const Model& preset, const PublishedRun::ModelFacts& facts,
                            std::vector<std::string>& assumptions);

} // namespace partita
