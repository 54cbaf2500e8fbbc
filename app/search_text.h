// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/formats/search_json.h"
#include "core/scenario/scenario.h"

#include <string>

namespace partita {

/// A search as a table for people.
std::string searchText(const Scenario& scenario, const SearchAnswer& answer);

/// "1,234,567 legal layouts, 345,678 fit in memory, 1,234 evaluated, the rest proven slower".
std::string searchCountsText(const SearchResult& result);

} // namespace partita
