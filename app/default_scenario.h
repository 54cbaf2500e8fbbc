// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/formats/catalogue.h"
#include "core/scenario/scenario.h"

namespace partita {

/// The catalogue of the preset folders.
Catalogue loadPresets();

/// What the program starts with: scenarios/default.partita of the last preset folder that has one.
Result<Scenario> defaultScenario(const Catalogue& catalogue);

} // namespace partita
