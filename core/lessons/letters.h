// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What the texts and expressions of lessons are spelt with. Internal to core/lessons.

#include <algorithm>
#include <array>
#include <string_view>

namespace partita {

inline bool isSpace(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
inline bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}
inline bool startsName(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
inline bool continuesName(char c)
{
    return startsName(c) || isDigit(c) || c == '.' || c == '[' || c == ']';
}

/// Nothing that can be seen: spaces, those of Unicode included.
inline bool isBlank(std::string_view text)
{
    constexpr std::array<std::string_view, 5> unseen{"\u00a0", "\u200b", "\u2003", "\u3000", "\ufeff"};
    while (!text.empty()) {
        const auto found =
            std::find_if(unseen.begin(), unseen.end(), [&](auto one) { return text.substr(0, one.size()) == one; });
        if (found == unseen.end() && !isSpace(text.front())) {
            return false;
        }
        text.remove_prefix(found == unseen.end() ? 1 : found->size());
    }
    return true;
}

} // namespace partita
