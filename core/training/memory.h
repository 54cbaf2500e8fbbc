// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/stage_plan.h"

namespace partita {

/// Bytes that training states take per parameter, before sharding.
struct StateBytes {
    double weight = 2;
    double gradient = 4;
    double optimizer = 12; ///< master copy and moments

    double total() const { return weight + gradient + optimizer; }
};

/// ZeRO arXiv:1910.02054 §3.1: mixed-precision Adam 2 + 2 + 12; 4-byte main gradients where the stack keeps them.
StateBytes stateBytes(const Workload& workload, const Stack& stack);

/// Of the main gradients: as the workload says, or the stack's habit.
DataType gradientType(const Workload& workload, const Stack& stack);
/// Bytes in which a layer's weight is kept and gathered.
double layerWeightBytes(const Workload& workload);
/// The same with the FP8 copies a recipe keeps beside it, or instead of it.
double heldLayerWeightBytes(const Workload& workload, const Stack& stack);
/// True where ZeRO-3 leaves gathered weights and whole gradients on the device for the step.
bool keepsGathered(const Scenario& scenario);

/// Bytes that the allocator loses on so many of activations and what is worked with.
inline double fragmentationOf(const Stack& stack, double activations)
{
    return stack.fragmentation * activations;
}

/// Memory of the fullest device of a stage. inFlight: most micro-batches of its activations held at once.
MemoryBreakdown stageMemory(const Scenario& scenario, const StagePlan& stage, double inFlight);

} // namespace partita
