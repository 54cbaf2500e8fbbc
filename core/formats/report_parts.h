// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Pieces that several JSON answers share. Internal to core/formats.

#include "core/base/problem.h"
#include "core/model/parameters.h"

#include <nlohmann/json.hpp>

namespace partita {

nlohmann::ordered_json problemList(const Problems& problems);
nlohmann::ordered_json parameterCounts(const ModelParameters& value);

} // namespace partita
