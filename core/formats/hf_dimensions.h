// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What the readers of the architectures share. Internal to core/formats.

#include "core/formats/hf_fields.h"

#include <functional>

namespace partita {

/// Class defaults of a model type in transformers. 0: the class has none and the file must say; kvHeads and headDim: as
/// many as there are query heads, hidden size over heads.
struct ClassDefaults {
    int hidden = 0;
    int layers = 0;
    int heads = 0;
    int kvHeads = 0;
    int headDim = 0;
    int width = 0; ///< of the feed-forward
    int vocabulary = 0;
    int positions = 0;
    bool tied = false;
};

/// The dimensions every decoder has.
struct Dimensions {
    int layers = 1;
    int heads = 1;
    int kvHeads = 1;
    int headDim = 1;
    std::int64_t width = 1;

    Attention attention() const;
};

/// Reads hidden size, vocabulary, positions and tying into the model and returns the rest.
Dimensions readDimensions(HfFields& fields, Model& model, const ClassDefaults& defaults);
/// The same without attention and feed-forward.
int readFrame(HfFields& fields, Model& model, const ClassDefaults& defaults);
int readHeads(HfFields& fields, const ClassDefaults& defaults);
int readKvHeads(HfFields& fields, int heads, const ClassDefaults& defaults);
int readHeadDim(HfFields& fields, const Model& model, int heads, const ClassDefaults& defaults);

void addLayer(Model& model, const LayerKind& kind); ///< as the next layer, sharing its kind with equal ones
void addLayers(Model& model, int layers, const LayerKind& kind);
void addLayers(Model& model, int layers, const std::function<LayerKind(int)>& kindOf);

/// The window of every layer: by layer_types where the file has it, else where isWindowed says so. 0 = none.
std::vector<int> readWindows(HfFields& fields, int layers, std::int64_t window,
                             const std::function<bool(int)>& isWindowed);

} // namespace partita
