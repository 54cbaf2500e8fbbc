// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/memory.h"

#include <algorithm>

namespace partita {

namespace {

/// Every micro-batch's logits are alive at once where no backward starts before the last forward.
bool holdsAllLogits(ScheduleKind kind)
{
    return kind == ScheduleKind::GPipe || kind == ScheduleKind::BreadthFirst;
}

int communicators(const Layout& layout)
{
    int count = 0;
    for (bool used :
         {layout.tp > 1, layout.cp > 1, layout.pp > 1, layout.dp * layout.cp > 1, layout.ep > 1, layout.etp > 1}) {
        count += used ? 1 : 0;
    }
    return count;
}

} // namespace

StateBytes stateBytes(const Workload& workload, const Stack& stack)
{
    StateBytes bytes;
    bytes.gradient = bytesPerElement(gradientType(workload, stack));
    switch (workload.optimizer) {
    case Optimizer::Adam:
        bytes.optimizer = 12;
        break;
    case Optimizer::AdamBf16States:
        bytes.optimizer = 4 + 2 + 2;
        break;
    case Optimizer::Adam8bit:
        bytes.optimizer = 4 + 1 + 1;
        break;
    case Optimizer::AdamFp32:
        return {4, 4, 8};
    case Optimizer::Muon:
    case Optimizer::Sgd:
        bytes.optimizer = 4 + 4;
        break;
    }
    if (workload.precision == Precision::Fp32) {
        return {4, 4, bytes.optimizer - 4};
    }
    return bytes;
}

DataType gradientType(const Workload& workload, const Stack& stack)
{
    switch (workload.gradients) {
    case GradientStorage::Fp32:
        return DataType::Fp32;
    case GradientStorage::Bf16:
        return DataType::Bf16;
    case GradientStorage::Stack:
        break;
    }
    return stack.gradientType;
}

double layerWeightBytes(const Workload& workload)
{
    if (workload.training == Training::QLora) {
        return fourBitBytes;
    }
    return workload.precision == Precision::Fp32 ? 4 : workload.weights == WeightStorage::Fp8 ? 1 : 2;
}

bool keepsGathered(const Scenario& scenario)
{
    return scenario.layout.zeroStage == 3 && scenario.layout.pp > 1 && scenario.stack.keepsGathered;
}

double heldLayerWeightBytes(const Workload& workload, const Stack& stack)
{
    const double stored = layerWeightBytes(workload);
    if (workload.training == Training::QLora || bytesPerElement(operandType(workload.precision)) >= 2) {
        return stored;
    }
    return workload.weights == WeightStorage::Fp8 ? std::max(stored, stack.fp8WeightCopies)
                                                  : stored + stack.fp8WeightCopies;
}

MemoryBreakdown stageMemory(const Scenario& scenario, const StagePlan& stage, double inFlight)
{
    const Layout& layout = scenario.layout;
    const Stack& stack = scenario.stack;
    const StateBytes bytes = stateBytes(scenario.workload, stack);
    const DeviceParameters trained = stage.trained();
    const auto held = [&](const DeviceParameters& what, bool sharded) {
        return sharded ? shardedTotal(what, layout) : what.total();
    };

    MemoryBreakdown memory;
    const bool gathered = keepsGathered(scenario);
    const bool weightsSharded = layout.zeroStage >= 3 && !gathered;
    const double layerWeights = held(stage.layerWeights(), weightsSharded);
    double weights = bytes.weight * (held(stage.parameters(), weightsSharded) - layerWeights)
        + heldLayerWeightBytes(scenario.workload, stack) * layerWeights;
    if (weightsSharded && stack.fp32Parameters) {
        weights = 0; // the sharded FP32 master is the parameter; 16-bit copies exist only while gathered
    }
    if (scenario.workload.training != Training::Full) {
        weights += bytes.weight * held(trained, weightsSharded);
    }
    memory[MemoryKind::Weights] = stage.copies * weights;
    memory[MemoryKind::Gradients] = stage.copies * bytes.gradient * held(trained, layout.zeroStage >= 2 && !gathered);
    memory[MemoryKind::OptimizerStates] =
        bytes.optimizer * held(trained, layout.zeroStage >= 1) * (1 - scenario.workload.offloadedStates);

    double working = 0;
    double largestLayer = 0;
    double head = 0;
    for (const ChunkPlan& chunk : stage.chunks) {
        head += chunk.headBytes;
        working = std::max(working, chunk.workingSet);
        largestLayer = std::max(largestLayer, chunk.largestLayer);
    }
    memory[MemoryKind::Activations] = stage.kept() * inFlight;
    memory[MemoryKind::HeadAndLoss] = head * (holdsAllLogits(layout.schedule) ? inFlight : 1);
    // A layer's backward temporaries and the head's are never alive together: the larger counts.
    working = std::max(0.0, working - memory[MemoryKind::HeadAndLoss]);
    if (stack.placeholderGradients && bytes.gradient > 2) {
        working += 2 * largestLayer;
    }
    if (weightsSharded) {
        working += largestLayer
            * (2 * layerWeightBytes(scenario.workload)
               + bytes.gradient); // this layer's and the prefetched one's weights, and its gradients
    }
    memory[MemoryKind::WorkingSet] = working;

    const double boundaries = layout.pp > 1 ? 4 : 0; // send and receive, each way
    memory[MemoryKind::CommunicationBuffers] =
        stack.commBufferBytes * communicators(layout) + boundaries * boundaryBytes(scenario);
    memory[MemoryKind::Framework] = stack.frameworkBytes;
    memory[MemoryKind::Fragmentation] = fragmentationOf(
        stack, memory[MemoryKind::Activations] + memory[MemoryKind::HeadAndLoss] + memory[MemoryKind::WorkingSet]);
    return memory;
}

} // namespace partita
