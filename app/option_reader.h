// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli.h"
#include "app/cli_options.h"
#include "core/base/names.h"
#include "core/base/words.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace partita::cli {

/// Another word that users type for a value.
template <class E> struct Synonym {
    E value;
    std::string_view word;
};

/// Specialise with a table as that of Names.
template <class E> struct Synonyms {
    static constexpr std::array<Synonym<E>, 0> table{};
};

/// What a typed word means: a key, or another word for it, whatever its case, with hyphens or underscores.
template <class E> std::optional<E> fromWord(std::string_view word)
{
    std::string plain = lowered(word);
    std::replace(plain.begin(), plain.end(), '_', '-');
    for (const Synonym<E>& synonym : Synonyms<E>::table) {
        if (synonym.word == plain) {
            return synonym.value;
        }
    }
    const std::optional<E> exact = fromKey<E>(word);
    return exact ? exact : fromKey<E>(plain);
}

/// Keys, each with the other words for it: "tp, global-batch (or batch, gbs), devices".
template <class E> std::string knownWords()
{
    std::string text;
    for (const Name<E>& name : Names<E>::table) {
        std::string others;
        for (const Synonym<E>& synonym : Synonyms<E>::table) {
            if (synonym.value == name.value) {
                others.append(others.empty() ? " (or " : ", ").append(synonym.word);
            }
        }
        text.append(text.empty() ? "" : ", ").append(name.key).append(others).append(others.empty() ? "" : ")");
    }
    return text;
}

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

    /// False where there is a word that is not known.
    template <class E> bool choice(std::string_view option, E& field)
    {
        const std::optional<std::string> text = m_arguments.valueOf(option);
        const std::optional<E> value = text ? chosen<E>(option, *text) : field;
        field = value.value_or(field);
        return value.has_value();
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
        const std::optional<E> value = fromWord<E>(word);
        if (!value) {
            std::vector<std::string_view> words;
            for (const Name<E>& name : Names<E>::table) {
                words.push_back(name.key);
            }
            for (const Synonym<E>& synonym : Synonyms<E>::table) {
                words.push_back(synonym.word);
            }
            const std::string_view near = closest(word, words);
            refuse(Usage,
                   Problem{std::string(option), std::string(word), "is not known",
                           near.empty() ? "one of " + knownWords<E>() : "did you mean '" + std::string(near) + "'?"});
        }
        return value;
    }

    const Arguments& m_arguments;
    Problems m_problems;
    int m_exitCode = Done;
};

} // namespace partita::cli
