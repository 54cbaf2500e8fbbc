// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli.h"
#include "app/cli_options.h"
#include "core/base/names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <cstdint>

namespace partita::cli {

/// Why there is no scenario, and the exit code that says so.
struct Refusal {
    Problems problems;
    int exitCode = 0;
};

/// Reads the values of options into fields and collects everything that is wrong with them. What is not of its kind is a
/// usage error; what is out of bounds is not legal, as in scenario files.
class OptionReader {
public:
    explicit OptionReader(const Arguments& arguments)
        : m_arguments(arguments)
    {
    }

    template <class I> void integer(std::string_view option, I& field, std::int64_t least, std::int64_t most)
    {
        const std::optional<std::string> text = m_arguments.valueOf(option);
        if (!text) {
            return;
        }
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
        if (error == std::errc::invalid_argument || end != text->data() + text->size()) {
            refuse(Usage, {std::string(option), *text, "must be a whole number", {}});
        } else if (error != std::errc() || value > most || value < least) {
            refuse(NotLegal,
                   {std::string(option), *text, "is out of range",
                    least < 0 ? fmt::format("at most {}", most) : fmt::format("{} to {}", least, most)});
        } else {
            field = static_cast<I>(value);
        }
    }

    void number(std::string_view option, double& field, double most)
    {
        const std::optional<std::string> text = m_arguments.valueOf(option);
        if (!text) {
            return;
        }
        double value = 0;
        const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
        if (error != std::errc() || end != text->data() + text->size() || !std::isfinite(value)) {
            refuse(Usage, {std::string(option), *text, "must be a number", {}});
        } else if (value < 0 || value > most) {
            refuse(NotLegal, {std::string(option), *text, "is out of range", fmt::format("0 to {}", most)});
        } else {
            field = value;
        }
    }

    template <class E> void choice(std::string_view option, E& field)
    {
        const std::optional<std::string> text = m_arguments.valueOf(option);
        if (!text) {
            return;
        }
        if (const std::optional<E> value = fromKey<E>(*text)) {
            field = *value;
            return;
        }
        std::vector<std::string_view> keys;
        for (const Name<E>& name : Names<E>::table) {
            keys.push_back(name.key);
        }
        refuse(Usage, {std::string(option), *text, "not known", fmt::format("one of {}", fmt::join(keys, ", "))});
    }

    void refuse(int exitCode, const Problems& problems)
    {
        m_refusal.exitCode = m_refusal.problems.empty() ? exitCode : std::min(m_refusal.exitCode, exitCode);
        m_refusal.problems.insert(m_refusal.problems.end(), problems.begin(), problems.end());
    }
    void refuse(int exitCode, const Problem& problem) { refuse(exitCode, Problems{problem}); }

    std::optional<Refusal> refusal() const
    {
        return m_refusal.problems.empty() ? std::nullopt : std::optional(m_refusal);
    }

private:
    const Arguments& m_arguments;
    Refusal m_refusal;
};

} // namespace partita::cli
