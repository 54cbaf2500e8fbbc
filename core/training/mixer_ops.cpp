// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/op_builder.h"

#include <algorithm>

namespace partita {

namespace {

/// Scores of the attention core that an unfused softmax keeps: 2 a s^2 b, and with dropout a byte of mask and 2 of its
/// output more (arXiv:2205.05198 §4.1); a flash kernel keeps the log-sum-exp alone.
double savedScores(const OpStyle& style, const AttentionShape& shape)
{
    const double rows =
        static_cast<double>(shape.batch) * static_cast<double>(shape.heads) * static_cast<double>(shape.queries);
    if (isFlash(style.attention)) {
        return 4 * rows;
    }
    return (style.dropout ? 5.0 : 2.0) * rows * static_cast<double>(shape.keys);
}

/// K and V of the other context ranks: gathered or passed around beside the core, or heads exchanged for sequence.
void addContextExchange(OpBuilder& builder, double queryWidth, double keyValueWidth, ContextExchange kind)
{
    const Shard& shard = builder.shard();
    if (shard.cp == 1) {
        return;
    }
    const double e = builder.style().activationBytes;
    const double keyValues = e * builder.tokens() * keyValueWidth * shard.cp; // whole sequence
    switch (kind) {
    case ContextExchange::Ring:
        // Forward: K and V go around once. Backward: K and V again, and their gradients (ring attention,
        // arXiv:2310.01889).
        builder.add(
            {"pass K and V",
             Exchange{GroupKind::Context, CollectiveKind::AllGather, keyValues, 2 * keyValues, 1, 1, Cover::Core}});
        return;
    case ContextExchange::AllGather:
        builder.add(
            {"gather K and V", Exchange{GroupKind::Context, CollectiveKind::AllGather, keyValues, keyValues, 1, 1}});
        builder.add({"scatter K and V gradients",
                     Exchange{GroupKind::Context, CollectiveKind::ReduceScatter, 0, keyValues, 0, 1}});
        return;
    case ContextExchange::AllToAll: {
        const double inward = e * builder.tokens() * (queryWidth + keyValueWidth);
        const double outward = e * builder.tokens() * queryWidth;
        builder.add({"heads for sequence", Exchange{GroupKind::Context, CollectiveKind::AllToAll, inward, inward}});
        builder.add({"sequence for heads", Exchange{GroupKind::Context, CollectiveKind::AllToAll, outward, outward}});
        return;
    }
    }
}

void addCore(OpBuilder& builder, AttentionShape shape, double savedOperands)
{
    const Shard& shard = builder.shard();
    shape.batch = shard.microBatch;
    shape.queries = std::max<std::int64_t>(1, shard.sequence / shard.cp);
    shape.keys = shard.sequence;
    builder.add({"attention core", shape, savedOperands});
    builder.add({"scores", MemoryPass{0, 0, 0, 0}, savedScores(builder.style(), shape), OpPart::AttentionCore});
}

void addAttention(OpBuilder& builder, const Attention& attention, ContextExchange exchange)
{
    const OpStyle& style = builder.style();
    const int tp = builder.shard().tp;
    const double rows = builder.tokens();
    const double heads = static_cast<double>(attention.heads) / tp;
    const double kvHeads = static_cast<double>(attention.kvHeads) / std::min(tp, attention.kvHeads);
    const double queryWidth = heads * attention.headDim;
    const double keyValueWidth = 2 * kvHeads * attention.headDim;
    const double e = style.activationBytes;

    builder.entryGemm("QKV", queryWidth * (attention.outputGate ? 2 : 1) + keyValueWidth);
    if (attention.queryKeyNorm || attention.fullWidthQueryKeyNorm) {
        builder.norm("QK norm", rows, queryWidth + keyValueWidth / 2);
    }
    if (builder.model().learnedPositions == 0) {
        builder.pass("rotary", rows * (queryWidth + keyValueWidth / 2), 2 * e, 2 * e, 3, 5);
    }
    addContextExchange(builder, queryWidth, keyValueWidth, exchange);
    AttentionShape shape;
    shape.heads = wholeRows(heads);
    shape.kvHeads = wholeRows(kvHeads);
    shape.queryKeyDim = attention.headDim;
    shape.valueDim = attention.headDim;
    shape.window = attention.window;
    addCore(builder, shape, e * rows * (queryWidth + keyValueWidth));
    if (attention.outputGate) {
        builder.pass("output gate", rows * queryWidth, 3 * e, 5 * e, 1.6, 2, 2 * e * rows * queryWidth);
    }
    builder.gemm("output projection", rows, builder.hidden(), queryWidth);
}

void addLatentAttention(OpBuilder& builder, const LatentAttention& mla, ContextExchange exchange)
{
    const OpStyle& style = builder.style();
    const int tp = builder.shard().tp;
    const double rows = builder.tokens();
    const double latentRows =
        builder.residualTokens(); // down projections are replicated, not split (Megatron-Core MLA)
    const double heads = static_cast<double>(mla.heads) / tp;
    const double queryKey = mla.nopeHeadDim + mla.ropeHeadDim;
    const double e = style.activationBytes;

    if (mla.queryRank > 0) {
        builder.gemm("Q down", latentRows, mla.queryRank, builder.hidden());
        builder.norm("Q norm", latentRows, mla.queryRank);
        builder.gemm("Q up", rows, heads * queryKey, mla.queryRank);
    } else {
        builder.entryGemm("Q", heads * queryKey);
    }
    builder.gemm("KV down", latentRows, mla.kvRank + mla.ropeHeadDim, builder.hidden(),
                 mla.queryRank == 0 ? latentRows : 0);
    builder.norm("KV norm", latentRows, mla.kvRank);
    builder.gemm("KV up", rows, heads * (mla.nopeHeadDim + mla.valueHeadDim), mla.kvRank);
    builder.pass("rotary", rows * heads * queryKey, 2 * e, 2 * e, 3, 5);
    const double keyValueWidth = heads * (queryKey + mla.valueHeadDim);
    addContextExchange(builder, heads * queryKey, keyValueWidth, exchange);
    AttentionShape shape;
    shape.heads = wholeRows(heads);
    shape.kvHeads = shape.heads;
    shape.queryKeyDim = static_cast<int>(queryKey);
    shape.valueDim = mla.valueHeadDim;
    shape.window = mla.indexHeads > 0 ? mla.indexTopK : 0;
    addCore(builder, shape, e * rows * (heads * queryKey + keyValueWidth));
    builder.gemm("output projection", rows, builder.hidden(), heads * mla.valueHeadDim);
}

void addMamba2(OpBuilder& builder, const Mamba2& mamba)
{
    const Shard& shard = builder.shard();
    const int tp = shard.tp;
    const double rows = builder.tokens();
    const double e = builder.style().activationBytes;
    const double inner = static_cast<double>(mamba.innerWidth()) / tp;
    const double groups = std::max(1.0, static_cast<double>(mamba.groups) / tp);
    const double convChannels = inner + 2 * groups * mamba.stateSize;
    const double projected = inner + convChannels + static_cast<double>(mamba.heads) / tp;

    builder.entryGemm("in projection", projected);
    builder.pass("convolution", rows * convChannels, 2 * e, 4 * e, 1.5, 2);
    // The fused kernel keeps the projected input and recomputes the rest (mamba_ssm mamba_split_conv1d_scan_combined).
    ScanShape scan;
    scan.tokens = wholeRows(rows);
    scan.heads = wholeRows(static_cast<double>(mamba.heads) / tp);
    scan.headDim = mamba.headDim;
    scan.groups = wholeRows(groups);
    scan.stateSize = mamba.stateSize;
    scan.chunk = mamba.chunk;
    builder.add({"state-space scan", scan, e * rows * (projected + inner)});
    if (mamba.gatedNorm) {
        builder.norm("gated norm", rows, inner);
    }
    if (shard.cp > 1) {
        // State passing: every context rank learns the states before it, whatever the length.
        const double states = 4.0 * static_cast<double>(shard.microBatch) * inner * mamba.stateSize * shard.cp;
        builder.add({"pass states", Exchange{GroupKind::Context, CollectiveKind::AllGather, states, states}});
    }
    builder.gemm("out projection", rows, builder.hidden(), inner);
}

void addMamba1(OpBuilder& builder, const Mamba1& mamba)
{
    const Shard& shard = builder.shard();
    const double rows = builder.tokens();
    const double e = builder.style().activationBytes;
    const double inner = static_cast<double>(mamba.innerWidth) / shard.tp;

    builder.entryGemm("in projection", 2 * inner);
    builder.pass("convolution", rows * inner, 2 * e, 4 * e, 1.5, 2, e * rows * inner);
    builder.gemm("B, C and step", rows, mamba.stepRank + 2 * mamba.stateSize, inner);
    if (shard.tp > 1) {
        const double bytes = e * rows * (mamba.stepRank + 2 * mamba.stateSize);
        builder.add({"reduce B, C and step", Exchange{GroupKind::Tensor, CollectiveKind::AllReduce, bytes, bytes}});
    }
    builder.gemm("step", rows, inner, mamba.stepRank);
    ScanShape scan;
    scan.kind = ScanKind::Selective;
    scan.tokens = wholeRows(rows);
    scan.heads = wholeRows(inner);
    scan.stateSize = mamba.stateSize;
    builder.add({"selective scan", scan, e * rows * 4 * inner});
    if (shard.cp > 1) {
        const double states = 4.0 * static_cast<double>(shard.microBatch) * inner * mamba.stateSize * shard.cp;
        builder.add({"pass states", Exchange{GroupKind::Context, CollectiveKind::AllGather, states, states}});
    }
    builder.gemm("out projection", rows, builder.hidden(), inner);
}

void addGatedDelta(OpBuilder& builder, const GatedDelta& delta)
{
    const Shard& shard = builder.shard();
    const double rows = builder.tokens();
    const double e = builder.style().activationBytes;
    const double keyWidth = static_cast<double>(delta.keyHeads) * delta.keyHeadDim / shard.tp;
    const double valueWidth = static_cast<double>(delta.valueHeads) * delta.valueHeadDim / shard.tp;
    const double convChannels = 2 * keyWidth + valueWidth;
    const double gates = 2.0 * delta.valueHeads / shard.tp;

    builder.entryGemm("QKV and gates", convChannels + valueWidth + gates);
    builder.pass("convolution", rows * convChannels, 2 * e, 4 * e, 1.5, 2, e * rows * convChannels);
    ScanShape scan;
    scan.kind = ScanKind::GatedDelta;
    scan.tokens = wholeRows(rows);
    scan.heads = wholeRows(static_cast<double>(delta.valueHeads) / shard.tp);
    scan.headDim = delta.valueHeadDim;
    scan.groups = wholeRows(static_cast<double>(delta.keyHeads) / shard.tp);
    scan.stateSize = delta.keyHeadDim;
    scan.chunk = delta.chunk;
    builder.add({"gated delta scan", scan, e * rows * (convChannels + 2 * valueWidth)});
    builder.norm("gated norm", rows, valueWidth);
    if (shard.cp > 1) {
        const double states = 4.0 * static_cast<double>(shard.microBatch) * valueWidth * delta.keyHeadDim * shard.cp;
        builder.add({"pass states", Exchange{GroupKind::Context, CollectiveKind::AllGather, states, states}});
    }
    builder.gemm("out projection", rows, builder.hidden(), valueWidth);
}

} // namespace

void addMixer(OpBuilder& builder, const LayerKind& kind)
{
    if (std::holds_alternative<std::monostate>(kind.mixer)) {
        return;
    }
    const ContextExchange exchange = builder.style().contextExchange;
    builder.norm("input norm", builder.residualTokens(), builder.hidden());
    builder.enterTensorParallel();
    if (const auto* attention = std::get_if<Attention>(&kind.mixer)) {
        addAttention(builder, *attention, exchange);
    } else if (const auto* mla = std::get_if<LatentAttention>(&kind.mixer)) {
        addLatentAttention(builder, *mla, exchange);
    } else if (const auto* mamba2 = std::get_if<Mamba2>(&kind.mixer)) {
        addMamba2(builder, *mamba2);
    } else if (const auto* mamba1 = std::get_if<Mamba1>(&kind.mixer)) {
        addMamba1(builder, *mamba1);
    } else if (const auto* delta = std::get_if<GatedDelta>(&kind.mixer)) {
        addGatedDelta(builder, *delta);
    }
    builder.leaveTensorParallel();
    if (kind.norms > 2) {
        builder.norm("post norm", builder.residualTokens(), builder.hidden());
    }
    builder.residual();
}

} // namespace partita
