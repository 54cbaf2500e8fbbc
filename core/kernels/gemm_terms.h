// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/kernel_time.h"

namespace partita {

/// The tile, and the split of K, that a GEMM is fastest with: busy * perK * (k / splits + fill) + splitTime
/// + splits * resultTime, where perK = 2 * rows * columns * feed / corePace and the last two count only when split.
struct TileTerms {
    double rows = 0;
    double columns = 0;
    double feed = 1; ///< more operand loads a product than the largest tile needs
    double corePace = 0; ///< FLOP/s of one core
    double busy = 1; ///< waves, the last one's idle cores partly hidden
    double k = 0;
    double fill = 0; ///< K that prologue and epilogue of a tile cost
    double splits = 1;
    double splitTime = 0; ///< s
    double resultTime = 0; ///< s for the partial results of one split
};

/// What gemmTime() is made of.
struct GemmTerms {
    TileTerms tile;
    GemmSides sides;
};

GemmTerms gemmTerms(const GemmShape& shape, DataType operands, const Accelerator& accelerator);

} // namespace partita
