// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/layer_split.h"

#include <algorithm>
#include <numeric>

namespace partita {

std::vector<int> withLayers(std::vector<int> split, std::size_t chunk, int layers)
{
    std::vector<std::size_t> others;
    for (std::size_t i = chunk + 1; i < split.size(); ++i) {
        others.push_back(i);
    }
    for (std::size_t i = chunk; i-- > 0;) {
        others.push_back(i);
    }
    int wanted = std::max(0, layers) - split[chunk];
    for (const std::size_t other : others) {
        const int moved = std::min(wanted, split[other]); // all that is given when wanted is negative
        split[other] -= moved;
        split[chunk] += moved;
        wanted -= moved;
    }
    return split;
}

std::vector<int> withCut(std::vector<int> split, std::size_t cut, int firstLayer)
{
    const auto at = split.begin() + static_cast<std::ptrdiff_t>(cut);
    const int before = std::accumulate(split.begin(), at - 1, 0);
    const int both = *(at - 1) + *at;
    *(at - 1) = std::clamp(firstLayer - before, 0, both);
    *at = both - *(at - 1);
    return split;
}

} // namespace partita
