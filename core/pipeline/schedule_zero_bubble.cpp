// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/orders.h"

#include <algorithm>

namespace partita::orders {

namespace {

/// Qi et al. 2024, arXiv:2401.10241 sections 2.1 and 2.2, drawn for F = B = W. A rank puts `delayed` weight gradients
/// off while the pipeline fills, and where it holds more than p forwards at once also while it drains, so that input
/// gradients reach the rank before without waiting.
Program handCrafted(int microBatches, int warmup, int delayed, int delayedAtEnd)
{
    Program program;
    program.reserve(3 * static_cast<std::size_t>(microBatches));
    int forward = 0;
    int weight = 0;
    const auto addForward = [&] {
        if (forward < microBatches) {
            program.push_back(op(OpKind::Forward, forward++));
        }
    };
    const auto addWeight = [&] { program.push_back(op(OpKind::BackwardWeight, weight++)); };
    while (forward < std::min(warmup, microBatches)) {
        addForward();
    }
    const int rounds = microBatches - forward; // that run a forward, too
    for (int backward = 0; backward < microBatches; ++backward) {
        program.push_back(op(OpKind::BackwardInput, backward));
        const bool draining = backward < rounds && backward >= rounds - delayedAtEnd;
        if (backward >= delayed && !draining) {
            addWeight();
        }
        addForward();
    }
    while (weight < microBatches) {
        addWeight();
    }
    return program;
}

} // namespace

Programs zbH1(int stages, int microBatches)
{
    Programs programs;
    for (int rank = 0; rank < stages; ++rank) {
        programs.push_back(handCrafted(microBatches, stages - rank, rank, 0));
    }
    return programs;
}

Programs zbH2(int stages, int microBatches)
{
    Programs programs;
    for (int rank = 0; rank < stages; ++rank) {
        programs.push_back(handCrafted(microBatches, 2 * (stages - rank) - 1, rank, rank));
    }
    return programs;
}

} // namespace partita::orders
