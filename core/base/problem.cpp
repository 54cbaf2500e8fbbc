// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/problem.h"

namespace partita {

std::string describe(const Problem& problem)
{
    std::string text = problem.field;
    if (!problem.value.empty()) {
        text += (text.empty() ? "" : ": ") + problem.value;
    }
    text += (text.empty() ? "" : ": ") + problem.message;
    if (!problem.suggestion.empty()) {
        text += " (" + problem.suggestion + ")";
    }
    return text;
}

} // namespace partita
