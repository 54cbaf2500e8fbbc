// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Values that can be explained, by path. Internal to core/explain.

#include "core/explain/derivation.h"

#include <functional>
#include <map>
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
    Derive derive;
};

class Ledger {
public:
    /// Entries that follow are keys of the report, or intermediate values.
    void setReported(bool reported) { m_reported = reported; }
    void add(std::string path, std::string name, Measure measure, double value, Derive derive);
    void addText(std::string path, std::string name, std::string text, Derive derive);

    const LedgerEntry* find(std::string_view path) const;
    const std::vector<LedgerEntry>& entries() const { return m_entries; }

    /// A symbol that stands for another value. One that is not there is a part this scenario does not have: zero.
    Term term(std::string_view symbol, const std::string& path) const;
    Term list(std::string_view symbol, std::string_view name, const std::vector<std::string>& paths) const;

private:
    Quantity quantity(const std::string& path) const;

    std::vector<LedgerEntry> m_entries;
    std::map<std::string, std::size_t, std::less<>> m_index;
    bool m_reported = false;
};

/// A number that needs no explanation but its origin.
Term given(std::string_view symbol, std::string_view name, Measure measure, double value, std::string_view origin);
/// One for each value of a list; names as long as values, or one for all.
Term givenList(std::string_view symbol, std::string_view name, Measure measure, const std::vector<double>& values,
               const std::vector<std::string>& names, std::string_view origin);

} // namespace partita
