// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/kernel_time.h"

#include <vector>

namespace partita {

/// What the time of a fused attention core is made of: the longer of
/// max(longest, tiles * mean / cores + tail * longest) * tileRows * flopsPerScore * cores / pace and bytes / bandwidth.
struct FlashTerms {
    double flopsPerScore = 0;
    double tileRows = 0; ///< queries a core works on at a time
    double tiles = 0;
    double mean = 0; ///< keys a tile sees, and the keys its start costs
    double longest = 0;
    double tail = 0; ///< of the longest tile, left when the other cores are done
    double size = 0; ///< mean of the head sizes of Q/K and V
    double pace = 0; ///< FLOP/s of all cores at this head size; 0 where the peak is unknown
    double bytes = 0; ///< through device memory
};

FlashTerms flashTerms(const AttentionShape& shape, Pass pass, const Accelerator& accelerator);

/// The batched products of a core that is not fused.
std::vector<GemmShape> batchedProducts(const AttentionShape& shape, Pass pass);
/// Of those products, 1 or more: rows that do not begin at multiples of 16 bytes leave the tensor cores idle (NVIDIA,
/// Matrix Multiplication Background User's Guide, section 2); how much slower, by BLOOM's runs with heads of 108
/// elements.
double alignmentSlowdown(const AttentionShape& shape);
/// Bytes that the scores of such a core move beside them.
double scoreMatrixTraffic(const AttentionShape& shape, Pass pass, AttentionKernel kernel);

} // namespace partita
