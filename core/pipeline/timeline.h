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
    ForwardBackward, ///< one micro-batch's forward beside another's backward (DualPipe)
    // Once a stage has run its part of the pipeline:
    ReduceScatter, ///< of gradients, as far as no backward hides it; so the next two
    AllReduce, ///< of gradients
    AllGather, ///< of updated weights
    Optimizer,
    Host ///< what the host does once a step
};

template <> struct Names<OpKind> {
    static constexpr std::array table{
        Name<OpKind>{OpKind::Forward, "forward", "forward"},
        Name<OpKind>{OpKind::Backward, "backward", "backward"},
        Name<OpKind>{OpKind::BackwardInput, "backward-input", "input gradient"},
        Name<OpKind>{OpKind::BackwardWeight, "backward-weight", "weight gradient"},
        Name<OpKind>{OpKind::ForwardBackward, "forward-backward", "forward beside backward"},
        Name<OpKind>{OpKind::ReduceScatter, "reduce-scatter", "gradient reduce-scatter"},
        Name<OpKind>{OpKind::AllReduce, "all-reduce", "gradient all-reduce"},
        Name<OpKind>{OpKind::AllGather, "all-gather", "parameter all-gather"},
        Name<OpKind>{OpKind::Optimizer, "optimizer", "optimizer step"},
        Name<OpKind>{OpKind::Host, "host", "host work of the step"},
    };
};

/// Whether the op is of a micro-batch, not of the whole step.
constexpr bool isPipelineOp(OpKind kind)
{
    return kind <= OpKind::ForwardBackward;
}

constexpr bool hasForward(OpKind kind)
{
    return kind == OpKind::Forward || kind == OpKind::ForwardBackward;
}

/// Whether the op computes input gradients, alone or with others.
constexpr bool hasInputGradient(OpKind kind)
{
    return kind == OpKind::Backward || kind == OpKind::BackwardInput || kind == OpKind::ForwardBackward;
}

/// Whether the op computes weight gradients, alone or with others.
constexpr bool hasWeightGradient(OpKind kind)
{
    return kind == OpKind::Backward || kind == OpKind::BackwardWeight || kind == OpKind::ForwardBackward;
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

/// Devices that exchange something inside an op.
enum class ExchangeGroup : std::uint8_t { Tensor, Context, Expert, Data };

template <> struct Names<ExchangeGroup> {
    static constexpr std::array table{
        Name<ExchangeGroup>{ExchangeGroup::Tensor, "tp", "TP"},
        Name<ExchangeGroup>{ExchangeGroup::Context, "cp", "CP"},
        Name<ExchangeGroup>{ExchangeGroup::Expert, "ep", "EP"},
        Name<ExchangeGroup>{ExchangeGroup::Data, "dp", "DP"},
    };
};

/// Seconds of an op during which it exchanges and computes nothing, by group.
struct ExposedExchange {
    std::array<double, Names<ExchangeGroup>::table.size()> seconds{};

    double& operator[](ExchangeGroup group) { return seconds[static_cast<std::size_t>(group)]; }
    double operator[](ExchangeGroup group) const { return seconds[static_cast<std::size_t>(group)]; }
    double total() const;
    ExposedExchange& operator+=(const ExposedExchange& other);
    bool operator==(const ExposedExchange&) const = default;
};

/// Of one micro-batch's passes through a chunk.
struct PassExchange {
    ExposedExchange forward;
    ExposedExchange inputGradient;
    ExposedExchange weightGradient;

    bool operator==(const PassExchange&) const = default;
};

/// "F0" forward, "B0" joint backward, "I0" input gradient, "W0" weight gradient of micro-batch 0; "F0.1" in chunk 1;
/// "F3.1|B0" a pair; ops of the whole step "RS", "AR", "AG", "OPT", "HOST".
std::string opText(OpKind kind, std::int32_t microBatch, std::int16_t chunk, std::int32_t partner,
                   std::int16_t partnerChunk);

template <class Op> std::string opText(const Op& op)
{
    return opText(op.kind, op.microBatch, op.chunk, op.partner, op.partnerChunk);
}

/// What one pipeline rank did. busy + idle = makespan.
struct StageTimeline {
    std::vector<TimelineOp> ops; ///< of the pipeline, in order of start; never overlapping
    std::vector<TimelineOp> after; ///< of the whole step, once the stage's pipeline ops have ended; not in busy or idle
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
    std::vector<PassExchange> exchange; ///< [slot]; empty = not known
    std::vector<std::vector<double>> hiddenInPair; ///< as StageTimes has it
    double makespan = 0; ///< of the pipeline: until its last op ends
    double ideal = 0; ///< s the busiest stage computes: no schedule is faster

    double bubbleFraction() const; ///< idle / (stages * makespan); 0 when nothing runs
    double end() const; ///< of the last op, those after the pipeline included
    ExposedExchange exposedIn(int stage, const TimelineOp& op) const; ///< zeros when not known
    bool operator==(const Timeline&) const = default;
};

} // namespace partita
