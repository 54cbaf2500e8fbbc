// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/names.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace partita {

/// Multi-head, grouped-query (kvHeads < heads) or multi-query (kvHeads = 1) attention.
struct Attention {
    int heads = 0;
    int kvHeads = 0;
    int headDim = 0; ///< of queries and keys; heads * headDim need not be the hidden size
    int valueHeadDim = 0; ///< of values when it differs (MiMo-V2); 0 = headDim
    int window = 0; ///< sliding window or chunk in tokens; 0 = the whole sequence
    bool queryKeyNorm = false; ///< one norm weight of headDim each for Q and K (Qwen3)
    bool fullWidthQueryKeyNorm = false; ///< norm weights over all heads instead (OLMo 2)
    bool qkvBias = false;
    bool outputBias = false;
    bool outputGate = false; ///< a second Q-sized projection gates the output (Qwen3-Next)
    bool sinks = false; ///< one learned logit a head (gpt-oss)

    int valueDim() const { return valueHeadDim > 0 ? valueHeadDim : headDim; }
    bool operator==(const Attention&) const = default;
};

/// Multi-head latent attention (DeepSeek-V2, arXiv:2405.04434).
struct LatentAttention {
    int heads = 0;
    int queryRank = 0; ///< q_lora_rank; 0 = queries projected directly
    int kvRank = 0; ///< kv_lora_rank
    int nopeHeadDim = 0;
    int ropeHeadDim = 0;
    int valueHeadDim = 0;
    bool bias = false;
    int indexHeads = 0; ///< lightning indexer of DeepSeek-V3.2; 0 = none
    int indexHeadDim = 0;
    int indexTopK = 0; ///< keys attended per query when there is an indexer

    bool operator==(const LatentAttention&) const = default;
};

/// Selective state space, arXiv:2312.00752.
struct Mamba1 {
    std::int64_t innerWidth = 0;
    int stateSize = 0;
    int convWidth = 4;
    int stepRank = 0; ///< dt_rank
    bool convBias = true;
    bool projectionBias = false;
    bool innerNorms = false; ///< norms over dt, B and C (Jamba, weights of stepRank + 2 * stateSize)

    bool operator==(const Mamba1&) const = default;
};

/// State space duality, arXiv:2405.21060. innerWidth = heads * headDim.
struct Mamba2 {
    int heads = 0;
    int headDim = 0;
    int groups = 1;
    int stateSize = 0;
    int convWidth = 4;
    int chunk = 256;
    bool convBias = true;
    bool projectionBias = false;
    bool gatedNorm = true; ///< RMS norm over the inner width before the output projection

    std::int64_t innerWidth() const { return std::int64_t{heads} * headDim; }
    bool operator==(const Mamba2&) const = default;
};

/// Gated delta rule, arXiv:2412.06464 (Qwen3-Next).
struct GatedDelta {
    int keyHeads = 0;
    int valueHeads = 0;
    int keyHeadDim = 0;
    int valueHeadDim = 0;
    int convWidth = 4;
    int chunk = 64;

    bool operator==(const GatedDelta&) const = default;
};

using Mixer = std::variant<std::monostate, Attention, LatentAttention, Mamba1, Mamba2, GatedDelta>;

struct DenseFfn {
    std::int64_t width = 0;
    bool gated = true; ///< three matrices (SwiGLU, GEGLU) instead of two
    bool bias = false;

    bool operator==(const DenseFfn&) const = default;
};

struct MoeFfn {
    int experts = 0; ///< routed experts
    int topK = 0; ///< routed experts per token
    std::int64_t expertWidth = 0;
    bool gated = true;
    std::int64_t sharedWidth = 0; ///< total width of the shared experts; 0 = none
    bool sharedGate = false; ///< a scalar gate on the shared expert (Qwen2-MoE)
    bool routerBias = false; ///< bias of the router, or the correction bias of auxiliary-loss-free balancing
    bool expertBias = false;
    int latentWidth = 0; ///< experts work on a projection of this width (Nemotron-3); 0 = on the hidden size
    int routingGroups = 1; ///< groups of experts of group-limited routing (n_group)
    int routedGroups = 1; ///< groups a token may choose from (topk_group)

    bool operator==(const MoeFfn&) const = default;
};

using FeedForward = std::variant<std::monostate, DenseFfn, MoeFfn>;

/// One layer: a mixer, a feed-forward, either may be absent (pure SSM or hybrid stacks).
struct LayerKind {
    Mixer mixer;
    FeedForward feedForward;
    int norms =
        2; ///< norms of hidden size: 2 usual, 1 parallel block or a single sub-layer, 4 with post-norms (Gemma 2)

    bool operator==(const LayerKind&) const = default;
};

enum class NormKind { Rms, Layer, LayerWithoutBias, NonParametric };

template <> struct Names<NormKind> {
    static constexpr std::array table{
        Name<NormKind>{NormKind::Rms, "rms", "RMSNorm"},
        Name<NormKind>{NormKind::Layer, "layer", "LayerNorm"},
        Name<NormKind>{NormKind::LayerWithoutBias, "layer-without-bias", "LayerNorm without bias"},
        Name<NormKind>{NormKind::NonParametric, "non-parametric", "LayerNorm without weights"},
    };
};

/// A decoder-only language model: embedding, a list of layers, final norm, head.
/// Layers are an order over a few distinct kinds, so that hybrids are lists and every kind is costed once.
struct Model {
    std::string id; ///< preset id, lower-case with dashes and dots
    std::string name;
    std::int64_t hidden = 0;
    std::int64_t vocabulary = 0; ///< true rows, unpadded
    std::int64_t maxPositions = 0; ///< longest sequence trained for; 0 = unknown
    std::int64_t learnedPositions = 0; ///< rows of a learned position table; 0 = none (RoPE, ALiBi)
    std::int64_t embeddingWidth = 0; ///< when it differs from hidden: projections in and out (OPT-350M); 0 = hidden
    bool embeddingNorm = false; ///< a norm behind the embedding (BLOOM)
    bool tiedEmbeddings = false;
    bool headBias = false;
    bool finalNorm = true;
    NormKind norm = NormKind::Rms;
    std::vector<LayerKind> kinds; ///< distinct layer kinds
    std::vector<int> layers; ///< kinds[layers[i]] is layer i
    int multiTokenPrediction =
        0; ///< extra prediction modules (DeepSeek-V3): each the last kind, a 2h x h projection, norms
    std::string source; ///< where the numbers are from

    int layerCount() const { return static_cast<int>(layers.size()); }
    const LayerKind& layer(int index) const
    {
        return kinds[static_cast<std::size_t>(layers[static_cast<std::size_t>(index)])];
    }
    std::int64_t embeddingColumns() const { return embeddingWidth > 0 ? embeddingWidth : hidden; }
    bool operator==(const Model&) const = default;
};

} // namespace partita
