// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

// Moves of layers between neighbouring model chunks. The sum stays; no chunk falls below 0.

/// A chunk set to a number of layers, as far as there are so many: the chunks behind it give or take first, nearest
/// first, then those before it. What is given goes to the nearest alone.
std::vector<int> withLayers(std::vector<int> split, std::size_t chunk, int layers);

/// The cut before chunk `cut` moved so that it lies before layer `firstLayer` of the model, between its neighbouring
/// cuts. cut: 1 to split.size() - 1.
std::vector<int> withCut(std::vector<int> split, std::size_t cut, int firstLayer);

/// Layers by chunk as a sum, runs of equal chunks in one: "7 + 3×8 + 5".
std::string layerSplitText(const std::vector<int>& split);
/// What such a text says; empty where it is none.
std::vector<int> readLayerSplit(std::string_view text);

} // namespace partita
