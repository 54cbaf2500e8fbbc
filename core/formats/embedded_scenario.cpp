// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/embedded_scenario.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace partita {

namespace {

constexpr std::string_view pngSignature("\x89PNG\r\n\x1a\n", 8);
constexpr std::string_view pngKeyword = "partita-scenario";
constexpr std::string_view elementOpen = "<partita:scenario";
constexpr std::string_view elementClose = "</partita:scenario>";
constexpr std::size_t pngChunkFrame = 12; // length, type, checksum

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
std::optional<std::string> chunkText(std::string_view data)
{
    if (data.substr(0, pngKeyword.size()) != pngKeyword || data.size() < pngKeyword.size() + 5
        || data[pngKeyword.size()] != '\0' || data[pngKeyword.size() + 1] != '\0') {
        return std::nullopt;
    }
    data.remove_prefix(pngKeyword.size() + 3);
    for (int part = 0; part < 2; ++part) {
        const std::size_t end = data.find('\0');
        if (end == std::string_view::npos) {
            return std::nullopt;
        }
        data.remove_prefix(end + 1);
    }
    return std::string(data);
}

std::optional<std::string> inPng(std::string_view png)
{
    std::size_t at = pngSignature.size();
    while (at + pngChunkFrame <= png.size()) {
        const std::size_t length = bigEndian(png.substr(at, 4));
        if (length > png.size() - at - pngChunkFrame) {
            break;
        }
        if (png.substr(at + 4, 4) == "iTXt") {
            if (std::optional<std::string> text = chunkText(png.substr(at + 8, length))) {
                return text;
            }
        }
        at += length + pngChunkFrame;
    }
    return std::nullopt;
}

} // namespace

bool isCarrier(std::string_view bytes)
{
    const std::size_t first = bytes.find_first_not_of(" \t\r\n\xef\xbb\xbf");
    const std::string_view rest = first == std::string_view::npos ? std::string_view() : bytes.substr(first);
    return rest.substr(0, 1) == "<" || rest.substr(0, 5) == "%PDF-" || rest.substr(0, 8) == pngSignature;
}

std::optional<std::string> embeddedScenario(std::string_view bytes)
{
    if (!isCarrier(bytes)) {
        return std::nullopt;
    }
    if (bytes.substr(0, pngSignature.size()) == pngSignature) {
        return inPng(bytes);
    }
    const std::size_t open = bytes.find(elementOpen);
    const std::size_t close = open == std::string_view::npos ? open : bytes.find(elementClose, open);
    const std::size_t begin = close == std::string_view::npos ? close : bytes.find('>', open);
    if (begin == std::string_view::npos || begin > close) {
        return std::nullopt;
    }
    return unescaped(bytes.substr(begin + 1, close - begin - 1));
}

std::string scenarioElement(std::string_view scenario)
{
    return std::string(elementOpen) + " xmlns:partita=\"urn:partita:scenario\">" + escaped(scenario)
        + std::string(elementClose);
}

std::string scenarioXmp(std::string_view title, std::string_view scenario)
{
    return "<?xpacket begin=\"\xef\xbb\xbf\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"
           "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">"
           "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
           "<rdf:Description rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\">"
           "<dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\">"
        + escaped(title) + "</rdf:li></rdf:Alt></dc:title>" + scenarioElement(scenario)
        + "</rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end=\"w\"?>\n";
}

std::string pngWithScenario(std::string_view png, std::string_view scenario)
{
    constexpr std::size_t headerEnd = 8 + 12 + 13;
    if (png.substr(0, pngSignature.size()) != pngSignature || png.size() < headerEnd) {
        return std::string(png);
    }
    std::string body = "iTXt" + std::string(pngKeyword);
    body += std::string("\0\0\0\0\0", 5); // end of keyword, not compressed, method, no language, no translation
    body += scenario;
    return std::string(png.substr(0, headerEnd)) + fourBytes(static_cast<std::uint32_t>(body.size() - 4)) + body
        + fourBytes(checksum(body)) + std::string(png.substr(headerEnd));
}

} // namespace partita
