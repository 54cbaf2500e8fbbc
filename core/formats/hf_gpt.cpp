// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/hf_architectures.h"

#include <fmt/format.h>

#include <array>

namespace partita {

namespace {

std::int64_t readInner(HfFields& f, const Model& m)
{
    return f.derived({"n_inner", "intermediate_size"}, 4 * m.hidden, "four times the hidden size");
}

/// Dimensions of GPT-2 and its kin: as many key-value heads as query heads, n_inner.
Dimensions readGpt(HfFields& f, Model& m, const ClassDefaults& defaults)
{
    Dimensions d;
    d.layers = readFrame(f, m, defaults);
    d.heads = d.kvHeads = readHeads(f, defaults);
    d.headDim = readHeadDim(f, m, d.heads, defaults);
    d.width = readInner(f, m);
    m.norm = NormKind::Layer;
    return d;
}

LayerKind biased(const Dimensions& d, bool qkv, bool output, int norms)
{
    Attention attention = d.attention();
    attention.qkvBias = qkv;
    attention.outputBias = output;
    return {attention, DenseFfn{d.width, false, true}, norms};
}

void readGpt2(HfFields& f, Model& m)
{
    const Dimensions d = readGpt(f, m, {768, 12, 12, 0, 0, 0, 50257, 1024, true});
    m.learnedPositions = m.maxPositions;
    if (f.has("add_cross_attention") && f.flag("add_cross_attention", false)) {
        f.unsupported("add_cross_attention", "cross attention is not covered");
    }
    addLayers(m, d.layers, biased(d, true, true, 2));
}

void readGptBigCode(HfFields& f, Model& m)
{
    Dimensions d = readGpt(f, m, {768, 12, 12, 0, 0, 0, 50257, 1024, true});
    m.learnedPositions = m.maxPositions;
    d.kvHeads = f.flag("multi_query", true) ? 1 : d.heads;
    addLayers(m, d.layers, biased(d, true, true, 2));
}

/// The kinds of attention of every layer, from [[["global", "local"], 12], ...].
std::vector<bool> readLocalLayers(HfFields& f, int layers)
{
    std::vector<bool> local;
    const nlohmann::json* groups = f.array("attention_types");
    if (groups == nullptr) {
        f.assume("attention_types", "global and local in turn as for gpt_neo");
        for (int i = 0; i < layers; ++i) {
            local.push_back(i % 2 == 1);
        }
        return local;
    }
    for (const nlohmann::json& group : *groups) {
        const bool usable =
            group.is_array() && group.size() == 2 && group[0].is_array() && group[1].is_number_unsigned();
        for (std::uint64_t i = 0; usable && i < group[1].get<std::uint64_t>(); ++i) {
            for (const nlohmann::json& type : group[0]) {
                local.push_back(type == "local");
            }
            if (group[0].empty() || local.size() > static_cast<std::size_t>(layers)) {
                break;
            }
        }
    }
    if (local.size() != static_cast<std::size_t>(layers)) {
        f.problem("attention_types", "", fmt::format("must name {} layers", layers),
                  "[[[\"global\", \"local\"], pairs]]");
        local.resize(static_cast<std::size_t>(layers));
    }
    return local;
}

void readGptNeo(HfFields& f, Model& m)
{
    const Dimensions d = readGpt(f, m, {2048, 24, 16, 0, 0, 0, 50257, 2048, true});
    m.learnedPositions = m.maxPositions;
    const auto window = static_cast<int>(f.integer({"window_size"}, 256));
    f.know({"attention_layers"});
    const std::vector<bool> local = readLocalLayers(f, d.layers);
    addLayers(m, d.layers, [&](int i) {
        LayerKind kind = biased(d, false, true, 2);
        std::get<Attention>(kind.mixer).window = local[static_cast<std::size_t>(i)] ? window : 0;
        return kind;
    });
}

void readGptNeoX(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {6144, 44, 64, 0, 0, 24576, 50432, 2048, false});
    m.norm = NormKind::Layer;
    f.know({"use_parallel_residual"}); // both forms have two norms
    const bool bias = f.flag("attention_bias", true);
    addLayers(m, d.layers, biased(d, bias, bias, 2));
}

/// GPT-J and CodeGen: a parallel block with one norm, no biases in attention, one at the head.
void readGptJ(HfFields& f, Model& m)
{
    const Dimensions d = readGpt(f, m, {4096, 28, 16, 0, 0, 0, 50400, 2048, false});
    m.headBias = true;
    addLayers(m, d.layers, biased(d, false, false, 1));
}

void readOpt(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {768, 12, 12, 0, 0, 3072, 50272, 2048, true});
    m.norm = f.flag("layer_norm_elementwise_affine", true) ? NormKind::Layer : NormKind::NonParametric;
    m.learnedPositions = m.maxPositions + 2; // the table starts behind two unused rows
    const std::int64_t width = f.derived({"word_embed_proj_dim"}, m.hidden, "the hidden size");
    m.embeddingWidth = width != m.hidden ? width : 0;
    m.finalNorm = f.flag("do_layer_norm_before", true) && !f.flag("_remove_final_layer_norm", false);
    const bool bias = f.flag("enable_bias", true);
    LayerKind kind = biased(d, bias, bias, 2);
    std::get<DenseFfn>(kind.feedForward).bias = bias;
    addLayers(m, d.layers, kind);
}

void readBloom(HfFields& f, Model& m)
{
    Dimensions d;
    const ClassDefaults defaults{64, 2, 8, 0, 0, 0, 250880, 0, true};
    d.layers = readFrame(f, m, defaults);
    d.heads = d.kvHeads = readHeads(f, defaults);
    d.headDim = readHeadDim(f, m, d.heads, defaults);
    d.width = 4 * m.hidden; // n_inner is in the files, and the class takes no notice of it
    f.know({"n_inner", "apply_residual_connection_post_layernorm", "offset_alibi", "skip_bias_add", "skip_bias_add_qkv",
            "slow_but_exact"});
    m.norm = NormKind::Layer;
    m.embeddingNorm = true;
    addLayers(m, d.layers, biased(d, true, true, 2));
}

/// Phi-1 and Phi-2: a parallel block with one norm, biases everywhere.
void readPhi(HfFields& f, Model& m)
{
    const ClassDefaults defaults{2048, 24, 32, 0, 0, 8192, 51200, 2048, false};
    Dimensions d;
    d.layers = readFrame(f, m, defaults);
    d.heads = readHeads(f, defaults);
    d.kvHeads = readKvHeads(f, d.heads, defaults);
    d.headDim = readHeadDim(f, m, d.heads, defaults);
    d.width = readInner(f, m);
    f.know({"fused_dense"});
    m.norm = NormKind::Layer;
    m.headBias = true;
    if (f.has("qk_layernorm") && f.flag("qk_layernorm", false)) {
        f.unsupported("qk_layernorm", "norms of queries and keys with a shift are not covered");
    }
    addLayers(m, d.layers, biased(d, true, true, 1));
}

void readStarCoder2(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {3072, 30, 24, 2, 0, 12288, 49152, 4096, true});
    m.norm = NormKind::Layer;
    const bool bias = f.flag("use_bias", true);
    LayerKind kind = biased(d, bias, bias, 2);
    std::get<DenseFfn>(kind.feedForward).bias = bias;
    std::get<Attention>(kind.mixer).window = static_cast<int>(f.integerOrZero({"sliding_window"}));
    f.know({"layer_types", "mlp_type", "norm_type", "use_sliding_window"});
    addLayers(m, d.layers, kind);
}

/// Squared ReLU between two matrices: Nemotron with LayerNorm, Arcee with RMS norm.
LayerKind readSquaredRelu(HfFields& f, const Dimensions& d)
{
    const bool bias = f.flag("attention_bias", false);
    LayerKind kind = biased(d, bias, bias, 2);
    std::get<DenseFfn>(kind.feedForward).bias = f.flag("mlp_bias", false);
    return kind;
}

void readNemotron(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {6144, 32, 48, 0, 0, 24576, 256000, 4096, false});
    m.norm = NormKind::Layer;
    addLayers(m, d.layers, readSquaredRelu(f, d));
}

void readArcee(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {2560, 32, 32, 0, 0, 18432, 32000, 4096, false});
    addLayers(m, d.layers, readSquaredRelu(f, d));
}

constexpr std::array table{
    Architecture{"gpt2", readGpt2},
    Architecture{"gpt_bigcode", readGptBigCode},
    Architecture{"gpt_neo", readGptNeo},
    Architecture{"gpt_neox", readGptNeoX},
    Architecture{"gptj", readGptJ},
    Architecture{"codegen", readGptJ},
    Architecture{"opt", readOpt},
    Architecture{"bloom", readBloom},
    Architecture{"phi", readPhi},
    Architecture{"phi-msft", readPhi},
    Architecture{"starcoder2", readStarCoder2},
    Architecture{"nemotron", readNemotron},
    Architecture{"arcee", readArcee},
};

} // namespace

std::span<const Architecture> gptArchitectures()
{
    return table;
}

} // namespace partita
