// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lessons/expression.h"

#include "core/lessons/letters.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace partita {

namespace {

constexpr std::size_t longestText = 2000;
constexpr int deepestNesting = 50;

/// Recursive descent, one function a level of precedence; what is wrong first stops it.
class Reader {
public:
    Reader(std::string_view text, const ExpressionNames& names)
        : m_text(text)
        , m_names(names)
    {
    }

    Result<ExpressionValue> read()
    {
        if (m_text.size() > longestText) {
            return Problem{"expression", {}, "is too long", {}};
        }
        ExpressionValue value = either();
        skipSpaces();
        if (m_problem.empty() && m_at < m_text.size()) {
            fail(std::string(m_text.substr(m_at, 20)), "was not expected here");
        }
        return m_problem.empty() ? Result<ExpressionValue>(std::move(value)) : Result<ExpressionValue>(m_problem);
    }

private:
    void fail(std::string value, std::string message, std::string suggestion = {})
    {
        if (m_problem.empty()) {
            m_problem.push_back({std::string(m_text), std::move(value), std::move(message), std::move(suggestion)});
        }
        m_at = m_text.size();
    }

    void skipSpaces()
    {
        while (m_at < m_text.size() && isSpace(m_text[m_at])) {
            ++m_at;
        }
    }

    bool takes(std::string_view token)
    {
        skipSpaces();
        if (m_text.substr(m_at, token.size()) != token) {
            return false;
        }
        const bool word = startsName(token.front());
        if (word && m_at + token.size() < m_text.size() && continuesName(m_text[m_at + token.size()])) {
            return false;
        }
        m_at += token.size();
        return true;
    }

    double number(const ExpressionValue& value)
    {
        if (const double* known = std::get_if<double>(&value)) {
            return *known;
        }
        fail(std::get<std::string>(value), "is a text where a number is needed");
        return 0;
    }

    ExpressionValue either()
    {
        ExpressionValue value = both();
        while (takes("or")) {
            const bool left = number(value) != 0;
            const bool right = number(both()) != 0;
            value = left || right ? 1.0 : 0.0;
        }
        return value;
    }

    ExpressionValue both()
    {
        ExpressionValue value = negated();
        while (takes("and")) {
            const bool left = number(value) != 0;
            const bool right = number(negated()) != 0;
            value = left && right ? 1.0 : 0.0;
        }
        return value;
    }

    ExpressionValue negated()
    {
        if (!takes("not")) {
            return comparison();
        }
        Nesting nesting(*this);
        return number(negated()) == 0 ? 1.0 : 0.0;
    }

    ExpressionValue comparison()
    {
        ExpressionValue left = sum();
        for (const std::string_view sign : {"<=", ">=", "==", "!=", "<", ">"}) {
            if (!takes(sign)) {
                continue;
            }
            const ExpressionValue right = sum();
            if (sign == "==" || sign == "!=") {
                if (left.index() != right.index()) {
                    fail({}, "compares a text with a number");
                }
                return (left == right) == (sign == "==") ? 1.0 : 0.0;
            }
            const double a = number(left);
            const double b = number(right);
            const bool holds = sign == "<=" ? a <= b : sign == ">=" ? a >= b : sign == "<" ? a < b : a > b;
            return holds ? 1.0 : 0.0;
        }
        return left;
    }

    ExpressionValue sum()
    {
        ExpressionValue value = product();
        while (true) {
            if (takes("+")) {
                value = number(value) + number(product());
            } else if (takes("-")) {
                value = number(value) - number(product());
            } else {
                return value;
            }
        }
    }

    ExpressionValue product()
    {
        ExpressionValue value = factor();
        while (true) {
            if (takes("*")) {
                value = number(value) * number(factor());
            } else if (takes("/")) {
                value = number(value) / number(factor());
            } else {
                return value;
            }
        }
    }

    ExpressionValue factor()
    {
        Nesting nesting(*this);
        if (m_depth > deepestNesting) {
            fail({}, "is nested too deeply");
            return 0.0;
        }
        skipSpaces();
        if (takes("-")) {
            return -number(factor());
        }
        if (takes("(")) {
            ExpressionValue value = either();
            expect(")");
            return value;
        }
        if (m_at < m_text.size() && m_text[m_at] == '"') {
            return quoted();
        }
        if (m_at < m_text.size() && isDigit(m_text[m_at])) {
            return literal();
        }
        if (m_at < m_text.size() && startsName(m_text[m_at])) {
            return named();
        }
        fail(std::string(m_text.substr(std::min(m_at, m_text.size()), 20)), "is no number, text or name");
        return 0.0;
    }

    void expect(std::string_view token)
    {
        if (!takes(token)) {
            fail(std::string(m_text.substr(m_at, 20)), "needs a " + std::string(token) + " here");
        }
    }

    ExpressionValue quoted()
    {
        const std::size_t end = m_text.find('"', m_at + 1);
        if (end == std::string_view::npos) {
            fail({}, "has a text that does not end");
            return 0.0;
        }
        std::string text(m_text.substr(m_at + 1, end - m_at - 1));
        m_at = end + 1;
        return text;
    }

    ExpressionValue literal()
    {
        double value = 0;
        const auto [end, error] = std::from_chars(m_text.data() + m_at, m_text.data() + m_text.size(), value);
        if (error != std::errc()) {
            fail(std::string(m_text.substr(m_at, 20)), "is not a number");
            return 0.0;
        }
        m_at = static_cast<std::size_t>(end - m_text.data());
        return value;
    }

    ExpressionValue named()
    {
        const std::size_t start = m_at;
        while (m_at < m_text.size() && continuesName(m_text[m_at])) {
            ++m_at;
        }
        const std::string_view name = m_text.substr(start, m_at - start);
        if (takes("(")) {
            return call(name);
        }
        if (name == "true" || name == "false") {
            return name == "true" ? 1.0 : 0.0;
        }
        std::optional<ExpressionValue> value = m_names.value ? m_names.value(name) : std::nullopt;
        if (!value) {
            fail(std::string(name), "is not known", "a key of `partita evaluate --json`, of a scenario, or a value");
        }
        return std::move(value).value_or(0.0);
    }

    ExpressionValue call(std::string_view name)
    {
        std::vector<double> arguments;
        if (!takes(")")) {
            do {
                arguments.push_back(number(either()));
            } while (takes(","));
            expect(")");
        }
        if (!m_problem.empty()) {
            return 0.0;
        }
        if ((name == "min" || name == "max") && !arguments.empty()) {
            return name == "min" ? *std::min_element(arguments.begin(), arguments.end())
                                 : *std::max_element(arguments.begin(), arguments.end());
        }
        if ((name == "ceil" || name == "floor") && arguments.size() == 1) {
            return name == "ceil" ? std::ceil(arguments.front()) : std::floor(arguments.front());
        }
        const std::optional<double> value = m_names.call ? m_names.call(name, arguments) : std::nullopt;
        if (!value) {
            fail(std::string(name), "is no function of so many numbers");
        }
        return value.value_or(0.0);
    }

    struct Nesting {
        explicit Nesting(Reader& reader)
            : m_reader(reader)
        {
            ++m_reader.m_depth;
        }
        ~Nesting() { --m_reader.m_depth; }
        Nesting(const Nesting&) = delete;
        Nesting& operator=(const Nesting&) = delete;

    private:
        Reader& m_reader;
    };

    std::string_view m_text;
    const ExpressionNames& m_names;
    std::size_t m_at = 0;
    int m_depth = 0;
    Problems m_problem;
};

} // namespace

Result<ExpressionValue> evaluateExpression(std::string_view text, const ExpressionNames& names)
{
    return Reader(text, names).read();
}

Result<double> evaluateNumber(std::string_view text, const ExpressionNames& names)
{
    const Result<ExpressionValue> value = evaluateExpression(text, names);
    if (!value) {
        return value.problems;
    }
    const double* number = std::get_if<double>(&*value);
    if (number == nullptr || !std::isfinite(*number)) {
        return Problem{std::string(text), {}, number == nullptr ? "is a text" : "is not finite", "a number"};
    }
    return *number;
}

} // namespace partita
