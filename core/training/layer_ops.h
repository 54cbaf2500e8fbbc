// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/kernel_time.h"
#include "core/layout/rank_grid.h"
#include "core/scenario/scenario.h"

#include <string_view>
#include <variant>
#include <vector>

namespace partita {

/// The share of a layer's work that one device does for one micro-batch.
struct Shard {
    int tp = 1;
    int cp = 1;
    int ep = 1;
    int etp = 1;
    bool sequenceParallel = false;
    std::int64_t microBatch = 1; ///< sequences
    std::int64_t sequence = 1; ///< tokens of the whole sequence

    /// Tokens of a micro-batch on one context rank.
    double tokens() const { return static_cast<double>(microBatch) * static_cast<double>(sequence) / cp; }
    /// Tokens that norms, residuals and dropout see: divided by tp under sequence parallelism (arXiv:2205.05198
    /// §4.2.2).
    double residualTokens() const { return sequenceParallel ? tokens() / tp : tokens(); }
    bool operator==(const Shard&) const = default;
};

/// How a software stack and a precision shape the operators of a layer.
struct OpStyle {
    AttentionKernel attention = AttentionKernel::Flash;
    DataType operands = DataType::Bf16; ///< of the weight products
    double activationBytes = 2; ///< of an activation element that is not a product's input
    double operandBytes = 2; ///< of a saved product input
    double fusion = 1; ///< Stack::fusedElementwise
    bool dropout = false;
    double imbalance = 1; ///< Stack::expertImbalance
    ContextExchange contextExchange = ContextExchange::Ring;
    Training training = Training::Full;
    int adapterRank = 0;
    double productPace = 1; ///< of weight products against the operand type's best
    bool launchesPerExpert = false; ///< Stack::launchesPerExpert
    double castBytes = 0; ///< traffic of casting an element of a product's input, or of its output's gradient

    bool operator==(const OpStyle&) const = default;
};

OpStyle opStyle(const Stack& stack, const Workload& workload);
/// Bytes of a frozen weight in NF4 with its block scales quantised again (arXiv:2305.14314 section 3: 4.127 bits).
constexpr double fourBitBytes = (4 + 8.0 / 64 + 32.0 / (64 * 256)) / 8;
/// The same with products in 16 bit: embedding and head stay there in every recipe.
OpStyle wideStyle(OpStyle style);

/// A product with weights; grouped over experts when count > 1.
struct WeightGemm {
    GemmShape shape;
    bool frozen = false; ///< has no weight gradient
    bool expert = false;
    bool least = false; ///< stands for products that are cut in some way out of this one

    bool operator==(const WeightGemm&) const = default;
};

/// Bytes an element-wise or reduction operator moves through device memory, and the kernels it takes.
struct MemoryPass {
    double forwardBytes = 0;
    double backwardBytes = 0;
    int forwardKernels = 1;
    int backwardKernels = 1;

    bool operator==(const MemoryPass&) const = default;
};

enum class CollectiveKind { AllReduce, AllGather, ReduceScatter, AllToAll };

/// What an exchange can run beside.
enum class Cover {
    Nothing,
    Core, ///< the attention core (ring context parallelism)
    InputGradient, ///< backward, the input-gradient product of the weight GEMM that follows in the list
    WeightGradient ///< backward, its weight-gradient product, where the stack launches the exchange first
};

/// Bytes a group exchanges in the forward and in the backward pass of one micro-batch (see collective.h for what
/// "bytes" counts).
struct Exchange {
    GroupKind group = GroupKind::Tensor;
    CollectiveKind kind = CollectiveKind::AllReduce;
    double forwardBytes = 0;
    double backwardBytes = 0;
    int forwardCount = 1; ///< exchanges of forwardBytes each
    int backwardCount = 1;
    Cover cover = Cover::Nothing;
    int copies = 1; ///< of each row among what is sent: experts a token goes to
    int nodes = 0; ///< most nodes a row goes to (node-limited routing, arXiv:2412.19437 section 2.1.2); 0 = any

    bool operator==(const Exchange&) const = default;
};

/// What recomputation can run again by itself.
enum class OpPart {
    Rest,
    AttentionCore, ///< selective (arXiv:2205.05198 section 5)
    Experts ///< router, exchanges and experts of a mixture (Megatron-Core recompute module "moe")
};

/// One operator of a layer on one device for one micro-batch.
struct Op {
    std::string_view name;
    std::variant<WeightGemm, AttentionShape, ScanShape, MemoryPass, Exchange> work;
    double saved = 0; ///< bytes kept from forward to backward
    OpPart part = OpPart::Rest;
};

/// Operators of the mixer and feed-forward in order of execution; saved bytes reproduce arXiv:2205.05198 Table 2.
std::vector<Op> layerOps(const Model& model, const LayerKind& kind, const Shard& shard, const OpStyle& style);
/// What a device does at least however experts are split, which ep and etp of the shard leave open.
std::vector<Op> leastOps(const Model& model, const LayerKind& kind, const Shard& shard, const OpStyle& style);
/// Of these two, what depends on how experts are split: exchanges and products of the routed ones. Of dense layers
/// none.
std::vector<Op> routedOps(const Model& model, const LayerKind& kind, const Shard& shard, const OpStyle& style);
std::vector<Op> leastRoutedOps(const Model& model, const LayerKind& kind, const Shard& shard, const OpStyle& style);
/// Token and position look-up, embedding norm and dropout.
std::vector<Op> embeddingOps(const Model& model, const Shard& shard, const OpStyle& style);
/// Final norm, output projection and cross entropy. Saved bytes are those of the logits and loss.
std::vector<Op> headOps(const Model& model, const Shard& shard, const OpStyle& style, const Stack& stack);

/// What joins the hidden state and the next token's embedding in front of a multi-token prediction layer.
std::vector<Op> predictionOps(const Model& model, const Shard& shard, const OpStyle& style);

/// Vocabulary rows as software pads them: to a multiple of 128 per tensor rank (Megatron-LM
/// make-vocab-size-divisible-by).
std::int64_t paddedVocabulary(const Model& model, int tp);

} // namespace partita
