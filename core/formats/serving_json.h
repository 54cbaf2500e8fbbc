// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The fields of a serving workload and of an engine as files spell them. Internal to core/formats.

#include "core/formats/json_fields.h"
#include "core/scenario/engine.h"
#include "core/scenario/serving.h"

namespace partita {

template <class Fields> void describe(Fields& fields, Serving& serving)
{
    constexpr IntegerRange tokens{1, 1 << 30};
    constexpr IntegerRange count{0, 1 << 30};
    constexpr NumberRange anyTime{0, 1e6};
    fields.integer("prompt", serving.prompt, tokens);
    fields.integer("output", serving.output, tokens);
    fields.number("length_spread", serving.lengthSpread, {0, 100}, Presence::Rare);
    fields.integer("batch", serving.batch, {1, 1 << 24});
    fields.integer("in_flight", serving.inFlight, count, Presence::Rare);
    fields.choice("batching", serving.batching);
    fields.integer("chunk", serving.chunk, count, Presence::Rare);
    fields.choice("weights", serving.weights);
    fields.choice("quantised", serving.quantised);
    fields.integer("weight_group", serving.weightGroup, count, Presence::Rare);
    fields.number("group_bytes", serving.groupBytes, {0, 1024});
    fields.choice("key_values", serving.keyValues);
    fields.integer("decode_context", serving.decodeContext, {1, 1 << 24});
    fields.integer("draft_tokens", serving.draftTokens, {0, 1 << 16}, Presence::Rare);
    fields.number("acceptance", serving.acceptance, share);
    fields.number("draft_cost", serving.draftCost, {0, 1e3});
    fields.integer("prefill_replicas", serving.prefillReplicas, {0, 1 << 24}, Presence::Rare);
    fields.quantity("ttft_limit", serving.ttftLimit, milliseconds, anyTime, Presence::Rare);
    fields.quantity("tpot_limit", serving.tpotLimit, milliseconds, anyTime, Presence::Rare);
}

template <class Fields> void describe(Fields& fields, Engine& engine)
{
    constexpr NumberRange anyTime{0, 10};
    constexpr NumberRange rate{0.01, 10};
    constexpr NumberRange factor{0, 100};
    fields.flag("graphs", engine.graphs);
    fields.number("graph_gap", engine.graphGap, factor);
    fields.number("kernel_gap", engine.kernelGap, factor);
    fields.quantity("host_per_kernel", engine.hostPerKernel, microseconds, anyTime);
    fields.quantity("host_per_step", engine.hostPerStep, milliseconds, anyTime);
    fields.quantity("host_per_sequence", engine.hostPerSequence, microseconds, anyTime);
    fields.quantity("host_per_prefill", engine.hostPerPrefill, milliseconds, anyTime);
    fields.number("weight_rate", engine.weightRate, rate);
    fields.number("int8_rate", engine.int8Rate, rate);
    fields.number("int4_rate", engine.int4Rate, rate);
    fields.number("key_value_rate", engine.keyValueRate, rate);
    fields.number("key_value_sharing", engine.keyValueSharing, share);
    fields.number("narrow_sharing", engine.narrowSharing, share);
    fields.flag("keeps_windows", engine.keepsWindows);
    fields.number("efficiency", engine.efficiency, rate);
    fields.number("prefill_efficiency", engine.prefillEfficiency, rate);
    fields.flag("direct_all_reduce", engine.directAllReduce);
    fields.number("communication", engine.communication, factor);
    fields.flag("splits_batch", engine.splitsBatch);
    fields.flag("overlaps_stages", engine.overlapsStages);
    fields.flag("mixed_steps", engine.mixedSteps);
    fields.integer("step_tokens", engine.stepTokens, {1, 1 << 30});
    fields.integer("most_sequences", engine.mostSequences, {1, 1 << 24});
    fields.flag("quantises_head", engine.quantisesHead);
    fields.number("memory_share", engine.memoryShare, {0.01, 1});
    fields.flag("share_of_free", engine.shareOfFree);
    fields.quantity("graph_memory", engine.graphBytes, gibibytes, {0, 1e15});
    fields.flag("reserves_output", engine.reservesOutput);
    fields.integer("page_tokens", engine.pageTokens, {1, 1 << 20});
}

} // namespace partita
