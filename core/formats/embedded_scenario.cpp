// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/embedded_scenario.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace partita {

namespace {

constexpr std::string_view pngSignature("\x89PNG\r\n\x1a\n", 8);
constexpr std::string_view commentOpen = "# partita-scenario";
constexpr std::size_t pngChunkFrame = 12; // length, type, checksum

/// "partita:scenario", and of those behind the first "partita:scenario-b", ...: no reader has to know of a list.
std::string nameOf(std::string_view name, std::size_t index)
{
    return index == 0 ? std::string(name) : std::string(name) + '-' + static_cast<char>('a' + index);
}

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

std::string unescaped(std::string_view text)
{
    std::string result;
    while (!text.empty()) {
        const auto* entity = std::find_if(entities.begin(), entities.end(), [&](const Entity& each) {
            return text.substr(0, each.text.size()) == each.text;
        });
        result.push_back(entity == entities.end() ? text.front() : entity->character);
        text.remove_prefix(entity == entities.end() ? 1 : entity->text.size());
    }
    return result;
}

std::uint32_t bigEndian(std::string_view bytes)
{
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) {
        value = value << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
    }
    return value;
}

std::string fourBytes(std::uint32_t value)
{
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) {
        bytes.push_back(static_cast<char>(value >> shift & 0xff));
    }
    return bytes;
}

/// CRC-32 of ISO 3309, as PNG asks for.
std::uint32_t checksum(std::string_view bytes)
{
    std::uint32_t crc = 0xffffffff;
    for (const char c : bytes) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) {
            crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320U : 0U);
        }
    }
    return ~crc;
}

/// The text of an uncompressed iTXt chunk behind its keyword: two flags, language, translated keyword, text.
std::optional<std::string> chunkText(std::string_view data, std::string_view keyword)
{
    if (data.substr(0, keyword.size()) != keyword || data.size() < keyword.size() + 5 || data[keyword.size()] != '\0'
        || data[keyword.size() + 1] != '\0') {
        return std::nullopt;
    }
    data.remove_prefix(keyword.size() + 3);
    for (int part = 0; part < 2; ++part) {
        const std::size_t end = data.find('\0');
        if (end == std::string_view::npos) {
            return std::nullopt;
        }
        data.remove_prefix(end + 1);
    }
    return std::string(data);
}

std::optional<std::string> inPng(std::string_view png, std::size_t index)
{
    const std::string keyword = nameOf("partita-scenario", index);
    std::size_t at = pngSignature.size();
    while (at + pngChunkFrame <= png.size()) {
        const std::size_t length = bigEndian(png.substr(at, 4));
        if (length > png.size() - at - pngChunkFrame) {
            break;
        }
        if (png.substr(at + 4, 4) == "iTXt") {
            if (std::optional<std::string> text = chunkText(png.substr(at + 8, length), keyword)) {
                return text;
            }
        }
        at += length + pngChunkFrame;
    }
    return std::nullopt;
}

std::string elementName(std::size_t index)
{
    return nameOf("partita:scenario", index);
}

std::optional<std::string> inElement(std::string_view bytes, std::size_t index)
{
    const std::string start = '<' + elementName(index);
    std::size_t open = bytes.find(start);
    while (open != std::string_view::npos
           && std::string_view(" \t\r\n>").find(bytes.substr(open + start.size(), 1)) == std::string_view::npos) {
        open = bytes.find(start, open + 1);
    }
    const std::size_t close =
        open == std::string_view::npos ? open : bytes.find("</" + elementName(index) + '>', open);
    const std::size_t begin = close == std::string_view::npos ? close : bytes.find('>', open);
    if (begin == std::string_view::npos || begin > close) {
        return std::nullopt;
    }
    return unescaped(bytes.substr(begin + 1, close - begin - 1));
}

constexpr std::string_view hexDigits = "0123456789ABCDEF";

bool isPlain(char c)
{
    return c > ' ' && c < 0x7f && std::string_view("%\",;'").find(c) == std::string_view::npos;
}

/// One cell that needs no quotes: JSON without white space between its tokens, percent-encoded.
std::string cellOf(std::string_view json)
{
    std::string cell;
    bool inString = false;
    bool behindBackslash = false;
    for (const char c : json) {
        if (!inString && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
            continue;
        }
        inString = c == '"' && !behindBackslash ? !inString : inString;
        behindBackslash = c == '\\' && !behindBackslash;
        if (isPlain(c)) {
            cell += c;
        } else {
            const auto byte = static_cast<unsigned char>(c);
            cell += {'%', hexDigits[byte >> 4], hexDigits[byte & 15]};
        }
    }
    return cell;
}

std::size_t hexValue(char c)
{
    return hexDigits.find(c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c);
}

std::string decoded(std::string_view cell)
{
    std::string text;
    for (std::size_t i = 0; i < cell.size(); ++i) {
        const std::size_t high = i + 2 < cell.size() ? hexValue(cell[i + 1]) : std::string_view::npos;
        const std::size_t low = i + 2 < cell.size() ? hexValue(cell[i + 2]) : std::string_view::npos;
        if (cell[i] == '%' && high != std::string_view::npos && low != std::string_view::npos) {
            text += static_cast<char>(high << 4 | low);
            i += 2;
        } else {
            text += cell[i];
        }
    }
    return text;
}

bool isJson(std::string_view text)
{
    return text.substr(0, 1) == "{" || text.substr(0, 1) == "[";
}

/// Where the comment line with the name begins; a program that wrote the table again may have put it in quotes.
std::size_t commentAt(std::string_view csv, const std::string& opening)
{
    for (std::size_t at = csv.find(opening); at != std::string_view::npos; at = csv.find(opening, at + 1)) {
        if (at == 0 || csv[at - 1] == '\n' || csv[at - 1] == '"') {
            return at;
        }
    }
    return std::string_view::npos;
}

std::optional<std::string> inCsv(std::string_view csv, std::size_t index)
{
    const std::string opening = nameOf(commentOpen, index) + ": ";
    const std::size_t at = commentAt(csv, opening);
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view line = csv.substr(at + opening.size());
    return decoded(line.substr(0, line.find_first_of("\",;\t\r\n")));
}

/// Cells of a header less one, each a comma.
std::string emptyCells(std::string_view csv)
{
    std::string commas;
    bool quoted = false;
    for (const char c : csv) {
        quoted = c == '"' ? !quoted : quoted;
        if (!quoted && c == '\n') {
            break;
        }
        commas += !quoted && c == ',' ? "," : "";
    }
    return commas;
}

std::string_view trimmed(std::string_view bytes)
{
    const std::size_t first = bytes.find_first_not_of(" \t\r\n\xef\xbb\xbf");
    return first == std::string_view::npos ? std::string_view() : bytes.substr(first);
}

} // namespace

bool isCarrier(std::string_view bytes)
{
    const std::string_view rest = trimmed(bytes);
    return rest.substr(0, 1) == "<" || rest.substr(0, 5) == "%PDF-" || rest.substr(0, 8) == pngSignature
        || (!isJson(rest) && commentAt(rest, std::string(commentOpen)) != std::string_view::npos);
}

std::vector<std::string> embeddedScenarios(std::string_view bytes)
{
    std::vector<std::string> scenarios;
    if (!isCarrier(bytes)) {
        return scenarios;
    }
    const std::string_view rest = trimmed(bytes);
    const auto read = bytes.substr(0, pngSignature.size()) == pngSignature ? inPng
        : rest.substr(0, 1) == "<" || rest.substr(0, 5) == "%PDF-"         ? inElement
                                                                           : inCsv;
    while (scenarios.size() < mostEmbedded) {
        std::optional<std::string> scenario = read(bytes, scenarios.size());
        if (!scenario) {
            break;
        }
        scenarios.push_back(*std::move(scenario));
    }
    return scenarios;
}

std::string scenarioElements(const std::vector<std::string>& scenarios)
{
    std::string elements;
    for (std::size_t i = 0; i < scenarios.size(); ++i) {
        elements += '<' + elementName(i) + " xmlns:partita=\"urn:partita:scenario\">" + escaped(scenarios[i]) + "</"
            + elementName(i) + '>';
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

std::string pngWithScenarios(std::string_view png, const std::vector<std::string>& scenarios)
{
    constexpr std::size_t headerEnd = 8 + 12 + 13;
    if (png.substr(0, pngSignature.size()) != pngSignature || png.size() < headerEnd) {
        return std::string(png);
    }
    std::string result(png.substr(0, headerEnd));
    for (std::size_t i = 0; i < scenarios.size(); ++i) {
        std::string body = "iTXt" + nameOf("partita-scenario", i);
        body += std::string("\0\0\0\0\0", 5); // end of keyword, not compressed, method, no language, no translation
        body += scenarios[i];
        result += fourBytes(static_cast<std::uint32_t>(body.size() - 4)) + body + fourBytes(checksum(body));
    }
    return result + std::string(png.substr(headerEnd));
}

std::string csvWithScenarios(std::string_view csv, const std::vector<std::string>& scenarios)
{
    std::string result(csv);
    for (std::size_t i = 0; i < scenarios.size(); ++i) {
        result += nameOf(commentOpen, i) + ": " + cellOf(scenarios[i]) + emptyCells(csv) + "\r\n";
    }
    return result;
}

} // namespace partita
