// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Values made from those of other scenarios. Internal to core/explain and core/compare.

#include "core/cluster/accelerator.h"
#include "core/explain/explained_values.h"
#include "core/explain/ledger.h"
#include "core/layout/layout.h"

namespace partita {

/// The value of another path; shown by the formula of what it is the same as, see throughLink().
void addLinked(Ledger& ledger, const std::string& path, std::string_view name, Measure measure, double value,
               const std::string& target);
/// A derivation that says no more than that the value is that of another path, with that path's formula and terms, and
/// which path it is among the assumptions. Others as they are, as is one that leads to what has no formula.
Derivation throughLink(const ExplainedValues& values, Derivation derivation);
/// The value of `to` less that of `from`.
void addDifference(Ledger& ledger, const std::string& path, std::string_view name, Measure measure, double value,
                   const std::string& from, const std::string& to);
/// Paths of a running total, and of a part of it before and after it changes.
struct PartChange {
    std::string total;
    std::string before;
    std::string after;
};
/// The total once the part has changed.
void addStepOn(Ledger& ledger, const std::string& path, std::string_view name, Measure measure, double value,
               const PartChange& change);
/// What was said or chosen: no number, or one without a formula. how: a sentence.
void addStated(Ledger& ledger, const std::string& path, std::string_view name, std::string text, std::string_view how);
/// The fields of a layout that was found, as files spell them: prefix "best[0].layout.".
void addLayoutFields(Ledger& ledger, const std::string& prefix, const Layout& layout);
/// What a device costs an hour; for those that have a price.
Term devicePrice(const Accelerator& accelerator);
/// Memory of which a share stays free.
void deriveLimit(Derivation& d, const Accelerator& accelerator, double headRoom, std::string_view origin);

} // namespace partita
