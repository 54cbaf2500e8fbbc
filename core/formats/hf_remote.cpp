// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/hf_architectures.h"
#include "core/formats/json_text.h"
#include "core/model/check_model.h"

#include <array>
#include <cmath>

namespace partita {

namespace {

void readFalconLike(HfFields& f, Model& m, bool newArchitecture)
{
    const ClassDefaults defaults{4544, 32, 71, 0, 0, 0, 65024, 2048, true};
    Dimensions d;
    d.layers = readFrame(f, m, defaults);
    d.heads = readHeads(f, defaults);
    d.headDim = readHeadDim(f, m, d.heads, defaults);
    const bool isNew = f.flag("new_decoder_architecture", newArchitecture);
    const bool multiQuery = f.flag("multi_query", true);
    const bool parallel = f.flag("parallel_attn", true);
    const bool bias = f.flag("bias", false);
    if (isNew) {
        d.kvHeads = readKvHeads(f, d.heads, defaults);
    } else {
        f.know({"num_kv_heads", "n_head_kv"});
        d.kvHeads = multiQuery ? 1 : d.heads;
    }
    d.width = f.derived({"ffn_hidden_size"}, 4 * m.hidden, "four times the hidden size");
    f.know({"alibi", "apply_residual_connection_post_layernorm"});
    m.norm = NormKind::Layer;
    const int separateNorms =
        isNew ? static_cast<int>(f.derived({"num_ln_in_parallel_attn"}, 2, "as for the new architecture")) : 1;
    Attention attention = d.attention();
    attention.qkvBias = attention.outputBias = bias;
    addLayers(m, d.layers, {attention, DenseFfn{d.width, false, bias}, parallel ? separateNorms : 2});
}

void readFalcon(HfFields& f, Model& m)
{
    readFalconLike(f, m, false);
}

/// Falcon-40B as first published: its code knew no other form.
void readRefinedWeb(HfFields& f, Model& m)
{
    readFalconLike(f, m, true);
}

void readMpt(HfFields& f, Model& m)
{
    const ClassDefaults defaults{2048, 24, 16, 0, 0, 0, 50368, 2048, true};
    Dimensions d;
    d.layers = readFrame(f, m, defaults);
    d.heads = readHeads(f, defaults);
    d.headDim = readHeadDim(f, m, d.heads, defaults);
    d.width = static_cast<std::int64_t>(std::llround(f.number("expansion_ratio", 4) * static_cast<double>(m.hidden)));
    HfFields attentionFields = f.nested("attn_config");
    const bool multiQuery = attentionFields.text("attn_type", "multihead_attention") == "multiquery_attention";
    d.kvHeads = static_cast<int>(attentionFields.optionalInteger({"kv_n_heads"}).value_or(multiQuery ? 1 : d.heads));
    const bool alibi = attentionFields.flag("alibi", true);
    const bool bias = !f.flag("no_bias", true);
    f.know({"embedding_fraction", "norm_type", "logit_scale"});
    m.norm = bias ? NormKind::Layer : NormKind::LayerWithoutBias;
    m.learnedPositions = f.flag("learned_pos_emb", true) && !alibi ? m.maxPositions : 0;
    Attention attention = d.attention();
    attention.qkvBias = attention.outputBias = bias;
    attention.fullWidthQueryKeyNorm = attentionFields.has("qk_ln") && attentionFields.flag("qk_ln", false);
    addLayers(m, d.layers, {attention, DenseFfn{d.width, false, bias}, 2});
}

void readChatGlm(HfFields& f, Model& m)
{
    const ClassDefaults defaults{4096, 28, 32, 0, 128, 13696, 65024, 2048, false};
    Dimensions d;
    d.layers = readFrame(f, m, defaults);
    d.heads = readHeads(f, defaults);
    d.headDim = static_cast<int>(f.integer({"kv_channels"}, defaults.headDim));
    const bool multiQuery = f.flag("multi_query_attention", false);
    f.know({"multi_query_group_num", "apply_query_key_layer_scaling", "apply_residual_connection_post_layernorm",
            "fp32_residual_connection"});
    d.kvHeads = multiQuery ? static_cast<int>(f.integer({"multi_query_group_num"}, 1)) : d.heads;
    d.width = f.integer({"ffn_hidden_size"}, defaults.width);
    const bool bias = f.flag("add_bias_linear", false);
    m.norm = f.flag("rmsnorm", true) ? NormKind::Rms : NormKind::Layer;
    m.finalNorm = f.flag("post_layer_norm", true);
    Attention attention = d.attention();
    attention.qkvBias = f.flag("add_qkv_bias", false) || bias;
    attention.outputBias = bias;
    addLayers(m, d.layers, {attention, DenseFfn{d.width, true, bias}, 2});
}

/// The first Qwen: intermediate_size counts gate and up together.
void readQwen1(HfFields& f, Model& m)
{
    const ClassDefaults defaults{4096, 32, 32, 0, 128, 22016, 151936, 8192, false};
    Dimensions d;
    d.layers = readFrame(f, m, defaults);
    d.heads = d.kvHeads = readHeads(f, defaults);
    d.headDim = static_cast<int>(f.integer({"kv_channels"}, defaults.headDim));
    d.width = f.integer({"intermediate_size"}, defaults.width) / 2;
    const bool bias = !f.flag("no_bias", true);
    f.know({"bf16", "fp16", "fp32", "use_dynamic_ntk", "seq_length"});
    Attention attention = d.attention();
    attention.qkvBias = true;
    attention.outputBias = bias;
    addLayers(m, d.layers, {attention, DenseFfn{d.width, true, bias}, 2});
}

LayerKind plain(const Dimensions& d)
{
    return {d.attention(), DenseFfn{d.width, true, false}, 2};
}

void readBaichuan(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {0, 0, 0, 0, 0, 0, 0, 0, false});
    addLayers(m, d.layers, plain(d));
}

void readOrion(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {0, 0, 0, 0, 0, 0, 0, 0, false});
    m.norm = NormKind::Layer;
    addLayers(m, d.layers, plain(d));
}

/// MiniCPM, dense or with Mixtral's experts under the same type.
void readMiniCpm(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {0, 0, 0, 0, 0, 0, 0, 0, true});
    LayerKind kind = plain(d);
    if (f.has("num_experts") && f.integerOrZero({"num_experts"}) > 0) {
        MoeFfn experts;
        experts.experts = static_cast<int>(f.integerOrZero({"num_experts"}));
        experts.topK = static_cast<int>(f.integer({"num_experts_per_tok"}, 2));
        experts.expertWidth = d.width;
        kind.feedForward = experts;
    }
    addLayers(m, d.layers, kind);
}

void readInternLm(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {4096, 32, 32, 0, 0, 11008, 103168, 2048, false});
    LayerKind kind = plain(d);
    auto& attention = std::get<Attention>(kind.mixer);
    attention.qkvBias = attention.outputBias = f.flag("bias", true);
    addLayers(m, d.layers, kind);
}

/// Width of Nemotron-NAS: two thirds of the multiple, rounded up to 256.
std::int64_t nasWidth(double multiple, std::int64_t hidden)
{
    constexpr std::int64_t step = 256;
    const auto width = static_cast<std::int64_t>(2 * multiple * static_cast<double>(hidden) / 3);
    return (width + step - 1) / step * step;
}

/// One block of Nemotron-NAS, which the search may have stripped of its attention or its feed-forward.
LayerKind readNasBlock(HfFields& block, const Model& m, const Dimensions& d)
{
    LayerKind kind;
    kind.norms = 0;
    HfFields attention = block.nested("attention");
    HfFields feedForward = block.nested("ffn");
    for (HfFields* part : {&attention, &feedForward}) {
        if (part->has("replace_with_linear") && part->flag("replace_with_linear", false)) {
            part->unsupported("replace_with_linear", "a linear layer in place of this part is not covered");
        }
    }
    if (!(attention.has("no_op") && attention.flag("no_op", false))) {
        Attention mixer = d.attention();
        const std::int64_t perGroup = attention.period({"n_heads_in_group"}, 1);
        mixer.kvHeads = static_cast<int>(std::max<std::int64_t>(d.heads / perGroup, 1));
        mixer.window = static_cast<int>(attention.integerOrZero({"window_length"}));
        kind.mixer = mixer;
        ++kind.norms;
    }
    if (!(feedForward.has("no_op") && feedForward.flag("no_op", false))) {
        const std::int64_t stated = feedForward.integerOrZero({"intermediate_size"});
        kind.feedForward =
            DenseFfn{stated > 0 ? stated : nasWidth(feedForward.number("ffn_mult", 1), m.hidden), true, false};
        ++kind.norms;
    }
    return kind;
}

void readNemotronNas(HfFields& f, Model& m)
{
    const ClassDefaults defaults{4096, 32, 32, 0, 0, 0, 32000, 2048, false};
    Dimensions d;
    d.layers = readFrame(f, m, defaults);
    d.heads = readHeads(f, defaults);
    d.headDim = readHeadDim(f, m, d.heads, defaults);
    f.know({"num_key_value_heads", "intermediate_size", "attention_bias", "mlp_bias"});
    const nlohmann::json* blocks = f.array("block_configs");
    if (blocks == nullptr || blocks->size() != static_cast<std::size_t>(d.layers)) {
        f.problem("block_configs", "", "must hold one object for every layer");
        addLayers(m, d.layers, plain(d));
        return;
    }
    for (std::size_t i = 0; i < blocks->size() && m.kinds.size() <= ModelBounds::kinds; ++i) {
        HfFields block = f.element("block_configs", i);
        addLayer(m, readNasBlock(block, m, d));
    }
}

constexpr std::array table{
    Architecture{"falcon", readFalcon},         Architecture{"RefinedWebModel", readFalcon},
    Architecture{"RefinedWeb", readRefinedWeb}, Architecture{"mpt", readMpt},
    Architecture{"chatglm", readChatGlm},       Architecture{"qwen", readQwen1},
    Architecture{"baichuan", readBaichuan},     Architecture{"orion", readOrion},
    Architecture{"minicpm", readMiniCpm},       Architecture{"internlm", readInternLm},
    Architecture{"internlm2", readInternLm},    Architecture{"nemotron-nas", readNemotronNas},
};

} // namespace

std::span<const Architecture> remoteArchitectures()
{
    return table;
}

} // namespace partita
