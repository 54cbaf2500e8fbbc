// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/accelerator.h"

namespace partita::test {

constexpr double teraflops = 1e12;

/// Data sheet of the A100 SXM 80GB; constants as fitted to its tables, attention at the level of FlashAttention 2.
inline Accelerator a100()
{
    Accelerator a;
    a.id = "a100";
    a.peak = {312e12, 312e12, 0, 0, 156e12, 19.5e12};
    a.memoryBandwidth = 2.039e12;
    a.cores = 108;
    a.l2Bytes = 40 * 1048576.0;
    a.kernels.gemmEfficiency = 0.92;
    a.kernels.gemmKHalf = 143;
    a.kernels.gemmTileFeed = 0.21;
    a.kernels.gemmWaveLoss = 0.65;
    a.kernels.exposure = 0.11;
    a.kernels.attentionForward = 0.85;
    a.kernels.attentionBackward = 0.73;
    a.kernels.attentionHalfLength = 141;
    a.kernels.memoryEfficiency = 0.775;
    a.kernels.launch = 3.8e-6;
    return a;
}

/// Data sheet of the H100 SXM; constants as fitted to its tables.
inline Accelerator h100()
{
    Accelerator a;
    a.id = "h100";
    a.peak = {989.5e12, 989.5e12, 1979e12, 0, 494.7e12, 66.9e12};
    a.memoryBandwidth = 3.35e12;
    a.cores = 132;
    a.l2Bytes = 50 * 1048576.0;
    a.kernels.gemmEfficiency = 0.842;
    a.kernels.fp8Efficiency = 0.79;
    a.kernels.gemmKHalf = 108;
    a.kernels.gemmTileFeed = 0.062;
    a.kernels.gemmWaveLoss = 0.39;
    a.kernels.exposure = 0.09;
    a.kernels.attentionForward = 0.78;
    a.kernels.attentionBackward = 0.62;
    a.kernels.attentionHeadHalf = 43;
    a.kernels.attentionHalfLength = 366;
    a.kernels.memoryEfficiency = 0.835;
    a.kernels.launch = 2.9e-6;
    return a;
}

} // namespace partita::test
