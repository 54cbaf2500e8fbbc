// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/embedded_scenario.h"

#include "core/base/words.h"
#include "core/formats/embedded_xml.h"

#include <cstdint>
#include <optional>

namespace partita {

namespace {

constexpr std::string_view pngSignature("\x89PNG\r\n\x1a\n", 8);
constexpr std::string_view commentOpen = "# partita-scenario";
constexpr std::size_t pngChunkFrame = 12; // length, type, checksum

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
    const std::string keyword = embeddedName("partita-scenario", index);
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
        if (at == 0 || std::string_view("\n\r\"").find(csv[at - 1]) != std::string_view::npos) {
            return at;
        }
    }
    return std::string_view::npos;
}

std::optional<std::string> inCsv(std::string_view csv, std::size_t index)
{
    const std::string opening = embeddedName(commentOpen, index) + ": ";
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
        if (!quoted && (c == '\n' || c == '\r')) {
            break;
        }
        commas += !quoted && c == ',' ? "," : "";
    }
    return commas;
}

std::string_view withoutMark(std::string_view bytes)
{
    constexpr std::string_view byteOrderMark = "\xef\xbb\xbf";
    return trimmed(bytes.substr(0, byteOrderMark.size()) == byteOrderMark ? bytes.substr(byteOrderMark.size()) : bytes);
}

using Read = std::optional<std::string> (*)(std::string_view bytes, std::size_t index);

Read readerOf(std::string_view bytes)
{
    const std::string_view rest = withoutMark(bytes);
    return bytes.substr(0, pngSignature.size()) == pngSignature    ? inPng
        : rest.substr(0, 1) == "<" || rest.substr(0, 5) == "%PDF-" ? scenarioElement
                                                                   : inCsv;
}

} // namespace

bool isCarrier(std::string_view bytes)
{
    const std::string_view rest = withoutMark(bytes);
    return rest.substr(0, 1) == "<" || rest.substr(0, 5) == "%PDF-" || rest.substr(0, 8) == pngSignature
        || (!isJson(rest) && commentAt(rest, std::string(commentOpen)) != std::string_view::npos);
}

std::vector<std::string> embeddedScenarios(std::string_view bytes)
{
    std::vector<std::string> scenarios;
    if (!isCarrier(bytes)) {
        return scenarios;
    }
    const Read read = readerOf(bytes);
    while (scenarios.size() < mostEmbedded) {
        std::optional<std::string> scenario = read(bytes, scenarios.size());
        if (!scenario) {
            break;
        }
        scenarios.push_back(*std::move(scenario));
    }
    return scenarios;
}

bool missesScenario(std::string_view bytes)
{
    const Read read = readerOf(bytes);
    bool missing = false;
    for (std::size_t i = 0; isCarrier(bytes) && i < mostEmbedded; ++i) {
        const bool found = read(bytes, i).has_value();
        if (missing && found) {
            return true;
        }
        missing = missing || !found;
    }
    return false;
}

std::string pngWithScenarios(std::string_view png, const std::vector<std::string>& scenarios)
{
    constexpr std::size_t headerEnd = 8 + 12 + 13;
    if (png.substr(0, pngSignature.size()) != pngSignature || png.size() < headerEnd) {
        return std::string(png);
    }
    std::string result(png.substr(0, headerEnd));
    for (std::size_t i = 0; i < scenarios.size(); ++i) {
        std::string body = "iTXt" + embeddedName("partita-scenario", i);
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
        result += embeddedName(commentOpen, i) + ": " + cellOf(scenarios[i]) + emptyCells(csv) + "\r\n";
    }
    return result;
}

} // namespace partita
