// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/orders.h"

#include <algorithm>

namespace partita::orders {

namespace {

/// `warmup` forwards, then one forward and one backward in turn, then the backwards that are left.
Program alternate(const Program& forwards, const Program& backwards, std::size_t warmup)
{
    Program program;
    program.reserve(forwards.size() + backwards.size());
    program.insert(program.end(), forwards.begin(), forwards.begin() + static_cast<std::ptrdiff_t>(warmup));
    for (std::size_t i = 0; i < backwards.size(); ++i) {
        if (warmup + i < forwards.size()) {
            program.push_back(forwards[warmup + i]);
        }
        program.push_back(backwards[i]);
    }
    return program;
}

Program inOrder(OpKind kind, int microBatches)
{
    Program program;
    for (int microBatch = 0; microBatch < microBatches; ++microBatch) {
        program.push_back(op(kind, microBatch));
    }
    return program;
}

/// Groups of `stages` micro-batches go through all chunks before the next group starts.
Program grouped(OpKind kind, int stages, int microBatches, int chunks)
{
    Program program;
    program.reserve(static_cast<std::size_t>(microBatches) * static_cast<std::size_t>(chunks));
    for (int first = 0; first < microBatches; first += stages) {
        for (int step = 0; step < chunks; ++step) {
            const int chunk = kind == OpKind::Forward ? step : chunks - 1 - step;
            for (int microBatch = first; microBatch < first + stages; ++microBatch) {
                program.push_back(op(kind, microBatch, chunk));
            }
        }
    }
    return program;
}

} // namespace

// Narayanan et al. 2021, arXiv:2104.04473 section 2.2.1 (PipeDream-Flush).
Programs oneFOneB(int stages, int microBatches)
{
    const Program forwards = inOrder(OpKind::Forward, microBatches);
    const Program backwards = inOrder(OpKind::Backward, microBatches);
    Programs programs;
    for (int rank = 0; rank < stages; ++rank) {
        const int warmup = std::min(stages - 1 - rank, microBatches);
        programs.push_back(alternate(forwards, backwards, static_cast<std::size_t>(warmup)));
    }
    return programs;
}

// arXiv:2104.04473 section 2.2.2, warm-up as Megatron-LM counts it: 2 (p - i - 1) + (v - 1) p forwards of one chunk.
// When p does not divide m the last group is drawn up with p micro-batches and those that do not exist are left out: a
// shorter group would come round to the first stage before the last stage could have run it, and the order could not
// run.
Programs interleaved(int stages, int microBatches, int chunks)
{
    const int full = (microBatches + stages - 1) / stages * stages;
    const Program forwards = grouped(OpKind::Forward, stages, full, chunks);
    const Program backwards = grouped(OpKind::Backward, stages, full, chunks);
    Programs programs;
    for (int rank = 0; rank < stages; ++rank) {
        const std::size_t warmup = 2 * static_cast<std::size_t>(stages - 1 - rank)
            + static_cast<std::size_t>(chunks - 1) * static_cast<std::size_t>(stages);
        Program program = alternate(forwards, backwards, std::min(warmup, forwards.size()));
        if (full != microBatches) {
            dropFrom(microBatches, program);
        }
        programs.push_back(std::move(program));
    }
    return programs;
}

} // namespace partita::orders
