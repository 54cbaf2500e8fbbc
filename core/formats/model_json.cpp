// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/model_json.h"

#include "core/model/check_model.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

namespace partita {

namespace {

constexpr int maxNesting = 8;

/// Recursive descent over: order = item { " " item }; item = [count "x"] (index | "(" order ")").
class OrderParser {
public:
    explicit OrderParser(std::string_view text)
        : m_text(text)
    {
    }

    Result<std::vector<int>> parse()
    {
        std::vector<int> layers = order(0);
        if (m_error.empty() && m_at < m_text.size()) {
            fail("is not expected here");
        }
        if (m_error.empty() && layers.empty()) {
            fail("names no layer");
        }
        if (!m_error.empty()) {
            return Problem{"", fmt::format("\"{}\"", m_text.substr(0, 60)), m_error,
                           "like \"3x0 58x1\" or \"4x(7x0 1)\""};
        }
        return layers;
    }

private:
    std::vector<int> order(int nesting)
    {
        std::vector<int> layers;
        skipSpace();
        while (m_error.empty() && m_at < m_text.size() && m_text[m_at] != ')') {
            append(layers, item(nesting));
            skipSpace();
        }
        return layers;
    }

    std::vector<int> item(int nesting)
    {
        int count = 1;
        if (m_text[m_at] != '(') {
            const int number = integer();
            if (m_at >= m_text.size() || m_text[m_at] != 'x') {
                return {number};
            }
            ++m_at;
            count = number;
        }
        std::vector<int> once;
        if (m_at < m_text.size() && m_text[m_at] == '(') {
            ++m_at;
            once = nesting < maxNesting ? order(nesting + 1) : std::vector<int>();
            if (nesting >= maxNesting) {
                fail("is nested too deep");
            } else if (m_at >= m_text.size()) {
                fail("misses a ')'");
            } else {
                ++m_at;
            }
        } else {
            once = {integer()};
        }
        std::vector<int> repeated;
        for (int i = 0; i < count && m_error.empty() && !once.empty(); ++i) {
            append(repeated, once);
        }
        return repeated;
    }

    int integer()
    {
        int number = 0;
        const char* begin = m_text.data() + m_at;
        const auto [end, error] = std::from_chars(begin, m_text.data() + m_text.size(), number);
        if (error != std::errc() || number < 0 || number > ModelBounds::layers) {
            fail("is not a layer kind or a count");
            return 0;
        }
        m_at += static_cast<std::size_t>(end - begin);
        return number;
    }

    void append(std::vector<int>& layers, const std::vector<int>& more)
    {
        if (static_cast<std::int64_t>(layers.size() + more.size()) > ModelBounds::layers) {
            fail(fmt::format("gives more than {} layers", static_cast<std::int64_t>(ModelBounds::layers)));
            return;
        }
        layers.insert(layers.end(), more.begin(), more.end());
    }

    void skipSpace()
    {
        while (m_at < m_text.size() && m_text[m_at] == ' ') {
            ++m_at;
        }
    }

    void fail(std::string message)
    {
        if (m_error.empty()) {
            m_error = fmt::format("{} at character {}", message, m_at + 1);
        }
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::string m_error;
};

std::string runs(const int* begin, const int* end)
{
    std::string text;
    for (const int* at = begin; at != end;) {
        const int* next = at;
        while (next != end && *next == *at) {
            ++next;
        }
        text += text.empty() ? "" : " ";
        text += next - at == 1 ? fmt::to_string(*at) : fmt::format("{}x{}", next - at, *at);
        at = next;
    }
    return text;
}

std::string snakeCase(std::string_view camelCase)
{
    std::string text;
    for (const char c : camelCase) {
        if (std::isupper(static_cast<unsigned char>(c)) != 0) {
            text += '_';
        }
        text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return text;
}

} // namespace

std::string writeLayerOrder(const std::vector<int>& layers)
{
    const int* begin = layers.data();
    const std::size_t size = layers.size();
    std::string shortest = runs(begin, begin + size);
    for (std::size_t period = 2; period * 2 <= size; ++period) {
        if (size % period == 0 && std::equal(begin + period, begin + size, begin)) {
            std::string repeated = fmt::format("{}x({})", size / period, runs(begin, begin + period));
            if (repeated.size() < shortest.size()) {
                shortest = std::move(repeated);
            }
            break; // a longer period only repeats this one
        }
    }
    return shortest;
}

Result<std::vector<int>> readLayerOrder(std::string_view text)
{
    return OrderParser(text).parse();
}

void readModel(FieldReader& reader, Model& model)
{
    const std::size_t before = reader.problems().size();
    describe(reader, model);
    if (reader.problems().size() > before) {
        return;
    }
    for (const Problem& problem : checkModel(model)) {
        reader.problem(snakeCase(problem.field), problem.value, problem.message, problem.suggestion);
    }
}

} // namespace partita
