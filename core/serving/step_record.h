// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/kernel_time.h"
#include "core/serving/key_values.h"
#include "core/training/layer_ops.h"
#include "core/training/report.h"

#include <string_view>
#include <variant>
#include <vector>

namespace partita {

/// What one forward step of an attention rank works on. Sequences that decode give `verified` tokens each.
struct StepWork {
    double decoding = 0; ///< sequences
    double context = 0; ///< tokens each of them has behind it
    double verified = 1; ///< tokens each is given: one, and those drafted
    double prefilling = 0; ///< prompt tokens in all
    double prompts = 0; ///< sequences these belong to
    double before = 0; ///< tokens of each of these that earlier steps took

    double tokens() const { return decoding * verified + prefilling; }
    /// Rows of the output product: what is decoded, and the last token of every prompt.
    double outputs() const { return decoding * verified + prompts; }
    bool operator==(const StepWork&) const = default;
};

// How kernels of a step were priced, for who explains it.

/// The longer of tiles over the cores, and of weights at their own rate and operands through memory.
struct PricedProduct {
    GemmShape shape; ///< in whole rows; count: products rounded up
    DataType operands = DataType::Bf16;
    double share = 1; ///< of the whole products that run
    double speed = 1;
    // As they are, not rounded: copies products of rows x inner and inner x columns.
    double copies = 1;
    double rows = 0;
    double columns = 0;
    double inner = 0;
    double weightSize = 0; ///< bytes of a weight
    double weightRate = 1; ///< of the memory's

    double weightBytes() const { return copies * columns * inner * weightSize; }
    double movedBytes() const { return copies * rows * (columns + inner) * bytesPerElement(DataType::Bf16); }
};

struct PricedPass {
    double bytes = 0;
};

/// Decoding sequences read their keys; the longer of that and the products with them.
struct PricedKeys {
    double sequences = 0;
    double verified = 1; ///< tokens each is given
    double share = 1; ///< of a layer's keys on this rank
    LayerCache cache;
    double context = 0; ///< tokens seen, itself included
    double again = 1; ///< times keys are read, by query heads that share them
    double rate = 1; ///< of the memory's
    double heads = 0; ///< of queries, on a tensor rank
    double flopsPerKey = 0; ///< of a head
    double contextRanks = 1; ///< that share a sequence
    double flopRate = 0; ///< FLOP/s; 0 = not known

    double bytes() const { return sequences * share * cache.bytesRead(context) * again; }
    double flops() const { return sequences * verified * heads * cache.attended(context) * flopsPerKey / contextRanks; }
};

/// Prompts see themselves, and what earlier chunks left.
struct PricedPrompt {
    double sequences = 0;
    AttentionShape own; ///< of one
    AttentionShape before; ///< the same; no queries where nothing lies before
    double ownTime = 0; ///< s at full speed
    double beforeTime = 0;
    double speed = 1;
};

struct PricedScan {
    ScanShape prompts;
    double sequences = 0; ///< that decode
    double share = 1; ///< of a layer's states on this rank
    double states = 0; ///< bytes of a sequence

    double bytes() const { return sequences * share * 2 * states; } ///< read and written
};

/// A collective as it runs: the fastest of those that would do.
struct PricedCollective {
    CollectiveKind kind = CollectiveKind::AllReduce;
    GroupSpan span;
    double bytes = 0;
    bool direct = false; ///< directAllReduceTime()
    double seconds = 0;
};

/// Collectives one after the other.
struct PricedExchange {
    std::vector<PricedCollective> collectives;
    double factor = 1; ///< of the engine's kernels, less what is hidden
};

using PricedWork = std::variant<PricedProduct, PricedPass, PricedKeys, PricedPrompt, PricedScan, PricedExchange>;

struct StepKernel {
    std::string_view name;
    TimeKind kind = TimeKind::Gemm;
    double seconds = 0;
    double launches = 0;
    PricedWork work;
};

/// A layer kind, or the head.
struct StepBlock {
    std::vector<StepKernel> kernels;
    double launches = 0;
    double gap = 0; ///< s between launches
    bool replayed = false; ///< as a graph: the host is not in the way
    TimeBreakdown time; ///< of the kernels, the gaps and the host
};

struct StepRecord {
    StepWork work; ///< of one context rank
    std::vector<StepBlock> kinds; ///< [layer kind]
    StepBlock head;
    int hopLevel = 0; ///< between stages
    double hopBytes = 0;
    double hop = 0; ///< s to the next stage
    std::vector<TimeBreakdown> stages;
};

} // namespace partita
