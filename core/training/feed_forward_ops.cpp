// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/op_builder.h"

#include <algorithm>

namespace partita {

namespace {

/// Activation between the two products. Saves its inputs; the product that follows saves its output.
void addActivation(OpBuilder& builder, double rows, double width, bool gated)
{
    const double e = builder.style().activationBytes;
    if (gated) {
        builder.pass("gated activation", rows * width, 3 * e, 5 * e, 1.6, 2, 2 * e * rows * width);
    } else {
        builder.pass("activation", rows * width, 2 * e, 3 * e, 2, 3, e * rows * width);
    }
}

void addDense(OpBuilder& builder, double rows, double width, bool gated)
{
    builder.entryGemm(gated ? "gate and up" : "up", gated ? 2 * width : width);
    addActivation(builder, rows, width, gated);
    builder.gemm("down", rows, builder.hidden(), width);
}

void addExpertProduct(OpBuilder& builder, std::string_view name, double rowsPerExpert, double n, double k,
                      double experts)
{
    const GemmShape shape{wholeRows(rowsPerExpert), wholeRows(n), wholeRows(k), wholeRows(experts)};
    builder.product(name, shape, builder.style().operandBytes * rowsPerExpert * experts * k, true);
}

/// Biases of grouped products are added expert by expert, weighted in FP32 by the router's probabilities, and the parts
/// joined and cast again (Megatron-Core experts.py, TEGroupedMLP).
void addExpertBias(OpBuilder& builder, double elements, double experts)
{
    const double e = builder.style().activationBytes;
    const double outer = 4; // bias times probability
    const double sum = e + 4 + 4;
    const double join = 4 + 4;
    const double cast = 4 + e;
    const int each = static_cast<int>(wholeRows(2 * experts));
    builder.add(
        {"expert bias",
         MemoryPass{elements * (outer + sum + join + cast), elements * (cast + join + 4 + 4), each + 2, 2 * each + 2}});
}

/// What is sent to experts.
struct RoutedRows {
    double rows = 0; ///< token copies that leave this device
    double model = 0; ///< columns
};

void addSplitExperts(OpBuilder& builder, const MoeFfn& moe, const RoutedRows& routed)
{
    const Shard& shard = builder.shard();
    const double e = builder.style().activationBytes;
    const double model = routed.model;
    const double width = static_cast<double>(moe.expertWidth) / shard.etp;
    const double imbalance = builder.style().imbalance;
    Exchange exchange{GroupKind::Expert, CollectiveKind::AllToAll, e * routed.rows * model * imbalance,
                      e * routed.rows * model * imbalance};
    exchange.copies = moe.topK;
    exchange.nodes = moe.routingGroups > 1 ? moe.routedGroups : 0;
    if (shard.ep > 1) {
        builder.add({"dispatch", exchange});
    }
    if (shard.etp > 1) {
        const double bytes = e * routed.rows * model * shard.etp;
        builder.add({"expert gather", Exchange{GroupKind::ExpertTensor, CollectiveKind::AllGather, bytes, bytes}});
        builder.add({"expert scatter", Exchange{GroupKind::ExpertTensor, CollectiveKind::ReduceScatter, bytes, bytes}});
    }
    const double experts = static_cast<double>(moe.experts) / shard.ep;
    const double perExpert =
        routed.rows * shard.etp * imbalance / experts; // mean over ranks times the busiest rank's excess
    addExpertProduct(builder, moe.gated ? "expert gate and up" : "expert up", perExpert, moe.gated ? 2 * width : width,
                     model, experts);
    addActivation(builder, perExpert * experts, width, moe.gated);
    addExpertProduct(builder, "expert down", perExpert, model, width, experts);
    if (moe.expertBias) {
        addExpertBias(builder, perExpert * experts * model, experts);
    }
    if (shard.ep > 1) {
        builder.add({"combine", exchange});
    }
}

/// Products of the same size and the activation between them, without exchanges, casts and biases. What is saved is
/// what the split over experts alone saves: tensor ranks gather more rows.
void addLeastExperts(OpBuilder& builder, const MoeFfn& moe, const RoutedRows& routed)
{
    // Rows of an expert are rounded: of one and a half, a third may be lost, of many no more than half a row.
    const double busiest = routed.rows * builder.style().imbalance;
    const double kept = std::max(2.0 / 3, 1 - 0.5 * moe.experts / busiest);
    const auto rows = static_cast<std::int64_t>(busiest * kept);
    const auto width = static_cast<std::int64_t>(moe.expertWidth);
    const std::int64_t model = wholeRows(routed.model);
    const double saved = builder.style().operandBytes * busiest; // of a column of a product's input
    builder.add({"experts up",
                 WeightGemm{{rows, moe.gated ? 2 * width : width, model, 1}, builder.frozen(), false, true},
                 saved * routed.model});
    addActivation(builder, busiest, static_cast<double>(width), moe.gated);
    builder.add({"experts down", WeightGemm{{rows, model, width, 1}, builder.frozen(), false, true},
                 saved * static_cast<double>(width)});
}

RoutedRows routedRows(const OpBuilder& builder, const MoeFfn& moe)
{
    return {builder.residualTokens() * moe.topK, moe.latentWidth > 0 ? moe.latentWidth : builder.hidden()};
}

void addExperts(OpBuilder& builder, const MoeFfn& moe, Routed how)
{
    const RoutedRows routed = routedRows(builder, moe);
    if (how == Routed::Split) {
        addSplitExperts(builder, moe, routed);
    } else {
        addLeastExperts(builder, moe, routed);
    }
}

void addMoe(OpBuilder& builder, const MoeFfn& moe, Routed how)
{
    const double e = builder.style().activationBytes;
    const double rows = builder.residualTokens();
    const RoutedRows routed = routedRows(builder, moe);

    builder.add({"router",
                 WeightGemm{{wholeRows(rows), moe.experts, wholeRows(builder.hidden()), 1}, builder.frozen(), false}});
    builder.add({"top-k", MemoryPass{rows * moe.experts * 12, rows * moe.experts * 8, 4, 3}, rows * moe.experts * 4});
    if (moe.latentWidth > 0) {
        builder.gemm("latent down", rows, routed.model, builder.hidden());
    }
    builder.pass("permute", routed.rows * routed.model, 2 * e, 2 * e, 1.5, 3);
    addExperts(builder, moe, how);
    builder.pass("unpermute", routed.rows * routed.model, 2 * e, 2 * e, 1.5, 3);
    if (moe.latentWidth > 0) {
        builder.gemm("latent up", rows, builder.hidden(), routed.model);
    }
    if (moe.sharedWidth > 0) {
        builder.enterTensorParallel();
        addDense(builder, builder.tokens(), static_cast<double>(moe.sharedWidth) / builder.shard().tp, moe.gated);
        builder.leaveTensorParallel();
    }
}

} // namespace

void addRouted(OpBuilder& builder, const LayerKind& kind, Routed routed)
{
    if (const auto* moe = std::get_if<MoeFfn>(&kind.feedForward)) {
        addExperts(builder, *moe, routed);
    }
}

void addFeedForward(OpBuilder& builder, const LayerKind& kind, Routed routed)
{
    if (std::holds_alternative<std::monostate>(kind.feedForward)) {
        return;
    }
    const bool parallelBlock = kind.norms == 1 && !std::holds_alternative<std::monostate>(kind.mixer);
    if (!parallelBlock) {
        builder.norm("feed-forward norm", builder.residualTokens(), builder.hidden());
    }
    if (const auto* dense = std::get_if<DenseFfn>(&kind.feedForward)) {
        builder.enterTensorParallel();
        addDense(builder, builder.tokens(), static_cast<double>(dense->width) / builder.shard().tp, dense->gated);
        builder.leaveTensorParallel();
    } else if (const auto* moe = std::get_if<MoeFfn>(&kind.feedForward)) {
        const std::size_t first = builder.size();
        addMoe(builder, *moe, routed);
        builder.markSince(first, OpPart::Experts);
    }
    if (kind.norms > 3) {
        builder.norm("feed-forward post norm", builder.residualTokens(), builder.hidden());
    }
    builder.residual();
}

} // namespace partita
