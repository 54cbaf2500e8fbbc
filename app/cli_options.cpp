// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace partita::cli {

namespace {

/// Levenshtein distance.
std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

const Option* findOption(const std::vector<Option>& known, std::string_view name)
{
    const auto at = std::find_if(known.begin(), known.end(), [&](const Option& option) { return option.name == name; });
    return at == known.end() ? nullptr : &*at;
}

Problem unknownOption(const std::string& name, const std::vector<Option>& known)
{
    std::vector<std::string> names;
    for (const Option& option : known) {
        names.emplace_back(option.name);
    }
    const std::string meant = nearestWord(name, names);
    return {name, {}, "unknown option", meant.empty() ? std::string() : "did you mean " + meant + "?"};
}

} // namespace

std::optional<std::string> Arguments::valueOf(std::string_view name) const
{
    const auto at =
        std::find_if(options.rbegin(), options.rend(), [&](const auto& option) { return option.first == name; });
    return at == options.rend() ? std::nullopt : std::optional(at->second);
}

std::string nearestWord(std::string_view word, const std::vector<std::string>& known)
{
    // Ids are short: a word of which more than a third differs is another word.
    constexpr std::size_t longest = 64;
    std::string best;
    std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
    for (const std::string& candidate : known) {
        if (word.size() > longest || candidate.size() > longest) {
            continue;
        }
        const std::size_t distance = editDistance(word, candidate);
        if (distance < least) {
            least = distance;
            best = candidate;
        }
    }
    return best;
}

Result<Arguments> parseArguments(const std::vector<std::string>& arguments, const std::vector<Option>& known,
                                 std::size_t mostPositional)
{
    Arguments parsed;
    Problems problems;
    bool optionsEnded = false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& word = arguments[i];
        if (optionsEnded || word.size() < 2 || word[0] != '-') {
            if (parsed.positional.size() == mostPositional) {
                problems.push_back({word, {}, "unexpected argument", {}});
            } else {
                parsed.positional.push_back(word);
            }
            continue;
        }
        if (word == "--") {
            optionsEnded = true;
            continue;
        }
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        const Option* option = findOption(known, name);
        if (option == nullptr) {
            problems.push_back(unknownOption(name, known));
            continue;
        }
        std::string value;
        if (equals != std::string::npos) {
            value = word.substr(equals + 1);
            if (option->argument.empty()) {
                problems.push_back({name, value, "takes no argument", {}});
                continue;
            }
        } else if (!option->argument.empty()) {
            if (i + 1 == arguments.size()) {
                problems.push_back({name, {}, "needs an argument", fmt::format("{} {}", name, option->argument)});
                continue;
            }
            value = arguments[++i];
        }
        parsed.options.emplace_back(name, value);
    }
    if (!problems.empty()) {
        return problems;
    }
    return parsed;
}

std::string describeOptions(const std::vector<Option>& options)
{
    std::string text;
    for (const Option& option : options) {
        const std::string left =
            option.argument.empty() ? std::string(option.name) : fmt::format("{} {}", option.name, option.argument);
        text += fmt::format("  {:<28} {}\n", left, option.help);
    }
    return text;
}

} // namespace partita::cli
