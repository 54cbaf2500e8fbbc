// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/embedded_xml.h"

#include "core/base/words.h"
#include "core/formats/embedded_scenario.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <vector>

namespace partita {

namespace {

constexpr std::string_view usualPrefix = "partita:";
constexpr std::string_view scenarioNamespace = "urn:partita:scenario";
constexpr std::string_view behindName = " \t\r\n>";
constexpr std::size_t mostPrefixes = 8; // each is looked for in the whole file
constexpr std::size_t longestAttribute = 64; // bytes, from its name to its value

struct Entity {
    char character;
    std::string_view text;
};

constexpr std::array entities{Entity{'&', "&amp;"}, Entity{'<', "&lt;"}, Entity{'>', "&gt;"}, Entity{'"', "&quot;"},
                              Entity{'\'', "&apos;"}};

std::string escaped(std::string_view text)
{
    std::string result;
    for (const char c : text) {
        const auto* entity =
            std::find_if(entities.begin(), entities.end(), [c](const Entity& each) { return each.character == c; });
        entity == entities.end() ? result.push_back(c) : void(result.append(entity->text));
    }
    return result;
}

std::string utf8(std::uint32_t code)
{
    const auto tail = [code](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3f)); };
    if (code < 0x80) {
        return {static_cast<char>(code)};
    }
    if (code < 0x800) {
        return {static_cast<char>(0xc0 | code >> 6), tail(0)};
    }
    if (code < 0x10000) {
        return {static_cast<char>(0xe0 | code >> 12), tail(6), tail(0)};
    }
    return {static_cast<char>(0xf0 | code >> 18), tail(12), tail(6), tail(0)};
}

/// "&#38;" and "&#x26;" at the beginning of a text, with how long that is.
std::optional<std::pair<std::string, std::size_t>> numericReference(std::string_view text)
{
    if (text.substr(0, 2) != "&#") {
        return std::nullopt;
    }
    const bool hexadecimal = text.substr(2, 1) == "x";
    const std::string_view digits = text.substr(hexadecimal ? 3 : 2, 8);
    std::uint32_t code = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, hexadecimal ? 16 : 10);
    const auto length = static_cast<std::size_t>(end - text.data());
    const bool valid = error == std::errc() && text.substr(length, 1) == ";" && code > 0 && code <= 0x10ffff;
    return valid ? std::optional(std::pair(utf8(code), length + 1)) : std::nullopt;
}

std::string unescaped(std::string_view text)
{
    constexpr std::string_view sectionOpen = "<![CDATA[";
    constexpr std::string_view sectionClose = "]]>";
    std::string result;
    bool mayClose = true; // a section, somewhere in the rest
    while (!text.empty()) {
        std::size_t close = std::string_view::npos;
        if (mayClose && text.substr(0, sectionOpen.size()) == sectionOpen) {
            close = text.find(sectionClose);
            mayClose = close != std::string_view::npos;
        }
        const auto* entity = std::find_if(entities.begin(), entities.end(), [&](const Entity& each) {
            return text.substr(0, each.text.size()) == each.text;
        });
        if (close != std::string_view::npos) {
            result.append(text.substr(sectionOpen.size(), close - sectionOpen.size()));
            text.remove_prefix(close + sectionClose.size());
        } else if (const auto reference = numericReference(text)) {
            result.append(reference->first);
            text.remove_prefix(reference->second);
        } else {
            result.push_back(entity == entities.end() ? text.front() : entity->character);
            text.remove_prefix(entity == entities.end() ? 1 : entity->text.size());
        }
    }
    return result;
}

/// With their colons; "" where it is somewhere the default. Programs that write a file anew may give another one, and
/// declare it further up.
std::vector<std::string> prefixesOf(std::string_view xml)
{
    std::vector<std::string> prefixes{std::string(usualPrefix)};
    for (std::size_t at = xml.find(scenarioNamespace); at != std::string_view::npos && prefixes.size() < mostPrefixes;
         at = xml.find(scenarioNamespace, at + 1)) {
        const std::size_t quote = at == 0 ? 0 : at - 1;
        const std::size_t from = quote - std::min(quote, longestAttribute);
        std::string_view before = trimmed(xml.substr(from, quote - from));
        if (before.empty() || before.back() != '=') {
            continue;
        }
        before = trimmed(before.substr(0, before.size() - 1));
        const std::string_view attribute = before.substr(before.find_last_of(behindName) + 1);
        std::string prefix;
        if (attribute.substr(0, 6) == "xmlns:") {
            prefix = std::string(attribute.substr(6)) + ':';
        } else if (attribute != "xmlns") {
            continue;
        }
        if (std::find(prefixes.begin(), prefixes.end(), prefix) == prefixes.end()) {
            prefixes.push_back(std::move(prefix));
        }
    }
    return prefixes;
}

std::optional<std::string> textOf(std::string_view xml, const std::string& name)
{
    const std::string start = '<' + name;
    std::size_t open = xml.find(start);
    while (open != std::string_view::npos
           && behindName.find(xml.substr(open + start.size(), 1)) == std::string_view::npos) {
        open = xml.find(start, open + 1);
    }
    const std::size_t close = open == std::string_view::npos ? open : xml.find("</" + name, open);
    const std::size_t begin = close == std::string_view::npos ? close : xml.find('>', open);
    if (begin == std::string_view::npos || begin > close) {
        return std::nullopt;
    }
    return unescaped(xml.substr(begin + 1, close - begin - 1));
}

std::string elementName(std::size_t index)
{
    return std::string(usualPrefix) + embeddedName("scenario", index);
}

} // namespace

std::string embeddedName(std::string_view name, std::size_t index)
{
    return index == 0 ? std::string(name) : std::string(name) + '-' + static_cast<char>('a' + index);
}

std::optional<std::string> scenarioElement(std::string_view xml, std::size_t index)
{
    for (const std::string& prefix : prefixesOf(xml)) {
        if (std::optional<std::string> text = textOf(xml, prefix + embeddedName("scenario", index))) {
            return text;
        }
    }
    return std::nullopt;
}

std::string scenarioElements(const std::vector<std::string>& scenarios)
{
    std::string elements;
    for (std::size_t i = 0; i < scenarios.size(); ++i) {
        elements += '<' + elementName(i) + " xmlns:partita=\"" + std::string(scenarioNamespace) + "\">"
            + escaped(scenarios[i]) + "</" + elementName(i) + '>';
    }
    return elements;
}

std::string scenarioXmp(std::string_view title, const std::vector<std::string>& scenarios)
{
    return "<?xpacket begin=\"\xef\xbb\xbf\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"
           "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">"
           "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
           "<rdf:Description rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\">"
           "<dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\">"
        + escaped(title) + "</rdf:li></rdf:Alt></dc:title>" + scenarioElements(scenarios)
        + "</rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end=\"w\"?>\n";
}

} // namespace partita
