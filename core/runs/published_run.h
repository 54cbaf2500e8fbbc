// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"
#include "core/scenario/workload.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

/// One measured training run, or serving point, as its source states it; what the source does not state is absent.
struct PublishedRun {
    std::string id;
    std::string sourceTitle;
    std::string sourceUrl;
    std::string where; ///< place in the source: table, row
    std::string stack;
    std::string notes;
    std::string part; ///< which of its sources, where a file gathers several
    std::string unscorable; ///< why nothing can be predicted: a bad row, or not a training run; empty otherwise
    Training training = Training::Full;
    bool namesPresets = false; ///< model, accelerator and stack are the source's names; facts left out are the model's

    struct ModelFacts {
        std::string name;
        std::optional<std::int64_t> experts, topK, denseLayers; ///< leading layers without experts
        std::optional<bool> moe, multiTokenPrediction;
        std::optional<std::int64_t> layers, hidden, ffnHidden, heads, kvHeads, vocabulary, sequence;
        std::optional<bool> gatedFfn, tiedEmbeddings;
        std::optional<std::string> attention, attentionDetail;
    } model;

    struct ClusterFacts {
        std::optional<std::string> accelerator, interNode, intraNode;
        std::optional<std::int64_t> devices, devicesPerNode;
    } cluster;

    struct LayoutFacts {
        std::optional<std::int64_t> tp, cp, pp, vpp, dp, ep, etp, zeroStage, microBatch, globalBatch;
        std::optional<bool> sequenceParallel;
        std::optional<std::string> shardingNote, recompute, schedule, precision, optimizer, contextExchange;
    } layout;

    struct Measured {
        std::optional<double> tokensPerSecondPerDevice, stepTime, peakMemoryGib;
        std::optional<std::string> peakMemoryKind;
        std::optional<bool> outOfMemory;
    } measured;

    /// What a serving point states instead; `measured` and `workload` of training runs are then empty.
    struct ServingFacts {
        std::optional<std::string> weightsType, keyValueType;
        std::optional<std::int64_t> batch, prompt, output; ///< no batch: as many requests as the engine takes
        std::optional<double> tpot, ttft, latency; ///< s
        std::optional<double> tokensPerSecond, tokensPerSecondPerDevice; ///< generated
    };
    std::optional<ServingFacts> serving;

    std::vector<std::string> inferredFields; ///< named by whoever gathered the run, not by its source
};

/// The rows of a run file. One that is bad is unscorable, with all that is wrong with it in problems: it never hides a
/// good one.
struct PublishedRuns {
    std::vector<PublishedRun> runs;
    Problems problems;
};

/// Reads a list of training runs with `cluster`, with `hardware` (public models by name), or of serving points with
/// `hardware` and `workload`. A file that is not such a list, or an empty one, is one
/// Problem.
Result<PublishedRuns> readPublishedRuns(std::string_view text);

} // namespace partita
