// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace partita::cli {

enum class Times { Once, Often };

/// An option of a verb. `argument` names what follows it in the help, empty for a flag.
struct Option {
    std::string_view name; ///< with its dashes: "--tp"
    std::string_view argument;
    std::string_view help;
    Times times = Times::Once; ///< often: the values make a list
    std::string_view refused = {}; ///< why the verb does not take an option that others have; empty when it does
    std::string_view alone = {}; ///< its value where none of the argument's alternatives follows; empty: it needs one
};

/// A command line taken apart: what is not an option, and the options in the order given. What is wrong with it is in
/// `problems`, whose fields are the options; the rest is there nevertheless.
struct Arguments {
    std::string verb;
    std::vector<std::string> positional;
    std::vector<std::pair<std::string, std::string>> options;
    Problems problems;

    bool has(std::string_view name) const { return valueOf(name).has_value(); }
    std::optional<std::string> valueOf(std::string_view name) const;
    std::vector<std::string> valuesOf(std::string_view name) const;
};

/// Accepts "--name value" and "--name=value"; "--" ends the options and "-" is positional (stdin). --help and -h are
/// known to every verb.
Arguments parseArguments(std::string_view verb, const std::vector<std::string>& words, const std::vector<Option>& known,
                         std::size_t mostPositional);

/// One indented line per option for a verb's help.
std::string describeOptions(const std::vector<Option>& options);

} // namespace partita::cli
