// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/run_scenario.h"

#include "core/base/words.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

namespace partita {

namespace {

/// A number as text: sign, digits, point and exponent that end right before position end.
std::string_view numberBefore(std::string_view text, std::size_t end)
{
    const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    while (end > 0 && text[end - 1] == ' ') {
        --end;
    }
    std::size_t begin = end;
    while (begin > 0 && (digit(text[begin - 1]) || std::string_view(".+-e").find(text[begin - 1]) != text.npos)) {
        --begin;
    }
    // "HDR-200" and "node 200" end in a number, "-200" is one.
    while (begin < end && !digit(text[begin]) && !(text[begin] == '-' && (begin == 0 || text[begin - 1] == ' '))) {
        ++begin;
    }
    return text.substr(begin, end - begin);
}

/// Within reason, as Gb/s and as a number of adapters; nullopt where the text is no such number.
std::optional<double> amount(std::string_view text)
{
    constexpr double least = 0.01;
    constexpr double most = 1e6;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole && value >= least && value <= most ? std::optional(value) : std::nullopt;
}

} // namespace

Result<double> networkBandwidth(std::string_view phrase, std::int64_t devicesPerNode)
{
    const std::string text = lowered(phrase);
    const std::size_t unit = text.find("gb/s");
    std::string_view rate;
    std::string_view count;
    double gigabits = 1;
    bool perNode = contains(text, "node");
    if (unit != std::string::npos) {
        rate = numberBefore(text, unit);
        gigabits = phrase.substr(unit, 4) == "GB/s" ? 8 : 1;
        const auto begin = static_cast<std::size_t>(rate.data() - text.data());
        if (begin > 1 && text[begin - 1] == 'x') {
            count = numberBefore(text, begin - 1);
            perNode = true; // so many adapters a node
        }
    } else if (contains(text, "omnipath")) {
        rate = "100"; // Omni-Path Architecture 100 series
        count = numberBefore(text, text.find("omnipath"));
        perNode = true;
    } else {
        return 0.0;
    }
    const std::optional<double> each = amount(rate);
    const std::optional<double> adapters = count.empty() ? 1 : amount(count);
    if (!each || !adapters) {
        return Problem{"cluster.inter_node", std::string(phrase), "is not a bandwidth",
                       "a positive number before Gb/s or GB/s, as 8x200 Gb/s per node"};
    }
    const double bytes = *each * gigabits * *adapters * 1e9 / 8;
    return perNode && devicesPerNode > 0 ? bytes / static_cast<double>(devicesPerNode) : bytes;
}

} // namespace partita
