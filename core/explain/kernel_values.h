// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What kernels take, from their shape and an accelerator's constants. Internal to core/explain.

#include "core/explain/context.h"
#include "core/kernels/gemm_terms.h"

namespace partita {

/// Fills in the derivations of kernel times of one scenario.
class KernelLaw {
public:
    explicit KernelLaw(const Scenario& scenario)
        : m_scenario(scenario)
    {
    }

    /// tiles: the term for the time of the tiles; pace: of the products against the operand type's best.
    void gemm(Derivation& d, Term tiles, const GemmShape& shape, DataType type, double pace) const;
    /// The fastest tile, over the cores and along K.
    void tiles(Derivation& d, const TileTerms& tile, const GemmShape& shape) const;
    void attention(Derivation& d, const AttentionShape& shape, Pass pass, AttentionKernel kernel) const;
    /// work, bytes: terms for the FLOPs and the traffic of the forward pass.
    void scan(Derivation& d, Term work, Term bytes, const ScanShape& shape, Pass pass) const;

private:
    const Accelerator& accelerator() const { return m_scenario.cluster.accelerator; }
    Term bandwidth() const;
    std::string constant(std::string_view what) const;
    void flash(Derivation& d, const AttentionShape& shape, Pass pass) const;
    void batched(Derivation& d, const AttentionShape& shape, Pass pass, AttentionKernel kernel) const;

    const Scenario& m_scenario;
};

/// What ScanShape counts, from the sizes of the shape.
void deriveScanFlops(Derivation& d, const ScanShape& shape);
void deriveScanBytes(Derivation& d, const ScanShape& shape);
/// Enters both under a path: "P.flops", "P.bytes".
void addScan(Ledger& ledger, const std::string& path, const std::string& name, const ScanShape& shape);

} // namespace partita
