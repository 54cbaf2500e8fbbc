// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace partita {

/// What parseJson accepts. The limits keep hostile files from costing more than a moment.
struct JsonOptions {
    std::size_t maxBytes = std::size_t{8} << 20;
    int maxDepth = 64; ///< nested arrays and objects
    std::size_t maxValues = 1'000'000;
    bool nonFiniteAsNull = false; ///< take bare NaN, Infinity, -Infinity (Python's json.dumps) for null
    bool skipClassName = false; ///< take "LlamaConfig {...}", what printing a configuration gives
};

/// The tree of a JSON text. A leading byte order mark is skipped. Syntax errors give line and column; every key that an
/// object holds twice is a Problem with its path ("layout.tp").
Result<nlohmann::json> parseJson(std::string_view text, const JsonOptions& options = {});

/// Path of a member or element, as Problems name it: "model" + "layers" = "model.layers", "levels" + 2 = "levels[2]".
std::string memberPath(std::string_view parent, std::string_view key);
std::string elementPath(std::string_view parent, std::size_t index);

} // namespace partita
