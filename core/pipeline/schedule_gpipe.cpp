// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/orders.h"

namespace partita::orders {

Programs gpipe(int stages, int microBatches)
{
    return breadthFirst(stages, microBatches, 1);
}

// Every rank runs the same program: all forwards chunk by chunk, then all backwards in reverse.
// Huang et al. 2019 (GPipe), arXiv:1811.06965; Lamy-Poirier 2022 (breadth-first), arXiv:2211.05953.
Programs breadthFirst(int stages, int microBatches, int chunks)
{
    Program program;
    program.reserve(2 * static_cast<std::size_t>(microBatches) * static_cast<std::size_t>(chunks));
    for (int chunk = 0; chunk < chunks; ++chunk) {
        for (int microBatch = 0; microBatch < microBatches; ++microBatch) {
            program.push_back(op(OpKind::Forward, microBatch, chunk));
        }
    }
    for (int chunk = chunks - 1; chunk >= 0; --chunk) {
        for (int microBatch = microBatches - 1; microBatch >= 0; --microBatch) {
            program.push_back(op(OpKind::Backward, microBatch, chunk));
        }
    }
    return Programs(static_cast<std::size_t>(stages), program);
}

} // namespace partita::orders
