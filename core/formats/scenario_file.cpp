// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/scenario_file.h"

#include "core/formats/cluster_json.h"
#include "core/formats/embedded_scenario.h"
#include "core/formats/layout_json.h"
#include "core/formats/model_json.h"
#include "core/formats/preset_reference.h"

namespace partita {

namespace {

constexpr int version = 1;

void readMembers(FieldReader& fields, Scenario& scenario, const Catalogue& catalogue)
{
    fields.text("name", scenario.name);
    readPresetOr(fields, "model", scenario.model, catalogue.models, Presence::Required, readModel);
    readPresetOr(fields, "cluster", scenario.cluster, catalogue.clusters, Presence::Required,
                 [&](FieldReader& reader, Cluster& cluster) {
                     readCluster(reader, cluster, catalogue.accelerators, nullptr); // self-contained: no links
                 });
    fields.object("layout", scenario.layout);
    const nlohmann::json* layout = fields.member("layout");
    if (layout == nullptr || !layout->is_object() || !layout->contains("dp")) {
        scenario.layout.dp = static_cast<int>(solvedDp(scenario.layout, scenario.cluster.devices()));
    }
    fields.object("workload", scenario.workload);
    fields.object("serving", scenario.serving, Presence::Rare);
    readPresetOr(fields, "stack", scenario.stack, catalogue.stacks, Presence::Stated,
                 [](FieldReader& reader, Stack& stack) { describe(reader, stack); });
}

} // namespace

Result<Scenario> readScenario(std::string_view text, const Catalogue& catalogue)
{
    if (isCarrier(text)) {
        Result<std::vector<Scenario>> inside = readCarried(text, catalogue);
        return inside ? Result<Scenario>(std::move(inside->front())) : Result<Scenario>(std::move(inside.problems));
    }
    const Result<nlohmann::json> tree = parseJson(text);
    if (!tree) {
        return tree.problems;
    }
    Problems problems;
    Scenario scenario;
    FieldReader fields(*tree, "", problems);
    if (problems.empty() && readHeader(fields, scenarioSchema, version)) {
        readMembers(fields, scenario, catalogue);
        fields.rejectUnknownKeys();
    }
    if (!problems.empty()) {
        return problems;
    }
    return scenario;
}

Result<std::vector<Scenario>> readCarried(std::string_view text, const Catalogue& catalogue)
{
    std::vector<Scenario> scenarios;
    if (!isCarrier(text)) {
        return scenarios;
    }
    const std::vector<std::string> inside = embeddedScenarios(text);
    Problems problems;
    const auto refused = [](const char* why) {
        return Problem{"file", "", why, "open an SVG, PNG, PDF, HTML or CSV file as Partita wrote it"};
    };
    for (const std::string& each : inside) {
        Result<Scenario> scenario =
            isCarrier(each) ? refused("carries a picture in place of a scenario") : readScenario(each, catalogue);
        if (scenario) {
            scenarios.push_back(*std::move(scenario));
        } else {
            problems.insert(problems.end(), scenario.problems.begin(), scenario.problems.end());
        }
    }
    if (missesScenario(text)) {
        problems.push_back(refused("has lost one of the scenarios that it compares"));
    } else if (inside.empty()) {
        problems.push_back(refused("carries no scenario that can be read"));
    }
    return problems.empty() ? Result<std::vector<Scenario>>(std::move(scenarios))
                            : Result<std::vector<Scenario>>(std::move(problems));
}

std::string writeScenario(const Scenario& scenario, const Catalogue& catalogue)
{
    Scenario copy = scenario; // descriptions take what they may have to read into
    FieldWriter fields;
    writeHeader(fields, scenarioSchema, version);
    if (!copy.name.empty()) {
        fields.text("name", copy.name);
    }
    writePresetOr(fields, "model", copy.model, catalogue.models,
                  [](FieldWriter& writer, Model& model) { describe(writer, model); });
    writePresetOr(fields, "cluster", copy.cluster, catalogue.clusters, [&](FieldWriter& writer, Cluster& cluster) {
        writeCluster(writer, cluster, catalogue.accelerators);
    });
    fields.object("layout", copy.layout);
    fields.object("workload", copy.workload);
    fields.object("serving", copy.serving, Presence::Rare);
    writePresetOr(fields, "stack", copy.stack, catalogue.stacks,
                  [](FieldWriter& writer, Stack& stack) { describe(writer, stack); });
    return jsonText(fields.take());
}

} // namespace partita
