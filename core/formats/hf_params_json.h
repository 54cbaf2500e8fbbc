// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/formats/hf_dimensions.h"

namespace partita {

// Internal to core/formats: the `params.json` beside the original weights of Llama and Mistral.

constexpr std::string_view paramsJsonType = "params.json"; ///< in place of a model type
bool isParamsJson(const nlohmann::json& object);
void readParamsJson(HfFields& fields, Model& model);

} // namespace partita
