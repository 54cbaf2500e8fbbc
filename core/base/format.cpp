// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/format.h"

#include "core/base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace partita {

namespace {

constexpr std::string_view notANumber = "—";

struct Unit {
    double size;
    std::string_view name;
};

/// Commas into the whole part of a plain decimal number.
std::string grouped(std::string number)
{
    const std::size_t first = !number.empty() && number.front() == '-' ? 1 : 0;
    const std::size_t point = std::min(number.find('.'), number.size());
    for (std::size_t at = point; at > first + 3;) {
        at -= 3;
        number.insert(at, 1, ',');
    }
    return number;
}

double rounded(double value, int digits)
{
    const std::string text = fmt::format("{:.{}e}", value, digits - 1);
    double result = value;
    std::from_chars(text.data(), text.data() + text.size(), result); // std::stod would ask the locale
    return result;
}

/// The largest unit not larger than the value after rounding, so that 999.6 ms reads "1.00 s". units: largest first.
template <std::size_t N> const Unit& unitFor(double value, int digits, const std::array<Unit, N>& units)
{
    for (const Unit& unit : units) {
        if (std::abs(rounded(value / unit.size, digits)) >= 1) {
            return unit;
        }
    }
    return units.back();
}

std::string withoutTrailingZeros(std::string number)
{
    if (number.find('.') != std::string::npos) {
        number.erase(number.find_last_not_of('0') + 1);
        if (number.back() == '.') {
            number.pop_back();
        }
    }
    return number;
}

} // namespace

std::string formatCount(std::int64_t count)
{
    return grouped(fmt::format("{}", count));
}

std::string formatSignificant(double value, int digits)
{
    if (!std::isfinite(value)) {
        return std::string(notANumber);
    }
    if (value == 0) {
        return "0";
    }
    const int exponent = static_cast<int>(std::floor(std::log10(std::abs(rounded(value, digits)))));
    return grouped(fmt::format("{:.{}f}", value, std::max(0, digits - 1 - exponent)));
}

std::string formatBytes(double bytes)
{
    static constexpr std::array units{Unit{gibibyte, "GiB"}, Unit{1024.0 * 1024.0, "MiB"}, Unit{1024.0, "KiB"},
                                      Unit{1, "B"}};
    if (!std::isfinite(bytes)) {
        return std::string(notANumber);
    }
    const Unit& unit = unitFor(bytes, 3, units);
    return fmt::format("{} {}", formatSignificant(bytes / unit.size), unit.name);
}

std::string formatGibibytes(double bytes)
{
    return formatSignificant(bytes / gibibyte);
}

std::string formatSeconds(double seconds)
{
    static constexpr std::array units{Unit{1, "s"}, Unit{1e-3, "ms"}, Unit{1e-6, "µs"}};
    if (!std::isfinite(seconds)) {
        return std::string(notANumber);
    }
    const Unit& unit = seconds == 0 ? units.front() : unitFor(seconds, 3, units);
    return fmt::format("{} {}", formatSignificant(seconds / unit.size), unit.name);
}

std::string formatPercent(double share)
{
    if (!std::isfinite(share)) {
        return std::string(notANumber);
    }
    return grouped(fmt::format("{:.1f}", share * 100)) + " %";
}

namespace {

constexpr std::array scaledUnits{Unit{1e12, " T"}, Unit{1e9, " B"}, Unit{1e6, " M"}, Unit{1e3, " K"}, Unit{1, ""}};

} // namespace

std::string formatScaled(double value, int digits)
{
    const Unit& unit = unitFor(value, digits, scaledUnits);
    return fmt::format("{}{}", withoutTrailingZeros(formatSignificant(value / unit.size, digits)), unit.name);
}

std::string formatDays(double days)
{
    constexpr double hoursPerDay = 24;
    if (!std::isfinite(days)) {
        return std::string(notANumber);
    }
    if (std::abs(rounded(days, 2)) < 1) {
        return formatSignificant(days * hoursPerDay, 2) + " hours";
    }
    const std::string number = withoutTrailingZeros(formatSignificant(days, 2));
    return number + (number == "1" ? " day" : " days");
}

std::string formatDollars(double dollars)
{
    if (!std::isfinite(dollars)) {
        return std::string(notANumber);
    }
    const double size = std::abs(dollars);
    const Unit& unit = unitFor(size, 3, scaledUnits);
    // "$2.50", and "$13.0 M" beside "$12.9 M": amounts are read one below the other.
    return fmt::format("{}{}{}", dollars < 0 ? "-$" : "$", formatSignificant(size / unit.size), unit.name);
}

} // namespace partita
