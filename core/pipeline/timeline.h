// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/names.h"
#include "core/pipeline/placement.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace partita {

enum class OpKind : std::uint8_t {
    Forward,
    Backward, ///< input and weight gradients in one
    BackwardInput, ///< input gradient only (B of the zero-bubble papers)
    BackwardWeight, ///< weight gradient only (W)
    ForwardBackward ///< one micro-batch's forward beside another's backward (DualPipe)
};

template <> struct Names<OpKind> {
    static constexpr std::array table{
        Name<OpKind>{OpKind::Forward, "forward", "forward"},
        Name<OpKind>{OpKind::Backward, "backward", "backward"},
        Name<OpKind>{OpKind::BackwardInput, "backward-input", "input gradient"},
        Name<OpKind>{OpKind::BackwardWeight, "backward-weight", "weight gradient"},
        Name<OpKind>{OpKind::ForwardBackward, "forward-backward", "forward beside backward"},
    };
};

constexpr bool hasForward(OpKind kind)
{
    return kind == OpKind::Forward || kind == OpKind::ForwardBackward;
}

/// Whether the op computes input gradients, alone or with others.
constexpr bool hasInputGradient(OpKind kind)
{
    return kind != OpKind::Forward && kind != OpKind::BackwardWeight;
}

/// Whether the op computes weight gradients, alone or with others.
constexpr bool hasWeightGradient(OpKind kind)
{
    return kind != OpKind::Forward && kind != OpKind::BackwardInput;
}

/// One executed operation; times in s from the start of the step.
struct TimelineOp {
    double start = 0;
    double end = 0;
    std::int32_t microBatch = 0; ///< of the forward when kind is ForwardBackward
    std::int32_t partner = -1; ///< micro-batch of the backward when kind is ForwardBackward
    std::int16_t chunk = 0; ///< slot on this device
    std::int16_t partnerChunk = -1;
    OpKind kind = OpKind::Forward;
    double transferWait = 0; ///< part of the idle time before start during which its input (or, when transfers block,
                             ///< the stage's own output) was on the wire

    bool operator==(const TimelineOp&) const = default;
};

/// The backward half of an op (timed or not): its own micro-batch and chunk, or the partner's of a ForwardBackward.
template <class Op> constexpr std::int32_t backwardMicroBatch(const Op& op)
{
    return op.kind == OpKind::ForwardBackward ? op.partner : op.microBatch;
}
template <class Op> constexpr std::int16_t backwardChunk(const Op& op)
{
    return op.kind == OpKind::ForwardBackward ? op.partnerChunk : op.chunk;
}

/// "F0" forward, "B0" joint backward, "I0" input gradient, "W0" weight gradient of micro-batch 0; "F0.1" in chunk 1;
/// "F3.1|B0" a pair.
std::string opText(OpKind kind, std::int32_t microBatch, std::int16_t chunk, std::int32_t partner,
                   std::int16_t partnerChunk);

template <class Op> std::string opText(const Op& op)
{
    return opText(op.kind, op.microBatch, op.chunk, op.partner, op.partnerChunk);
}

/// What one pipeline rank did. busy + idle = makespan.
struct StageTimeline {
    std::vector<TimelineOp> ops; ///< in order of start; never overlapping
    double busy = 0;
    double idle = 0;
    double transferWait = 0; ///< part of idle spent waiting for bytes on the wire
    double peakActivations = 0; ///< most live activations at once, in micro-batches of the whole stage
    int weightCopies = 1;

    bool operator==(const StageTimeline&) const = default;
};

/// A simulated step of the pipeline: what happens when, on every stage.
struct Timeline {
    Placement placement;
    int microBatches = 1;
    double transfer = 0; ///< s on the wire between two ranks
    bool blockingTransfer = false;
    std::vector<StageTimeline> stages;
    double makespan = 0;
    double ideal = 0; ///< s the busiest stage computes: no schedule is faster

    double bubbleFraction() const; ///< idle / (stages * makespan); 0 when nothing runs
    bool operator==(const Timeline&) const = default;
};

} // namespace partita
