// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/report.h"

#include <string>
#include <vector>

namespace partita {

/// One step of a waterfall: what changing this term alone, after those before it, does to the total.
template <class Kind> struct DifferenceTerm {
    Kind kind{};
    double before = 0; ///< the term itself
    double after = 0;
    double from = 0; ///< running total at either end of the step
    double to = 0;

    double change() const { return to - from; }
    bool operator==(const DifferenceTerm&) const = default;
};

/// The way from one total to another, term by term in the order of the kinds; terms that change it by no more
/// than rounding does are left out.
/// The first `from` is `before`, each `to` is the next `from`, the last `to` is `after`, all to the last bit.
template <class Kind> struct Difference {
    double before = 0;
    double after = 0;
    std::vector<DifferenceTerm<Kind>> terms;

    double change() const { return after - before; }
    /// The terms, largest change first.
    std::vector<DifferenceTerm<Kind>> bySize() const;
    bool operator==(const Difference&) const = default;
};

using TimeDifference = Difference<TimeKind>; ///< s
using MemoryDifference = Difference<MemoryKind>; ///< bytes

/// Whether two amounts differ by no more than sums of the same terms in another order do: 1e-9 of them.
bool sameButForRounding(double a, double b);

TimeDifference difference(const TimeBreakdown& before, const TimeBreakdown& after);
MemoryDifference difference(const MemoryBreakdown& before, const MemoryBreakdown& after);

/// "1.20 s slower (+18.6 %): bubble +0.90 s, TP exposed +0.42 s, GEMM −0.12 s"; at most so many terms, then "others".
std::string describe(const TimeDifference& difference, std::size_t most = 3);
/// "12.3 GiB more: activations +14.0 GiB, weights −1.7 GiB".
std::string describe(const MemoryDifference& difference, std::size_t most = 3);

} // namespace partita
