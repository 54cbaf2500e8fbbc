// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/timeline.h"

#include "core/pipeline/pipeline_figures.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <string_view>

namespace partita {

namespace {

/// What starts the text of an op.
std::string_view signOf(OpKind kind)
{
    switch (kind) {
    case OpKind::Forward:
    case OpKind::ForwardBackward:
        break;
    case OpKind::Backward:
        return "B";
    case OpKind::BackwardInput:
        return "I";
    case OpKind::BackwardWeight:
        return "W";
    case OpKind::ReduceScatter:
        return "RS";
    case OpKind::AllReduce:
        return "AR";
    case OpKind::AllGather:
        return "AG";
    case OpKind::Optimizer:
        return "OPT";
    case OpKind::Host:
        return "HOST";
    }
    return "F";
}

} // namespace

std::string opText(OpKind kind, std::int32_t microBatch, std::int16_t chunk, std::int32_t partner,
                   std::int16_t partnerChunk)
{
    if (!isPipelineOp(kind)) {
        return std::string(signOf(kind));
    }
    std::string text = fmt::format("{}{}", signOf(kind), microBatch);
    if (chunk != 0) {
        text += fmt::format(".{}", chunk);
    }
    if (kind == OpKind::ForwardBackward) {
        text += "|" + opText(OpKind::Backward, partner, partnerChunk, -1, -1);
    }
    return text;
}

double ExposedExchange::total() const
{
    return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

ExposedExchange& ExposedExchange::operator+=(const ExposedExchange& other)
{
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        seconds[i] += other.seconds[i];
    }
    return *this;
}

double Timeline::end() const
{
    double last = makespan;
    for (const StageTimeline& stage : stages) {
        last = stage.after.empty() ? last : std::max(last, stage.after.back().end);
    }
    return last;
}

ExposedExchange Timeline::exposedIn(int stage, const TimelineOp& op) const
{
    ExposedExchange exposed;
    if (exchange.empty() || !isPipelineOp(op.kind)) {
        return exposed;
    }
    if (hasForward(op.kind)) {
        exposed += exchange[placement.slot(stage, op.chunk)].forward;
    }
    const PassExchange& back = exchange[placement.slot(stage, backwardChunk(op))];
    if (hasInputGradient(op.kind)) {
        exposed += back.inputGradient;
    }
    if (hasWeightGradient(op.kind)) {
        exposed += back.weightGradient;
    }
    if (op.kind == OpKind::ForwardBackward && !hiddenInPair.empty()) {
        const auto pair = static_cast<std::size_t>(op.chunk * placement.chunks + op.partnerChunk);
        double& experts = exposed[ExchangeGroup::Expert];
        experts = std::max(0.0, experts - hiddenInPair[static_cast<std::size_t>(stage)][pair]);
    }
    return exposed;
}

double Timeline::bubbleFraction() const
{
    double idle = 0;
    for (const StageTimeline& stage : stages) {
        idle += stage.idle;
    }
    return idleShare(idle, makespan, stages.size());
}

} // namespace partita
