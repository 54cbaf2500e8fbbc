// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lessons/expression_names.h"

#include "core/lessons/letters.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace partita {

namespace {

constexpr std::array<std::string_view, 4> builtIns{"min", "max", "ceil", "floor"};
constexpr std::array<std::string_view, 5> words{"and", "or", "not", "true", "false"};
constexpr std::array<std::string_view, 2> scenarios{nowPlace, startPlace};

template <std::size_t n> bool isIn(const std::array<std::string_view, n>& all, std::string_view one)
{
    return std::find(all.begin(), all.end(), one) != all.end();
}

class Scanner {
public:
    explicit Scanner(std::string_view text)
        : m_text(text)
    {
    }

    std::vector<NamedPart> scan()
    {
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (c == '"') {
                m_at = std::min(m_text.find('"', m_at + 1), m_text.size() - 1) + 1;
            } else if (isDigit(c)) {
                number();
            } else if (startsName(c)) {
                named();
            } else {
                ++m_at;
            }
        }
        return std::move(m_parts);
    }

private:
    /// "1e9" holds no name.
    void number()
    {
        double value = 0;
        const char* begin = m_text.data() + m_at;
        const char* end = std::from_chars(begin, m_text.data() + m_text.size(), value).ptr;
        m_at += static_cast<std::size_t>(std::max<std::ptrdiff_t>(end - begin, 1));
    }

    void named()
    {
        const std::size_t start = m_at;
        while (m_at < m_text.size() && continuesName(m_text[m_at])) {
            ++m_at;
        }
        const std::string_view name = m_text.substr(start, m_at - start);
        std::size_t next = m_at;
        while (next < m_text.size() && isSpace(m_text[next])) {
            ++next;
        }
        const bool call = next < m_text.size() && m_text[next] == '(';
        if (isIn(words, name) || (call && isBuiltIn(name))) {
            return;
        }
        NamedPart part{name, name, call, {}};
        if (call) {
            m_at = next;
            part.arguments = arguments();
            part.text = m_text.substr(start, m_at - start);
        }
        m_parts.push_back(std::move(part));
    }

    /// Between the parenthesis here and its other half, which is passed.
    std::vector<std::string_view> arguments()
    {
        std::vector<std::string_view> found;
        std::size_t start = m_at + 1;
        int depth = 0;
        for (; m_at < m_text.size(); ++m_at) {
            const char c = m_text[m_at];
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (depth == 0 || (depth == 1 && c == ',')) {
                found.push_back(m_text.substr(start, m_at - start));
                start = m_at + 1;
            }
            if (depth == 0) {
                ++m_at;
                break;
            }
        }
        return found;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::vector<NamedPart> m_parts;
};

} // namespace

std::vector<NamedPart> namedParts(std::string_view expression)
{
    return Scanner(expression).scan();
}

bool isBuiltIn(std::string_view function)
{
    return isIn(builtIns, function);
}

bool canNameValue(std::string_view name)
{
    return !name.empty() && startsName(name.front()) && !isIn(words, name) && !isIn(scenarios, name) && !isBuiltIn(name)
        && std::all_of(name.begin(), name.end(), [](char c) { return startsName(c) || isDigit(c); });
}

} // namespace partita
