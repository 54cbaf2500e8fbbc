// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/orders.h"

#include <algorithm>
#include <iterator>

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

/// `warmup` forwards, then each forward beside a backward, then the backwards that are left. Halves of micro-batches
/// from `microBatches` on are left out.
Program pairUp(const Program& forwards, const Program& backwards, std::size_t warmup, int microBatches)
{
    Program program;
    program.reserve(forwards.size() + warmup);
    const auto exists = [microBatches](const ScheduleOp& op) { return op.microBatch < microBatches; };
    std::copy_if(forwards.begin(), forwards.begin() + static_cast<std::ptrdiff_t>(warmup), std::back_inserter(program),
                 exists);
    for (std::size_t i = 0; i < backwards.size(); ++i) {
        const ScheduleOp* forward = warmup + i < forwards.size() ? &forwards[warmup + i] : nullptr;
        const bool ahead = forward != nullptr && exists(*forward);
        const ScheduleOp& backward = backwards[i];
        if (ahead && exists(backward)) {
            program.push_back(pair(forward->microBatch, forward->chunk, backward.microBatch, backward.chunk));
        } else if (ahead) {
            program.push_back(*forward);
        } else if (exists(backward)) {
            program.push_back(backward);
        }
    }
    return program;
}

/// Forwards of one chunk that a rank runs before its first backward: 2 (p - i - 1) + (v - 1) p, as Megatron-LM counts.
std::size_t interleavedWarmup(int stages, int rank, int chunks)
{
    return 2 * static_cast<std::size_t>(stages - 1 - rank)
        + static_cast<std::size_t>(chunks - 1) * static_cast<std::size_t>(stages);
}

/// Micro-batches of full groups of p.
int inFullGroups(int stages, int microBatches)
{
    return (microBatches + stages - 1) / stages * stages;
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

// arXiv:2104.04473 section 2.2.2, warm-up as Megatron-LM counts it.
// When p does not divide m the last group is drawn up with p micro-batches and those that do not exist are left out: a
// shorter group would come round to the first stage before the last stage could have run it, and the order could not
// run.
Programs interleaved(int stages, int microBatches, int chunks)
{
    const int full = inFullGroups(stages, microBatches);
    const Program forwards = grouped(OpKind::Forward, stages, full, chunks);
    const Program backwards = grouped(OpKind::Backward, stages, full, chunks);
    Programs programs;
    for (int rank = 0; rank < stages; ++rank) {
        const std::size_t warmup = interleavedWarmup(stages, rank, chunks);
        Program program = alternate(forwards, backwards, std::min(warmup, forwards.size()));
        if (full != microBatches) {
            dropFrom(microBatches, program);
        }
        programs.push_back(std::move(program));
    }
    return programs;
}

// Megatron-Core's combined 1F1B (overlap_moe_expert_parallel_comm): interleaved 1F1B with one more forward in the
// warm-up, so that the forward and the backward of a steady step do not need each other and run side by side.
Programs oneFOneBOverlap(int stages, int microBatches, int chunks)
{
    const int full = inFullGroups(stages, microBatches);
    const Program forwards = grouped(OpKind::Forward, stages, full, chunks);
    const Program backwards = grouped(OpKind::Backward, stages, full, chunks);
    Programs programs;
    for (int rank = 0; rank < stages; ++rank) {
        const std::size_t warmup = std::min(interleavedWarmup(stages, rank, chunks) + 1, forwards.size());
        programs.push_back(pairUp(forwards, backwards, warmup, microBatches));
    }
    return programs;
}

} // namespace partita::orders
