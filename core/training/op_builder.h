// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/layer_ops.h"

#include <cmath>

namespace partita {

/// Collects the operators of a layer; knows the shard and the style so that lists of operators read as the layer does.
class OpBuilder {
public:
    OpBuilder(const Model& model, const Shard& shard, const OpStyle& style);

    const Model& model() const { return m_model; }
    const Shard& shard() const { return m_shard; }
    const OpStyle& style() const { return m_style; }
    std::vector<Op> take() { return std::move(m_ops); }

    double tokens() const { return m_shard.tokens(); }
    double residualTokens() const { return m_shard.residualTokens(); }
    double hidden() const { return static_cast<double>(m_model.hidden); }

    /// Norm over width elements of rows tokens, input saved.
    void norm(std::string_view name, double rows, double width);
    /// rows tokens times a weight of k rows and n columns (both already the local share); keeps savedRows of its input.
    void gemm(std::string_view name, double rows, double n, double k, double savedRows);
    /// The same, all of the input kept.
    void gemm(std::string_view name, double rows, double n, double k) { gemm(name, rows, n, k, rows); }
    /// The first product of a tensor-parallel block: under sequence parallelism each rank keeps its part of the input
    /// and gathers the rest again for the weight gradient.
    void entryGemm(std::string_view name, double n) { gemm(name, tokens(), n, hidden(), residualTokens()); }
    /// A product of the layer with all its recipe needs: casts, widening of 4-bit weights, adapters on frozen ones.
    void product(std::string_view name, const GemmShape& shape, double savedBytes, bool expert);
    /// True when the model's own weights have no gradient.
    bool frozen() const { return m_style.training != Training::Full; }
    /// A pass whose unfused form needs more kernels and more traffic: bytes are per element of the fused form.
    void pass(std::string_view name, double elements, double forwardBytes, double backwardBytes, double unfusedFactor,
              int unfusedKernels, double savedBytes = 0);
    /// Residual addition, with dropout and its mask when the stack trains with dropout.
    void residual();
    /// Enter a tensor-parallel block: f of Megatron-LM (or all-gather under sequence parallelism).
    void enterTensorParallel();
    /// Leave it: g of Megatron-LM (or reduce-scatter).
    void leaveTensorParallel();
    void add(Op op) { m_ops.push_back(std::move(op)); }
    std::size_t size() const { return m_ops.size(); }
    /// Marks the operators added since there were `first`.
    void markSince(std::size_t first, OpPart part);

private:
    const Model& m_model;
    const Shard& m_shard;
    const OpStyle& m_style;
    std::vector<Op> m_ops;
};

inline std::int64_t wholeRows(double value)
{
    return std::max<std::int64_t>(1, std::llround(value));
}

void addMixer(OpBuilder& builder, const LayerKind& kind);
/// Routed experts as the shard splits them, or what they take at least in any split.
enum class Routed { Split, Least };
void addFeedForward(OpBuilder& builder, const LayerKind& kind, Routed routed);
/// The part of it in which they differ.
void addRouted(OpBuilder& builder, const LayerKind& kind, Routed routed);

} // namespace partita
