// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/data_type.h"
#include "core/layout/layout.h"
#include "core/scenario/engine.h"

#include <string>
#include <vector>

namespace partita {

enum class AttentionKernel { Flash, Flash2, FusedSoftmax, Unfused };

template <> struct Names<AttentionKernel> {
    static constexpr std::array table{
        Name<AttentionKernel>{AttentionKernel::Flash, "flash", "flash attention"},
        Name<AttentionKernel>{AttentionKernel::Flash2, "flash-2", "FlashAttention 2"},
        Name<AttentionKernel>{AttentionKernel::FusedSoftmax, "fused-softmax", "batched GEMMs, fused softmax"},
        Name<AttentionKernel>{AttentionKernel::Unfused, "unfused", "batched GEMMs, unfused softmax"},
    };
};

constexpr bool isFlash(AttentionKernel kernel)
{
    return kernel == AttentionKernel::Flash || kernel == AttentionKernel::Flash2;
}

enum class ContextExchange { Ring, AllGather, AllToAll };

template <> struct Names<ContextExchange> {
    static constexpr std::array table{
        Name<ContextExchange>{ContextExchange::Ring, "ring", "ring (pass KV)"},
        Name<ContextExchange>{ContextExchange::AllGather, "all-gather", "all-gather of K and V"},
        Name<ContextExchange>{ContextExchange::AllToAll, "all-to-all", "all-to-all (Ulysses)"},
    };
};

/// What a stack's software can run at all. A list without entries limits nothing.
struct Offer {
    std::vector<Axis> dimensions; ///< along which it splits work, dp among them
    std::vector<ScheduleKind> schedules; ///< of pipelines of more than one stage
    std::vector<int> zeroStages;
    int pipelineZeroStage = 3; ///< the highest ZeRO stage it runs in a pipeline
    std::vector<Recompute> recompute;
    bool sequenceParallel = true;

    bool operator==(const Offer&) const = default;
};

/// The software that runs the layout: what it fuses, what it overlaps, what it launches. Constants of a stack, never of
/// a run.
struct Stack {
    std::string id;
    std::string name;
    AttentionKernel attention = AttentionKernel::Flash;
    double attentionEfficiency = 1; ///< of its core against the accelerator's best of that kind
    ContextExchange contextExchange = ContextExchange::Ring;
    bool zigZag = true; ///< causal load balance over context ranks: needs 2 cp chunks a sequence; costs the same
    double hostPerKernel = 5e-6; ///< s of host time to enqueue one kernel; the step is never faster than the host
    double fusedElementwise =
        1; ///< 1: residual, norm and activation passes fused as Transformer Engine does; 0: one kernel an operator
    bool fusedCrossEntropy = true; ///< no FP32 copy of the logits
    bool gatheredLogits = false; ///< every tensor rank holds the logits of the whole vocabulary for the loss
    bool dropout = false; ///< masks saved, residual dropout passes run
    DataType gradientType = DataType::Fp32; ///< main gradients
    bool placeholderGradients =
        false; ///< a 16-bit gradient a weight shape is kept beside FP32 accumulation (Transformer Engine)
    bool fp32Parameters = false; ///< the FP32 master copy is the parameter, cast when used (PyTorch FSDP)
    bool savesWideOperands = false; ///< FP8 recipes keep the input of a product as it was before the cast (torchao)
    double fp8WeightCopies = 0; ///< FP8 copies of a layer's weights kept beside the wide ones (row- and column-wise: 2)
    bool keepsGathered = false; ///< ZeRO-3 under pipeline parallelism keeps gathered weights and whole gradients for
                                ///< the step (PyTorch FSDP2 reshard_after_forward = false)
    double expertHost = 0; ///< s a pass of an expert layer waits for the host (token counts read back); the host has no
                           ///< lead left then
    bool launchesPerExpert = false; ///< grouped products and their casts are enqueued expert by expert (Transformer
                                    ///< Engine GroupedLinear)
    bool sendsOncePerNode = false; ///< dispatch sends a token to a device and a node once, whatever experts it has
                                   ///< there (DeepEP)
    double expertImbalance = 1; ///< tokens of the busiest expert rank over the mean, >= 1
    bool asyncGradientExchange =
        true; ///< tensor-parallel exchange of input gradients runs beside the weight gradient's product
    double stepOverhead = 0.01; ///< s once per step: data loader, clipping's synchronisation, schedulers, logging
    double tpOverlap = 0; ///< share of the tensor-parallel exchange hidden behind its GEMM, 0..1
    bool dpOverlap = true; ///< gradient reduction and parameter gather run beside the backward and forward pass
    bool ppOverlap = true; ///< pipeline sends do not block
    double epOverlap = 0; ///< share of the expert exchange hidden, 0..1
    double efficiency = 1; ///< factor on compute time for what is left, 1 = none
    double frameworkBytes = 0; ///< context, workspaces and communicators per device
    double fragmentation = 0; ///< share of the dynamic memory the allocator cannot use
    double commBufferBytes = 0; ///< buffers per communicator
    int usualZeroStage = 1; ///< what the stack does where nothing is stated
    bool usualSequenceParallel = true;
    bool usualNarrowWeights = false; ///< FP8 recipes keep the layers' weights in FP8 alone
    bool usualMicroBatchPerStage = false; ///< a replica's batch is split in as many micro-batches as there are stages
    Recompute usualRecompute = Recompute::None;
    bool selectivePerOperator = false; ///< what its users call selective is Recompute::PerOperator
    Offer offer; ///< what it can be asked for in training
    Engine engine; ///< how it serves
    std::vector<std::string> sources;
    std::string notes;

    bool operator==(const Stack&) const = default;
};

} // namespace partita
