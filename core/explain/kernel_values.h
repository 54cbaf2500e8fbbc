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
    /// One kernel that never writes scores.
    void flash(Derivation& d, const AttentionShape& shape, Pass pass, AttentionKernel kernel) const;
    /// products: the term for the times of batchedProducts().
    void batched(Derivation& d, const AttentionShape& shape, Pass pass, AttentionKernel kernel, Term products) const;
    /// work, bytes: terms for the FLOPs and the traffic of the forward pass.
    void scan(Derivation& d, Term work, Term bytes, const ScanShape& shape, Pass pass) const;

    Term bandwidth() const;

private:
    const Accelerator& accelerator() const { return m_scenario.cluster.accelerator; }
    std::string constant(std::string_view what) const;

    const Scenario& m_scenario;
};

/// Enters the time of attention at a path, and of products that it is made of below.
void addAttention(Ledger& ledger, const std::string& path, const std::string& name, const Scenario& scenario,
                  const AttentionShape& shape, Pass pass, AttentionKernel kernel);
/// Enters the time of a product at a path, and "P.tiles_s".
void addGemm(Ledger& ledger, const std::string& path, const std::string& name, const Scenario& scenario,
             const GemmShape& shape, DataType type, double pace);
/// Enters the time of a product's tiles over the cores.
void addTiles(Ledger& ledger, const std::string& path, const std::string& name, const Scenario& scenario,
              const GemmShape& shape, DataType type);
/// What ScanShape counts, from the sizes of the shape.
void deriveScanFlops(Derivation& d, const ScanShape& shape);
void deriveScanBytes(Derivation& d, const ScanShape& shape);
/// Enters both under a path: "P.flops", "P.bytes".
void addScan(Ledger& ledger, const std::string& path, const std::string& name, const ScanShape& shape);

} // namespace partita
