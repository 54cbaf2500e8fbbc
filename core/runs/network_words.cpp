// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/run_scenario.h"

#include "core/base/words.h"

#include <cctype>
#include <charconv>

namespace partita {

namespace {

/// The number that ends right before position end, and where it begins; 0 when there is none.
double numberBefore(std::string_view text, std::size_t end, std::size_t& begin)
{
    while (end > 0 && text[end - 1] == ' ') {
        --end;
    }
    begin = end;
    while (begin > 0 && (std::isdigit(static_cast<unsigned char>(text[begin - 1])) != 0 || text[begin - 1] == '.')) {
        --begin;
    }
    double value = 0;
    std::from_chars(text.data() + begin, text.data() + end, value);
    return value;
}

} // namespace

double networkBandwidth(std::string_view phrase, std::int64_t devicesPerNode)
{
    const std::string text = lowered(phrase);
    const std::size_t unit = text.find("gb/s");
    std::size_t begin = 0;
    double gigabits = 0;
    double count = 1;
    bool perNode = contains(text, "node");
    if (unit != std::string::npos) {
        gigabits = numberBefore(text, unit, begin);
        if (begin > 1 && text[begin - 1] == 'x') {
            count = numberBefore(text, begin - 1, begin);
            perNode = true; // so many adapters a node
        }
        gigabits *= phrase.substr(unit, 4) == "GB/s" ? 8 : 1;
    } else if (contains(text, "omnipath")) {
        gigabits = 100; // Omni-Path Architecture 100 series
        count = numberBefore(text, text.find("omnipath"), begin);
        perNode = true;
    }
    const double bytes = gigabits * count * 1e9 / 8;
    return perNode && devicesPerNode > 0 ? bytes / static_cast<double>(devicesPerNode) : bytes;
}

} // namespace partita
