// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/data_type.h"

#include <string>
#include <vector>

namespace partita {

/// Dense peaks in FLOP/s (never the "with sparsity" figure); 0 = not supported.
struct Peaks {
    double bf16 = 0;
    double fp16 = 0;
    double fp8 = 0;
    double fp4 = 0;
    double tf32 = 0;
    double vector = 0; ///< FP32 outside the matrix units

    bool operator==(const Peaks&) const = default;
};

/// Kernel constants of an accelerator, fitted to measured kernel tables (partita calibrate --kernels).
struct KernelConstants {
    double gemmEfficiency = 0.82; ///< largest share of the dense 16-bit peak that a big, well-shaped GEMM reaches
    double fp8Efficiency = 0.75; ///< the same of the 8-bit peak
    double fp4Efficiency = 0.6; ///< and of the 4-bit peak
    int tileM = 128; ///< largest output tile of a core, rows
    int tileN = 256; ///< and columns
    double gemmKHalf = 100; ///< 16-bit K whose products take as long as prologue and epilogue of a tile
    double fp4KHalf =
        600; ///< the same for 4-bit operands, in their K (their kernels neither split K nor hide the ends)
    double gemmTileFeed = 0.1; ///< slow-down per unit of extra operand loads a product when tiles are smaller
    double gemmWaveLoss =
        0.3; ///< share of the last wave's idle cores that is lost; 1 = whole waves, 0 = perfect balance
    double exposure =
        0.12; ///< share of the shorter of work and memory traffic that a kernel does not hide behind the longer
    double attentionForward = 0.6; ///< share of the 16-bit peak a fused attention core tends to, forward
    double attentionBackward = 0.5; ///< and backward, the scores computed again counted as work
    double flash2Speed = 1; ///< of FlashAttention 2, which Ampere was the aim of, over the kernel meant above
    int attentionTile = 128; ///< queries a core works on at a time (256 on Blackwell, where two tiles take turns)
    double attentionHeadHalf =
        32; ///< head size at which half of it is reached (softmax is work per score, not per product)
    double attentionHalfLength =
        128; ///< keys a tile of queries sees at which half of it is reached (prologue, epilogue)
    double scanEfficiency = 0.15; ///< share of the peak the products of a state-space scan reach
    double memoryEfficiency = 0.82; ///< share of the memory bandwidth a long stream reaches
    double launch = 3e-6; ///< s from one kernel's end to the next one's start on a busy stream
    /// Share of the burst rate above that matrix units keep up in training, hour after hour within the power limit;
    /// kernel tables are measured in bursts, this is fitted to published runs.
    double sustained = 1;
    std::string source;

    bool operator==(const KernelConstants&) const = default;
};

/// One device as software sees it.
struct Accelerator {
    std::string id;
    std::string name;
    std::string vendor;
    Peaks peak;
    double memoryBytes = 0; ///< usable by a program, bytes
    double memoryBandwidth = 0; ///< bytes/s
    double hostBandwidth = 32e9; ///< bytes/s to host memory, each way (PCIe 4.0 x16 where nothing is stated)
    int cores = 0; ///< streaming multiprocessors, compute units, AI cores: what tiles are spread over
    double l2Bytes = 0; ///< last-level cache
    double power = 0; ///< W; 0 = unknown
    double pricePerHour = 0; ///< USD per device and hour; 0 = unknown
    KernelConstants kernels;
    std::vector<std::string> sources;
    std::string notes;

    bool operator==(const Accelerator&) const = default;
};

/// The type whose products run for operands of a type: Fp32, Tf32, Bf16, Fp16, Fp8 (any 8-bit) or NvFp4 (any 4-bit).
DataType productType(const Accelerator& accelerator, DataType type);
/// Dense peak for operands of a type; falls back to the next wider supported type, as software does.
double peakFor(const Accelerator& accelerator, DataType type);
/// Dense peak of 16-bit training: the faster of BF16 and FP16 (V100 has FP16 only).
double matrixPeak(const Accelerator& accelerator);

} // namespace partita
