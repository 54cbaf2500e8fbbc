// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Pieces that several JSON answers share. Internal to core/formats.

#include "core/base/names.h"
#include "core/base/problem.h"
#include "core/formats/json_fields.h"
#include "core/model/parameters.h"

#include <nlohmann/json.hpp>

namespace partita {

/// One member per name of an enumeration, in its order.
template <class Kind, class Breakdown> nlohmann::ordered_json byName(const Breakdown& breakdown)
{
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (const Name<Kind>& name : Names<Kind>::table) {
        object[std::string(name.key)] = jsonNumber(breakdown[name.value]);
    }
    return object;
}

nlohmann::ordered_json problemList(const Problems& problems);
nlohmann::ordered_json parameterCounts(const ModelParameters& value);

} // namespace partita
