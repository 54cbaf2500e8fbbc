// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/formats/catalogue.h"
#include "core/formats/hf_config.h"
#include "core/scenario/scenario.h"

#include <string>
#include <string_view>
#include <variant>

namespace partita {

/// What a file turned out to be.
using ImportedFile = std::variant<Scenario, ImportedModel>;

/// Recognises a text by what it says of itself. name: of the file without its suffix, for models that have none.
Result<ImportedFile> readAnyFile(std::string_view text, std::string_view name, const Catalogue& catalogue);

/// "scenario" or "model".
std::string_view kindOf(const ImportedFile& file);
const Model& modelOf(const ImportedFile& file);

/// What `partita import --json` prints: kind, model or scenario, parameters, assumed, ignored, problems; of a file that
/// was not understood only the problems.
std::string writeImport(const ImportedFile& file, const Catalogue& catalogue);

} // namespace partita
