// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli.h"
#include "app/cli_options.h"
#include "core/base/names.h"
#include "core/base/words.h"

#include <cstdint>

namespace partita::cli {

/// Reads the values of options into fields and collects everything that is wrong with them and with the command line.
/// One rule for all verbs: what cannot be understood is a usage error; a value of its kind that is out of bounds is not
/// legal, as in scenario files.
class OptionReader {
public:
    explicit OptionReader(const Arguments& arguments)
        : m_arguments(arguments)
    {
        refuse(Usage, arguments.problems);
    }

    const Arguments& arguments() const { return m_arguments; }

    template <class I> void integer(std::string_view option, I& field, std::int64_t least, std::int64_t most)
    {
        if (const std::optional<std::int64_t> value = readInteger(option, least, most)) {
            field = static_cast<I>(*value);
        }
    }
    void number(std::string_view option, double& field, double least, double most);

    template <class E> void choice(std::string_view option, E& field)
    {
        if (const std::optional<std::string> text = m_arguments.valueOf(option)) {
            field = chosen<E>(option, *text).value_or(field);
        }
    }
    /// Every word of an option that may be given several times.
    template <class E> std::vector<E> choices(std::string_view option, const std::vector<std::string>& words)
    {
        std::vector<E> values;
        for (const std::string& word : words) {
            if (const std::optional<E> value = chosen<E>(option, word)) {
                values.push_back(*value);
            }
        }
        return values;
    }
    /// A word that must be one of those known.
    bool isOneOf(std::string_view option, std::string_view word, const std::vector<std::string_view>& known);

    void require(std::string_view option, std::string_view suggestion);
    /// The first has no effect without the second, and with it none at all.
    void onlyWith(std::string_view option, std::string_view other);
    void notWith(std::string_view option, std::string_view other);
    void idle(std::string_view option, std::string_view why);

    void refuse(int exitCode, const Problems& problems);
    void refuse(int exitCode, const Problem& problem) { refuse(exitCode, Problems{problem}); }

    bool fine() const { return m_problems.empty(); }
    /// Says what is wrong and returns the exit code of the worst understood: usage before the scenario before files.
    int refusal() const { return cli::refuse(m_arguments, m_problems, m_exitCode); }

private:
    std::optional<std::int64_t> readInteger(std::string_view option, std::int64_t least, std::int64_t most);

    template <class E> std::optional<E> chosen(std::string_view option, std::string_view word)
    {
        std::vector<std::string_view> keys;
        for (const Name<E>& name : Names<E>::table) {
            keys.push_back(name.key);
        }
        return isOneOf(option, word, keys) ? fromKey<E>(word) : std::nullopt;
    }

    const Arguments& m_arguments;
    Problems m_problems;
    int m_exitCode = Done;
};

} // namespace partita::cli
