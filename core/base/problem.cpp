// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/problem.h"

#include "core/base/words.h"

namespace partita {

std::string describe(const Problem& problem)
{
    // Enough for a path or a list of choices; what a hostile file holds is not echoed whole.
    constexpr std::size_t longest = 320;
    constexpr std::size_t longestValue = 80;
    std::string text = elided(problem.field, longest);
    if (!problem.value.empty()) {
        text += (text.empty() ? "" : ": ") + elided(problem.value, longestValue);
    }
    text += (text.empty() ? "" : ": ") + elided(problem.message, longest);
    if (!problem.suggestion.empty()) {
        text += " (" + elided(problem.suggestion, longest) + ")";
    }
    return text;
}

} // namespace partita
