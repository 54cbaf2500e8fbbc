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

/// Kernel constants of an accelerator, fitted to measured kernel tables (see core/kernels).
struct KernelConstants {
    double gemmEfficiency = 0.8; ///< largest share of the dense peak that a big, well-shaped GEMM reaches
    double gemmKHalf = 128; ///< K at which half of it is reached (prologue and epilogue of a tile)
    int tileM = 128; ///< output tile of a wave, rows
    int tileN = 256; ///< and columns
    double fp8Efficiency = 0.7; ///< the same as gemmEfficiency for 8-bit operands
    double fp4Efficiency = 0.6;
    double attentionForward = 0.5; ///< share of the bf16 peak of a fused attention core, forward
    double attentionBackward = 0.4;
    double attentionHalfLength = 512; ///< key length at which half of it is reached
    double scanEfficiency = 0.2; ///< share of the peak the products of a state-space scan reach
    double memoryEfficiency = 0.85; ///< share of the memory bandwidth a long element-wise pass reaches
    double launch = 4e-6; ///< s from one kernel's end to the next one's start on a busy stream
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
    int cores = 0; ///< streaming multiprocessors, compute units, AI cores: what tiles are spread over
    double l2Bytes = 0; ///< last-level cache
    double power = 0; ///< W; 0 = unknown
    double pricePerHour = 0; ///< USD per device and hour; 0 = unknown
    KernelConstants kernels;
    std::vector<std::string> sources;
    std::string notes;

    bool operator==(const Accelerator&) const = default;
};

/// Dense peak for operands of a type; falls back to the next wider supported type, as software does.
double peakFor(const Accelerator& accelerator, DataType type);
/// Dense peak of 16-bit training: the faster of BF16 and FP16 (V100 has FP16 only).
double matrixPeak(const Accelerator& accelerator);

} // namespace partita
