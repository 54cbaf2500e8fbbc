// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita::cli {

/// An option of a verb. `argument` names what follows it in the help, empty for a flag.
struct Option {
    std::string_view name; ///< with its dashes: "--tp"
    std::string_view argument;
    std::string_view help;
};

/// A command line taken apart: what is not an option, and the options in the order given (the last of a name counts).
struct Arguments {
    std::vector<std::string> positional;
    std::vector<std::pair<std::string, std::string>> options;

    bool has(std::string_view name) const { return valueOf(name).has_value(); }
    std::optional<std::string> valueOf(std::string_view name) const;
};

/// Accepts "--name value" and "--name=value"; "--" ends the options and "-" is positional (stdin).
/// Unknown options, missing and superfluous arguments are Problems of the command line; the field is the option.
Result<Arguments> parseArguments(const std::vector<std::string>& arguments, const std::vector<Option>& known,
                                 std::size_t mostPositional);

/// The known word that is most likely meant by a mistyped one; empty when none is near.
std::string nearestWord(std::string_view word, const std::vector<std::string>& known);

/// One indented line per option for a verb's help.
std::string describeOptions(const std::vector<Option>& options);

} // namespace partita::cli
