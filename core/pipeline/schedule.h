// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"
#include "core/layout/layout.h"
#include "core/pipeline/timeline.h"

namespace partita {

/// One entry of a stage's program, before it has times.
struct ScheduleOp {
    OpKind kind = OpKind::Forward;
    std::int32_t microBatch = 0;
    std::int16_t chunk = 0;
    std::int32_t partner = -1; ///< ForwardBackward: micro-batch and chunk of the backward half
    std::int16_t partnerChunk = -1;

    bool operator==(const ScheduleOp&) const = default;
};

/// What each rank runs, in order; and where chunk c of the model's chunk sequence lives.
struct Schedule {
    ScheduleKind kind = ScheduleKind::OneFOneB;
    int stages = 1;
    int microBatches = 1;
    int chunks = 1; ///< model chunks per rank
    std::vector<std::vector<ScheduleOp>> order; ///< [rank]
    int weightCopies = 1; ///< model copies a device holds (DualPipe: 2)
    bool splitsBackward = false;

    bool operator==(const Schedule&) const = default;
};

/// The op order of a schedule. Problems when it is not defined for these numbers (fields layout.pp, layout.vpp, ...).
Result<Schedule> makeSchedule(ScheduleKind kind, int stages, int microBatches, int chunks);

/// Seconds per op of every chunk. Sizes: [rank][chunk].
struct StageTimes {
    std::vector<std::vector<double>> forward;
    std::vector<std::vector<double>> backwardInput; ///< a joint backward takes backwardInput + backwardWeight
    std::vector<std::vector<double>> backwardWeight;
    double transfer = 0; ///< s for a stage boundary, each way
    bool blockingTransfer = false; ///< the sender computes nothing while it sends
    double overlapped = 0; ///< s of a ForwardBackward pair of one whole stage; 0 = the sum of its halves

    bool operator==(const StageTimes&) const = default;
};

/// Runs the order under its data dependencies. An order that cannot run is a Problem that names the cycle.
Result<Timeline> simulate(const Schedule& schedule, const StageTimes& times);

} // namespace partita
