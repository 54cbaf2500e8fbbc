// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/read_any.h"

#include "core/formats/scenario_file.h"

namespace partita {

Result<AnyInput> readAny(std::string_view text, std::string_view name, const Catalogue& catalogue)
{
    if (text.find(scenarioSchema) != std::string_view::npos) {
        Result<Scenario> scenario = readScenario(text, catalogue);
        return scenario ? Result<AnyInput>(*std::move(scenario)) : Result<AnyInput>(scenario.problems);
    }
    Result<ImportedModel> model = readHuggingFaceConfig(text, name);
    return model ? Result<AnyInput>(*std::move(model)) : Result<AnyInput>(model.problems);
}

} // namespace partita
