// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/hf_architectures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace partita {

namespace {

/// The step rank of Mamba-1: "auto" is a sixteenth of the hidden size, rounded up.
int readStepRank(HfFields& f, std::string_view key, const Model& m)
{
    const std::int64_t sixteenth = (m.hidden + 15) / 16;
    return static_cast<int>(f.says(key, "auto") ? sixteenth
                                                : f.derived({key}, sixteenth, "a sixteenth of the hidden size"));
}

LayerKind alone(const Mixer& mixer)
{
    return {mixer, std::monostate{}, 1};
}

void readMamba1Stack(HfFields& f, Model& m, bool tied)
{
    const int layers = readFrame(f, m, {768, 32, 0, 0, 0, 0, 50280, 0, tied});
    Mamba1 mamba;
    const std::int64_t expand = f.integer({"expand"}, 2);
    mamba.innerWidth = f.derived({"intermediate_size", "d_inner"}, expand * m.hidden, "expand times the hidden size");
    mamba.stateSize = static_cast<int>(f.integer({"state_size"}, 16));
    mamba.convWidth = static_cast<int>(f.integer({"conv_kernel"}, 4));
    mamba.stepRank = readStepRank(f, "time_step_rank", m);
    mamba.convBias = f.flag("use_conv_bias", true);
    mamba.projectionBias = f.flag("use_bias", false);
    f.know({"use_mambapy", "use_falcon_mambapy", "fused_add_norm", "ssm_cfg", "rms_norm", "use_associative_scan"});
    addLayers(m, layers, alone(mamba));
}

void readMamba(HfFields& f, Model& m)
{
    readMamba1Stack(f, m, true);
}

void readMamba2(HfFields& f, Model& m)
{
    const int layers = readFrame(f, m, {4096, 64, 0, 0, 0, 0, 32768, 0, false});
    Mamba2 mamba;
    mamba.heads = static_cast<int>(f.integer({"num_heads"}, 128));
    mamba.headDim = static_cast<int>(f.integer({"head_dim"}, 64));
    mamba.groups = static_cast<int>(f.integer({"n_groups"}, 8));
    mamba.stateSize = static_cast<int>(f.integer({"state_size"}, 128));
    mamba.convWidth = static_cast<int>(f.integer({"conv_kernel"}, 4));
    mamba.chunk = static_cast<int>(f.integer({"chunk_size"}, 256));
    mamba.convBias = f.flag("use_conv_bias", true);
    mamba.projectionBias = f.flag("use_bias", false);
    f.know(
        {"expand", "intermediate_size", "norm_before_gate", "rms_norm"}); // heads times their size is the inner width
    addLayers(m, layers, alone(mamba));
}

void readJamba(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {4096, 32, 32, 8, 0, 14336, 65536, 262144, false});
    Mamba1 mamba;
    mamba.innerWidth = f.integer({"mamba_expand"}, 2) * m.hidden;
    mamba.stateSize = static_cast<int>(f.integer({"mamba_d_state"}, 16));
    mamba.convWidth = static_cast<int>(f.integer({"mamba_d_conv"}, 4));
    mamba.stepRank = readStepRank(f, "mamba_dt_rank", m);
    mamba.convBias = f.flag("mamba_conv_bias", true);
    mamba.projectionBias = f.flag("mamba_proj_bias", false);
    mamba.innerNorms = true;
    MoeFfn experts = readExperts(f, {16, 2, 14336}, {"intermediate_size"});
    const std::int64_t attentionPeriod = f.period({"attn_layer_period"}, 8);
    const std::int64_t attentionOffset = f.integer({"attn_layer_offset"}, 4);
    const std::int64_t expertPeriod = f.period({"expert_layer_period"}, 2);
    const std::int64_t expertOffset = f.integer({"expert_layer_offset"}, 1);
    f.know({"sliding_window", "use_mamba_kernels", "mamba_inner_layernorms"});
    addLayers(m, d.layers, [&](int i) {
        LayerKind kind;
        kind.mixer = i % attentionPeriod == attentionOffset ? Mixer{d.attention()} : Mixer{mamba};
        const bool sparse = experts.experts > 1 && i % expertPeriod == expertOffset;
        kind.feedForward = sparse ? FeedForward{experts} : FeedForward{DenseFfn{d.width, true, false}};
        return kind;
    });
}

/// Mamba-2 under the names that Bamba and Granite 4 share.
Mamba2 readSharedMamba2(HfFields& f, const Model& m)
{
    Mamba2 mamba;
    mamba.heads = static_cast<int>(f.integer({"mamba_n_heads"}, 128));
    const std::int64_t inner = f.integer({"mamba_expand"}, 2) * m.hidden;
    const std::int64_t share = inner / std::max(mamba.heads, 1);
    mamba.headDim = static_cast<int>(
        f.says("mamba_d_head", "auto") ? share : f.derived({"mamba_d_head"}, share, "the inner width over the heads"));
    mamba.groups = static_cast<int>(f.integer({"mamba_n_groups"}, 1));
    mamba.stateSize = static_cast<int>(f.integer({"mamba_d_state"}, 256));
    mamba.convWidth = static_cast<int>(f.integer({"mamba_d_conv"}, 4));
    mamba.chunk = static_cast<int>(f.integer({"mamba_chunk_size"}, 256));
    mamba.convBias = f.flag("mamba_conv_bias", true);
    mamba.projectionBias = f.flag("mamba_proj_bias", false);
    if (mamba.innerWidth() != inner) {
        f.problem("mamba_d_head", fmt::to_string(mamba.headDim),
                  fmt::format("times {} heads is not the inner width of {}", mamba.heads, inner));
    }
    return mamba;
}

void readBamba(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {4096, 32, 32, 8, 0, 14336, 128000, 262144, false});
    const Mamba2 mamba = readSharedMamba2(f, m);
    const std::vector<std::int64_t> attention = f.integers("attn_layer_indices").value_or(std::vector<std::int64_t>{});
    f.know({"attention_bias", "mlp_bias", "z_loss_coefficient", "attn_rotary_emb"});
    std::vector<bool> isAttention(static_cast<std::size_t>(d.layers), false);
    for (const std::int64_t layer : attention) {
        if (layer < d.layers) {
            isAttention[static_cast<std::size_t>(layer)] = true;
        } else {
            f.problem("attn_layer_indices", fmt::to_string(layer), fmt::format("is not one of {} layers", d.layers));
        }
    }
    addLayers(m, d.layers, [&](int i) {
        return LayerKind{isAttention[static_cast<std::size_t>(i)] ? Mixer{d.attention()} : Mixer{mamba},
                         DenseFfn{d.width, true, false}, 2};
    });
}

void readGraniteHybrid(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {4096, 32, 32, 0, 0, 11008, 32000, 2048, false});
    const Mamba2 mamba = readSharedMamba2(f, m);
    Attention attention = d.attention();
    attention.qkvBias = attention.outputBias = f.flag("attention_bias", false);
    const std::int64_t shared = f.integer({"shared_intermediate_size"}, 1024);
    FeedForward feedForward = DenseFfn{shared, true, false};
    const bool dense = f.has("num_local_experts") && f.integerOrZero({"num_local_experts"}) == 0;
    f.know({"num_experts_per_tok", "position_embedding_type", "layers_block_type", "attention_multiplier"});
    if (!dense) {
        MoeFfn experts = readExperts(f, {8, 2, 11008}, {"intermediate_size"});
        experts.sharedWidth = shared;
        feedForward = experts;
    }
    const std::vector<std::string> types =
        f.texts(f.has("layer_types") ? "layer_types" : "layers_block_type").value_or(std::vector<std::string>{});
    if (!types.empty() && types.size() != static_cast<std::size_t>(d.layers)) {
        f.problem("layer_types", fmt::format("{} entries", types.size()), fmt::format("must name {} layers", d.layers));
    }
    addLayers(m, d.layers, [&](int i) {
        const auto index = static_cast<std::size_t>(i);
        const bool isAttention = index < types.size() && types[index] == "attention";
        return LayerKind{isAttention ? Mixer{attention} : Mixer{mamba}, feedForward, 2};
    });
}

void readQwen3Next(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {2048, 48, 16, 2, 256, 5632, 151936, 32768, false});
    GatedDelta delta;
    delta.keyHeads = static_cast<int>(f.integer({"linear_num_key_heads"}, 16));
    delta.valueHeads = static_cast<int>(f.integer({"linear_num_value_heads"}, 32));
    delta.keyHeadDim = static_cast<int>(f.integer({"linear_key_head_dim"}, 128));
    delta.valueHeadDim = static_cast<int>(f.integer({"linear_value_head_dim"}, 128));
    delta.convWidth = static_cast<int>(f.integer({"linear_conv_kernel_dim"}, 4));
    Attention attention = d.attention();
    attention.queryKeyNorm = attention.outputGate = true;
    attention.qkvBias = attention.outputBias = f.flag("attention_bias", false);
    MoeFfn experts = readExperts(f, {512, 10, 512});
    experts.sharedWidth = f.integer({"shared_expert_intermediate_size"}, 512);
    experts.sharedGate = true;
    const std::int64_t step = f.period({"decoder_sparse_step"}, 1);
    const std::vector<std::int64_t> dense = f.integers("mlp_only_layers").value_or(std::vector<std::int64_t>{});
    const std::int64_t interval = std::max<std::int64_t>(f.optionalInteger({"full_attention_interval"}).value_or(4), 1);
    const std::vector<std::string> types = f.texts("layer_types").value_or(std::vector<std::string>{});
    f.know({"use_sliding_window"});
    if (!types.empty() && types.size() != static_cast<std::size_t>(d.layers)) {
        f.problem("layer_types", fmt::format("{} entries", types.size()), fmt::format("must name {} layers", d.layers));
    }
    addLayers(m, d.layers, [&](int i) {
        const auto index = static_cast<std::size_t>(i);
        const bool full = index < types.size() ? types[index] == "full_attention" : (i + 1) % interval == 0;
        const bool sparse = (i + 1) % step == 0 && std::find(dense.begin(), dense.end(), i) == dense.end();
        return LayerKind{full ? Mixer{attention} : Mixer{delta},
                         sparse ? FeedForward{experts} : FeedForward{DenseFfn{d.width, true, false}}, 2};
    });
}

Mamba2 readNemotronMamba(HfFields& f)
{
    Mamba2 mamba;
    mamba.heads = static_cast<int>(f.integer({"mamba_num_heads"}, 0));
    mamba.headDim = static_cast<int>(f.integer({"mamba_head_dim"}, 0));
    mamba.groups = static_cast<int>(f.integer({"n_groups"}, 8));
    mamba.stateSize = static_cast<int>(f.integer({"ssm_state_size"}, 128));
    mamba.convWidth = static_cast<int>(f.integer({"conv_kernel"}, 4));
    mamba.chunk = static_cast<int>(f.integer({"chunk_size"}, 256));
    mamba.convBias = f.flag("use_conv_bias", true);
    mamba.projectionBias = f.flag("mamba_proj_bias", false) || (f.has("use_bias") && f.flag("use_bias", false));
    f.know({"expand", "use_mamba_kernels", "norm_eps"});
    return mamba;
}

MoeFfn readNemotronExperts(HfFields& f)
{
    MoeFfn experts = readGroupedExperts(f, {}, 0, 1, 1, "noaux_tc");
    experts.gated = false; // squared ReLU
    const std::int64_t sharedWidth =
        f.derived({"moe_shared_expert_intermediate_size"}, experts.expertWidth, "the width of an expert");
    experts.sharedWidth = f.integerOrZero({"n_shared_experts"}) * sharedWidth;
    experts.latentWidth = static_cast<int>(f.integerOrZero({"moe_latent_size"}));
    f.know({"moe_shared_expert_overlap"});
    return experts;
}

/// Nemotron-H: a pattern of one letter a layer, M Mamba-2, * attention, - feed-forward, E experts.
void readNemotronH(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {});
    const std::string pattern = f.text("hybrid_override_pattern", "");
    if (pattern.size() != static_cast<std::size_t>(d.layers)) {
        f.problem("hybrid_override_pattern", fmt::format("{} letters", pattern.size()),
                  fmt::format("must have one letter for each of {} layers", d.layers));
    }
    const auto uses = [&](char letter) { return pattern.find(letter) != std::string::npos; };
    Attention attention = d.attention();
    attention.qkvBias = attention.outputBias = f.flag("attention_bias", false);
    attention.window = static_cast<int>(f.integerOrZero({"sliding_window"}));
    const Mamba2 mamba = uses('M') ? readNemotronMamba(f) : Mamba2{};
    const MoeFfn experts = uses('E') ? readNemotronExperts(f) : MoeFfn{};
    const DenseFfn dense{d.width, false, f.flag("mlp_bias", false)};
    if (f.integerOrZero({"num_nextn_predict_layers"}) > 0) {
        f.know({"mtp_hybrid_override_pattern"});
        f.ignore("num_nextn_predict_layers: prediction modules of more than one layer are not covered, left out");
    }
    for (const char letter : pattern) {
        switch (letter) {
        case 'M':
            addLayer(m, alone(mamba));
            break;
        case '*':
            addLayer(m, alone(attention));
            break;
        case '-':
            addLayer(m, {std::monostate{}, dense, 1});
            break;
        case 'E':
            addLayer(m, {std::monostate{}, experts, 1});
            break;
        default:
            f.problem("hybrid_override_pattern", std::string(1, letter), "is not a known kind of layer",
                      "M, *, - or E");
            return;
        }
    }
}

constexpr std::array table{
    Architecture{"mamba", readMamba},          Architecture{"falcon_mamba", readMamba},
    Architecture{"mamba2", readMamba2},        Architecture{"jamba", readJamba},
    Architecture{"bamba", readBamba},          Architecture{"granitemoehybrid", readGraniteHybrid},
    Architecture{"qwen3_next", readQwen3Next}, Architecture{"nemotron_h", readNemotronH},
};

} // namespace

std::span<const Architecture> hybridArchitectures()
{
    return table;
}

} // namespace partita
