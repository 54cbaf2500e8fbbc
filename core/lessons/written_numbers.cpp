// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lessons/written_numbers.h"

#include "core/base/words.h"
#include "core/lessons/expression_names.h"
#include "core/lessons/letters.h"

#include <algorithm>
#include <array>

namespace partita {

namespace {

constexpr std::array<std::string_view, 34> cardinals{
    "three",   "four",     "five",     "six",     "seven",    "eight",     "nine",     "ten",      "eleven",
    "twelve",  "thirteen", "fourteen", "fifteen", "sixteen",  "seventeen", "eighteen", "nineteen", "twenty",
    "thirty",  "forty",    "fifty",    "sixty",   "seventy",  "eighty",    "ninety",   "hundred",  "thousand",
    "million", "billion",  "trillion", "dozen",   "hundreds", "thousands", "millions"};
/// Shares wherever they stand.
constexpr std::array<std::string_view, 12> shares{"quarter", "quarters", "thirds",   "fourths",
                                                  "fifths",  "sixths",   "sevenths", "eighths",
                                                  "ninths",  "tenths",   "twelfths", "sixteenths"};
/// Shares after "a", "an", "one" and other cardinals; places in an order otherwise.
constexpr std::array<std::string_view, 15> ordinals{"third",     "fourth",    "fifth",     "sixth",      "seventh",
                                                    "eighth",    "ninth",     "tenth",     "twelfth",    "sixteenth",
                                                    "twentieth", "thirtieth", "hundredth", "thousandth", "millionth"};

template <std::size_t n> bool isIn(const std::array<std::string_view, n>& words, std::string_view word)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool isWordPart(char c)
{
    return isDigit(c) || isLetter(c) || c == '_' || c == '-';
}

/// "1F1B": letters between digits.
bool isNameOfDigits(std::string_view word)
{
    const auto letter = std::find_if(word.begin(), word.end(), isLetter);
    return std::find_if(letter, word.end(), isDigit) != word.end() && word.find('-') == std::string_view::npos;
}

/// Also where it is part of a compound: "eight-way", "threefold".
bool saysNumber(std::string_view word, std::string_view before)
{
    if (isIn(ordinals, word)) {
        return before == "a" || before == "an" || before == "one" || isIn(cardinals, before);
    }
    constexpr std::string_view fold = "fold";
    if (word.size() > fold.size() && word.substr(word.size() - fold.size()) == fold) {
        word.remove_suffix(fold.size());
    }
    return isIn(cardinals, word) || isIn(shares, word);
}

class Finder {
public:
    explicit Finder(std::string_view written)
        : m_written(written)
    {
    }

    std::vector<std::string> find()
    {
        while (m_at < m_written.size()) {
            const char c = m_written[m_at];
            if (c == '{') {
                placeholder();
            } else if (c == '`') {
                formula();
            } else if (isWordPart(c)) {
                word();
            } else {
                if (c == '.' || c == ',' || c == ';' || c == ':') {
                    m_before.clear();
                }
                ++m_at;
            }
        }
        return std::move(m_found);
    }

private:
    /// What stands between here and a closing character, which is passed.
    std::string_view upTo(char closing)
    {
        const std::size_t end = std::min(m_written.find(closing, m_at + 1), m_written.size());
        const std::string_view inside = m_written.substr(m_at + 1, end - m_at - 1);
        m_at = std::min(end + 1, m_written.size());
        return inside;
    }

    void placeholder()
    {
        const std::string_view inside = upTo('}');
        const std::size_t bar = std::min(inside.rfind('|'), inside.size());
        const std::string_view expression = inside.substr(0, bar);
        const std::string_view counted = inside.substr(std::min(inside.find(' ', bar), inside.size()));
        if (std::any_of(expression.begin(), expression.end(), isDigit) && namedParts(expression).empty()) {
            m_found.push_back("{" + std::string(inside) + "}");
        }
        for (std::string& number : writtenNumbers(counted)) {
            m_found.push_back(std::move(number));
        }
        m_before = "three"; // a number stood here: "{two} thirds"
    }

    void formula()
    {
        const std::string_view inside = upTo('`');
        if (std::none_of(inside.begin(), inside.end(), isLetter)
            && std::any_of(inside.begin(), inside.end(), isDigit)) {
            m_found.emplace_back(inside);
        }
        m_before.clear();
    }

    void word()
    {
        const std::size_t start = m_at;
        const auto isInside = [this](std::size_t i) {
            const char c = m_written[i];
            const bool separator = (c == '.' || c == ',') && i + 1 < m_written.size() && isDigit(m_written[i + 1])
                && i > 0 && isDigit(m_written[i - 1]);
            return isWordPart(c) || separator;
        };
        while (m_at < m_written.size() && isInside(m_at)) {
            ++m_at;
        }
        std::string_view word = m_written.substr(start, m_at - start);
        while (!word.empty() && word.front() == '-') {
            word.remove_prefix(1);
        }
        if (!word.empty() && isDigit(word.front())) {
            if (!isNameOfDigits(word)) {
                m_found.emplace_back(word);
            }
            m_before = "three";
            return;
        }
        compound(word);
    }

    void compound(std::string_view word)
    {
        bool found = false;
        const std::string lower = lowered(word);
        for (std::size_t start = 0; start <= lower.size();) {
            const std::size_t end = std::min(lower.find('-', start), lower.size());
            const std::string part = lower.substr(start, end - start);
            found = found || saysNumber(part, m_before);
            m_before = part;
            start = end + 1;
        }
        if (found) {
            m_found.emplace_back(word);
        }
    }

    std::string_view m_written;
    std::size_t m_at = 0;
    std::string m_before; ///< the word before this one, in lower case
    std::vector<std::string> m_found;
};

} // namespace

std::vector<std::string> writtenNumbers(std::string_view written)
{
    return Finder(written).find();
}

} // namespace partita
