// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace partita {

namespace {

using Kind = Expression::Kind;

/// How tightly an operator binds; an argument that binds less needs parentheses.
int binding(const Expression& e)
{
    switch (e.kind) {
    case Kind::AtMost:
        return 0;
    case Kind::Add:
    case Kind::Subtract:
        return 1;
    case Kind::Negate:
    case Kind::Multiply:
    case Kind::Divide:
        return 2;
    case Kind::Power:
        return 3;
    case Kind::Number:
    case Kind::Symbol:
    case Kind::Call:
        break;
    }
    return 4;
}

bool reduces(const Expression& e)
{
    return e.kind == Kind::Call && e.args.size() == 1
        && (e.name == "sum" || e.name == "max" || e.name == "min" || e.name == "argmax");
}

struct Letter {
    std::string_view name;
    std::string_view text;
};

constexpr std::array greek{Letter{"alpha", "α"}, Letter{"beta", "β"}, Letter{"eta", "η"},
                           Letter{"tau", "τ"},   Letter{"phi", "φ"},  Letter{"omega", "ω"}};

/// One line of text; symbols as written.
struct Plain {
    static std::string number(double value) { return fmt::format("{}", value); }
    static std::string symbol(std::string_view name, bool indexed)
    {
        const SymbolText text = symbolText(name);
        return text.base + (text.subscript.empty() ? "" : "_" + text.subscript) + (indexed ? "ᵢ" : "");
    }
    static std::string sum(const std::string& body) { return "Σ " + body; }
    static std::string call(const std::string& name, const std::string& args) { return name + "(" + args + ")"; }
    static std::string group(const std::string& body) { return "(" + body + ")"; }
    static std::string product(const std::string& a, const std::string& b) { return a + "·" + b; }
    static std::string fraction(const std::string& a, const std::string& b) { return a + " / " + b; }
    static std::string power(const std::string& a, const std::string& b) { return a + "^" + b; }
    static std::string infix(const std::string& a, std::string_view op, const std::string& b)
    {
        return fmt::format("{} {} {}", a, op == "<=" ? "≤" : op == "-" ? "−" : op, b);
    }
    static std::string negative(const std::string& a) { return "−" + a; }
    static constexpr bool barFractions = false;
    static constexpr std::string_view separator = ", ";
};

struct Latex {
    static std::string number(double value) { return fmt::format("{}", value); }
    static std::string symbol(std::string_view name, bool indexed)
    {
        const std::size_t line = std::min(name.find('_'), name.size());
        const std::string base(name.substr(0, line));
        const bool isGreek =
            std::any_of(greek.begin(), greek.end(), [&](const Letter& letter) { return letter.name == base; });
        std::string below(name.substr(std::min(line + 1, name.size())));
        std::replace(below.begin(), below.end(), '_', ',');
        below = below.empty() ? below : "\\mathrm{" + below + "}";
        below += indexed ? (below.empty() ? "i" : ",i") : "";
        return (isGreek ? "\\" + base : base) + (below.empty() ? "" : "_{" + below + "}");
    }
    static std::string sum(const std::string& body) { return "\\sum_i " + body; }
    static std::string call(const std::string& name, const std::string& args)
    {
        return "\\operatorname{" + name + "}\\left(" + args + "\\right)";
    }
    static std::string group(const std::string& body) { return "\\left(" + body + "\\right)"; }
    static std::string product(const std::string& a, const std::string& b) { return a + " \\cdot " + b; }
    static std::string fraction(const std::string& a, const std::string& b) { return "\\frac{" + a + "}{" + b + "}"; }
    static std::string power(const std::string& a, const std::string& b) { return a + "^{" + b + "}"; }
    static std::string infix(const std::string& a, std::string_view op, const std::string& b)
    {
        return fmt::format("{} {} {}", a, op == "<=" ? "\\le" : op, b);
    }
    static std::string negative(const std::string& a) { return "-" + a; }
    static constexpr bool barFractions = true;
    static constexpr std::string_view separator = ", ";
};

struct MathMl {
    static std::string row(const std::string& body) { return "<mrow>" + body + "</mrow>"; }
    static std::string op(std::string_view text) { return fmt::format("<mo>{}</mo>", text); }
    static std::string number(double value) { return fmt::format("<mn>{}</mn>", value); }
    static std::string symbol(std::string_view name, bool indexed)
    {
        const SymbolText text = symbolText(name);
        const std::string base = "<mi>" + text.base + "</mi>";
        std::string below = text.subscript.empty() ? "" : "<mi mathvariant=\"normal\">" + text.subscript + "</mi>";
        below += indexed ? (below.empty() ? "<mi>i</mi>" : "<mo>,</mo><mi>i</mi>") : "";
        return below.empty() ? base : "<msub>" + base + row(below) + "</msub>";
    }
    static std::string sum(const std::string& body)
    {
        return row("<munder><mo>&#x2211;</mo><mi>i</mi></munder>" + body);
    }
    static std::string call(const std::string& name, const std::string& args)
    {
        return row("<mi mathvariant=\"normal\">" + name + "</mi>" + op("(") + args + op(")"));
    }
    static std::string group(const std::string& body) { return row(op("(") + body + op(")")); }
    static std::string product(const std::string& a, const std::string& b) { return a + op("&#x22c5;") + b; }
    static std::string fraction(const std::string& a, const std::string& b)
    {
        return "<mfrac>" + row(a) + row(b) + "</mfrac>";
    }
    static std::string power(const std::string& a, const std::string& b)
    {
        return "<msup>" + row(a) + row(b) + "</msup>";
    }
    static std::string infix(const std::string& a, std::string_view sign, const std::string& b)
    {
        return a + op(sign == "<=" ? "&#x2264;" : sign == "-" ? "&#x2212;" : sign) + b;
    }
    static std::string negative(const std::string& a) { return op("&#x2212;") + a; }
    static constexpr bool barFractions = true;
    static constexpr std::string_view separator = "<mo>,</mo>"; ///< bare text between elements is not shown
};

/// Prints an expression in a notation. Symbols come from `leaf`, which knows names or numbers.
template <class Notation, class Leaf, class Reduction> class Printer {
public:
    Printer(Leaf leaf, Reduction reduction)
        : m_leaf(std::move(leaf))
        , m_reduction(std::move(reduction))
    {
    }

    std::string print(const Expression& e) const
    {
        switch (e.kind) {
        case Kind::Number:
            return Notation::number(e.number);
        case Kind::Symbol:
            return m_leaf(e.name);
        case Kind::Negate:
            return Notation::negative(bound(e.args[0], 2));
        case Kind::Add:
            return Notation::infix(bound(e.args[0], 1), "+", bound(e.args[1], 1));
        case Kind::Subtract:
            return Notation::infix(bound(e.args[0], 1), "-", bound(e.args[1], 2));
        case Kind::Multiply:
            return Notation::product(factor(e.args[0]), factor(e.args[1]));
        case Kind::Divide:
            return Notation::barFractions ? Notation::fraction(print(e.args[0]), print(e.args[1]))
                                          : Notation::fraction(bound(e.args[0], 2), bound(e.args[1], 3));
        case Kind::Power:
            return Notation::power(bound(e.args[0], 4), bound(e.args[1], 4));
        case Kind::AtMost:
            return Notation::infix(bound(e.args[0], 1), "<=", bound(e.args[1], 1));
        case Kind::Call:
            return m_reduction(*this, e);
        }
        return {};
    }

    std::string bound(const Expression& e, int least) const
    {
        // What stands behind a sum sign binds like a product.
        const int own = reduces(e) && e.name == "sum" ? 2 : binding(e);
        return own < least ? Notation::group(print(e)) : print(e);
    }

    /// On one line, a / b·c could be read as a over b·c.
    std::string factor(const Expression& e) const
    {
        return bound(e, e.kind == Kind::Divide && !Notation::barFractions ? 3 : 2);
    }

    std::string arguments(const Expression& e) const
    {
        std::string list;
        for (const Expression& arg : e.args) {
            list += list.empty() ? print(arg) : std::string(Notation::separator) + print(arg);
        }
        return list;
    }

private:
    Leaf m_leaf;
    Reduction m_reduction;
};

template <class Notation> std::string named(const Expression& formula, const std::set<std::string>& lists)
{
    const auto leaf = [&](const std::string& name) { return Notation::symbol(name, lists.count(name) > 0); };
    const auto call = [](const auto& printer, const Expression& e) {
        return reduces(e) && e.name == "sum" ? Notation::sum(printer.bound(e.args[0], 2))
                                             : Notation::call(e.name, printer.arguments(e));
    };
    return Printer<Notation, decltype(leaf), decltype(call)>(leaf, call).print(formula);
}

constexpr std::size_t shownElements = 9;

/// The formula with the numbers of one element of its lists.
class Substitution {
public:
    Substitution(const FormulaValues& values, const std::set<std::string>& lists, const ValueText& text)
        : m_values(values)
        , m_lists(lists)
        , m_text(text)
    {
    }

    std::string print(const Expression& formula, std::size_t element) const
    {
        const auto leaf = [&](const std::string& name) { return m_text(name, m_lists.count(name) > 0 ? element : 0); };
        const auto call = [&](const auto& printer, const Expression& e) {
            const std::size_t length = lengthOf(e);
            if (length == 0 || (!reduces(e) && e.name != "percentile")) {
                return Plain::call(e.name, printer.arguments(e));
            }
            std::string body = elements(e.args[0], length, e.name == "sum");
            for (std::size_t i = 1; i < e.args.size(); ++i) {
                body += "; " + printer.print(e.args[i]);
            }
            return e.name == "sum" ? Plain::group(body) : Plain::call(e.name, body);
        };
        return Printer<Plain, decltype(leaf), decltype(call)>(leaf, call).print(formula);
    }

private:
    /// How many elements the lists inside have; 0 when there is none.
    std::size_t lengthOf(const Expression& e) const
    {
        std::size_t length = 0;
        for (const std::string& symbol : symbolsOf(e)) {
            const auto found = m_values.find(symbol);
            length =
                m_lists.count(symbol) > 0 && found != m_values.end() ? std::max(length, found->second.size()) : length;
        }
        return length;
    }

    bool isZero(const Expression& e, std::size_t element) const
    {
        FormulaValues one;
        for (const std::string& symbol : symbolsOf(e)) {
            const auto found = m_values.find(symbol);
            if (found != m_values.end() && !found->second.empty()) {
                one[symbol] = {found->second[found->second.size() == 1 ? 0 : element]};
            }
        }
        const Result<double> value = evaluateFormula(e, one);
        return value && *value == 0;
    }

    std::string elements(const Expression& e, std::size_t length, bool isSum) const
    {
        std::string body;
        std::size_t shown = 0;
        std::size_t left = 0;
        for (std::size_t i = 0; i < length; ++i) {
            if (isSum && isZero(e, i)) {
                continue;
            }
            if (shown == shownElements) {
                ++left;
                continue;
            }
            ++shown;
            body += (body.empty() ? "" : isSum ? " + " : ", ") + print(e, i);
        }
        if (left > 0) {
            body += fmt::format("{}… {} more", isSum ? " + " : ", ", left);
        }
        return body.empty() ? "0" : body;
    }

    const FormulaValues& m_values;
    const std::set<std::string>& m_lists;
    const ValueText& m_text;
};

} // namespace

SymbolText symbolText(std::string_view symbol)
{
    const std::size_t line = std::min(symbol.find('_'), symbol.size());
    std::string base(symbol.substr(0, line));
    for (const Letter& letter : greek) {
        if (letter.name == base) {
            base = std::string(letter.text);
            break;
        }
    }
    std::string below(symbol.substr(std::min(line + 1, symbol.size())));
    std::replace(below.begin(), below.end(), '_', ',');
    return {base, below};
}

std::string plainFormula(const Expression& formula, const std::set<std::string>& lists)
{
    return named<Plain>(formula, lists);
}

std::string latexFormula(const Expression& formula, const std::set<std::string>& lists)
{
    return named<Latex>(formula, lists);
}

std::string mathFormula(const Expression& formula, const std::set<std::string>& lists)
{
    return "<mrow>" + named<MathMl>(formula, lists) + "</mrow>";
}

std::string substitutedFormula(const Expression& formula, const FormulaValues& values,
                               const std::set<std::string>& lists, const ValueText& text)
{
    return Substitution(values, lists, text).print(formula, 0);
}

} // namespace partita
