// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/json_text.h"

#include "core/base/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace partita {

using nlohmann::json;

std::string memberPath(std::string_view parent, std::string_view key)
{
    return parent.empty() ? std::string(key) : fmt::format("{}.{}", parent, key);
}

std::string elementPath(std::string_view parent, std::size_t index)
{
    return fmt::format("{}[{}]", parent, index);
}

namespace {

constexpr std::size_t maxProblems = 50;
constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";

/// What the parser reads, and how its positions map back onto what the user wrote.
struct PreparedText {
    std::string text;
    std::vector<std::size_t> inserted; ///< positions in text that the original does not have
};

/// Blanks "ClassName" before the first brace, so that line and column stay those of the file.
void blankClassName(std::string& text)
{
    const std::size_t brace = text.find('{');
    if (brace == std::string::npos) {
        return;
    }
    const std::string_view before(text.data(), brace);
    const bool isName = std::all_of(before.begin(), before.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0
            || std::string_view("_. \t\r\n").find(c) != std::string_view::npos;
    });
    if (isName) {
        std::replace_if(
            text.begin(), text.begin() + static_cast<std::ptrdiff_t>(brace),
            [](char c) { return c != '\n' && c != '\r'; }, ' ');
    }
}

/// Index behind the string literal that starts at a quote.
std::size_t skipString(std::string_view text, std::size_t quote)
{
    std::size_t i = quote + 1;
    while (i < text.size() && text[i] != '"') {
        i += text[i] == '\\' ? std::size_t{2} : std::size_t{1};
    }
    return std::min(i + 1, text.size());
}

PreparedText withNonFiniteAsNull(std::string_view text)
{
    PreparedText result;
    result.text.reserve(text.size() + 16);
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == '"') {
            const std::size_t end = skipString(text, i);
            result.text.append(text.substr(i, end - i));
            i = end;
            continue;
        }
        std::size_t length = 0;
        for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
            if (text.substr(i, word.size()) == word) {
                length = word.size();
                break;
            }
        }
        if (length == 0) {
            result.text += text[i++];
            continue;
        }
        result.text += "null";
        if (length < 4) {
            result.inserted.push_back(result.text.size() - 1);
        } else {
            result.text.append(length - 4, ' ');
        }
        i += length;
    }
    return result;
}

/// The parser's message without its prefix ("[...] parse error at line 1, column 5: "), its raw bytes and its length.
std::string tidied(std::string_view what)
{
    for (const std::string_view prefix : {"] ", "parse error at ", ": ", "syntax error while parsing "}) {
        const std::size_t at = what.find(prefix);
        const bool isThere = prefix == "] " || prefix == ": " ? at != std::string_view::npos : at == 0;
        if (!isThere) {
            break;
        }
        what.remove_prefix(at + prefix.size());
    }
    std::string text(what);
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < 0x20 || c > 0x7e; }, '?');
    return elided(text, 160);
}

/// Builds the tree under the limits and notes duplicate keys.
class TreeBuilder : public nlohmann::json_sax<json> {
public:
    TreeBuilder(const PreparedText& text, const JsonOptions& options)
        : m_text(text)
        , m_options(options)
    {
    }

    bool null() override { return add(nullptr) != nullptr; }
    bool boolean(bool value) override { return add(value) != nullptr; }
    bool number_integer(json::number_integer_t value) override { return add(value) != nullptr; }
    bool number_unsigned(json::number_unsigned_t value) override { return add(value) != nullptr; }
    bool number_float(json::number_float_t value, const std::string&) override { return add(value) != nullptr; }
    bool string(std::string& value) override { return add(std::move(value)) != nullptr; }
    bool binary(json::binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open(json::object()); }
    bool start_array(std::size_t) override { return open(json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(std::string& name) override
    {
        Open& top = m_open.back();
        if (top.value->contains(name) && problems.size() < maxProblems) {
            problems.push_back({memberPath(path(), name), "", "is given twice", "keep one of them"});
        }
        top.key = std::move(name);
        return true;
    }

    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override
    {
        problems.push_back(
            {"", "", fmt::format("not JSON: {}: {}", lineAndColumn(position), tidied(error.what())), ""});
        return false;
    }

    json root;
    Problems problems;

private:
    struct Open {
        json* value;
        std::string key;
    };

    json* add(json value)
    {
        if (++m_values > m_options.maxValues) {
            problems.push_back({"", "", fmt::format("holds more than {} values", m_options.maxValues), ""});
            return nullptr;
        }
        if (m_open.empty()) {
            root = std::move(value);
            return &root;
        }
        Open& top = m_open.back();
        if (top.value->is_array()) {
            top.value->push_back(std::move(value));
            return &top.value->back();
        }
        return &((*top.value)[top.key] = std::move(value));
    }

    bool open(json container)
    {
        if (m_open.size() >= static_cast<std::size_t>(std::max(m_options.maxDepth, 0))) {
            problems.push_back({"", "", fmt::format("is nested deeper than {} levels", m_options.maxDepth), ""});
            return false;
        }
        json* place = add(std::move(container));
        if (place == nullptr) {
            return false;
        }
        m_open.push_back({place, {}});
        return true;
    }

    bool close()
    {
        m_open.pop_back();
        return true;
    }

    std::string path() const
    {
        std::string text;
        for (std::size_t i = 0; i + 1 < m_open.size(); ++i) {
            const json& container = *m_open[i].value;
            text = container.is_array() ? elementPath(text, container.size() - 1) : memberPath(text, m_open[i].key);
        }
        return text;
    }

    std::string lineAndColumn(std::size_t position) const
    {
        const std::size_t end = std::min(position, m_text.text.size());
        std::size_t line = 1;
        std::size_t lineStart = 0;
        for (std::size_t i = 0; i + 1 < end; ++i) {
            if (m_text.text[i] == '\n') {
                ++line;
                lineStart = i + 1;
            }
        }
        const auto shift = std::count_if(m_text.inserted.begin(), m_text.inserted.end(),
                                         [&](std::size_t at) { return at >= lineStart && at < end; });
        return fmt::format("line {}, column {}", line,
                           std::max<std::size_t>(end - lineStart - static_cast<std::size_t>(shift), 1));
    }

    const PreparedText& m_text;
    const JsonOptions& m_options;
    std::vector<Open> m_open;
    std::size_t m_values = 0;
};

} // namespace

Result<json> parseJson(std::string_view text, const JsonOptions& options)
{
    if (text.size() > options.maxBytes) {
        return Problem{"", fmt::format("{} bytes", text.size()),
                       fmt::format("is larger than the {} bytes that are read", options.maxBytes), ""};
    }
    if (text.substr(0, byteOrderMark.size()) == byteOrderMark) {
        text.remove_prefix(byteOrderMark.size());
    }
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        return Problem{"", "", "is empty", ""};
    }
    // The parser would take one for the end and let everything behind it pass unread.
    if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
        const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(zero), '\n');
        return Problem{"", "", fmt::format("not JSON: line {}: a zero byte, as in UTF-16 and binary files", line),
                       "save it as UTF-8"};
    }
    PreparedText prepared = options.nonFiniteAsNull ? withNonFiniteAsNull(text) : PreparedText{std::string(text), {}};
    if (options.skipClassName) {
        blankClassName(prepared.text);
    }
    TreeBuilder builder(prepared, options);
    const bool parsed = json::sax_parse(prepared.text, &builder);
    if (!parsed || !builder.problems.empty()) {
        return std::move(builder.problems);
    }
    return std::move(builder.root);
}

} // namespace partita
