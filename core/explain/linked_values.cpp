// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/linked_values.h"

#include "core/formats/flat_json.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {

void addLinked(Ledger& ledger, const std::string& path, std::string_view name, Measure measure, double value,
               const std::string& target)
{
    ledger.add(path, std::string(name), measure, value, [&ledger, target](Derivation& d) {
        d.formula = "x";
        d.terms = {ledger.term("x", target)};
    });
}

Derivation throughLink(const ExplainedValues& values, Derivation derivation)
{
    if (derivation.terms.size() != 1 || derivation.terms.front().symbol != derivation.formula) {
        return derivation;
    }
    const Term& term = derivation.terms.front();
    if (term.list || term.values.size() != 1 || term.values.front().path.empty()) {
        return derivation;
    }
    const std::string same = term.values.front().path;
    Result<Derivation> target = values.explain(same);
    if (!target || target->formula.empty()) {
        return derivation;
    }
    derivation.formula = std::move(target->formula);
    derivation.terms = std::move(target->terms);
    derivation.rest = target->rest;
    derivation.assumptions.insert(derivation.assumptions.begin(), fmt::format("The same as {}.", same));
    const auto append = [](std::vector<std::string>& list, std::vector<std::string>& more) {
        for (std::string& line : more) {
            if (std::find(list.begin(), list.end(), line) == list.end()) {
                list.push_back(std::move(line));
            }
        }
    };
    append(derivation.assumptions, target->assumptions);
    append(derivation.sources, target->sources);
    return derivation;
}

void addDifference(Ledger& ledger, const std::string& path, std::string_view name, Measure measure, double value,
                   const std::string& from, const std::string& to)
{
    ledger.add(path, std::string(name), measure, value, [&ledger, from, to](Derivation& d) {
        d.formula = "b - a";
        d.terms = {ledger.term("a", from), ledger.term("b", to)};
    });
}

void addStepOn(Ledger& ledger, const std::string& path, std::string_view name, Measure measure, double value,
               const PartChange& change)
{
    ledger.add(path, std::string(name), measure, value, [&ledger, change](Derivation& d) {
        d.formula = "f + (y - x)";
        d.terms = {ledger.term("f", change.total), ledger.term("x", change.before), ledger.term("y", change.after)};
    });
}

void addStated(Ledger& ledger, const std::string& path, std::string_view name, std::string text, std::string_view how)
{
    if (text.empty()) {
        return; // nothing was said
    }
    ledger.addText(path, std::string(name), std::move(text),
                   [how = std::string(how)](Derivation& d) { d.assumptions.push_back(how); });
}

void addLayoutFields(Ledger& ledger, const std::string& prefix, const Layout& layout)
{
    static constexpr std::string_view how = "A setting of the layout.";
    for (const auto& [key, value] : flatten(layout)) {
        std::string name = key;
        std::replace(name.begin(), name.end(), '_', ' ');
        if (const double* number = std::get_if<double>(&value)) {
            ledger.add(prefix + key, name, Measure::Count, *number,
                       [](Derivation& d) { d.assumptions.emplace_back(how); });
        } else {
            addStated(ledger, prefix + key, name, std::get<std::string>(value), how);
        }
    }
}

Term devicePrice(const Accelerator& accelerator)
{
    return given("p", "price of a device", Measure::DollarsPerHour, accelerator.pricePerHour,
                 "accelerator " + accelerator.name + ": price_per_hour");
}

void deriveLimit(Derivation& d, const Accelerator& accelerator, double headRoom, std::string_view origin)
{
    d.formula = "C*(1 - f)";
    d.terms = {given("C", "memory usable by a program", Measure::Bytes, accelerator.memoryBytes,
                     "accelerator " + accelerator.name + ": memory"),
               given("f", "share that is to stay free", Measure::Share, headRoom, origin)};
}

} // namespace partita
