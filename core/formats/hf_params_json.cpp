// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/hf_params_json.h"

#include <algorithm>

namespace partita {

namespace {

/// Meta's rule: two thirds of four times the size, times a factor, rounded up to a multiple.
std::int64_t metaWidth(HfFields& f, const Model& m)
{
    const std::int64_t multiple = std::max<std::int64_t>(f.integer({"multiple_of"}, 256), 1);
    const double factor = f.has("ffn_dim_multiplier") ? f.number("ffn_dim_multiplier", 1) : 1;
    const auto width = static_cast<std::int64_t>(factor * static_cast<double>(8 * m.hidden / 3));
    return (width + multiple - 1) / multiple * multiple;
}

} // namespace

bool isParamsJson(const nlohmann::json& object)
{
    return object.contains("dim") && object.contains("n_layers") && object.contains("n_heads")
        && !object.contains("model_type");
}

void readParamsJson(HfFields& f, Model& m)
{
    const auto layers =
        static_cast<int>(std::min<std::int64_t>(f.integer({"num_hidden_layers", "n_layers"}, 0), 100'000));
    m.hidden = f.integer({"hidden_size", "dim"}, 0);
    m.vocabulary = f.integer({"vocab_size"}, 0);
    if (f.has("vocab_size") && !f.sound("vocab_size")) {
        f.problem("vocab_size", "", "the file leaves it to the tokenizer", "32000 for Llama 2, 128256 for Llama 3");
    }
    m.maxPositions = f.integerOrZero({"max_seq_len"});
    Attention attention;
    attention.heads = static_cast<int>(f.integer({"num_attention_heads", "n_heads"}, 0));
    attention.kvHeads =
        static_cast<int>(f.derived({"num_key_value_heads", "n_kv_heads"}, attention.heads, "one for every query head"));
    attention.headDim = static_cast<int>(
        f.derived({"head_dim"}, m.hidden / std::max(attention.heads, 1), "the hidden size over the heads"));
    attention.window = static_cast<int>(f.integerOrZero({"sliding_window"}));
    const std::int64_t stated = f.integerOrZero({"intermediate_size", "hidden_dim"});
    const std::int64_t width = stated > 0 ? stated : metaWidth(f, m);
    LayerKind kind{attention, DenseFfn{width, true, false}, 2};
    if (f.object("moe") != nullptr) { // Mixtral
        HfFields moe = f.nested("moe");
        MoeFfn experts;
        experts.experts = static_cast<int>(moe.integer({"num_experts"}, 0));
        experts.topK = static_cast<int>(moe.integer({"num_experts_per_tok"}, 0));
        experts.expertWidth = width;
        kind.feedForward = experts;
    }
    addLayers(m, layers, kind);
}

} // namespace partita
