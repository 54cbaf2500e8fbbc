// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/pipeline/schedule.h"

namespace partita::orders {

// One producer per schedule: the program of every rank, for numbers checkSchedule accepts.

using Program = std::vector<ScheduleOp>;
using Programs = std::vector<Program>;

Programs gpipe(int stages, int microBatches);
Programs breadthFirst(int stages, int microBatches, int chunks);
Programs oneFOneB(int stages, int microBatches);
Programs interleaved(int stages, int microBatches, int chunks);
Programs oneFOneBOverlap(int stages, int microBatches, int chunks);
Programs zbH1(int stages, int microBatches);
Programs zbH2(int stages, int microBatches);
Programs zbV(int stages, int microBatches);
Programs vHalf(int stages, int microBatches);
Programs vMin(int stages, int microBatches);
Programs dualPipe(int stages, int microBatches);
Programs dualPipeV(int stages, int microBatches);

inline ScheduleOp op(OpKind kind, int microBatch, int chunk = 0)
{
    ScheduleOp result;
    result.kind = kind;
    result.microBatch = microBatch;
    result.chunk = static_cast<std::int16_t>(chunk);
    return result;
}

inline ScheduleOp pair(int forward, int forwardChunk, int backward, int backwardChunk)
{
    ScheduleOp result = op(OpKind::ForwardBackward, forward, forwardChunk);
    result.partner = backward;
    result.partnerChunk = static_cast<std::int16_t>(backwardChunk);
    return result;
}

/// Leaves out the ops of micro-batches from `microBatches` on: removing ops never makes an order cyclic.
inline void dropFrom(int microBatches, Program& program)
{
    std::erase_if(program, [microBatches](const ScheduleOp& op) { return op.microBatch >= microBatches; });
}

} // namespace partita::orders
