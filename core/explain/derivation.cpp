// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/derivation.h"

#include "core/base/format.h"
#include "core/explain/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace partita {

namespace {

std::string scaled(double value, std::string_view unit)
{
    struct Prefix {
        double size;
        std::string_view name;
    };
    constexpr std::array prefixes{Prefix{1e18, "E"}, Prefix{1e15, "P"}, Prefix{1e12, "T"},
                                  Prefix{1e9, "G"},  Prefix{1e6, "M"},  Prefix{1e3, "k"}};
    for (const Prefix& prefix : prefixes) {
        if (std::abs(value) >= prefix.size * 0.9995) {
            return fmt::format("{} {}{}", formatSignificant(value / prefix.size), prefix.name, unit);
        }
    }
    return fmt::format("{} {}", formatSignificant(value), unit);
}

/// Whole numbers in full, others to four digits, small ones with an exponent.
std::string plainNumber(double value)
{
    if (value == std::floor(value) && std::abs(value) < 1e15) {
        return formatCount(static_cast<std::int64_t>(value));
    }
    return std::abs(value) < 1e-3 ? fmt::format("{:.3g}", value) : formatSignificant(value, 4);
}

std::set<std::string> listsOf(const Derivation& derivation)
{
    std::set<std::string> lists;
    for (const Term& term : derivation.terms) {
        if (term.list) {
            lists.insert(term.symbol);
        }
    }
    return lists;
}

FormulaValues valuesOf(const Derivation& derivation)
{
    FormulaValues values;
    for (const Term& term : derivation.terms) {
        std::vector<double>& list = values[term.symbol];
        for (const Quantity& quantity : term.values) {
            list.push_back(quantity.value);
        }
    }
    return values;
}

template <class Write> std::string written(const Derivation& derivation, Write write)
{
    const Result<Expression> formula = parseFormula(derivation.formula);
    return derivation.formula.empty() || !formula ? std::string() : write(*formula, listsOf(derivation));
}

} // namespace

std::string formatMeasure(double value, Measure measure)
{
    if (value < 0 && measure != Measure::Truth) {
        return "−" + formatMeasure(-value, measure);
    }
    switch (measure) {
    case Measure::Plain:
    case Measure::Count:
        return plainNumber(value);
    case Measure::Share:
        return formatPercent(value);
    case Measure::Truth:
        return value != 0 ? "yes" : "no";
    case Measure::Bytes:
        return formatBytes(value);
    case Measure::Seconds:
        return formatSeconds(value);
    case Measure::Flops:
        return scaled(value, "FLOP");
    case Measure::FlopsPerSecond:
        return scaled(value, "FLOP/s");
    case Measure::BytesPerSecond:
        return scaled(value, "B/s");
    case Measure::Tokens:
        return plainNumber(value) + " tokens";
    case Measure::TokensPerSecond:
        return (std::abs(value) >= 1000 ? plainNumber(std::round(value)) : formatSignificant(value)) + " tokens/s";
    case Measure::Days:
        return formatDays(value);
    case Measure::Dollars:
        return formatDollars(value);
    case Measure::DollarsPerHour:
        return fmt::format("${:.2f}/h", value);
    }
    return {};
}

std::string Derivation::valueText() const
{
    return text.empty() ? formatMeasure(value, measure) : text;
}

std::string Derivation::plain() const
{
    return written(*this, plainFormula);
}

std::string Derivation::latex() const
{
    return written(*this, latexFormula);
}

std::string Derivation::math() const
{
    return written(*this, mathFormula);
}

std::string Derivation::substituted() const
{
    const auto valueOf = [this](std::string_view symbol, std::size_t element) -> std::string {
        for (const Term& term : terms) {
            if (term.symbol == symbol && !term.values.empty()) {
                return formatMeasure(term.values[std::min(element, term.values.size() - 1)].value, term.measure);
            }
        }
        return std::string(symbol);
    };
    return written(*this, [&](const Expression& expression, const std::set<std::string>& lists) {
        return substitutedFormula(expression, valuesOf(*this), lists, valueOf);
    });
}

Result<double> recompute(const Derivation& derivation)
{
    const Result<Expression> expression = parseFormula(derivation.formula);
    if (!expression) {
        return expression.problems;
    }
    return evaluateFormula(*expression, valuesOf(derivation));
}

void closeGap(Derivation& derivation)
{
    if (derivation.formula.empty()) {
        return;
    }
    const Result<double> answer = recompute(derivation);
    // Rounding is relative to what is added up, not to a small difference of large terms.
    double size = std::abs(derivation.value);
    for (const Term& term : derivation.terms) {
        for (const Quantity& quantity : term.values) {
            size = term.measure == derivation.measure ? std::max(size, std::abs(quantity.value)) : size;
        }
    }
    const double gap = answer ? derivation.value - *answer : derivation.value;
    if (answer && std::abs(gap) <= 1e-9 * std::abs(derivation.value) + 1e-12 * size) {
        return;
    }
    derivation.rest = gap;
    derivation.formula = answer ? "(" + derivation.formula + ") + rest" : "rest";
    derivation.terms.push_back(
        {"rest",
         "what this derivation does not cover",
         derivation.measure,
         false,
         {{gap, "what this derivation does not cover", {}, "computed, but not broken down here"}}});
}

} // namespace partita
