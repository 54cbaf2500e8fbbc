// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/pipeline/schedule.h"

#include <array>

namespace partita {

// What every run of a schedule goes by: what an op waits for and how long it takes. Internal to core/pipeline.

/// A result an op can need: the output of a forward, or the input gradient of a backward.
struct Need {
    OpKind kind = OpKind::Forward;
    ChunkSite site;
    std::int32_t microBatch = 0;

    bool operator==(const Need&) const = default;
};

/// Writes what an op of a rank needs and returns how much that is. F needs F of the previous model chunk, B its own F
/// and B of the next model chunk, W its own B.
inline int needsOf(const Placement& placement, std::int32_t rank, const ScheduleOp& op, std::array<Need, 3>& out)
{
    int count = 0;
    const auto add = [&](OpKind kind, ChunkSite site, std::int32_t microBatch) {
        out[static_cast<std::size_t>(count++)] = {kind, site, microBatch};
    };
    if (hasForward(op.kind)) {
        if (const ChunkSite previous = placement.link(rank, op.chunk).previous) {
            add(OpKind::Forward, previous, op.microBatch);
        }
    }
    const ChunkSite own{rank, backwardChunk(op)};
    const std::int32_t microBatch = backwardMicroBatch(op);
    if (hasInputGradient(op.kind)) {
        add(OpKind::Forward, own, microBatch);
        if (const ChunkSite next = placement.link(rank, own.chunk).next) {
            add(OpKind::BackwardInput, next, microBatch);
        }
    } else if (op.kind == OpKind::BackwardWeight) {
        add(OpKind::BackwardInput, own, microBatch);
    }
    return count;
}

/// Seconds of an op. row: which of the rows of `times` is the rank's.
double secondsOf(const StageTimes& times, std::size_t row, const Placement& placement, const ScheduleOp& op);

/// Why times are not such that anything could run in them; empty when they are.
Problems checkTimes(const StageTimes& times, const Placement& placement);

/// Whether an op's result goes to another rank.
inline bool sendsResult(const Placement& placement, std::int32_t rank, const ScheduleOp& op)
{
    const auto leaves = [rank](ChunkSite to) { return to && to.rank != rank; };
    return (hasForward(op.kind) && leaves(placement.link(rank, op.chunk).next))
        || (hasInputGradient(op.kind) && leaves(placement.link(rank, backwardChunk(op)).previous));
}

} // namespace partita
