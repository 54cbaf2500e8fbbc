// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"

#include <string>
#include <string_view>
#include <vector>

namespace partita {

/// What one model chunk holds besides nothing.
struct ChunkUnits {
    int embeddings = 0;
    int layers = 0;
    int predictors = 0; ///< multi-token prediction modules
    int losses = 0; ///< head and loss

    bool operator==(const ChunkUnits&) const = default;
};

/// Model chunks in order, as Megatron-LM's --pipeline-model-parallel-layout writes them: "Et*3|(tt|)*29,m|L" is
/// E embedding, t layer, m prediction module, L head and loss, | the end of a chunk, *n the unit or (group) before it
/// n times; commas and blanks separate nothing. All problems at once, field "layout.layers_per_stage": what cannot be
/// read, an embedding that is not in the first chunk, a loss that is not in the last, a prediction module before a
/// layer.
Result<std::vector<ChunkUnits>> parsePipelineLayout(std::string_view text);

/// The shortest form that runs of equal chunks and units allow; parses back to the same.
std::string writePipelineLayout(const std::vector<ChunkUnits>& chunks);

std::vector<int> layersOf(const std::vector<ChunkUnits>& chunks);

/// Layers per chunk with the embedding in the first one, predictors and the loss in the last.
std::vector<ChunkUnits> unitsOf(const std::vector<int>& layers, int predictors);

/// Layers per model chunk when the first and last of `stages` ranks hold these many (Megatron-LM
/// --decoder-first-pipeline-num-layers, --decoder-last-pipeline-num-layers; negative = not stated) and the others share
/// the rest evenly; a rank's layers spread evenly over its chunks.
Result<std::vector<int>> unevenEnds(int layers, int stages, int chunks, int first, int last);

} // namespace partita
