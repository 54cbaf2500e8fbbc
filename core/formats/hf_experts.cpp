// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/hf_architectures.h"

#include <algorithm>
#include <array>

namespace partita {

MoeFfn readExperts(HfFields& f, const ExpertDefaults& defaults, HfFields::Keys widthKeys)
{
    MoeFfn experts;
    experts.experts = static_cast<int>(
        f.integer({"num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"}, defaults.experts));
    experts.topK = static_cast<int>(f.integer({"num_experts_per_tok", "num_experts_per_token", "experts_per_token",
                                               "top_k_experts", "moe_topk", "moe_top_k", "moe_k"},
                                              defaults.topK));
    experts.expertWidth = f.integer(widthKeys, defaults.width);
    return experts;
}

MoeFfn readGroupedExperts(HfFields& f, const ExpertDefaults& defaults, int shared, int groups, int chosenGroups,
                          std::string_view method)
{
    MoeFfn experts = readExperts(f, defaults);
    // Absent means the class default, null means none.
    const std::int64_t sharedExperts = f.has("n_shared_experts") || shared == 0
        ? f.integerOrZero({"n_shared_experts"})
        : f.integer({"n_shared_experts"}, shared);
    experts.sharedWidth = sharedExperts * experts.expertWidth;
    experts.routingGroups = static_cast<int>(f.optionalInteger({"n_group"}).value_or(groups));
    experts.routedGroups = static_cast<int>(f.optionalInteger({"topk_group"}).value_or(chosenGroups));
    experts.routerBias = f.text("topk_method", method) == "noaux_tc";
    return experts;
}

namespace {

void setWindow(LayerKind& kind, int window)
{
    std::get<Attention>(kind.mixer).window = window;
}

void readMixtral(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {4096, 32, 32, 8, 0, 14336, 32000, 131072, false});
    LayerKind kind{d.attention(), readExperts(f, {8, 2, 14336}, {"intermediate_size"}), 2};
    setWindow(kind, static_cast<int>(f.integerOrZero({"sliding_window"})));
    addLayers(m, d.layers, kind);
}

/// Qwen's rule for which layers have experts; the others are dense.
void addQwenLayers(HfFields& f, Model& m, const Dimensions& d, const Attention& attention, const MoeFfn& experts)
{
    const std::int64_t step = f.period({"decoder_sparse_step"}, 1);
    const std::vector<std::int64_t> dense = f.integers("mlp_only_layers").value_or(std::vector<std::int64_t>{});
    f.know({"sliding_window", "layer_types"});
    if (f.has("use_sliding_window") && f.flag("use_sliding_window", false)) {
        f.ignore("use_sliding_window: windows of this architecture are not covered, full attention is costed");
    }
    std::vector<bool> isDense(static_cast<std::size_t>(d.layers), false);
    for (const std::int64_t layer : dense) {
        if (layer < d.layers) {
            isDense[static_cast<std::size_t>(layer)] = true;
        }
    }
    addLayers(m, d.layers, [&](int i) {
        const bool sparse = (i + 1) % step == 0 && !isDense[static_cast<std::size_t>(i)];
        return LayerKind{attention, sparse ? FeedForward{experts} : FeedForward{DenseFfn{d.width, true, false}}, 2};
    });
}

void readQwen2Moe(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {2048, 24, 16, 16, 0, 5632, 151936, 32768, false});
    MoeFfn experts = readExperts(f, {60, 4, 1408});
    experts.sharedWidth = f.integer({"shared_expert_intermediate_size"}, 5632);
    experts.sharedGate = true;
    Attention attention = d.attention();
    attention.qkvBias = f.flag("qkv_bias", true);
    addQwenLayers(f, m, d, attention, experts);
}

void readQwen3Moe(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {2048, 24, 32, 4, 0, 6144, 151936, 32768, false});
    const MoeFfn experts = readExperts(f, {128, 8, 768});
    Attention attention = d.attention();
    attention.queryKeyNorm = true;
    attention.qkvBias = attention.outputBias = f.flag("attention_bias", false);
    addQwenLayers(f, m, d, attention, experts);
}

void readGptOss(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {2880, 36, 64, 8, 64, 2880, 201088, 131072, false});
    MoeFfn experts = readExperts(f, {128, 4, 2880}, {"intermediate_size"});
    experts.routerBias = experts.expertBias = true;
    f.know({"attention_bias", "initial_context_length", "experts_per_token"});
    Attention attention = d.attention();
    attention.qkvBias = attention.outputBias = attention.sinks = true;
    const std::int64_t window = f.integer({"sliding_window"}, 128);
    const std::vector<int> windows = readWindows(f, d.layers, window, [](int i) { return i % 2 == 0; });
    addLayers(m, d.layers, [&](int i) {
        LayerKind kind{attention, experts, 2};
        setWindow(kind, windows[static_cast<std::size_t>(i)]);
        return kind;
    });
}

/// Whether each layer of Llama 4 has experts: by list, or every interleave_moe_layer_step-th.
std::vector<bool> readLlama4Sparse(HfFields& f, int layers)
{
    std::vector<bool> sparse(static_cast<std::size_t>(layers), false);
    if (const auto list = f.integers("moe_layers")) {
        f.know({"interleave_moe_layer_step"});
        for (const std::int64_t layer : *list) {
            if (layer < layers) {
                sparse[static_cast<std::size_t>(layer)] = true;
            }
        }
        return sparse;
    }
    const std::int64_t step = f.period({"interleave_moe_layer_step"}, 1);
    for (std::size_t i = 0; i < sparse.size(); ++i) {
        sparse[i] = (static_cast<std::int64_t>(i) + 1) % step == 0;
    }
    return sparse;
}

void readLlama4(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {5120, 48, 40, 8, 128, 8192, 202048, 131072, false});
    const std::int64_t dense = f.integer({"intermediate_size_mlp"}, 16384);
    MoeFfn experts = readExperts(f, {16, 1, 8192}, {"intermediate_size"});
    experts.sharedWidth = experts.expertWidth;
    const std::vector<bool> sparse = readLlama4Sparse(f, d.layers);
    f.know({"use_qk_norm", "attn_temperature_tuning", "floor_scale", "attn_scale"}); // its norm has no weights
    Attention attention = d.attention();
    attention.qkvBias = attention.outputBias = f.flag("attention_bias", false);
    const std::int64_t chunk = f.has("attention_chunk_size") ? f.integerOrZero({"attention_chunk_size"})
                                                             : f.integer({"attention_chunk_size"}, 8192);
    // Layers with rotary positions attend within chunks, the others to everything.
    const std::int64_t interval = std::max<std::int64_t>(f.optionalInteger({"no_rope_layer_interval"}).value_or(4), 1);
    const std::vector<std::int64_t> rotary = f.integers("no_rope_layers").value_or(std::vector<std::int64_t>{});
    const std::vector<int> windows = readWindows(f, d.layers, chunk, [&](int i) {
        const auto index = static_cast<std::size_t>(i);
        return rotary.empty() ? (i + 1) % interval != 0 : index < rotary.size() && rotary[index] != 0;
    });
    addLayers(m, d.layers, [&](int i) {
        const bool isSparse = sparse[static_cast<std::size_t>(i)];
        LayerKind kind{attention, isSparse ? FeedForward{experts} : FeedForward{DenseFfn{dense, true, false}}, 2};
        setWindow(kind, windows[static_cast<std::size_t>(i)]);
        return kind;
    });
}

void readDbrx(HfFields& f, Model& m)
{
    const ClassDefaults defaults{2048, 24, 16, 0, 0, 0, 32000, 2048, false};
    Dimensions d;
    d.layers = readFrame(f, m, defaults);
    d.heads = readHeads(f, defaults);
    d.headDim = readHeadDim(f, m, d.heads, defaults);
    HfFields attention = f.nested("attn_config");
    d.kvHeads = static_cast<int>(attention.integer({"kv_n_heads"}, 1));
    HfFields feedForward = f.nested("ffn_config");
    m.norm = NormKind::LayerWithoutBias;
    addLayers(m, d.layers, {d.attention(), readExperts(feedForward, {4, 1, 3584}, {"ffn_hidden_size"}), 2});
}

void readOlmoe(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {2048, 16, 16, 0, 0, 2048, 50304, 4096, false});
    Attention attention = d.attention();
    attention.fullWidthQueryKeyNorm = true;
    attention.qkvBias = attention.outputBias = f.flag("attention_bias", false);
    addLayers(m, d.layers, {attention, readExperts(f, {64, 8, 2048}, {"intermediate_size"}), 2});
}

void readGraniteMoe(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {4096, 32, 32, 0, 0, 11008, 32000, 2048, false});
    Attention attention = d.attention();
    attention.qkvBias = attention.outputBias = f.flag("attention_bias", false);
    addLayers(m, d.layers, {attention, readExperts(f, {8, 2, 11008}, {"intermediate_size"}), 2});
}

void readPhiMoe(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {4096, 32, 32, 8, 0, 6400, 32064, 131072, false});
    m.norm = NormKind::Layer;
    m.headBias = f.flag("lm_head_bias", false);
    LayerKind kind{d.attention(), readExperts(f, {16, 2, 6400}, {"intermediate_size"}), 2};
    auto& attention = std::get<Attention>(kind.mixer);
    attention.qkvBias = attention.outputBias = f.flag("attention_bias", false);
    attention.window = static_cast<int>(f.integerOrZero({"sliding_window"}));
    addLayers(m, d.layers, kind);
}

void readMiniMaxM2(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {});
    MoeFfn experts = readExperts(f, {}, {"intermediate_size"});
    experts.routerBias = f.flag("use_routing_bias", true);
    experts.sharedWidth = f.integerOrZero({"shared_intermediate_size"});
    Attention attention = d.attention();
    if (f.flag("use_qk_norm", true)) {
        attention.fullWidthQueryKeyNorm = f.text("qk_norm_type", "per_layer") == "per_layer";
        attention.queryKeyNorm = !attention.fullWidthQueryKeyNorm;
    }
    f.know({"num_mtp_modules", "mtp_transformer_layers"});
    if (f.has("use_mtp") && f.flag("use_mtp", false)) {
        m.multiTokenPrediction = static_cast<int>(f.integerOrZero({"num_mtp_modules"}));
    }
    addLayers(m, d.layers, {attention, experts, 2});
}

/// The first k layers dense, experts from there on.
void addAfterDense(HfFields& f, Model& m, const Dimensions& d, const Attention& attention, const MoeFfn& experts,
                   int first)
{
    const std::int64_t dense = f.optionalInteger({"first_k_dense_replace"}).value_or(first);
    f.know({"decoder_sparse_step", "moe_router_dtype"});
    addLayers(m, d.layers, [&](int i) {
        return LayerKind{attention, i < dense ? FeedForward{DenseFfn{d.width, true, false}} : FeedForward{experts}, 2};
    });
}

void readGlm4Moe(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {4096, 46, 96, 8, 0, 10944, 151552, 131072, false});
    Attention attention = d.attention();
    attention.qkvBias = f.flag("attention_bias", false);
    attention.queryKeyNorm = f.flag("use_qk_norm", false);
    m.multiTokenPrediction = static_cast<int>(f.integerOrZero({"num_nextn_predict_layers"}));
    addAfterDense(f, m, d, attention, readGroupedExperts(f, {128, 8, 1408}, 1, 1, 1, "noaux_tc"), 1);
}

void readDots1(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {4608, 62, 32, 32, 0, 10944, 152064, 2048, false});
    Attention attention = d.attention();
    attention.queryKeyNorm = true;
    attention.qkvBias = attention.outputBias = f.flag("attention_bias", false);
    f.know({"sliding_window", "layer_types"});
    addAfterDense(f, m, d, attention, readGroupedExperts(f, {0, 0, 1408}, 0, 1, 1, "noaux_tc"), 0);
}

/// Attention of MiMo-V2 in one of its two forms: over the whole sequence, or in a window with dimensions of its own.
Attention readMimoAttention(HfFields& f, const Dimensions& d, bool windowed)
{
    Attention attention = d.attention();
    attention.valueHeadDim = static_cast<int>(f.integerOrZero({"v_head_dim"}));
    if (windowed) {
        attention.heads =
            static_cast<int>(f.derived({"swa_num_attention_heads"}, attention.heads, "as in full attention"));
        attention.kvHeads =
            static_cast<int>(f.derived({"swa_num_key_value_heads"}, attention.kvHeads, "as in full attention"));
        attention.headDim = static_cast<int>(f.derived({"swa_head_dim"}, attention.headDim, "as in full attention"));
        attention.valueHeadDim =
            static_cast<int>(f.derived({"swa_v_head_dim"}, attention.valueHeadDim, "as in full attention"));
        attention.window = static_cast<int>(f.integer({"sliding_window", "sliding_window_size"}, 0));
    }
    attention.sinks = f.flag(windowed ? "add_swa_attention_sink_bias" : "add_full_attention_sink_bias", windowed);
    attention.qkvBias = attention.outputBias = f.flag("attention_bias", false);
    return attention;
}

void readMimoV2(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {});
    const std::array<Attention, 2> forms{readMimoAttention(f, d, false), readMimoAttention(f, d, true)};
    const MoeFfn experts = readGroupedExperts(f, {}, 0, 1, 1, "noaux_tc");
    f.know({"attention_chunk_size"});
    const auto layers = static_cast<std::size_t>(d.layers);
    std::vector<std::int64_t> windowed = f.integers("hybrid_layer_pattern").value_or(std::vector<std::int64_t>{});
    std::vector<std::int64_t> sparse = f.integers("moe_layer_freq").value_or(std::vector<std::int64_t>{});
    for (const auto& [key, list] :
         {std::pair{"hybrid_layer_pattern", &windowed}, std::pair{"moe_layer_freq", &sparse}}) {
        if (list->size() != layers) {
            f.problem(key, "", "must hold a 0 or 1 for every layer");
            list->resize(layers, 0);
        }
    }
    addLayers(m, d.layers, [&](int i) {
        const auto index = static_cast<std::size_t>(i);
        return LayerKind{forms[windowed[index] != 0 ? 1 : 0],
                         sparse[index] != 0 ? FeedForward{experts} : FeedForward{DenseFfn{d.width, true, false}}, 2};
    });
}

constexpr std::array table{
    Architecture{"mixtral", readMixtral},
    Architecture{"qwen2_moe", readQwen2Moe},
    Architecture{"qwen3_moe", readQwen3Moe},
    Architecture{"qwen3_vl_moe_text", readQwen3Moe},
    Architecture{"gpt_oss", readGptOss},
    Architecture{"llama4_text", readLlama4},
    Architecture{"dbrx", readDbrx},
    Architecture{"olmoe", readOlmoe},
    Architecture{"granitemoe", readGraniteMoe},
    Architecture{"phimoe", readPhiMoe},
    Architecture{"minimax_m2", readMiniMaxM2},
    Architecture{"glm4_moe", readGlm4Moe},
    Architecture{"dots1", readDots1},
    Architecture{"mimo_v2_flash", readMimoV2},
};

} // namespace

std::span<const Architecture> expertArchitectures()
{
    return table;
}

} // namespace partita
