// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>
#include <vector>

namespace partita {

/// Scenarios that every lesson knows: the current one, and the one it began with.
inline constexpr std::string_view nowPlace = "now";
inline constexpr std::string_view startPlace = "start";

/// What an expression asks its surroundings for.
struct NamedPart {
    std::string_view text; ///< as it stands there: "layout.tp", "all_reduce(t, 2*m)"
    std::string_view name; ///< "layout.tp", "all_reduce"
    bool call = false;
    std::vector<std::string_view> arguments; ///< of a call: expressions
};

/// Names and calls, in the order in which they stand. Of min, max, ceil and floor, which need nobody, the names inside;
/// other calls in one piece.
std::vector<NamedPart> namedParts(std::string_view expression);

/// min, max, ceil, floor.
bool isBuiltIn(std::string_view function);
/// Letters, digits and underscores that read as a name: no word of expressions, no function.
bool canNameValue(std::string_view name);

} // namespace partita
