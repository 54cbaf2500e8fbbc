// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli_options.h"

#include "core/base/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace partita::cli {

namespace {

constexpr Option help{"--help", "", "print this"};

const Option* findOption(const std::vector<Option>& known, std::string_view name)
{
    if (name == help.name || name == "-h") {
        return &help;
    }
    const auto at = std::find_if(known.begin(), known.end(), [&](const Option& option) { return option.name == name; });
    return at == known.end() ? nullptr : &*at;
}

/// The option that a misspelt name most likely means.
const Option* nearestOption(std::string_view name, const std::vector<Option>& known)
{
    std::vector<std::string_view> names;
    for (const Option& option : known) {
        if (option.refused.empty()) {
            names.push_back(option.name);
        }
    }
    const std::string_view meant = closest(name, names);
    return meant.empty() ? nullptr : findOption(known, meant);
}

/// Whether a word is one of "a|b|c".
bool isAlternative(std::string_view argument, const std::string& word)
{
    return !word.empty() && word.find('|') == std::string::npos
        && ('|' + std::string(argument) + '|').find('|' + word + '|') != std::string::npos;
}

/// Whether a word that stands where an alternative could is meant as one: it names no file.
bool meansAlternative(const std::string& word)
{
    return word.find_first_of("-./\\") == std::string::npos;
}

class ArgumentParser {
public:
    ArgumentParser(const std::vector<std::string>& words, const std::vector<Option>& known, std::size_t mostPositional)
        : m_words(words)
        , m_known(known)
        , m_mostPositional(mostPositional)
    {
    }

    Arguments parse()
    {
        bool optionsEnded = false;
        for (m_at = 0; m_at < m_words.size(); ++m_at) {
            const std::string& word = m_words[m_at];
            if (!optionsEnded && word == "--") {
                optionsEnded = true;
            } else if (optionsEnded || word.size() < 2 || word[0] != '-') {
                takePositional(word);
            } else {
                takeOption(word);
            }
        }
        refuseRepeats();
        return std::move(m_parsed);
    }

private:
    void refuse(Problem problem) { m_parsed.problems.push_back(std::move(problem)); }

    void takePositional(const std::string& word)
    {
        if (m_parsed.positional.size() == m_mostPositional) {
            refuse({word, {}, "unexpected argument", {}});
        } else {
            m_parsed.positional.push_back(word);
        }
    }

    void takeOption(const std::string& word)
    {
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        const Option* option = findOption(m_known, name);
        if (option == nullptr) {
            const Option* meant = nearestOption(name, m_known);
            refuse({name,
                    {},
                    "unknown option",
                    meant == nullptr ? std::string() : fmt::format("did you mean '{}'?", meant->name)});
            const bool tookValue = meant != nullptr && !meant->argument.empty() && equals == std::string::npos;
            m_at += tookValue ? 1 : 0;
            return;
        }
        std::string value = equals == std::string::npos ? std::string() : word.substr(equals + 1);
        if (option->argument.empty()) {
            if (equals != std::string::npos) {
                refuse({name, value, "takes no argument", {}});
                return;
            }
        } else if (equals == std::string::npos && !option->alone.empty()) {
            // What is not known is left for the option's reader to refuse.
            const bool follows = m_at + 1 < m_words.size()
                && (isAlternative(option->argument, m_words[m_at + 1]) || meansAlternative(m_words[m_at + 1]));
            value = follows ? m_words[++m_at] : std::string(option->alone);
        } else if (equals == std::string::npos) {
            if (m_at + 1 == m_words.size() || findOption(m_known, m_words[m_at + 1]) != nullptr) {
                refuse({name, {}, "needs an argument", fmt::format("{} {}", name, option->argument)});
                return;
            }
            value = m_words[++m_at];
        }
        if (option->refused.empty()) {
            m_parsed.options.emplace_back(option->name, value);
        } else {
            refuse({name, value, std::string(option->refused), {}});
        }
    }

    /// The last of two values would win in silence. A flag said twice says the same.
    void refuseRepeats()
    {
        for (const Option& option : m_known) {
            const std::vector<std::string> values = m_parsed.valuesOf(option.name);
            if (values.size() > 1 && option.times == Times::Once && !option.argument.empty()) {
                refuse({std::string(option.name), fmt::format("{}", fmt::join(values, " and ")),
                        "is given more than once", "leave one"});
            }
        }
    }

    const std::vector<std::string>& m_words;
    const std::vector<Option>& m_known;
    std::size_t m_mostPositional;
    std::size_t m_at = 0;
    Arguments m_parsed;
};

} // namespace

std::optional<std::string> Arguments::valueOf(std::string_view name) const
{
    const auto at =
        std::find_if(options.begin(), options.end(), [&](const auto& option) { return option.first == name; });
    return at == options.end() ? std::nullopt : std::optional(at->second);
}

std::vector<std::string> Arguments::valuesOf(std::string_view name) const
{
    std::vector<std::string> values;
    for (const auto& [option, value] : options) {
        if (option == name) {
            values.push_back(value);
        }
    }
    return values;
}

Arguments parseArguments(std::string_view verb, const std::vector<std::string>& words, const std::vector<Option>& known,
                         std::size_t mostPositional)
{
    Arguments parsed = ArgumentParser(words, known, mostPositional).parse();
    parsed.verb = verb;
    return parsed;
}

std::string describeOptions(const std::vector<Option>& options)
{
    std::string text;
    const auto add = [&text](const Option& option) {
        const std::string argument =
            option.alone.empty() ? std::string(option.argument) : fmt::format("[{}]", option.argument);
        const std::string left =
            argument.empty() ? std::string(option.name) : fmt::format("{} {}", option.name, argument);
        text += fmt::format("  {:<28} {}\n", left, option.help);
    };
    for (const Option& option : options) {
        if (option.refused.empty()) {
            add(option);
        }
    }
    add(help);
    return text;
}

} // namespace partita::cli
