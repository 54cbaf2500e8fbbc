// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/difference.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace partita {

namespace {

constexpr double rounding = 1e-9; ///< share of a total

template <class Kind, class Breakdown> Difference<Kind> stepByStep(const Breakdown& before, const Breakdown& after)
{
    Difference<Kind> result;
    result.before = before.total();
    result.after = after.total();
    // Totals of mixed breakdowns, not sums of changes: so the ends meet the totals without a rounding error.
    Breakdown mixed = before;
    double running = result.before;
    const double noise = rounding * std::max(std::abs(result.before), std::abs(result.after));
    for (const Name<Kind>& name : Names<Kind>::table) {
        const Kind kind = name.value;
        if (before[kind] == after[kind]) {
            continue;
        }
        mixed[kind] = after[kind];
        const double to = mixed.total();
        if (std::abs(to - running) <= noise) {
            continue; // a later term takes it along
        }
        result.terms.push_back({kind, before[kind], after[kind], running, to});
        running = to;
    }
    if (!result.terms.empty()) {
        result.terms.back().to = result.after;
    }
    return result;
}

std::string signedText(double value, std::string (*format)(double))
{
    return (value < 0 ? "−" : "+") + format(std::abs(value));
}

template <class Kind>
std::string termsText(const Difference<Kind>& difference, std::size_t most, std::string (*format)(double))
{
    const std::vector<DifferenceTerm<Kind>> terms = difference.bySize();
    std::string text;
    double others = difference.change();
    for (std::size_t i = 0; i < std::min(most, terms.size()); ++i) {
        text +=
            fmt::format("{}{} {}", i == 0 ? ": " : ", ", labelOf(terms[i].kind), signedText(terms[i].change(), format));
        others -= terms[i].change();
    }
    if (terms.size() > most) {
        text += fmt::format(", others {}", signedText(others, format));
    }
    return text;
}

} // namespace

template <class Kind> std::vector<DifferenceTerm<Kind>> Difference<Kind>::bySize() const
{
    std::vector<DifferenceTerm<Kind>> sorted = terms;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return std::abs(a.change()) > std::abs(b.change()); });
    return sorted;
}

template struct Difference<TimeKind>;
template struct Difference<MemoryKind>;

bool sameButForRounding(double a, double b)
{
    return std::abs(a - b) <= rounding * std::max(std::abs(a), std::abs(b));
}

TimeDifference difference(const TimeBreakdown& before, const TimeBreakdown& after)
{
    return stepByStep<TimeKind>(before, after);
}

MemoryDifference difference(const MemoryBreakdown& before, const MemoryBreakdown& after)
{
    return stepByStep<MemoryKind>(before, after);
}

std::string describe(const TimeDifference& difference, std::size_t most)
{
    const double change = difference.change();
    if (sameButForRounding(difference.before, difference.after)) {
        return difference.terms.empty() ? "the same step time, term by term"
                                        : "the same step time" + termsText(difference, most, formatSeconds);
    }
    return fmt::format("{} {} ({}{}){}", formatSeconds(std::abs(change)), change > 0 ? "slower" : "faster",
                       change > 0 ? "+" : "−", formatPercent(std::abs(change) / difference.before),
                       termsText(difference, most, formatSeconds));
}

std::string describe(const MemoryDifference& difference, std::size_t most)
{
    const double change = difference.change();
    if (sameButForRounding(difference.before, difference.after)) {
        return difference.terms.empty() ? "the same memory, category by category"
                                        : "the same memory" + termsText(difference, most, formatBytes);
    }
    return fmt::format("{} {}{}", formatBytes(std::abs(change)), change > 0 ? "more" : "less",
                       termsText(difference, most, formatBytes));
}

} // namespace partita
