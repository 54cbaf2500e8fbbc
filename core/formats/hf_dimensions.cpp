// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/hf_dimensions.h"

#include "core/formats/json_text.h"
#include "core/model/check_model.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {

Attention Dimensions::attention() const
{
    Attention attention;
    attention.heads = heads;
    attention.kvHeads = kvHeads;
    attention.headDim = headDim;
    return attention;
}

int readFrame(HfFields& fields, Model& model, const ClassDefaults& defaults)
{
    model.hidden = fields.integer({"hidden_size", "n_embd", "d_model", "n_embed"}, defaults.hidden);
    model.vocabulary = fields.integer({"vocab_size", "padded_vocab_size"}, defaults.vocabulary);
    const auto positions = fields.optionalInteger({"max_position_embeddings", "n_positions", "max_seq_len",
                                                   "seq_length", "max_sequence_length", "n_ctx", "model_max_length"});
    model.maxPositions = positions.value_or(defaults.positions);
    if (!positions && defaults.positions > 0) {
        fields.assume("max_position_embeddings", fmt::format("{} as for {}", defaults.positions, fields.modelType()));
    }
    model.tiedEmbeddings = fields.flag("tie_word_embeddings", defaults.tied);
    const std::int64_t layers =
        fields.integer({"num_hidden_layers", "n_layer", "n_layers", "num_layers"}, defaults.layers);
    if (layers < 1 || layers > ModelBounds::layers) {
        fields.problem("num_hidden_layers", fmt::to_string(layers),
                       fmt::format("must be 1 to {}", ModelBounds::layers));
        return 1;
    }
    return static_cast<int>(layers);
}

int readHeads(HfFields& fields, const ClassDefaults& defaults)
{
    return static_cast<int>(fields.integer({"num_attention_heads", "n_head", "n_heads", "num_heads"}, defaults.heads));
}

int readKvHeads(HfFields& fields, int heads, const ClassDefaults& defaults)
{
    constexpr std::string_view key = "num_key_value_heads";
    const HfFields::Keys keys{key, "num_kv_heads", "n_head_kv", "num_attention_groups"};
    // A class fills its own number in when the key is absent; null means one for every query head.
    if (defaults.kvHeads > 0 && !fields.has(key)) {
        return static_cast<int>(fields.integer(keys, defaults.kvHeads));
    }
    return static_cast<int>(fields.derived(keys, heads, "one for every query head"));
}

int readHeadDim(HfFields& fields, const Model& model, int heads, const ClassDefaults& defaults)
{
    const HfFields::Keys keys{"head_dim", "hidden_size_per_head", "attention_head_dim"};
    if (defaults.headDim > 0 && !fields.has("head_dim")) {
        return static_cast<int>(fields.integer(keys, defaults.headDim));
    }
    if (const std::int64_t stated = fields.integerOrZero(keys); stated > 0) {
        return static_cast<int>(stated);
    }
    if (heads < 1) {
        return 1; // already a Problem of the heads
    }
    const std::int64_t size = model.hidden / heads;
    if (size * heads != model.hidden) {
        fields.problem(
            "head_dim", "",
            fmt::format("is missing and {} query heads do not divide a hidden size of {}", heads, model.hidden));
    }
    return static_cast<int>(size);
}

Dimensions readDimensions(HfFields& fields, Model& model, const ClassDefaults& defaults)
{
    Dimensions d;
    d.layers = readFrame(fields, model, defaults);
    d.heads = readHeads(fields, defaults);
    d.kvHeads = readKvHeads(fields, d.heads, defaults);
    d.headDim = readHeadDim(fields, model, d.heads, defaults);
    d.width = fields.integer({"intermediate_size", "ffn_hidden_size", "ffn_dim"}, defaults.width);
    return d;
}

void addLayer(Model& model, const LayerKind& kind)
{
    auto it = std::find(model.kinds.begin(), model.kinds.end(), kind);
    if (it == model.kinds.end()) {
        it = model.kinds.insert(it, kind);
    }
    model.layers.push_back(static_cast<int>(it - model.kinds.begin()));
}

void addLayers(Model& model, int layers, const LayerKind& kind)
{
    addLayers(model, layers, [&](int) { return kind; });
}

void addLayers(Model& model, int layers, const std::function<LayerKind(int)>& kindOf)
{
    for (int i = 0; i < layers; ++i) {
        addLayer(model, kindOf(i));
    }
}

std::vector<int> readWindows(HfFields& fields, int layers, std::int64_t window,
                             const std::function<bool(int)>& isWindowed)
{
    std::vector<int> windows(static_cast<std::size_t>(layers), 0);
    const std::optional<std::vector<std::string>> types = fields.texts("layer_types");
    if (types && types->size() != windows.size()) {
        fields.problem("layer_types", fmt::format("{} entries", types->size()),
                       fmt::format("must name {} layers", layers));
        return windows;
    }
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const bool windowed = types ? (*types)[i] == "sliding_attention" || (*types)[i] == "chunked_attention"
                                    : isWindowed(static_cast<int>(i));
        windows[i] = windowed ? static_cast<int>(window) : 0;
        if (types && !windowed && (*types)[i] != "full_attention" && (*types)[i] != "attention") {
            fields.problem(elementPath("layer_types", i), (*types)[i],
                           "is not a known kind of layer of this architecture", "full_attention or sliding_attention");
        }
    }
    return windows;
}

} // namespace partita
