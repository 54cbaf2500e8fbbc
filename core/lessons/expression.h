// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace partita {

/// What an expression is worth: a number (true is 1), or a text, which can only be compared.
using ExpressionValue = std::variant<double, std::string>;

/// What names in an expression stand for; nothing for what is not known.
struct ExpressionNames {
    std::function<std::optional<ExpressionValue>(std::string_view)> value;
    std::function<std::optional<double>(std::string_view, const std::vector<double>&)> call;
};

/// Numbers, "texts", names ("memory.stages[0].total"), + - * / ( ), < <= > >= == !=, and, or, not, and calls:
/// min, max, ceil, floor, and those that `names` knows. Every part is evaluated, so that a wrong name is found wherever
/// it stands. The field of a problem is the expression.
Result<ExpressionValue> evaluateExpression(std::string_view text, const ExpressionNames& names);
/// The same where only a number will do. A result that is not finite is a problem.
Result<double> evaluateNumber(std::string_view text, const ExpressionNames& names);

} // namespace partita
