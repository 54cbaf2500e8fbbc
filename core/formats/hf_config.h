// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/data_type.h"
#include "core/base/problem.h"
#include "core/model/model.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

/// A model read from someone else's description of it.
struct ImportedModel {
    Model model;
    std::vector<std::string>
        assumed; ///< what the text leaves out and its model type fixes: "mlp_bias: absent, false as for llama"
    std::vector<std::string> ignored; ///< what the text says and no cost depends on, or what is not covered
    std::optional<DataType> nativeWeights; ///< number format of the stored weights when they are quantised

    bool operator==(const ImportedModel&) const = default;
};

/// A Hugging Face `config.json`, as of transformers 4 and 5 and of remote code older or newer than these, or Meta's and
/// Mistral's `params.json`. Class defaults are those of transformers 5.0. Multimodal files give their language model.
/// Problems name the keys of the file ("text_config.num_hidden_layers"); `name` becomes the model's name and id.
Result<ImportedModel> readHuggingFaceConfig(std::string_view text, std::string_view name);

} // namespace partita
