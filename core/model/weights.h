// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/model.h"

#include <algorithm>
#include <string_view>

namespace partita {

/// The part of a model a weight belongs to.
enum class WeightPart {
    Embedding, ///< token and position tables, projection in, embedding norm
    TokenMixer, ///< attention, MLA, SSM with their inner norms and biases
    DenseFfn,
    RoutedExperts,
    SharedExperts, ///< with their gate and the latent projections
    Router,
    Norms, ///< the norms of hidden size of a layer
    FinalNorm,
    Head, ///< output matrix, bias and projection out
};

/// What divides a weight over devices inside one pipeline stage.
enum class WeightSplit {
    Tensor, ///< tensor-parallel ranks: column- or row-parallel matrices and the vectors along a divided side
    KeyValue, ///< min(tensor-parallel ranks, groups): K and V heads, B and C groups, replicated beyond that
    Replicated, ///< nothing: norms, router, MLA down projections, biases behind a row-parallel matrix, position tables
    Expert, ///< expert-parallel times expert-tensor-parallel ranks
};

/// A weight tensor, or several alike. No product of its factors is formed before it is known to fit: see checkModel().
struct Weight {
    std::string_view name;
    WeightPart part = WeightPart::TokenMixer;
    WeightSplit split = WeightSplit::Tensor;
    bool matrix = false; ///< the operand of a matrix product (not a norm, bias, table, convolution or state)
    std::int64_t copies = 1; ///< tensors of this shape: experts, gate and up, ...
    std::int64_t rows = 1;
    std::int64_t columns = 1;

    std::int64_t count() const { return copies * rows * columns; }
    double approximateCount() const
    {
        return static_cast<double>(copies) * static_cast<double>(rows) * static_cast<double>(columns);
    }
    bool operator==(const Weight&) const = default;
};

using WeightList = std::vector<Weight>;

WeightList weightsOf(const LayerKind& kind, const Model& model); ///< of one layer
WeightList embeddingWeights(const Model& model); ///< what the first stage holds besides its layers
/// What the last stage holds besides its layers. Without the matrix when tied: a last stage that is not the first one
/// then holds a copy of the token table, vocabulary * embeddingColumns().
WeightList headWeights(const Model& model);
/// Of one multi-token prediction module: the last layer's kind, a projection of two hidden states and three norms
/// (DeepSeek-V3 report, section 2.2). Embedding and head are shared with the model.
WeightList predictionModuleWeights(const Model& model);

/// Parameters by what divides them over the devices of one pipeline stage.
struct ShardedParameters {
    std::int64_t tensorParallel = 0;
    std::int64_t keyValue = 0;
    std::int64_t replicated = 0;
    std::int64_t experts = 0;
    int keyValueGroups = 1; ///< into so many parts at most `keyValue` can be divided

    std::int64_t total() const { return tensorParallel + keyValue + replicated + experts; }
    /// Parameters on one device under tp tensor-parallel and ep * etp expert ranks.
    double perDevice(int tp, int ep, int etp) const
    {
        return static_cast<double>(tensorParallel) / tp + static_cast<double>(keyValue) / std::min(tp, keyValueGroups)
            + static_cast<double>(replicated) + static_cast<double>(experts) / (static_cast<double>(ep) * etp);
    }
    bool operator==(const ShardedParameters&) const = default;
};

ShardedParameters shardedParameters(const LayerKind& kind, const Model& model); ///< of one layer
ShardedParameters shardedEmbedding(const Model& model);
ShardedParameters shardedHead(const Model& model);
/// Of one multi-token prediction module, without the embedding and head it shares.
ShardedParameters shardedPredictionModule(const Model& model);

} // namespace partita
