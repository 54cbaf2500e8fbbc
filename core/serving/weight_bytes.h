// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/weights.h"
#include "core/scenario/serving.h"
#include "core/serving/serving_layout.h"

#include <vector>

namespace partita {

/// Type a weight matrix of a part is stored in: the serving format where the checkpoint quantises that part.
DataType storedType(WeightPart part, const Serving& serving);
/// Bytes an element of such a matrix takes, scales and zero points counted. FP8: one FP32 scale a block of 128 * 128.
/// INT8: 16 bits an output row unless grouped (vanishes). INT4: groupBytes a group.
double storedBytes(DataType type, const Serving& serving);

/// The same of a weight tensor: what is not a matrix stays in 16 bits.
double storedBytes(const Weight& weight, const Serving& serving);
/// Ranks that share a weight. groups: K/V heads, or groups of B and C.
double sharingRanks(const Weight& weight, int groups, const ServingLayout& layout);

/// Bytes on one device.
struct WeightBytes {
    double dense = 0; ///< read by every step
    double experts = 0; ///< routed experts held: a step reads those its tokens visit
    double lookedUp = 0; ///< embedding and position tables: held, not read through

    double total() const { return dense + experts + lookedUp; }
    WeightBytes& operator+=(const WeightBytes& other);
    bool operator==(const WeightBytes&) const = default;
};

WeightBytes layerBytes(const LayerKind& kind, const Model& model, const Serving& serving, const ServingLayout& layout);
WeightBytes embeddingBytes(const Model& model, const Serving& serving, const ServingLayout& layout);
/// alone: the stage does not hold the embedding, so tied weights are copied to it. What the output product reads is in
/// dense either way.
WeightBytes headBytes(const Model& model, const Serving& serving, const ServingLayout& layout, bool alone);
/// All of the model, once, in bytes.
double checkpointBytes(const Model& model, const Serving& serving);

/// What every pipeline stage holds.
struct ServingStages {
    std::vector<int> layers; ///< as stated, or as even as possible
    std::vector<WeightBytes> weights; ///< of a stage's device

    double fullest() const; ///< bytes of weights
};

ServingStages servingStages(const Scenario& scenario, const ServingLayout& layout);

} // namespace partita
