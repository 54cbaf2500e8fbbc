// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/formats/catalogue.h"
#include "core/formats/hf_config.h"
#include "core/scenario/scenario.h"

#include <string_view>
#include <variant>

namespace partita {

/// What a file turned out to be.
using AnyInput = std::variant<Scenario, ImportedModel>;

/// Recognises a file by what it says of itself. name: of the file without its suffix, for models that have none.
Result<AnyInput> readAny(std::string_view text, std::string_view name, const Catalogue& catalogue);

} // namespace partita
