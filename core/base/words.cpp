// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace partita {

namespace {

/// Edit distance with transpositions of neighbours counted once.
std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> before;
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substitution = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitution});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        before = last;
        last.swap(row);
    }
    return last[b.size()];
}

/// Whether a UTF-8 sequence goes on at this byte.
bool continues(std::string_view text, std::size_t at)
{
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

} // namespace

std::string_view closest(std::string_view word, const std::vector<std::string_view>& candidates)
{
    constexpr std::size_t longestWord = 64;
    std::string_view best;
    if (word.size() > longestWord) {
        return best;
    }
    std::size_t bestDistance = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const std::string_view candidate : candidates) {
        const std::size_t distance = candidate.size() > longestWord ? bestDistance : editDistance(word, candidate);
        if (distance < bestDistance) {
            bestDistance = distance;
            best = candidate;
        }
    }
    return best;
}

std::string suggestKey(std::string_view word, const std::vector<std::string_view>& candidates)
{
    const std::string_view near = closest(word, candidates);
    if (!near.empty()) {
        return fmt::format("did you mean '{}'?", near);
    }
    constexpr std::size_t few = 16;
    return candidates.empty() || candidates.size() > few ? std::string()
                                                         : fmt::format("one of {}", fmt::join(candidates, ", "));
}

std::string lowered(std::string_view text)
{
    std::string result(text);
    for (char& letter : result) {
        letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
    return result;
}

bool contains(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t first = text.find_first_not_of(blanks);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> splitAt(std::string_view text, std::string_view separator)
{
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t at = text.find(separator);
        parts.push_back(trimmed(text.substr(0, at)));
        if (at == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(at + separator.size());
    }
}

std::string elided(std::string_view text, std::size_t most)
{
    if (text.size() <= most) {
        return std::string(text);
    }
    std::size_t head = most * 2 / 3;
    std::size_t tail = text.size() - (most - head);
    while (head > 0 && continues(text, head)) {
        --head;
    }
    while (continues(text, tail)) {
        ++tail;
    }
    return fmt::format("{}…{}", text.substr(0, head), text.substr(tail));
}

} // namespace partita
