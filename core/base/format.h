// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace partita {

/// Numbers as people read them: a point for decimals, commas between thousands, whatever the locale is.
/// What is not a number is written as an em dash.

/// 70553706496 -> "70,553,706,496".
std::string formatCount(std::int64_t count);
/// Rounded to so many significant digits and never written with an exponent: 6.4213 -> "6.42", 1002.7 -> "1,003".
std::string formatSignificant(double value, int digits = 3);
/// Binary units up to GiB: 73443311616 -> "68.4 GiB". Larger amounts stay in GiB, the unit devices are sold in.
std::string formatBytes(double bytes);
/// The number of formatBytes alone, always in GiB, for "68.4 of 79.1 GiB".
std::string formatGibibytes(double bytes);
/// "6.42 s", "12.3 ms", "4.50 µs", "1,234 s".
std::string formatSeconds(double seconds);
/// A share of one with one decimal: 0.441 -> "44.1 %".
std::string formatPercent(double share);
/// Decimal scale words K, M, B, T: 1.5e13 -> "15 T", 4.05e11 -> "405 B". Trailing zeros are dropped.
std::string formatScaled(double value, int digits = 3);
/// "52 days", "1 day", "7.5 hours" below a day.
std::string formatDays(double days);
/// "$3.1 M", "$950".
std::string formatDollars(double dollars);

} // namespace partita
