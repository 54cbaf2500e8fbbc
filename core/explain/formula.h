// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

/// A parsed formula. Args: one of Negate; two of the operators; those of a Call.
struct Expression {
    enum class Kind { Number, Symbol, Negate, Add, Subtract, Multiply, Divide, Power, AtMost, Call };

    Kind kind = Kind::Number;
    double number = 0;
    std::string name; ///< of a Symbol or a Call
    std::vector<Expression> args;
};

/// Reads "max(0, E - sum(n*t)) / T". Operators + - * / ^ <=, parentheses; functions sum, max, min, argmax, percentile,
/// ceil, floor, round, log2. Symbols are letters with digits, and parts after underscores: "t_pp".
Result<Expression> parseFormula(std::string_view text);

/// The values of a symbol: one, or a list. Operators work element by element; sum, argmax, percentile, and max or min
/// of one argument, make one number of a list.
using FormulaValues = std::map<std::string, std::vector<double>, std::less<>>;

/// A comparison that holds is 1. A symbol without values, or lists of different lengths, are Problems.
Result<double> evaluateFormula(const Expression& formula, const FormulaValues& values);

/// Symbols of a formula in order of appearance, each once.
std::vector<std::string> symbolsOf(const Expression& formula);

/// A value as it is put into a formula's text: the element of a list, or the only one.
using ValueText = std::function<std::string(std::string_view symbol, std::size_t element)>;

/// "3·(F_p + F_c)·B / (T·N)": one line for terminals and screen readers. Lists carry the index i inside a sum.
std::string plainFormula(const Expression& formula, const std::set<std::string>& lists);
std::string latexFormula(const Expression& formula, const std::set<std::string>& lists);
/// The inside of a <math> element.
std::string mathFormula(const Expression& formula, const std::set<std::string>& lists);
/// The formula with numbers in place of symbols. Of a list the first elements, those of a sum that are zero left out,
/// and how many there are.
std::string substitutedFormula(const Expression& formula, const FormulaValues& values,
                               const std::set<std::string>& lists, const ValueText& text);

/// A symbol taken apart for typesetting: "eta_pp" is η with the subscript pp.
struct SymbolText {
    std::string base; ///< UTF-8
    std::string subscript;
};
SymbolText symbolText(std::string_view symbol);

} // namespace partita
