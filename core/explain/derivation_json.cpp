// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/derivation_text.h"

#include "core/formats/json_fields.h"

#include <set>

namespace partita {

using Json = nlohmann::ordered_json;

namespace {

Json quantityJson(const Quantity& quantity)
{
    Json json = {{"value", jsonNumber(quantity.value)}, {"name", quantity.name}};
    json[quantity.path.empty() ? "origin" : "path"] = quantity.path.empty() ? quantity.origin : quantity.path;
    return json;
}

void setValue(Json& json, const Derivation& derivation)
{
    if (derivation.text.empty()) {
        json["value"] = jsonNumber(derivation.value);
        json["unit"] = std::string(keyOf(derivation.measure));
    } else {
        json["value"] = derivation.text;
    }
}

Json derivationJson(const Derivation& derivation)
{
    Json json = {{"path", derivation.path}, {"name", derivation.name}};
    setValue(json, derivation);
    if (!derivation.formula.empty()) {
        json["formula"] = derivation.formula;
        json["formula_text"] = derivation.plain();
        json["latex"] = derivation.latex();
        json["with_numbers"] = derivation.substituted();
    }
    Json terms = Json::array();
    for (const Term& term : derivation.terms) {
        Json entry = {{"symbol", term.symbol},
                      {"name", term.name},
                      {"unit", std::string(keyOf(term.measure))},
                      {"list", term.list},
                      {"values", Json::array()}};
        for (const Quantity& quantity : term.values) {
            entry["values"].push_back(quantityJson(quantity));
        }
        terms.push_back(std::move(entry));
    }
    json["terms"] = std::move(terms);
    json["assumptions"] = derivation.assumptions;
    json["sources"] = derivation.sources;
    return json;
}

/// What the terms of derivations lead to, level by level, so that a value stands once and as near as it is.
Json unfolded(const ExplainedValues& values, const Derivation& top, int depth)
{
    Json all = Json::array();
    std::set<std::string> known{top.path};
    std::vector<Derivation> level{top};
    for (int i = 0; i < depth && !level.empty(); ++i) {
        std::vector<Derivation> next;
        for (const Derivation& derivation : level) {
            for (const Term& term : derivation.terms) {
                for (const Quantity& quantity : term.values) {
                    if (quantity.path.empty() || !known.insert(quantity.path).second) {
                        continue;
                    }
                    if (Result<Derivation> inner = values.explain(quantity.path)) {
                        all.push_back(derivationJson(*inner));
                        next.push_back(*std::move(inner));
                    }
                }
            }
        }
        level = std::move(next);
    }
    return all;
}

} // namespace

std::string writeDerivation(const ExplainedValues& values, const Derivation& derivation, int depth)
{
    Json json = derivationJson(derivation);
    json["derivations"] = unfolded(values, derivation, depth);
    json["nearest_runs"] = Json::array();
    const NearRuns& near = values.nearestRuns(derivation.path);
    const std::string key(keyOf(near.quantity));
    for (const NearRun& run : near.runs) {
        json["nearest_runs"].push_back({{"id", run.id},
                                        {"where", run.where},
                                        {"measured_" + key, jsonNumber(run.measured)},
                                        {"predicted_" + key, jsonNumber(run.predicted)},
                                        {"distance", jsonNumber(run.distance)}});
    }
    return jsonText(json);
}

std::string writeValues(const ExplainedValues& values, const std::vector<std::string>& paths)
{
    Json list = Json::array();
    for (const std::string& path : paths) {
        if (const Result<Derivation> derivation = values.explain(path)) {
            Json entry = {{"path", path}, {"name", derivation->name}};
            setValue(entry, *derivation);
            list.push_back(std::move(entry));
        }
    }
    return jsonText({{"values", std::move(list)}});
}

} // namespace partita
