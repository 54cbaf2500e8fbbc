// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cluster/accelerator.h"

#include <algorithm>

namespace partita {

DataType productType(const Accelerator& accelerator, DataType type)
{
    const Peaks& peak = accelerator.peak;
    const DataType brain = peak.bf16 > 0 ? DataType::Bf16 : DataType::Fp32;
    const DataType eight = peak.fp8 > 0 ? DataType::Fp8 : brain;
    switch (type) {
    case DataType::Fp32:
        return DataType::Fp32;
    case DataType::Tf32:
        return peak.tf32 > 0 ? DataType::Tf32 : DataType::Fp32;
    case DataType::Fp16:
        return peak.fp16 > 0 ? DataType::Fp16 : brain;
    case DataType::Fp8:
    case DataType::Int8:
    case DataType::MxFp8:
        return eight;
    case DataType::MxFp4:
    case DataType::NvFp4:
        return peak.fp4 > 0 ? DataType::NvFp4 : eight;
    case DataType::Bf16:
    case DataType::Int4: // weights only: widened before the product
        return brain;
    }
    return brain;
}

double peakFor(const Accelerator& accelerator, DataType type)
{
    const Peaks& peak = accelerator.peak;
    switch (productType(accelerator, type)) {
    case DataType::NvFp4:
        return peak.fp4;
    case DataType::Fp8:
        return peak.fp8;
    case DataType::Fp16:
        return peak.fp16;
    case DataType::Bf16:
        return peak.bf16;
    case DataType::Tf32:
        return peak.tf32;
    default:
        return peak.vector;
    }
}

double matrixPeak(const Accelerator& accelerator)
{
    return std::max(peakFor(accelerator, DataType::Bf16), peakFor(accelerator, DataType::Fp16));
}

} // namespace partita
