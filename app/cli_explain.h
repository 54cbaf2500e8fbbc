// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/option_reader.h"
#include "core/explain/explained_values.h"

namespace partita::cli {

/// A value to derive and how many levels of its terms to unfold.
struct ExplainRequest {
    std::string_view option; ///< that asks: "--value", "--explain"
    std::string path;
    int depth = 2;
};

/// "--explain NAME" and "--depth N" of verbs that print something else without. help: of the first, and outlives the
/// options.
std::vector<Option> explainOptions(std::string_view help);
/// Nothing where no value is asked for. With `option` comes --depth.
std::optional<ExplainRequest> readExplain(OptionReader& reader, std::string_view option = "--explain");
/// Prints the derivation, or says why there is none: then unknown is the exit code.
int printDerivation(const Arguments& arguments, const ExplainedValues& values, const ExplainRequest& request,
                    int unknown);

} // namespace partita::cli
