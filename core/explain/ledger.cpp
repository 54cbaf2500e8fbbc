// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/ledger.h"

namespace partita {

void Ledger::add(std::string path, std::string name, Measure measure, double value, Derive derive)
{
    if (m_index.emplace(path, m_entries.size()).second) {
        m_entries.push_back({std::move(path), std::move(name), measure, value, {}, m_reported, std::move(derive)});
    }
}

void Ledger::addText(std::string path, std::string name, std::string text, Derive derive)
{
    add(path, std::move(name), Measure::Plain, 0, std::move(derive));
    m_entries.back().text = std::move(text);
}

const LedgerEntry* Ledger::find(std::string_view path) const
{
    const auto found = m_index.find(path);
    return found == m_index.end() ? nullptr : &m_entries[found->second];
}

Quantity Ledger::quantity(const std::string& path) const
{
    const LedgerEntry* entry = find(path);
    return entry != nullptr ? Quantity{entry->value, entry->name, path, {}}
                            : Quantity{0, path, {}, "nothing of this kind in the scenario"};
}

Term Ledger::term(std::string_view symbol, const std::string& path) const
{
    const LedgerEntry* entry = find(path);
    Quantity value = quantity(path);
    std::string name = value.name;
    return {std::string(symbol),
            std::move(name),
            entry != nullptr ? entry->measure : Measure::Plain,
            false,
            {std::move(value)}};
}

Term Ledger::list(std::string_view symbol, std::string_view name, const std::vector<std::string>& paths) const
{
    Term term{std::string(symbol), std::string(name), Measure::Plain, true, {}};
    for (const std::string& path : paths) {
        if (const LedgerEntry* entry = find(path)) {
            term.measure = entry->measure;
        }
        term.values.push_back(quantity(path));
    }
    if (term.values.empty()) {
        term.values.push_back({0, "none", {}, "nothing of this kind in the scenario"});
    }
    return term;
}

Term given(std::string_view symbol, std::string_view name, Measure measure, double value, std::string_view origin)
{
    return {
        std::string(symbol), std::string(name), measure, false, {{value, std::string(name), {}, std::string(origin)}}};
}

Term givenList(std::string_view symbol, std::string_view name, Measure measure, const std::vector<double>& values,
               const std::vector<std::string>& names, std::string_view origin)
{
    Term term{std::string(symbol), std::string(name), measure, true, {}};
    for (std::size_t i = 0; i < values.size(); ++i) {
        term.values.push_back(
            {values[i], names.size() == values.size() ? names[i] : std::string(name), {}, std::string(origin)});
    }
    if (term.values.empty()) {
        term.values.push_back({0, "none", {}, "nothing of this kind in the scenario"});
    }
    return term;
}

} // namespace partita
