// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

/// The candidate closest to a word that may be a misspelling of it; empty when none is close.
std::string_view closest(std::string_view word, const std::vector<std::string_view>& candidates);

/// "did you mean 'x'?", or the list of candidates when none is close and they are few.
std::string suggestKey(std::string_view word, const std::vector<std::string_view>& candidates);

/// ASCII letters in lower case, the rest as it is.
std::string lowered(std::string_view text);
bool contains(std::string_view text, std::string_view part);

/// Without the blanks at its ends.
std::string_view trimmed(std::string_view text);
/// What is between separators, each part trimmed; of an empty text one part, which is empty.
std::vector<std::string_view> splitAt(std::string_view text, std::string_view separator);

/// The text, or its two ends around an ellipsis when it is longer than that many bytes. Valid UTF-8 stays valid.
std::string elided(std::string_view text, std::size_t most);

} // namespace partita
