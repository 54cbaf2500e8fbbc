// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace partita {

/// Numbers of a lesson's text that nothing works out: digits ("46.7", "8-way", "80GB"), words from three on ("nine
/// thousand", "eightfold"), shares ("a fifth") and placeholders that are a number themselves ("{8}"). Not those in
/// names
/// ("ZeRO-1", "H100", "1F1B"), in formulas between backticks that name something, "one", "two", "half", "twice" and
/// what says a place in an order ("the third stage").
std::vector<std::string> writtenNumbers(std::string_view written);

} // namespace partita
