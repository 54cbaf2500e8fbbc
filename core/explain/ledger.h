// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Values that can be explained, by path. Internal to core/explain.

#include "core/explain/derivation.h"

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

/// Fills in formula, terms, sources and assumptions; the rest is the entry's.
using Derive = std::function<void(Derivation&)>;

struct LedgerEntry {
    std::string path;
    std::string name;
    Measure measure = Measure::Plain;
    double value = 0;
    std::string text; ///< of what is no number
    bool reported = false; ///< a key of the report
    bool absent = false; ///< of a part that the scenario does not have
    Derive derive;
};

class Ledger {
public:
    /// Entries that follow are keys of the report, or intermediate values.
    void setReported(bool reported) { m_reported = reported; }
    void add(std::string path, std::string name, Measure measure, double value, Derive derive);
    void addText(std::string path, std::string name, std::string text, Derive derive);
    /// A part that the scenario does not have: zero, explained as such, among none of paths().
    void addAbsent(std::string path, std::string name, Measure measure);

    /// Entries that are elsewhere, for terms that name them.
    void lookAlso(std::function<const LedgerEntry*(std::string_view path)> elsewhere)
    {
        m_elsewhere = std::move(elsewhere);
    }

    const LedgerEntry* find(std::string_view path) const; ///< an entry of this ledger; null where there is none
    std::vector<std::string> paths(bool reportedOnly) const; ///< in the order they were entered
    /// Of an entry of this ledger, its gap closed.
    std::optional<Derivation> derive(std::string_view path) const;
    /// Says that nothing has this path, and which paths are nearest.
    Problem unknown(std::string_view path) const;

    /// A symbol that stands for another value. One that is not there is a part this scenario does not have: zero.
    Term term(std::string_view symbol, const std::string& path) const;
    Term list(std::string_view symbol, std::string_view name, const std::vector<std::string>& paths) const;

private:
    const LedgerEntry* anywhere(std::string_view path) const;
    Quantity quantity(const std::string& path) const;

    std::deque<LedgerEntry> m_entries; ///< stay where they are while more are entered
    std::map<std::string, std::size_t, std::less<>> m_index;
    std::function<const LedgerEntry*(std::string_view path)> m_elsewhere;
    bool m_reported = false;
};

/// A number that needs no explanation but its origin.
Term given(std::string_view symbol, std::string_view name, Measure measure, double value, std::string_view origin);
/// One for each value of a list; names as long as values, or one for all.
Term givenList(std::string_view symbol, std::string_view name, Measure measure, const std::vector<double>& values,
               const std::vector<std::string>& names, std::string_view origin);

} // namespace partita
