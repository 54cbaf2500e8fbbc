// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/formula.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

namespace partita {

namespace {

constexpr int deepest = 64;

struct Function {
    std::string_view name;
    std::size_t least;
    std::size_t most;
};

constexpr std::array functions{
    Function{"sum", 1, 1},    Function{"max", 1, 8},        Function{"min", 1, 8},
    Function{"argmax", 1, 1}, Function{"percentile", 2, 2}, Function{"ceil", 1, 1},
    Function{"floor", 1, 1},  Function{"round", 1, 1},      Function{"log2", 1, 1},
};

bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

class Parser {
public:
    explicit Parser(std::string_view text)
        : m_text(text)
    {
    }

    Result<Expression> run()
    {
        Expression result = comparison(0);
        skipBlanks();
        if (m_problem.empty() && m_at < m_text.size()) {
            fail("the formula ends before here");
        }
        if (!m_problem.empty()) {
            return Problem{"formula", std::string(m_text), m_problem, {}};
        }
        return result;
    }

private:
    using Kind = Expression::Kind;

    void fail(std::string_view why)
    {
        if (m_problem.empty()) {
            m_problem = "at " + std::to_string(m_at + 1) + ": " + std::string(why);
        }
    }

    void skipBlanks()
    {
        while (m_at < m_text.size() && m_text[m_at] == ' ') {
            ++m_at;
        }
    }

    bool take(std::string_view token)
    {
        skipBlanks();
        if (m_text.substr(m_at, token.size()) != token) {
            return false;
        }
        m_at += token.size();
        return true;
    }

    static Expression join(Kind kind, Expression left, Expression right)
    {
        Expression both;
        both.kind = kind;
        both.args.push_back(std::move(left));
        both.args.push_back(std::move(right));
        return both;
    }

    Expression comparison(int depth)
    {
        Expression left = terms(depth);
        return take("<=") ? join(Kind::AtMost, std::move(left), terms(depth)) : left;
    }

    Expression terms(int depth)
    {
        Expression left = factors(depth);
        while (m_problem.empty()) {
            if (take("+")) {
                left = join(Kind::Add, std::move(left), factors(depth));
            } else if (take("-")) {
                left = join(Kind::Subtract, std::move(left), factors(depth));
            } else {
                break;
            }
        }
        return left;
    }

    Expression factors(int depth)
    {
        Expression left = signedPower(depth);
        while (m_problem.empty()) {
            if (take("*")) {
                left = join(Kind::Multiply, std::move(left), signedPower(depth));
            } else if (take("/")) {
                left = join(Kind::Divide, std::move(left), signedPower(depth));
            } else {
                break;
            }
        }
        return left;
    }

    Expression signedPower(int depth)
    {
        if (depth > deepest) {
            fail("is nested too deeply");
            return {};
        }
        if (take("-")) {
            Expression negated;
            negated.kind = Kind::Negate;
            negated.args.push_back(signedPower(depth + 1));
            return negated;
        }
        Expression base = primary(depth);
        return take("^") ? join(Kind::Power, std::move(base), signedPower(depth + 1)) : base;
    }

    Expression primary(int depth)
    {
        skipBlanks();
        if (take("(")) {
            Expression inner = comparison(depth + 1);
            if (!take(")")) {
                fail("a parenthesis is not closed");
            }
            return inner;
        }
        if (m_at < m_text.size() && isDigit(m_text[m_at])) {
            return number();
        }
        if (m_at < m_text.size() && isLetter(m_text[m_at])) {
            return named(depth);
        }
        fail("a number, a symbol or a parenthesis is missing");
        return {};
    }

    Expression number()
    {
        Expression literal;
        const char* begin = m_text.data() + m_at;
        const auto read = std::from_chars(begin, m_text.data() + m_text.size(), literal.number);
        m_at += static_cast<std::size_t>(read.ptr - begin);
        return literal;
    }

    Expression named(int depth)
    {
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && (isLetter(m_text[m_at]) || isDigit(m_text[m_at]) || m_text[m_at] == '_')) {
            ++m_at;
        }
        Expression result;
        result.kind = Kind::Symbol;
        result.name = std::string(m_text.substr(begin, m_at - begin));
        if (!take("(")) {
            return result;
        }
        result.kind = Kind::Call;
        do {
            result.args.push_back(comparison(depth + 1));
        } while (m_problem.empty() && take(","));
        if (!take(")")) {
            fail("a parenthesis is not closed");
        }
        const auto* function = std::find_if(functions.begin(), functions.end(),
                                            [&](const Function& each) { return each.name == result.name; });
        if (function == functions.end()) {
            fail("no function " + result.name);
        } else if (result.args.size() < function->least || result.args.size() > function->most) {
            fail("wrong number of arguments of " + result.name);
        }
        return result;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::string m_problem;
};

using List = std::vector<double>;

/// By linear interpolation between order statistics.
double percentileOf(List values, double share)
{
    std::sort(values.begin(), values.end());
    const double at = share * static_cast<double>(values.size() - 1);
    const std::size_t below = std::min(static_cast<std::size_t>(at), values.size() - 1);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

class Evaluator {
public:
    explicit Evaluator(const FormulaValues& values)
        : m_values(values)
    {
    }

    Result<double> run(const Expression& formula)
    {
        const List result = list(formula);
        if (m_problems.empty() && result.size() != 1) {
            fail({}, "is a list, not a number");
        }
        return m_problems.empty() ? Result<double>(result.front()) : Result<double>(m_problems);
    }

private:
    using Kind = Expression::Kind;

    void fail(const std::string& name, const std::string& why) { m_problems.push_back({"formula", name, why, {}}); }

    List list(const Expression& e)
    {
        switch (e.kind) {
        case Kind::Number:
            return {e.number};
        case Kind::Symbol:
            return symbol(e.name);
        case Kind::Call:
            return call(e);
        default:
            break;
        }
        const List left = list(e.args[0]);
        return e.kind == Kind::Negate ? each(left, {0}, [](double x, double) { return -x; })
                                      : operation(e.kind, left, list(e.args[1]));
    }

    List symbol(const std::string& name)
    {
        const auto found = m_values.find(name);
        if (found == m_values.end() || found->second.empty()) {
            fail(name, "has no value");
            return {0};
        }
        return found->second;
    }

    List operation(Kind kind, const List& left, const List& right)
    {
        switch (kind) {
        case Kind::Add:
            return each(left, right, [](double x, double y) { return x + y; });
        case Kind::Subtract:
            return each(left, right, [](double x, double y) { return x - y; });
        case Kind::Multiply:
            return each(left, right, [](double x, double y) { return x * y; });
        case Kind::Divide:
            return each(left, right, [](double x, double y) { return x / y; });
        case Kind::Power:
            return each(left, right, [](double x, double y) { return std::pow(x, y); });
        default:
            return each(left, right, [](double x, double y) { return x <= y ? 1.0 : 0.0; });
        }
    }

    template <class Operation> List each(const List& left, const List& right, Operation operation)
    {
        if (left.size() != right.size() && left.size() != 1 && right.size() != 1) {
            fail({}, "joins lists of different lengths");
            return {0};
        }
        List result(std::max(left.size(), right.size()));
        for (std::size_t i = 0; i < result.size(); ++i) {
            result[i] = operation(left[left.size() == 1 ? 0 : i], right[right.size() == 1 ? 0 : i]);
        }
        return result;
    }

    List call(const Expression& e)
    {
        const List first = list(e.args[0]);
        if (e.name == "sum") {
            return {std::accumulate(first.begin(), first.end(), 0.0)};
        }
        if (e.name == "argmax") {
            return {static_cast<double>(std::max_element(first.begin(), first.end()) - first.begin())};
        }
        if (e.name == "percentile") {
            return {percentileOf(first, list(e.args[1]).front())};
        }
        if (e.name == "max" || e.name == "min") {
            return extreme(e, first, e.name == "max");
        }
        return each(first, {0}, [&](double x, double) {
            return e.name == "ceil" ? std::ceil(x)
                : e.name == "floor" ? std::floor(x)
                : e.name == "round" ? std::round(x)
                                    : std::log2(x);
        });
    }

    List extreme(const Expression& e, List best, bool largest)
    {
        if (e.args.size() == 1) {
            return {largest ? *std::max_element(best.begin(), best.end())
                            : *std::min_element(best.begin(), best.end())};
        }
        for (std::size_t i = 1; i < e.args.size(); ++i) {
            best = each(best, list(e.args[i]),
                        [&](double x, double y) { return largest ? std::max(x, y) : std::min(x, y); });
        }
        return best;
    }

    const FormulaValues& m_values;
    Problems m_problems;
};

void collectSymbols(const Expression& e, std::vector<std::string>& symbols)
{
    if (e.kind == Expression::Kind::Symbol && std::find(symbols.begin(), symbols.end(), e.name) == symbols.end()) {
        symbols.push_back(e.name);
    }
    for (const Expression& arg : e.args) {
        collectSymbols(arg, symbols);
    }
}

} // namespace

Result<Expression> parseFormula(std::string_view text)
{
    return Parser(text).run();
}

Result<double> evaluateFormula(const Expression& formula, const FormulaValues& values)
{
    return Evaluator(values).run(formula);
}

std::vector<std::string> symbolsOf(const Expression& formula)
{
    std::vector<std::string> symbols;
    collectSymbols(formula, symbols);
    return symbols;
}

} // namespace partita
