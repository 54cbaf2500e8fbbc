// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The fields of a model as files spell them. Internal to core/formats.

#include "core/formats/json_fields.h"
#include "core/model/model.h"

namespace partita {

template <> struct KindKey<Attention> {
    static constexpr std::string_view value = "attention";
};
template <> struct KindKey<LatentAttention> {
    static constexpr std::string_view value = "latent-attention";
};
template <> struct KindKey<Mamba1> {
    static constexpr std::string_view value = "mamba-1";
};
template <> struct KindKey<Mamba2> {
    static constexpr std::string_view value = "mamba-2";
};
template <> struct KindKey<GatedDelta> {
    static constexpr std::string_view value = "gated-delta";
};
template <> struct KindKey<DenseFfn> {
    static constexpr std::string_view value = "dense";
};
template <> struct KindKey<MoeFfn> {
    static constexpr std::string_view value = "moe";
};

template <class Fields> void describe(Fields& fields, Attention& attention)
{
    fields.integer("heads", attention.heads, {}, Presence::Required);
    fields.integer("kv_heads", attention.kvHeads, {}, Presence::Required);
    fields.integer("head_dim", attention.headDim, {}, Presence::Required);
    fields.integer("value_head_dim", attention.valueHeadDim, {}, Presence::Rare);
    fields.integer("window", attention.window, {}, Presence::Rare);
    fields.flag("query_key_norm", attention.queryKeyNorm, Presence::Rare);
    fields.flag("full_width_query_key_norm", attention.fullWidthQueryKeyNorm, Presence::Rare);
    fields.flag("qkv_bias", attention.qkvBias, Presence::Rare);
    fields.flag("output_bias", attention.outputBias, Presence::Rare);
    fields.flag("output_gate", attention.outputGate, Presence::Rare);
    fields.flag("sinks", attention.sinks, Presence::Rare);
}

template <class Fields> void describe(Fields& fields, LatentAttention& attention)
{
    fields.integer("heads", attention.heads, {}, Presence::Required);
    fields.integer("query_rank", attention.queryRank);
    fields.integer("kv_rank", attention.kvRank, {}, Presence::Required);
    fields.integer("nope_head_dim", attention.nopeHeadDim, {}, Presence::Required);
    fields.integer("rope_head_dim", attention.ropeHeadDim, {}, Presence::Required);
    fields.integer("value_head_dim", attention.valueHeadDim, {}, Presence::Required);
    fields.flag("bias", attention.bias, Presence::Rare);
    fields.integer("index_heads", attention.indexHeads, {}, Presence::Rare);
    fields.integer("index_head_dim", attention.indexHeadDim, {}, Presence::Rare);
    fields.integer("index_top_k", attention.indexTopK, {}, Presence::Rare);
}

template <class Fields> void describe(Fields& fields, Mamba1& mamba)
{
    fields.integer("inner_width", mamba.innerWidth, {}, Presence::Required);
    fields.integer("state_size", mamba.stateSize, {}, Presence::Required);
    fields.integer("conv_width", mamba.convWidth);
    fields.integer("step_rank", mamba.stepRank, {}, Presence::Required);
    fields.flag("conv_bias", mamba.convBias);
    fields.flag("projection_bias", mamba.projectionBias, Presence::Rare);
    fields.flag("inner_norms", mamba.innerNorms, Presence::Rare);
}

template <class Fields> void describe(Fields& fields, Mamba2& mamba)
{
    fields.integer("heads", mamba.heads, {}, Presence::Required);
    fields.integer("head_dim", mamba.headDim, {}, Presence::Required);
    fields.integer("groups", mamba.groups);
    fields.integer("state_size", mamba.stateSize, {}, Presence::Required);
    fields.integer("conv_width", mamba.convWidth);
    fields.integer("chunk", mamba.chunk);
    fields.flag("conv_bias", mamba.convBias);
    fields.flag("projection_bias", mamba.projectionBias, Presence::Rare);
    fields.flag("gated_norm", mamba.gatedNorm);
}

template <class Fields> void describe(Fields& fields, GatedDelta& delta)
{
    fields.integer("key_heads", delta.keyHeads, {}, Presence::Required);
    fields.integer("value_heads", delta.valueHeads, {}, Presence::Required);
    fields.integer("key_head_dim", delta.keyHeadDim, {}, Presence::Required);
    fields.integer("value_head_dim", delta.valueHeadDim, {}, Presence::Required);
    fields.integer("conv_width", delta.convWidth);
    fields.integer("chunk", delta.chunk);
}

template <class Fields> void describe(Fields& fields, DenseFfn& dense)
{
    fields.integer("width", dense.width, {}, Presence::Required);
    fields.flag("gated", dense.gated);
    fields.flag("bias", dense.bias, Presence::Rare);
}

template <class Fields> void describe(Fields& fields, MoeFfn& moe)
{
    fields.integer("experts", moe.experts, {}, Presence::Required);
    fields.integer("top_k", moe.topK, {}, Presence::Required);
    fields.integer("expert_width", moe.expertWidth, {}, Presence::Required);
    fields.flag("gated", moe.gated);
    fields.integer("shared_width", moe.sharedWidth, {}, Presence::Rare);
    fields.flag("shared_gate", moe.sharedGate, Presence::Rare);
    fields.flag("router_bias", moe.routerBias, Presence::Rare);
    fields.flag("expert_bias", moe.expertBias, Presence::Rare);
    fields.integer("latent_width", moe.latentWidth, {}, Presence::Rare);
    fields.integer("routing_groups", moe.routingGroups);
    fields.integer("routed_groups", moe.routedGroups);
}

template <class Fields> void describe(Fields& fields, LayerKind& kind)
{
    fields.oneOf("mixer", kind.mixer);
    fields.oneOf("feed_forward", kind.feedForward);
    fields.integer("norms", kind.norms);
}

/// The order of layer kinds in one short text: "3x0 58x1", "4x(7x0 1)". writeLayerOrder finds the repetition of a
/// hybrid.
std::string writeLayerOrder(const std::vector<int>& layers);
Result<std::vector<int>> readLayerOrder(std::string_view text);

template <class Fields> void describeLayerOrder(Fields& fields, std::vector<int>& layers)
{
    std::string order = Fields::reading ? std::string() : writeLayerOrder(layers);
    fields.text("layers", order, Presence::Required);
    if constexpr (Fields::reading) {
        Result<std::vector<int>> result = readLayerOrder(order);
        if (result) {
            layers = *std::move(result);
        } else if (!order.empty()) {
            for (const Problem& problem : result.problems) {
                fields.problem("layers", problem.value, problem.message, problem.suggestion);
            }
        }
    }
}

template <class Fields> void describe(Fields& fields, Model& model)
{
    fields.text("id", model.id);
    fields.text("name", model.name);
    fields.integer("hidden", model.hidden, {}, Presence::Required);
    fields.integer("vocabulary", model.vocabulary, {}, Presence::Required);
    fields.integer("max_positions", model.maxPositions, {}, Presence::Rare);
    fields.integer("learned_positions", model.learnedPositions, {}, Presence::Rare);
    fields.integer("embedding_width", model.embeddingWidth, {}, Presence::Rare);
    fields.flag("embedding_norm", model.embeddingNorm, Presence::Rare);
    fields.flag("tied_embeddings", model.tiedEmbeddings);
    fields.flag("head_bias", model.headBias, Presence::Rare);
    fields.flag("final_norm", model.finalNorm);
    fields.choice("norm", model.norm);
    describeLayerOrder(fields, model.layers);
    fields.objects("kinds", model.kinds, Presence::Required);
    fields.integer("multi_token_prediction", model.multiTokenPrediction, {}, Presence::Rare);
    fields.text("source", model.source, Presence::Rare);
}

/// A model from an open object, checked for contradictions and for sizes that cannot be costed. Unknown keys are left
/// to the caller, who may have more of its own.
void readModel(FieldReader& reader, Model& model);

} // namespace partita
