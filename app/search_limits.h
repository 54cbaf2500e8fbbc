// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/option_reader.h"
#include "core/search/search_space.h"

#include <vector>

namespace partita::cli {

/// The options that limit which layouts are looked at, of `search` and `advise`.
const std::vector<Option>& limitOptions();

/// The space that the options leave.
SearchSpace readLimits(OptionReader& reader);

} // namespace partita::cli
