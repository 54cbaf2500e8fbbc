// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The fields of a layout, a workload and a stack as files spell them. Internal to core/formats.

#include "core/formats/json_fields.h"
#include "core/formats/serving_json.h"
#include "core/layout/layout.h"
#include "core/layout/layout_text.h"
#include "core/layout/layout_words.h"
#include "core/scenario/stack.h"
#include "core/scenario/workload.h"

namespace partita {

/// A layout as files have it.
nlohmann::ordered_json layoutObject(const Layout& layout);

template <class Fields> void describe(Fields& fields, Layout& layout)
{
    constexpr IntegerRange degree{1, 1 << 24};
    fields.integer("tp", layout.tp, degree);
    fields.integer("cp", layout.cp, degree);
    fields.integer("pp", layout.pp, degree);
    fields.integer("vpp", layout.vpp, degree);
    fields.integer("dp", layout.dp, degree);
    fields.integer("ep", layout.ep, degree);
    fields.integer("etp", layout.etp, degree);
    fields.flag("sequence_parallel", layout.sequenceParallel);
    fields.integer("zero_stage", layout.zeroStage, {0, 3});
    fields.integer("shard_group", layout.shardGroup, {0, 1 << 24});
    fields.integer("micro_batch", layout.microBatch, {1, 1 << 24});
    fields.integer("global_batch", layout.globalBatch, {1, 1 << 30});
    fields.choice("recompute", layout.recompute);
    fields.choice("schedule", layout.schedule);
    std::string order = rankOrderText(layout.rankOrder);
    fields.text("rank_order", order);
    if constexpr (Fields::reading) {
        if (const auto result = readRankOrder(order)) {
            layout.rankOrder = *result;
        } else {
            for (const Problem& problem : result.problems) {
                fields.problem("rank_order", problem.value, problem.message, problem.suggestion);
            }
        }
    }
    fields.integers("layers_per_stage", layout.layersPerStage, {0, 1 << 20}, Presence::Rare);
}

template <class Fields> void describe(Fields& fields, Workload& workload)
{
    fields.integer("sequence_length", workload.sequenceLength, {1, 1 << 30});
    fields.choice("precision", workload.precision);
    fields.choice("weights", workload.weights, Presence::Rare);
    fields.choice("gradients", workload.gradients, Presence::Rare);
    fields.choice("optimizer", workload.optimizer);
    fields.choice("training", workload.training, Presence::Rare);
    fields.integer("adapter_rank", workload.adapterRank, {1, 1 << 16}, Presence::Rare, Workload().adapterRank);
    fields.number("offloaded_states", workload.offloadedStates, share);
    fields.number("training_tokens", workload.trainingTokens, {0, 1e18});
}

template <class Fields> void describe(Fields& fields, Offer& offer)
{
    constexpr IntegerRange zeroStages{0, 3};
    fields.choices("dimensions", offer.dimensions, Presence::Rare);
    fields.choices("schedules", offer.schedules, Presence::Rare);
    fields.integers("zero_stages", offer.zeroStages, zeroStages, Presence::Rare);
    fields.integer("pipeline_zero_stage", offer.pipelineZeroStage, zeroStages, Presence::Rare,
                   Offer().pipelineZeroStage);
    fields.choices("recompute", offer.recompute, Presence::Rare);
    fields.flag("sequence_parallel", offer.sequenceParallel);
}

template <class Fields> void describe(Fields& fields, Stack& stack)
{
    constexpr NumberRange anyTime{0, 1};
    constexpr NumberRange anyMemory{0, 1e15};
    fields.text("id", stack.id);
    fields.text("name", stack.name);
    fields.choice("attention", stack.attention);
    fields.number("attention_efficiency", stack.attentionEfficiency, {0.01, 1});
    fields.choice("context_exchange", stack.contextExchange);
    fields.flag("zig_zag", stack.zigZag);
    fields.quantity("host_per_kernel", stack.hostPerKernel, microseconds, anyTime);
    fields.number("fused_elementwise", stack.fusedElementwise, share);
    fields.flag("fused_cross_entropy", stack.fusedCrossEntropy);
    fields.flag("gathered_logits", stack.gatheredLogits);
    fields.flag("dropout", stack.dropout);
    fields.choice("gradient_type", stack.gradientType);
    fields.flag("placeholder_gradients", stack.placeholderGradients);
    fields.flag("fp32_parameters", stack.fp32Parameters);
    fields.flag("saves_wide_operands", stack.savesWideOperands, Presence::Rare);
    fields.number("fp8_weight_copies", stack.fp8WeightCopies, {0, 2}, Presence::Rare);
    fields.flag("keeps_gathered", stack.keepsGathered, Presence::Rare);
    fields.flag("sends_once_per_node", stack.sendsOncePerNode, Presence::Rare);
    fields.flag("launches_per_expert", stack.launchesPerExpert, Presence::Rare);
    fields.quantity("expert_host", stack.expertHost, microseconds, anyTime, Presence::Rare);
    fields.quantity("step_overhead", stack.stepOverhead, milliseconds, anyTime);
    fields.flag("async_gradient_exchange", stack.asyncGradientExchange);
    fields.number("tp_overlap", stack.tpOverlap, share);
    fields.flag("dp_overlap", stack.dpOverlap);
    fields.flag("pp_overlap", stack.ppOverlap);
    fields.number("ep_overlap", stack.epOverlap, share);
    fields.number("expert_imbalance", stack.expertImbalance, {1, 1e4});
    fields.number("efficiency", stack.efficiency, {0.01, 10});
    fields.quantity("framework", stack.frameworkBytes, gibibytes, anyMemory);
    fields.number("fragmentation", stack.fragmentation, {0, 0.9});
    fields.quantity("comm_buffer", stack.commBufferBytes, gibibytes, anyMemory);
    fields.integer("usual_zero_stage", stack.usualZeroStage, {0, 3});
    fields.flag("usual_sequence_parallel", stack.usualSequenceParallel);
    fields.flag("usual_narrow_weights", stack.usualNarrowWeights, Presence::Rare);
    fields.flag("usual_micro_batch_per_stage", stack.usualMicroBatchPerStage, Presence::Rare);
    fields.choice("usual_recompute", stack.usualRecompute);
    fields.flag("selective_per_operator", stack.selectivePerOperator, Presence::Rare);
    fields.object("offers", stack.offer, Presence::Rare);
    fields.object("serving", stack.engine, Presence::Rare);
    fields.texts("sources", stack.sources);
    fields.text("notes", stack.notes, Presence::Rare);
}

} // namespace partita
