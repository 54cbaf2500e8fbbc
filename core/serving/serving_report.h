// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/serving/serving_layout.h"
#include "core/serving/serving_memory.h"
#include "core/training/report.h"

#include <string>
#include <vector>

namespace partita {

/// What a scenario serves. When problems is not empty nothing else is filled.
struct ServingReport {
    Problems problems;
    std::vector<std::string> warnings; ///< legal, but unwise; or what the model does not cover
    ServingLayout layout;
    bool fits = false; ///< weights fit and leave room for one request at least

    double weightBytesPerDevice = 0; ///< of the fullest stage
    double checkpointBytes = 0; ///< of the whole model, once
    double keyValueBytesPerToken = 0; ///< of the whole model, windows not counted
    double keyValueBytesPerTokenPerDevice =
        0; ///< of a sequence of prompt + output tokens, on the device that fills first
    double keyValueCopies = 1; ///< of keys among tensor ranks
    CacheRoom cache; ///< of one replica
    double maxConcurrency = 0; ///< whole requests of all decoding replicas at once, the engine's own limit counted
    std::string eviction; ///< what happens when the cache is full

    double batch = 0; ///< sequences of a step: those asked for, or as many as fit
    double concurrency = 0; ///< sequences in flight in all decoding replicas
    double waiting = 0; ///< of those asked for, that find no room
    double decodeStep = 0; ///< s of a step that only decodes, through all stages
    double prefill = 0; ///< s to take in one prompt (static batching: all of the batch)
    double ttft = 0; ///< s
    double tpot = 0; ///< s between tokens of a request, prompts of others and speculation counted
    double latency = 0; ///< s from a request's arrival to its last token
    double floor = 0; ///< s between tokens that no software can beat on these devices
    double tokensPerSecond = 0; ///< generated, all replicas
    double tokensPerSecondPerDevice = 0;
    double requestsPerSecond = 0;
    double goodput = 0; ///< requests/s that meet the limits: all or none at this load
    TimeBreakdown time; ///< parts of tpot; sums to it
    double pipelineIdle = 0; ///< share of stage time without a batch
    double costPerMillionTokens = 0; ///< USD; 0 = no price known
    bool meetsTtft = true;
    bool meetsTpot = true;

    bool legal() const { return problems.empty(); }
    bool operator==(const ServingReport&) const = default;
};

} // namespace partita
