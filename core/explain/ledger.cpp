// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/ledger.h"

#include <algorithm>
#include <numeric>

namespace partita {

namespace {

/// Edits between two words, for what a mistyped path may have meant.
std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t corner = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t changed = corner + (a[i] == b[j] ? 0 : 1);
            corner = row[j + 1];
            row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

std::string nearestPaths(const std::deque<LedgerEntry>& entries, std::string_view path)
{
    constexpr std::size_t most = 3;
    std::vector<std::pair<std::size_t, std::string_view>> near;
    for (const LedgerEntry& entry : entries) {
        // A name from the middle or the end of a path is near, too.
        const bool inside = path.size() > 2 && entry.path.find(path) != std::string::npos;
        if (entry.reported || inside) {
            near.emplace_back(inside ? 0 : editDistance(path, entry.path), entry.path);
        }
    }
    std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string text;
    for (std::size_t i = 0; i < std::min(most, near.size()); ++i) {
        text += (text.empty() ? "" : ", ") + std::string(near[i].second);
    }
    return text.empty() ? text : "nearest: " + text;
}

} // namespace

void Ledger::add(std::string path, std::string name, Measure measure, double value, Derive derive)
{
    if (m_index.emplace(path, m_entries.size()).second) {
        m_entries.push_back(
            {std::move(path), std::move(name), measure, value, {}, m_reported, false, std::move(derive)});
    }
}

void Ledger::addText(std::string path, std::string name, std::string text, Derive derive)
{
    add(path, std::move(name), Measure::Plain, 0, std::move(derive));
    m_entries.back().text = std::move(text);
}

void Ledger::addAbsent(std::string path, std::string name, Measure measure)
{
    if (m_index.count(path) == 0) {
        add(std::move(path), std::move(name), measure, 0,
            [](Derivation& d) { d.assumptions.emplace_back("There is nothing of this kind in the scenario."); });
        m_entries.back().absent = true;
    }
}

const LedgerEntry* Ledger::find(std::string_view path) const
{
    const auto found = m_index.find(path);
    return found == m_index.end() ? nullptr : &m_entries[found->second];
}

const LedgerEntry* Ledger::anywhere(std::string_view path) const
{
    const LedgerEntry* entry = find(path);
    return entry == nullptr && m_elsewhere ? m_elsewhere(path) : entry;
}

std::vector<std::string> Ledger::paths(bool reportedOnly) const
{
    std::vector<std::string> paths;
    for (const LedgerEntry& entry : m_entries) {
        if (!entry.absent && (entry.reported || !reportedOnly)) {
            paths.push_back(entry.path);
        }
    }
    return paths;
}

std::optional<Derivation> Ledger::derive(std::string_view path) const
{
    const LedgerEntry* entry = find(path);
    if (entry == nullptr) {
        return std::nullopt;
    }
    Derivation derivation;
    derivation.path = entry->path;
    derivation.name = entry->name;
    derivation.measure = entry->measure;
    derivation.value = entry->value;
    derivation.text = entry->text;
    entry->derive(derivation);
    if (derivation.formula == "0" && derivation.assumptions.empty()) {
        derivation.assumptions.emplace_back("There is nothing of this kind.");
    }
    closeGap(derivation);
    return derivation;
}

Problem Ledger::unknown(std::string_view path) const
{
    return {"--value", std::string(path), "nothing of this name is computed for the scenario",
            nearestPaths(m_entries, path)};
}

Quantity Ledger::quantity(const std::string& path) const
{
    const LedgerEntry* entry = anywhere(path);
    return entry != nullptr ? Quantity{entry->value, entry->name, path, {}}
                            : Quantity{0, path, {}, std::string(absentOrigin)};
}

Term Ledger::term(std::string_view symbol, const std::string& path) const
{
    const LedgerEntry* entry = anywhere(path);
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
        if (const LedgerEntry* entry = anywhere(path)) {
            term.measure = entry->measure;
        }
        term.values.push_back(quantity(path));
    }
    if (term.values.empty()) {
        term.values.push_back({0, "none", {}, std::string(absentOrigin)});
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
        term.values.push_back({0, "none", {}, std::string(absentOrigin)});
    }
    return term;
}

} // namespace partita
