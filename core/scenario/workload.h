// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/data_type.h"

#include <cstdint>

namespace partita {

/// What the matrix units multiply in, and with it what weights and activations are kept in.
enum class Precision { Fp32, Bf16, Fp16, Fp8, Fp8Row, Fp8Block, MxFp8, NvFp4 };

template <> struct Names<Precision> {
    static constexpr std::array table{
        Name<Precision>{Precision::Fp32, "fp32", "FP32"},
        Name<Precision>{Precision::Bf16, "bf16", "BF16"},
        Name<Precision>{Precision::Fp16, "fp16", "FP16"},
        Name<Precision>{Precision::Fp8, "fp8", "FP8 per tensor"},
        Name<Precision>{Precision::Fp8Row, "fp8-row", "FP8 row-wise"},
        Name<Precision>{Precision::Fp8Block, "fp8-block", "FP8 block-wise"},
        Name<Precision>{Precision::MxFp8, "mxfp8", "MXFP8"},
        Name<Precision>{Precision::NvFp4, "nvfp4", "NVFP4"},
    };
};

/// Type of the operands of a layer's weight products.
constexpr DataType operandType(Precision precision)
{
    switch (precision) {
    case Precision::Fp32:
        return DataType::Fp32;
    case Precision::Bf16:
        return DataType::Bf16;
    case Precision::Fp16:
        return DataType::Fp16;
    case Precision::Fp8:
    case Precision::Fp8Row:
    case Precision::Fp8Block:
        return DataType::Fp8;
    case Precision::MxFp8:
        return DataType::MxFp8;
    case Precision::NvFp4:
        return DataType::NvFp4;
    }
    return DataType::Bf16;
}

enum class Optimizer { Adam, AdamBf16States, Adam8bit, AdamFp32, Muon, Sgd };

template <> struct Names<Optimizer> {
    static constexpr std::array table{
        Name<Optimizer>{Optimizer::Adam, "adam", "Adam, mixed precision"},
        Name<Optimizer>{Optimizer::AdamBf16States, "adam-bf16-states", "Adam, BF16 moments"},
        Name<Optimizer>{Optimizer::Adam8bit, "adam-8bit", "Adam, 8-bit moments"},
        Name<Optimizer>{Optimizer::AdamFp32, "adam-fp32", "Adam, all FP32"},
        Name<Optimizer>{Optimizer::Muon, "muon", "Muon"},
        Name<Optimizer>{Optimizer::Sgd, "sgd", "SGD with momentum"},
    };
};

/// Which weights are trained. Adapters (LoRA, arXiv:2106.09685) sit on every matrix of the layers; QLoRA
/// (arXiv:2305.14314) keeps the frozen matrices in 4 bit and widens them for every product.
enum class Training { Full, Lora, QLora };

template <> struct Names<Training> {
    static constexpr std::array table{
        Name<Training>{Training::Full, "full", "all weights"},
        Name<Training>{Training::Lora, "lora", "LoRA adapters"},
        Name<Training>{Training::QLora, "qlora", "QLoRA adapters"},
    };
};

/// What the layers' weights are kept in between steps.
enum class WeightStorage { Wide, Fp8 };

template <> struct Names<WeightStorage> {
    static constexpr std::array table{
        Name<WeightStorage>{WeightStorage::Wide, "wide", "as activations"},
        Name<WeightStorage>{WeightStorage::Fp8, "fp8", "FP8 alone"},
    };
};

/// What the main gradients are kept in.
enum class GradientStorage { Stack, Fp32, Bf16 };

template <> struct Names<GradientStorage> {
    static constexpr std::array table{
        Name<GradientStorage>{GradientStorage::Stack, "stack", "the stack's habit"},
        Name<GradientStorage>{GradientStorage::Fp32, "fp32", "FP32"},
        Name<GradientStorage>{GradientStorage::Bf16, "bf16", "BF16"},
    };
};

/// What is trained on: everything that is not the model, the devices or the split.
struct Workload {
    std::int64_t sequenceLength = 4096;
    Precision precision = Precision::Bf16;
    WeightStorage weights = WeightStorage::Wide; ///< FP8: no 16-bit copy, gathered in FP8 (Megatron --fp8-param-gather)
    GradientStorage gradients = GradientStorage::Stack;
    Optimizer optimizer = Optimizer::Adam;
    Training training = Training::Full;
    int adapterRank = 16; ///< r of LoRA; without effect when all weights are trained
    double offloadedStates = 0; ///< share of the optimizer states kept in host memory, 0..1
    double trainingTokens = 0; ///< token budget for days and cost; 0 = none stated

    bool operator==(const Workload&) const = default;
};

} // namespace partita
