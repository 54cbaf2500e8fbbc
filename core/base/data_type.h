// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/names.h"

namespace partita {

/// Number formats of tensors. Block formats carry their scales in bytesPerElement().
enum class DataType { Fp32, Tf32, Bf16, Fp16, Fp8, Int8, MxFp8, Int4, MxFp4, NvFp4 };

template <> struct Names<DataType> {
    static constexpr std::array table{
        Name<DataType>{DataType::Fp32, "fp32", "FP32"},    Name<DataType>{DataType::Tf32, "tf32", "TF32"},
        Name<DataType>{DataType::Bf16, "bf16", "BF16"},    Name<DataType>{DataType::Fp16, "fp16", "FP16"},
        Name<DataType>{DataType::Fp8, "fp8", "FP8"},       Name<DataType>{DataType::Int8, "int8", "INT8"},
        Name<DataType>{DataType::MxFp8, "mxfp8", "MXFP8"}, Name<DataType>{DataType::Int4, "int4", "INT4"},
        Name<DataType>{DataType::MxFp4, "mxfp4", "MXFP4"}, Name<DataType>{DataType::NvFp4, "nvfp4", "NVFP4"},
    };
};

/// Bytes an element takes in memory, block scales included (MX: one byte per 32 elements, OCP MX v1.0; NVFP4: one per
/// 16).
constexpr double bytesPerElement(DataType type)
{
    switch (type) {
    case DataType::Fp32:
    case DataType::Tf32:
        return 4.0;
    case DataType::Bf16:
    case DataType::Fp16:
        return 2.0;
    case DataType::Fp8:
    case DataType::Int8:
        return 1.0;
    case DataType::MxFp8:
        return 1.0 + 1.0 / 32;
    case DataType::Int4:
        return 0.5;
    case DataType::MxFp4:
        return 0.5 + 1.0 / 32;
    case DataType::NvFp4:
        return 0.5 + 1.0 / 16;
    }
    return 2.0;
}

} // namespace partita
