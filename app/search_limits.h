// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli_options.h"
#include "core/search/search_space.h"

#include <cstdint>
#include <vector>

namespace partita::cli {

/// The options that limit which layouts are looked at, of `search` and `advise`.
const std::vector<Option>& limitOptions();

/// The space that the options leave; what is wrong with them goes to problems.
SearchSpace readLimits(const Arguments& arguments, Problems& problems);

/// The value of an option, a whole number from 1 to most, or what is wrong with it.
std::int64_t readCount(const Arguments& arguments, std::string_view option, std::int64_t otherwise, std::int64_t most,
                       Problems& problems);

} // namespace partita::cli
