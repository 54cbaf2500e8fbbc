// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/hf_architectures.h"

#include <algorithm>
#include <array>

namespace partita {

namespace {

/// What differs between the generations of DeepSeek and those who follow it.
struct LatentDefaults {
    ClassDefaults model;
    ExpertDefaults experts;
    int shared = 1;
    int groups = 1;
    int chosenGroups = 1;
    int denseLayers = 0;
    std::string_view method; ///< of choosing experts
    bool indexer = false; ///< sparse attention over the keys that an indexer finds
};

LatentAttention readLatentAttention(HfFields& f, const LatentDefaults& defaults)
{
    LatentAttention a;
    a.heads = readHeads(f, defaults.model);
    // Absent means the class default, null means that queries are projected directly.
    a.queryRank =
        static_cast<int>(f.has("q_lora_rank") ? f.integerOrZero({"q_lora_rank"}) : f.integer({"q_lora_rank"}, 1536));
    a.kvRank = static_cast<int>(f.integer({"kv_lora_rank"}, 512));
    a.nopeHeadDim = static_cast<int>(f.integer({"qk_nope_head_dim"}, 128));
    a.ropeHeadDim = static_cast<int>(f.integer({"qk_rope_head_dim"}, 64));
    a.valueHeadDim = static_cast<int>(f.integer({"v_head_dim"}, 128));
    a.bias = f.flag("attention_bias", false);
    if (defaults.indexer) {
        a.indexHeads = static_cast<int>(f.integer({"index_n_heads"}, 64));
        a.indexHeadDim = static_cast<int>(f.integer({"index_head_dim"}, 128));
        a.indexTopK = static_cast<int>(f.integer({"index_topk"}, 2048));
    }
    f.know({"num_key_value_heads", "head_dim", "qk_head_dim", "ep_size", "indexer_rope_interleave"});
    return a;
}

void readLatent(HfFields& f, Model& m, const LatentDefaults& defaults)
{
    const int layers = readFrame(f, m, defaults.model);
    const LatentAttention attention = readLatentAttention(f, defaults);
    const std::int64_t width = f.integer({"intermediate_size"}, defaults.model.width);
    const bool hasExperts = !(f.has("n_routed_experts") && f.integerOrZero({"n_routed_experts"}) == 0);
    const MoeFfn experts = hasExperts ? readGroupedExperts(f, defaults.experts, defaults.shared, defaults.groups,
                                                           defaults.chosenGroups, defaults.method)
                                      : MoeFfn{};
    const std::int64_t dense = f.has("first_k_dense_replace")
        ? f.integerOrZero({"first_k_dense_replace"})
        : f.derived({"first_k_dense_replace"}, defaults.denseLayers, "the class default");
    const std::int64_t every = std::max<std::int64_t>(f.optionalInteger({"moe_layer_freq"}).value_or(1), 1);
    m.multiTokenPrediction = static_cast<int>(f.integerOrZero({"num_nextn_predict_layers"}));
    addLayers(m, layers, [&](int i) {
        const bool sparse = hasExperts && i >= dense && i % every == 0;
        return LayerKind{attention, sparse ? FeedForward{experts} : FeedForward{DenseFfn{width, true, false}}, 2};
    });
}

constexpr LatentDefaults deepSeekV3{
    {7168, 61, 128, 0, 0, 18432, 129280, 4096, false}, {256, 8, 2048}, 1, 8, 4, 3, "noaux_tc", false};

void readDeepSeekV2(HfFields& f, Model& m)
{
    readLatent(f, m, {{4096, 32, 32, 0, 0, 11008, 32000, 2048, false}, {64, 0, 1407}, 2, 1, 1, 0, "greedy", false});
}

void readDeepSeekV3(HfFields& f, Model& m)
{
    readLatent(f, m, deepSeekV3);
}

void readDeepSeekV32(HfFields& f, Model& m)
{
    LatentDefaults defaults = deepSeekV3;
    defaults.indexer = true;
    readLatent(f, m, defaults);
}

constexpr std::array table{
    Architecture{"deepseek_v2", readDeepSeekV2},  Architecture{"deepseek_v3", readDeepSeekV3},
    Architecture{"kimi_k2", readDeepSeekV3},      Architecture{"deepseek_v32", readDeepSeekV32},
    Architecture{"glm_moe_dsa", readDeepSeekV32},
};

} // namespace

std::span<const Architecture> latentArchitectures()
{
    return table;
}

} // namespace partita
