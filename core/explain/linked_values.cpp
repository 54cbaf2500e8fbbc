// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/linked_values.h"

#include "core/formats/flat_json.h"

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
