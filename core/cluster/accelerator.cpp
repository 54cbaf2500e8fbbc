// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cluster/accelerator.h"

#include <algorithm>

namespace partita {

double peakFor(const Accelerator& accelerator, DataType type)
{
    const Peaks& peak = accelerator.peak;
    const double single = peak.vector;
    const double brain = peak.bf16 > 0 ? peak.bf16 : single;
    const double eight = peak.fp8 > 0 ? peak.fp8 : brain;
    switch (type) {
    case DataType::Fp32:
        return single;
    case DataType::Tf32:
        return peak.tf32 > 0 ? peak.tf32 : single;
    case DataType::Bf16:
        return brain;
    case DataType::Fp16:
        return peak.fp16 > 0 ? peak.fp16 : brain;
    case DataType::Fp8:
    case DataType::Int8:
    case DataType::MxFp8:
        return eight;
    case DataType::Int4: // weights only: widened before the product
        return brain;
    case DataType::MxFp4:
    case DataType::NvFp4:
        return peak.fp4 > 0 ? peak.fp4 : eight;
    }
    return brain;
}

double matrixPeak(const Accelerator& accelerator)
{
    return std::max(peakFor(accelerator, DataType::Bf16), peakFor(accelerator, DataType::Fp16));
}

} // namespace partita
