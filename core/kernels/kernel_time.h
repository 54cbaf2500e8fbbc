// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/accelerator.h"
#include "core/scenario/stack.h"

#include <cstdint>

namespace partita {

enum class Pass { Forward, Backward };

/// count independent products C[m,n] = A[m,k] B[k,n] in one (grouped or batched) launch.
struct GemmShape {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    std::int64_t count = 1;
    bool accumulate = false; ///< added to an FP32 C, as weight gradients are, instead of written in 16 bits

    double flops() const
    {
        return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k)
            * static_cast<double>(count);
    }
    bool operator==(const GemmShape&) const = default;
};

/// softmax(Q K^T) V on one device.
struct AttentionShape {
    std::int64_t batch = 1;
    std::int64_t heads = 1; ///< query heads on this device
    std::int64_t kvHeads = 1;
    std::int64_t queries = 0; ///< query tokens per sequence on this device
    std::int64_t keys = 0; ///< key tokens each may see at most
    int queryKeyDim = 0; ///< head size of Q and K
    int valueDim = 0;
    bool causal = true; ///< half of the scores are masked
    std::int64_t window = 0; ///< 0 = none

    /// FLOPs of the two products (four backward), the masked part left out. The scores a fused backward computes again
    /// cost time, but are not counted here.
    double flops(Pass pass) const;
    bool operator==(const AttentionShape&) const = default;
};

/// Selective: Mamba-1, a channel at a time. StateSpaceDual: Mamba-2. GatedDelta: chunked delta rule (Qwen3-Next).
enum class ScanKind { Selective, StateSpaceDual, GatedDelta };

/// A linear-time mixer's core on one device, without projections and convolution.
struct ScanShape {
    ScanKind kind = ScanKind::StateSpaceDual;
    std::int64_t tokens = 0; ///< of all sequences on this device
    std::int64_t heads = 1; ///< value heads on this device; Selective: channels
    std::int64_t headDim = 1; ///< value size of a head; Selective: 1
    std::int64_t groups = 1; ///< distinct keys and queries (B and C) on this device
    std::int64_t stateSize = 0; ///< key size of a head
    std::int64_t chunk = 256; ///< tokens handled as one block of matrix products; Selective: unused

    /// FLOPs forward (formulas of state-spaces/mamba's chunked scan, arXiv:2405.21060 §6).
    double flops() const;
    /// Device memory traffic forward, bytes.
    double bytes() const;
    bool operator==(const ScanShape&) const = default;
};

/// Seconds a kernel keeps the device busy, launch gaps not included (those are counted per kernel by the caller).
/// Law: max of tiles over cores and bytes through memory, plus a share of the shorter. Largest tile, narrower tiles and
/// split K are tried and the fastest counts, as library heuristics do. 0 for an empty shape.
double gemmTime(const GemmShape& shape, DataType operands, const Accelerator& accelerator);
/// s that grouped products take at least which together multiply as much as the shape, none with a longer K unless
/// told: at full pace, whatever their tiles.
double leastGemmTime(const GemmShape& shape, DataType operands, const Accelerator& accelerator, bool longerK);
/// The two sides of that time: seconds of the tiles on the cores, and of the operands and results through memory.
struct GemmSides {
    double compute = 0;
    double memory = 0;
};
GemmSides gemmSides(const GemmShape& shape, DataType operands, const Accelerator& accelerator);
/// The longer side and the share of the shorter that shows.
double overlapped(const GemmSides& sides, const Accelerator& accelerator);
/// Fused core or batched products with a softmax between them, as the kernel kind says.
double attentionTime(const AttentionShape& shape, Pass pass, AttentionKernel kernel, const Accelerator& accelerator);
/// Bytes of device memory a score of an unfused attention core costs beside its products, dropout not included
/// (five more each way: scores in and out, the mask).
double scoreMatrixBytes(Pass pass, AttentionKernel kernel);
/// An element-wise or reduction pass that moves bytes through device memory.
double memoryPassTime(double bytes, const Accelerator& accelerator);
/// Causal depthwise convolution over tokens * channels elements, activation included.
double convolutionTime(double elements, Pass pass, const Accelerator& accelerator);
/// The kernels of a scan together, the longer of their traffic and their products.
double scanTime(const ScanShape& shape, Pass pass, const Accelerator& accelerator);

} // namespace partita
