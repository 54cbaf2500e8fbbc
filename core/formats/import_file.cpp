// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/import_file.h"

#include "core/formats/embedded_scenario.h"
#include "core/formats/model_json.h"
#include "core/formats/report_parts.h"
#include "core/formats/scenario_file.h"

namespace partita {

using Json = nlohmann::ordered_json;

Result<ImportedFile> readAnyFile(std::string_view text, std::string_view name, const Catalogue& catalogue)
{
    if (isCarrier(text) || text.find(scenarioSchema) != std::string_view::npos) {
        Result<Scenario> scenario = readScenario(text, catalogue);
        return scenario ? Result<ImportedFile>(*std::move(scenario)) : Result<ImportedFile>(scenario.problems);
    }
    Result<ImportedModel> model = readHuggingFaceConfig(text, name);
    return model ? Result<ImportedFile>(*std::move(model)) : Result<ImportedFile>(model.problems);
}

std::string_view kindOf(const ImportedFile& file)
{
    return std::holds_alternative<Scenario>(file) ? "scenario" : "model";
}

const Model& modelOf(const ImportedFile& file)
{
    const auto* scenario = std::get_if<Scenario>(&file);
    return scenario != nullptr ? scenario->model : std::get<ImportedModel>(file).model;
}

std::string writeImport(const ImportedFile& file, const Catalogue& catalogue)
{
    Json json = Json::object();
    json["kind"] = kindOf(file);
    Model model = modelOf(file); // descriptions take what they may have to read into
    FieldWriter fields;
    describe(fields, model);
    json["model"] = fields.take();
    json["parameters"] = parameterCounts(parameters(model));
    json["assumed"] = Json::array();
    json["ignored"] = Json::array();
    if (const auto* scenario = std::get_if<Scenario>(&file)) {
        json["scenario"] = Json::parse(writeScenario(*scenario, catalogue));
    } else {
        const auto& imported = std::get<ImportedModel>(file);
        json["assumed"] = imported.assumed;
        json["ignored"] = imported.ignored;
        if (imported.nativeWeights) {
            json["native_weights"] = keyOf(*imported.nativeWeights);
        }
    }
    json["problems"] = Json::array();
    return jsonText(json);
}

} // namespace partita
