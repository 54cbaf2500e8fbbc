// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/constraint.h"

#include "core/base/format.h"
#include "core/scenario/split_limits.h"

#include <fmt/format.h>

namespace partita {

namespace {

std::string stageText(const LayoutCost& cost)
{
    return cost.layout.pp > 1 ? fmt::format("stage {}", cost.peakStage) : "each device";
}

std::string shortfall(const LayoutCost& cost)
{
    return fmt::format("{} has {} and lacks {} more", stageText(cost), formatBytes(cost.memoryLimit),
                       formatBytes(cost.lacks()));
}

double statesOf(const MemoryBreakdown& memory)
{
    return memory[MemoryKind::Weights] + memory[MemoryKind::Gradients] + memory[MemoryKind::OptimizerStates];
}

Binding memoryObstacle(const LayoutCost& cost)
{
    const MemoryBreakdown& memory = cost.memory;
    const double states = statesOf(memory);
    const double activations = memory[MemoryKind::Activations] + memory[MemoryKind::WorkingSet];
    const double head = memory[MemoryKind::HeadAndLoss];
    const double others = memory[MemoryKind::Framework] + memory[MemoryKind::CommunicationBuffers];
    // States that fill the device by themselves bind, whatever else there is.
    if (states + others > cost.memoryLimit || (states >= activations && states >= head)) {
        return {Constraint::ModelStates,
                fmt::format("Model states bind: weights take {}, gradients {} and optimizer states {}; {}.",
                            formatBytes(memory[MemoryKind::Weights]), formatBytes(memory[MemoryKind::Gradients]),
                            formatBytes(memory[MemoryKind::OptimizerStates]), shortfall(cost))};
    }
    if (head > activations) {
        return {Constraint::HeadAndLoss,
                fmt::format("Head and loss bind: logits take {}; {}.", formatBytes(head), shortfall(cost))};
    }
    return {Constraint::Activations,
            fmt::format("Activations bind: {} micro-batch{} in flight and the working set take {}, beside {} of model "
                        "states; {}.",
                        formatSignificant(cost.inFlight), cost.inFlight == 1 ? "" : "es", formatBytes(activations),
                        formatBytes(states), shortfall(cost))};
}

Constraint constraintOf(TimeKind kind)
{
    switch (kind) {
    case TimeKind::Gemm:
    case TimeKind::Attention:
    case TimeKind::Scan:
    case TimeKind::Elementwise:
    case TimeKind::Host:
        return Constraint::Compute;
    case TimeKind::Recompute:
        return Constraint::Recompute;
    case TimeKind::TpExposed:
    case TimeKind::CpExposed:
    case TimeKind::EpExposed:
    case TimeKind::PpExposed:
    case TimeKind::DpExposed:
        return Constraint::Communication;
    case TimeKind::Bubble:
        return Constraint::Bubble;
    case TimeKind::Optimizer:
        return Constraint::Optimizer;
    }
    return Constraint::Compute;
}

/// What the kind of time is spent on, as the subject of a sentence.
std::string brakeText(TimeKind kind)
{
    switch (constraintOf(kind)) {
    case Constraint::Recompute:
        return "Recomputation binds";
    case Constraint::Bubble:
        return "The pipeline bubble binds";
    case Constraint::Optimizer:
        return "The optimizer step binds";
    case Constraint::Communication:
        return fmt::format("Communication binds ({})", labelOf(kind));
    default:
        return fmt::format("Compute binds ({})", labelOf(kind));
    }
}

} // namespace

Binding obstacle(const LayoutCost& cost, const Scenario& scenario)
{
    if (cost.legal()) {
        return memoryObstacle(cost);
    }
    const Layout& layout = cost.layout;
    if (layout.dp > 0 && layout.microBatch > 0
        && layout.globalBatch % boundedProduct(layout.microBatch, layout.dp) != 0) {
        const bool few = layout.globalBatch < layout.dp;
        return {Constraint::Batch,
                fmt::format("The batch binds: {} sequences of a step {} {} replicas; so many of the {} devices have to "
                            "split a sequence or the model.",
                            formatCount(layout.globalBatch), few ? "cannot feed" : "cannot be shared evenly by",
                            formatCount(layout.dp), formatCount(scenario.cluster.devices()))};
    }
    return {Constraint::Illegal, fmt::format("A rule binds: {}.", cost.objection)};
}

Binding brake(const LayoutCost& cost, const LayoutCost& better)
{
    const DifferenceTerm<TimeKind>* most = nullptr;
    const TimeDifference saved = difference(cost.time, better.time);
    for (const DifferenceTerm<TimeKind>& term : saved.terms) {
        if (term.change() < 0 && (most == nullptr || term.change() < most->change())) {
            most = &term;
        }
    }
    if (most == nullptr) {
        return {};
    }
    return {constraintOf(most->kind),
            fmt::format("{}: {} of the step, {}.", brakeText(most->kind), formatPercent(most->before / cost.stepTime),
                        formatSeconds(most->before))};
}

} // namespace partita
