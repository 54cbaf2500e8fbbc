// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Reads reports and derivations as programs see them.

#include "core/explain/derivation_text.h"
#include "core/explain/formula.h"
#include "core/explain/ledger.h"
#include "core/formats/json_text.h"
#include "core/scenario/scenario.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace partita {

struct Named {
    const char* name;
    Scenario scenario;
};

/// A data row for each, its place in a column "index".
inline void addRows(const std::vector<Named>& all)
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < all.size(); ++i) {
        QTest::newRow(all[i].name) << static_cast<int>(i);
    }
}

/// Paths of everything that is not an object or a list, as `explain` names them.
inline void collectLeaves(const nlohmann::json& json, const std::string& path,
                          std::map<std::string, nlohmann::json>& leaves)
{
    if (json.is_object()) {
        for (const auto& [key, value] : json.items()) {
            collectLeaves(value, path.empty() ? key : path + "." + key, leaves);
        }
    } else if (json.is_array()) {
        for (std::size_t i = 0; i < json.size(); ++i) {
            collectLeaves(json[i], path + "[" + std::to_string(i) + "]", leaves);
        }
    } else {
        leaves[path] = json;
    }
}

inline bool near(double a, double b, double size)
{
    return std::abs(a - b) <= 1e-9 * std::abs(b) + 1e-12 * size;
}

/// The answer of a derivation's own JSON text: its formula with the values of its terms.
inline double answerOf(const nlohmann::json& derivation, double& size)
{
    FormulaValues values;
    for (const nlohmann::json& term : derivation.at("terms")) {
        for (const nlohmann::json& value : term.at("values")) {
            values[term.at("symbol").get<std::string>()].push_back(value.at("value").get<double>());
            if (term.at("unit") == derivation.at("unit")) {
                size = std::max(size, std::abs(value.at("value").get<double>()));
            }
        }
    }
    const Result<Expression> formula = parseFormula(derivation.at("formula").get<std::string>());
    const Result<double> answer = formula ? evaluateFormula(*formula, values) : Result<double>(formula.problems);
    return answer ? *answer : std::nan("");
}

/// Times and rates are computed: one that a formula takes as given is stated by a preset, by the scenario or by a
/// published run, or read off the simulated schedule.
inline bool mayBeGiven(const Term& term, const Quantity& quantity)
{
    switch (term.measure) {
    case Measure::Seconds:
    case Measure::FlopsPerSecond:
    case Measure::BytesPerSecond:
    case Measure::TokensPerSecond:
    case Measure::Days:
    case Measure::Dollars:
    case Measure::DollarsPerHour:
        break;
    default:
        return true;
    }
    const auto beginsWith = [&](std::string_view word) { return quantity.origin.rfind(word, 0) == 0; };
    return beginsWith("accelerator ") || beginsWith("stack ") || beginsWith("cluster level") || beginsWith("serving.")
        || beginsWith("workload.") || beginsWith("published run") || beginsWith("evaluated from what the source")
        || beginsWith("simulated schedule") || beginsWith("two sockets of eight DDR4 channels")
        || quantity.origin == absentOrigin;
}

/// Whether a derivation's own formula says only that it is what another formula gives.
inline bool repeatsAnother(const ExplainedValues& values, const Derivation& derivation)
{
    if (derivation.terms.size() != 1 || derivation.formula != derivation.terms.front().symbol) {
        return false;
    }
    const Term& term = derivation.terms.front();
    const std::string path = term.list ? std::string() : term.values.front().path;
    return !path.empty() && !values.explain(path)->formula.empty();
}

/// What is wrong with the derivations of paths; empty: each comes out of its own text and leads somewhere. bareLeaves:
/// paths of numbers that may go without a formula, for they are counted, or an input.
template <class IsLeaf>
std::string flawIn(const ExplainedValues& values, const std::vector<std::string>& paths, IsLeaf mayBeBare)
{
    for (const std::string& path : paths) {
        const Result<Derivation> derivation = values.explain(path);
        if (!derivation) {
            return path + " is not derived";
        }
        if (derivation->path != path || derivation->name.empty()) {
            return path + " has no name";
        }
        if (derivation->rest != 0) {
            return path + " is not covered by " + derivation->substituted();
        }
        std::set<std::string> terms;
        for (const Term& term : derivation->terms) {
            if (!terms.insert(term.symbol).second) {
                return path + ": a symbol stands twice";
            }
            for (const Quantity& quantity : term.values) {
                if (quantity.path.empty() ? quantity.origin.empty() || !mayBeGiven(term, quantity)
                                          : quantity.path == path || values.find(quantity.path) == nullptr) {
                    return path + ": " + term.symbol + " leads nowhere, " + quantity.name + quantity.path + " ["
                        + quantity.origin + "]";
                }
                if (!quantity.path.empty() && values.find(quantity.path)->value != quantity.value) {
                    return path + ": " + quantity.path + " is not that value";
                }
            }
        }
        if (derivation->formula.empty()) {
            if (derivation->assumptions.empty() || !terms.empty() || (derivation->text.empty() && !mayBeBare(path))) {
                return path + " is a bare value";
            }
            continue;
        }
        const std::vector<std::string> symbols = symbolsOf(*parseFormula(derivation->formula));
        if (std::set<std::string>(symbols.begin(), symbols.end()) != terms) {
            return path + ": symbols without terms, or terms without symbols";
        }
        // A constant, 0 of what there is nothing of, says why.
        if ((symbols.empty() && derivation->assumptions.empty()) || repeatsAnother(values, *derivation)) {
            return path + " begins with no more than another value: " + derivation->plain();
        }
        double size = std::abs(derivation->value);
        const double answer = answerOf(*parseJson(writeDerivation(values, *derivation, 0)), size);
        if (!near(answer, derivation->value, size)) {
            return path + " does not come out of " + derivation->substituted();
        }
    }
    return {};
}

} // namespace partita
