// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/option_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace partita::cli {

namespace {

template <class T> bool parses(const std::string& text, T& value, bool& tooLarge)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    tooLarge = error == std::errc::result_out_of_range;
    return error != std::errc::invalid_argument && end == text.data() + text.size();
}

} // namespace

std::optional<std::int64_t> OptionReader::readInteger(std::string_view option, std::int64_t least, std::int64_t most)
{
    const std::optional<std::string> text = m_arguments.valueOf(option);
    if (!text) {
        return std::nullopt;
    }
    std::int64_t value = 0;
    bool tooLarge = false;
    if (!parses(*text, value, tooLarge)) {
        refuse(Usage, {std::string(option), *text, "must be a whole number", {}});
        return std::nullopt;
    }
    if (tooLarge || value > most || value < least) {
        refuse(NotLegal,
               {std::string(option), *text, "is out of range",
                least < 0 ? fmt::format("at most {}", most) : fmt::format("{} to {}", least, most)});
        return std::nullopt;
    }
    return value;
}

void OptionReader::number(std::string_view option, double& field, double least, double most)
{
    const std::optional<std::string> text = m_arguments.valueOf(option);
    if (!text) {
        return;
    }
    double value = 0;
    bool tooLarge = false;
    if (!parses(*text, value, tooLarge) || !std::isfinite(value)) {
        refuse(Usage, {std::string(option), *text, "must be a number", {}});
    } else if (tooLarge || value < least || value > most) {
        refuse(NotLegal, {std::string(option), *text, "is out of range", fmt::format("{} to {}", least, most)});
    } else {
        field = value;
    }
}

bool OptionReader::isOneOf(std::string_view option, std::string_view word, const std::vector<std::string_view>& known)
{
    if (std::find(known.begin(), known.end(), word) != known.end()) {
        return true;
    }
    refuse(Usage, {std::string(option), std::string(word), "is not known", suggestKey(word, known)});
    return false;
}

void OptionReader::require(std::string_view option, std::string_view suggestion)
{
    if (!m_arguments.has(option)) {
        refuse(Usage, {std::string(option), {}, "is missing", std::string(suggestion)});
    }
}

void OptionReader::onlyWith(std::string_view option, std::string_view other)
{
    if (!m_arguments.has(other)) {
        idle(option, fmt::format("has no effect without {}", other));
    }
}

void OptionReader::notWith(std::string_view option, std::string_view other)
{
    if (m_arguments.has(other)) {
        idle(option, fmt::format("has no effect beside {}", other));
    }
}

void OptionReader::idle(std::string_view option, std::string_view why)
{
    if (const std::optional<std::string> value = m_arguments.valueOf(option)) {
        refuse(Usage, {std::string(option), *value, std::string(why), "leave it out"});
    }
}

void OptionReader::refuse(int exitCode, const Problems& problems)
{
    if (!problems.empty()) {
        m_exitCode = m_problems.empty() ? exitCode : std::min(m_exitCode, exitCode);
        for (const Problem& problem : problems) { // what is wrong twice is said once
            if (std::find(m_problems.begin(), m_problems.end(), problem) == m_problems.end()) {
                m_problems.push_back(problem);
            }
        }
    }
}

} // namespace partita::cli
