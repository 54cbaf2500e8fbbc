// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/formats/catalogue.h"

#include <string>
#include <string_view>

namespace partita {

/// What `partita presets --json` prints: lists of whole presets under "models", "accelerators", "clusters" and
/// "stacks", only one of them when kind is its name; models with their parameter counts.
std::string writeCatalogue(const Catalogue& catalogue, std::string_view kind);

} // namespace partita
