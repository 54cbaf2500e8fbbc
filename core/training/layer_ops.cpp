// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/layer_ops.h"

#include "core/training/op_builder.h"

namespace partita {

namespace {

/// Row-wise scaled FP8 products against per-tensor ones, and their casts, which scale each operand along both sides
/// (torchao float8 README, Llama 3 8B on eight H100: +10 % over BF16 against +25 %).
constexpr double rowScaledPace = 0.75;
constexpr double rowScaledCast = 8;
/// Read in 16 bit; write FP8 and its transpose for the other product.
constexpr double tensorScaledCast = 4;

} // namespace

OpStyle opStyle(const Stack& stack, const Workload& workload)
{
    OpStyle style;
    const Precision precision = workload.precision;
    style.attention = stack.attention;
    style.fusion = stack.fusedElementwise;
    style.dropout = stack.dropout;
    style.imbalance = stack.expertImbalance;
    style.contextExchange = stack.contextExchange;
    style.launchesPerExpert = stack.launchesPerExpert;
    style.operands = operandType(precision);
    style.operandBytes = bytesPerElement(style.operands);
    style.activationBytes = precision == Precision::Fp32 ? 4 : 2;
    if (style.operandBytes < 2) {
        style.castBytes = precision == Precision::Fp8Row ? rowScaledCast : tensorScaledCast;
        style.productPace = precision == Precision::Fp8Row ? rowScaledPace : 1;
        style.operandBytes = stack.savesWideOperands ? style.activationBytes : style.operandBytes;
    }
    style.training = workload.training;
    style.adapterRank = workload.adapterRank;
    return style;
}

OpStyle wideStyle(OpStyle style)
{
    if (bytesPerElement(style.operands) < 2) {
        style.operands = DataType::Bf16;
        style.operandBytes = style.activationBytes;
        style.castBytes = 0;
        style.productPace = 1;
    }
    return style;
}

OpBuilder::OpBuilder(const Model& model, const Shard& shard, const OpStyle& style)
    : m_model(model)
    , m_shard(shard)
    , m_style(style)
{
    m_ops.reserve(48); // few layers have more
}

void OpBuilder::norm(std::string_view name, double rows, double width)
{
    // Fused: read and write forward; read input and gradient, write gradient backward. Unfused: upcast, square, mean,
    // rsqrt, scale, downcast each through memory: of RMSNorm in operators 36 bytes an element forward and 70 backward,
    // 11 times the fused 10.
    const double e = m_style.activationBytes;
    // An RMSNorm written out in operators keeps the FP32 copy and the FP32 normalised values beside the input;
    // LayerNorm is one kernel everywhere.
    const double kept = m_model.norm == NormKind::Rms ? e + (1 - m_style.fusion) * (4 + 4) : e;
    const bool rms = m_model.norm == NormKind::Rms;
    pass(name, rows * width, 2 * e, 3 * e, rms ? 11 : 6, rms ? 9 : 6, kept * rows * width);
}

void OpBuilder::gemm(std::string_view name, double rows, double n, double k, double savedRows)
{
    product(name, {wholeRows(rows), wholeRows(n), wholeRows(k), 1}, m_style.operandBytes * savedRows * k, false);
}

void OpBuilder::product(std::string_view name, const GemmShape& shape, double savedBytes, bool expert)
{
    const double rows = static_cast<double>(shape.m) * static_cast<double>(shape.count);
    const double n = static_cast<double>(shape.n);
    const double k = static_cast<double>(shape.k);
    if (m_style.castBytes > 0) {
        const int kernels = expert && m_style.launchesPerExpert ? static_cast<int>(shape.count) : 1;
        add({"cast", MemoryPass{rows * k * m_style.castBytes, rows * n * m_style.castBytes, kernels, kernels}});
    }
    if (m_style.training == Training::QLora) {
        const double bytes = static_cast<double>(shape.count) * n * k * (fourBitBytes + m_style.activationBytes);
        add({"widen weights", MemoryPass{bytes, bytes, 1, 1}});
    }
    add({name, WeightGemm{shape, frozen(), expert}, savedBytes});
    if (frozen()) {
        const std::int64_t rank = m_style.adapterRank;
        const double e = m_style.activationBytes;
        add({"adapter in", WeightGemm{{shape.m, rank, shape.k, shape.count}, false, expert}});
        add({"adapter out", WeightGemm{{shape.m, shape.n, rank, shape.count}, false, expert},
             e * rows * static_cast<double>(rank)});
        add({"add adapter", MemoryPass{rows * n * 3 * e, rows * n * 2 * e, 1, 1}});
    }
}

void OpBuilder::pass(std::string_view name, double elements, double forwardBytes, double backwardBytes,
                     double unfusedFactor, int unfusedKernels, double savedBytes)
{
    const double factor = 1 + (1 - m_style.fusion) * (unfusedFactor - 1);
    const int kernels = static_cast<int>(std::lround(1 + (1 - m_style.fusion) * (unfusedKernels - 1)));
    add({name, MemoryPass{elements * forwardBytes * factor, elements * backwardBytes * factor, kernels, kernels},
         savedBytes});
}

void OpBuilder::markSince(std::size_t first, OpPart part)
{
    for (std::size_t i = first; i < m_ops.size(); ++i) {
        m_ops[i].part = part;
    }
}

void OpBuilder::residual()
{
    const double e = m_style.activationBytes;
    const double elements = residualTokens() * hidden();
    const double mask = m_style.dropout ? 1 : 0; // one byte an element, arXiv:2205.05198 §4.1
    pass("residual", elements, 3 * e + mask, 2 * e + mask, m_style.dropout ? 2 : 1.3, m_style.dropout ? 3 : 2,
         mask * elements);
}

void OpBuilder::enterTensorParallel()
{
    if (m_shard.tp == 1) {
        return;
    }
    const double bytes = m_style.activationBytes * tokens() * hidden();
    if (m_shard.sequenceParallel) {
        // Backward: the input is gathered again for the weight gradient beside the input gradient's product, whose
        // result is scattered beside the weight gradient's (arXiv:2205.05198 §4.2.2).
        add({"gather", Exchange{GroupKind::Tensor, CollectiveKind::AllGather, bytes, 0, 1, 0}});
        add({"gather again",
             Exchange{GroupKind::Tensor, CollectiveKind::AllGather, 0, bytes, 0, 1, Cover::InputGradient}});
        add({"scatter gradient",
             Exchange{GroupKind::Tensor, CollectiveKind::ReduceScatter, 0, bytes, 0, 1, Cover::WeightGradient}});
    } else {
        add({"reduce gradient",
             Exchange{GroupKind::Tensor, CollectiveKind::AllReduce, 0, bytes, 0, 1, Cover::WeightGradient}});
    }
}

void OpBuilder::leaveTensorParallel()
{
    if (m_shard.tp == 1) {
        return;
    }
    const double bytes = m_style.activationBytes * tokens() * hidden();
    if (m_shard.sequenceParallel) {
        add({"scatter", Exchange{GroupKind::Tensor, CollectiveKind::ReduceScatter, bytes, 0, 1, 0}});
        add({"gather gradient", Exchange{GroupKind::Tensor, CollectiveKind::AllGather, 0, bytes, 0, 1}});
    } else {
        add({"reduce", Exchange{GroupKind::Tensor, CollectiveKind::AllReduce, bytes, 0, 1, 0}});
    }
}

std::vector<Op> layerOps(const Model& model, const LayerKind& kind, const Shard& shard, const OpStyle& style)
{
    OpBuilder builder(model, shard, style);
    addMixer(builder, kind);
    addFeedForward(builder, kind, Routed::Split);
    return builder.take();
}

std::vector<Op> leastOps(const Model& model, const LayerKind& kind, const Shard& shard, const OpStyle& style)
{
    OpBuilder builder(model, shard, style);
    addMixer(builder, kind);
    addFeedForward(builder, kind, Routed::Least);
    return builder.take();
}

std::vector<Op> routedOps(const Model& model, const LayerKind& kind, const Shard& shard, const OpStyle& style)
{
    OpBuilder builder(model, shard, style);
    addRouted(builder, kind, Routed::Split);
    return builder.take();
}

std::vector<Op> leastRoutedOps(const Model& model, const LayerKind& kind, const Shard& shard, const OpStyle& style)
{
    OpBuilder builder(model, shard, style);
    addRouted(builder, kind, Routed::Least);
    return builder.take();
}

std::vector<Op> embeddingOps(const Model& model, const Shard& shard, const OpStyle& style)
{
    OpBuilder builder(model, shard, style);
    const double e = style.activationBytes;
    const double width = builder.hidden();
    builder.pass("look-up", builder.tokens() * width, 2 * e, builder.frozen() ? 0 : 3 * e, 1, 1);
    if (shard.tp > 1) {
        const CollectiveKind kind = shard.sequenceParallel ? CollectiveKind::ReduceScatter : CollectiveKind::AllReduce;
        builder.add({"embedding reduce", Exchange{GroupKind::Tensor, kind, e * builder.tokens() * width, 0, 1, 0}});
    }
    if (model.learnedPositions > 0) {
        builder.pass("positions", builder.residualTokens() * width, 3 * e, 2 * e, 1, 1);
    }
    if (model.embeddingNorm) {
        builder.norm("embedding norm", builder.residualTokens(), width);
    }
    if (style.dropout) {
        builder.pass("embedding dropout", builder.residualTokens() * width, 2 * e + 1, 2 * e + 1, 1, 1,
                     builder.residualTokens() * width);
    }
    return builder.take();
}

std::vector<Op> headOps(const Model& model, const Shard& shard, const OpStyle& style, const Stack& stack)
{
    OpBuilder builder(model, shard, style);
    const double rows = builder.tokens();
    const double columns = static_cast<double>(paddedVocabulary(model, shard.tp)) / shard.tp;
    if (model.finalNorm) {
        builder.norm("final norm", builder.residualTokens(), builder.hidden());
    }
    builder.enterTensorParallel();
    builder.add(
        {"head",
         WeightGemm{{wholeRows(rows), wholeRows(columns), wholeRows(builder.hidden()), 1}, builder.frozen(), false},
         builder.frozen() ? 0 : style.operandBytes * builder.residualTokens() * builder.hidden()});
    // Fused: 16-bit logits and, from them, their gradient. Unfused: 16-bit logits, their FP32 copy, and the
    // exponentials that the gradient is made from (Megatron-LM vocab_parallel_cross_entropy).
    const double e = style.activationBytes;
    double logits = rows * columns;
    if (stack.gatheredLogits && shard.tp > 1) {
        logits *= shard.tp;
        builder.add({"gather logits", Exchange{GroupKind::Tensor, CollectiveKind::AllGather, e * logits, 0, 1, 0}});
    }
    if (stack.fusedCrossEntropy) {
        builder.add({"cross entropy", MemoryPass{logits * 2 * e, logits * 2 * e, 2, 1}, logits * 2 * e});
    } else {
        // Over gathered logits the loss is torch's: its backward holds log-softmax, FP32 gradient and their cast at
        // once.
        const double kept = e + 2 * 4 + (stack.gatheredLogits ? e : 0);
        builder.add({"cross entropy", MemoryPass{logits * (e + 5 * 4), logits * (e + 2 * 4), 6, 3}, logits * kept});
    }
    return builder.take();
}

std::vector<Op> predictionOps(const Model& model, const Shard& shard, const OpStyle& style)
{
    OpBuilder builder(model, shard, style);
    builder.norm("embedding norm", builder.residualTokens(), builder.hidden());
    builder.norm("hidden norm", builder.residualTokens(), builder.hidden());
    builder.gemm("prediction projection", builder.residualTokens(), builder.hidden(), 2 * builder.hidden());
    builder.norm("final norm", builder.residualTokens(), builder.hidden());
    return builder.take();
}

std::int64_t paddedVocabulary(const Model& model, int tp)
{
    const std::int64_t multiple = std::int64_t{128} * tp;
    return (model.vocabulary + multiple - 1) / multiple * multiple;
}

} // namespace partita
