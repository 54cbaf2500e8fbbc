// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/model.h"

namespace partita {

/// Exact parameter counts of one layer by part.
struct LayerParameters {
    std::int64_t mixer = 0; ///< projections and biases of attention, MLA, SSM, their inner norms included
    std::int64_t denseFfn = 0;
    std::int64_t routedExperts = 0; ///< all experts of the layer
    std::int64_t sharedExperts = 0; ///< with the shared gate and latent projections
    std::int64_t router = 0;
    std::int64_t norms = 0;
    std::int64_t activeRoutedExperts = 0; ///< the topK experts a token visits; part of routedExperts

    std::int64_t total() const { return mixer + denseFfn + routedExperts + sharedExperts + router + norms; }
    std::int64_t active() const { return total() - routedExperts + activeRoutedExperts; }
    bool operator==(const LayerParameters&) const = default;
};

/// Exact parameter counts of a model; the multi-token prediction modules are counted apart, as published totals do.
struct ModelParameters {
    std::int64_t embedding = 0; ///< token and position tables, projections in, embedding norm
    std::int64_t head = 0; ///< 0 for the matrix when tied; projection out and bias
    std::int64_t finalNorm = 0;
    LayerParameters layers; ///< summed over the layers
    std::int64_t multiTokenPrediction = 0; ///< not in total()

    std::int64_t total() const { return embedding + head + finalNorm + layers.total(); }
    /// Parameters a token's computation touches: routed experts counted topK times, an untied embedding left out (a
    /// look-up).
    std::int64_t active = 0;
    bool operator==(const ModelParameters&) const = default;
};

LayerParameters parameters(const LayerKind& kind, const Model& model);
ModelParameters parameters(const Model& model);

} // namespace partita
