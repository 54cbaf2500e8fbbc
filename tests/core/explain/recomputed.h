// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Reads reports and derivations as programs see them.

#include "core/explain/derivation.h"
#include "core/explain/formula.h"
#include "core/scenario/scenario.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <cmath>
#include <map>
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

} // namespace partita
