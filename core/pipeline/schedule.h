// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"
#include "core/layout/layout.h"
#include "core/pipeline/placement.h"
#include "core/pipeline/timeline.h"

namespace partita {

/// One entry of a stage's program, before it has times.
struct ScheduleOp {
    OpKind kind = OpKind::Forward;
    std::int16_t chunk = 0;
    std::int16_t partnerChunk = -1; ///< ForwardBackward: chunk and micro-batch of the backward half
    std::int32_t microBatch = 0;
    std::int32_t partner = -1;

    bool operator==(const ScheduleOp&) const = default;
};

/// What each rank runs, in order, and where the model's chunks live.
struct Schedule {
    ScheduleKind kind = ScheduleKind::OneFOneB;
    int microBatches = 1;
    Placement placement;
    std::vector<std::vector<ScheduleOp>> order; ///< [rank]

    bool operator==(const Schedule&) const = default;
};

/// What a schedule is and asks for, before any number is chosen.
struct ScheduleFacts {
    std::string memory; ///< activations held by the fullest stage, one sentence
    std::string bubble; ///< idle time of a step with equal stages, as a formula
    std::string transfers; ///< bytes between ranks, against plain 1F1B
    int weightCopies = 1;
    int chunks = 1; ///< layout.vpp it needs; 0 = any from minChunks
    int minChunks = 1;
    bool splitsBackward = false; ///< runs weight gradients apart from input gradients
    bool pairsForwardBackward = false;
    bool evenStages = false; ///< needs an even number of ranks
    bool evenMicroBatches = false;
    int microBatchesPerStage = 0; ///< needs at least this many micro-batches a rank
};

ScheduleFacts describe(ScheduleKind kind);

/// Micro-batches of activations a stage holds at most, by the closed form that describe(kind).memory words. Exact for
/// GPipe, breadth-first, 1F1B and interleaved 1F1B; a bound for the others. Numbers as checkSchedule accepts them.
double statedActivations(ScheduleKind kind, int stages, int microBatches, int chunks, int stage);

/// Why the schedule is not defined for these numbers, each with the nearest legal value; empty when it is.
/// chunks counts the chunks one copy of the model has on a rank (layout.vpp; 1 for DualPipe).
/// Fields: layout.pp, layout.vpp, layout.globalBatch (its value counts micro-batches per replica).
Problems checkSchedule(ScheduleKind kind, int stages, int microBatches, int chunks);

/// Where a schedule puts the model's chunks.
Placement placementOf(ScheduleKind kind, int stages, int chunks);

/// The op order of a schedule, or the problems of checkSchedule.
Result<Schedule> makeSchedule(ScheduleKind kind, int stages, int microBatches, int chunks);

/// Seconds per op of every chunk slot. Sizes: [rank][chunk].
struct StageTimes {
    std::vector<std::vector<double>> forward;
    std::vector<std::vector<double>> backwardInput; ///< a joint backward takes backwardInput + backwardWeight
    std::vector<std::vector<double>> backwardWeight;
    double transfer = 0; ///< s between two ranks, each way; links do not queue
    bool blockingTransfer = false; ///< the sender computes nothing while it sends
    double overlapped = 0; ///< s of a ForwardBackward pair of one whole stage; 0 = the sum of its halves
    std::vector<std::vector<double>> hiddenInPair; ///< s that a pair takes less than that, because one half's exchange
                                                   ///< runs beside the other's compute; [rank][forward chunk * chunks +
                                                   ///< backward chunk]; empty = nothing is hidden
    std::vector<PassExchange> exchange; ///< of these seconds, exposed exchange; [slot]; empty = not known

    double hidden(std::size_t rank, int chunks, int forwardChunk, int backwardChunk) const
    {
        return hiddenInPair.empty()
            ? 0
            : hiddenInPair[rank][static_cast<std::size_t>(forwardChunk * chunks + backwardChunk)];
    }

    bool operator==(const StageTimes&) const = default;
};

/// Equal stages: seconds of a whole stage per micro-batch, spread evenly over its chunks.
StageTimes equalStageTimes(const Placement& placement, double forward, double backwardInput, double backwardWeight);

/// Runs the order under its data dependencies: F needs F of the previous model chunk, B its own F and B of the next
/// model chunk, W its own B; a rank runs one op at a time, in order. Linear in ops.
/// An order that cannot run is a Problem (field "schedule") that names the cycle.
Result<Timeline> simulate(const Schedule& schedule, const StageTimes& times);

} // namespace partita
