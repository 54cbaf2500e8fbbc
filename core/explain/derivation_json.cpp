// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/derivation_text.h"

#include "core/formats/json_fields.h"

namespace partita {

using Json = nlohmann::ordered_json;

namespace {

Json derivationJson(const Explainer& explainer, const Derivation& derivation, int depth);

Json quantityJson(const Explainer& explainer, const Quantity& quantity, int depth)
{
    Json json = {{"value", jsonNumber(quantity.value)}, {"name", quantity.name}};
    if (quantity.path.empty()) {
        json["origin"] = quantity.origin;
        return json;
    }
    json["path"] = quantity.path;
    if (depth > 0) {
        if (const Result<Derivation> inner = explainer.explain(quantity.path)) {
            json["derivation"] = derivationJson(explainer, *inner, depth - 1);
        }
    }
    return json;
}

Json derivationJson(const Explainer& explainer, const Derivation& derivation, int depth)
{
    Json json = {{"path", derivation.path}, {"name", derivation.name}};
    if (derivation.text.empty()) {
        json["value"] = jsonNumber(derivation.value);
        json["unit"] = std::string(keyOf(derivation.measure));
    } else {
        json["value"] = derivation.text;
    }
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
            entry["values"].push_back(quantityJson(explainer, quantity, depth));
        }
        terms.push_back(std::move(entry));
    }
    json["terms"] = std::move(terms);
    json["assumptions"] = derivation.assumptions;
    json["sources"] = derivation.sources;
    return json;
}

} // namespace

std::string writeDerivation(const Explainer& explainer, const Derivation& derivation, int depth)
{
    Json json = derivationJson(explainer, derivation, depth);
    json["nearest_runs"] = Json::array();
    for (const NearRun& run : explainer.nearestRuns()) {
        json["nearest_runs"].push_back({{"id", run.id},
                                        {"where", run.where},
                                        {"measured_tokens_per_s_per_device", jsonNumber(run.measured)},
                                        {"predicted_tokens_per_s_per_device", jsonNumber(run.predicted)},
                                        {"distance", jsonNumber(run.distance)}});
    }
    return jsonText(json);
}

std::string writeValues(const Explainer& explainer, const std::vector<std::string>& paths)
{
    Json values = Json::array();
    for (const std::string& path : paths) {
        if (const Result<Derivation> derivation = explainer.explain(path)) {
            Json entry = {{"path", path}, {"name", derivation->name}};
            if (derivation->text.empty()) {
                entry["value"] = jsonNumber(derivation->value);
                entry["unit"] = std::string(keyOf(derivation->measure));
            } else {
                entry["value"] = derivation->text;
            }
            values.push_back(std::move(entry));
        }
    }
    return jsonText({{"values", std::move(values)}});
}

} // namespace partita
