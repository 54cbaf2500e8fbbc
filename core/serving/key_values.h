// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/model.h"
#include "core/scenario/serving.h"
#include "core/serving/serving_layout.h"

namespace partita {

/// What a layer's mixer keeps of a sequence, whole (not divided by ranks), in bytes.
struct LayerCache {
    double perToken = 0;
    double perSequence = 0; ///< states of a recurrence: constant
    double window = 0; ///< tokens kept at most; 0 = all
    double indexPerToken = 0; ///< keys of a sparse-attention indexer: kept and read for every token
    double readAtMost = 0; ///< tokens a step attends at most (sparse attention); 0 = all that are kept

    /// Of a sequence of so many tokens.
    double bytes(double tokens) const;
    /// Tokens that a query attends which sees so many.
    double attended(double tokens) const;
    /// Read by a step whose query sees so many tokens; a recurrence reads its state and writes it back.
    double bytesRead(double tokens) const;
    bool operator==(const LayerCache&) const = default;
};

/// Of a key or value; of a latent kept in FP8, its scales and rotary part are not counted.
double bytesPerElement(KeyValueFormat format);
/// keepsWindows: Engine::keepsWindows.
LayerCache layerCache(const LayerKind& kind, KeyValueFormat format, bool keepsWindows = true);
/// Share of a layer's cache that one tensor rank holds: 1 / tp, but whole heads (one at least), so that beyond the KV
/// heads they are copied; a latent is copied to every rank. Decode context parallelism spreads the copies again.
double deviceShare(const LayerKind& kind, const ServingLayout& layout);
/// Copies of keys and values among the ranks of a tensor group, the worst of the layers.
double keyValueCopies(const Model& model, const ServingLayout& layout);

/// Of the whole model, windows not counted: what a token adds while a sequence is shorter than them.
double keyValueBytesPerToken(const Model& model, KeyValueFormat format);
/// Of the whole model for a sequence of so many tokens: windows, chunks and states counted.
double sequenceBytes(const Model& model, KeyValueFormat format, double tokens);

} // namespace partita
