// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/data_type.h"

#include <cstdint>

namespace partita {

/// Which weight matrices a quantised checkpoint stores in its format; the rest, the embedding, norms and routers stay
/// in 16 bit.
enum class QuantisedPart {
    Layers, ///< every matrix of the layers (FP8 and NVFP4 checkpoints, GPTQ, AWQ)
    LayersAndHead, ///< and the output matrix (gpt-fast)
    WithoutMixer, ///< not those of the token mixer
    Experts ///< routed experts alone (gpt-oss)
};

template <> struct Names<QuantisedPart> {
    static constexpr std::array table{
        Name<QuantisedPart>{QuantisedPart::Layers, "layers", "all layers"},
        Name<QuantisedPart>{QuantisedPart::LayersAndHead, "layers-and-head", "layers and head"},
        Name<QuantisedPart>{QuantisedPart::WithoutMixer, "feed-forward", "feed-forward alone"},
        Name<QuantisedPart>{QuantisedPart::Experts, "experts", "routed experts"},
    };
};

/// How keys and values are stored.
enum class KeyValueFormat { Bf16, Fp8, Int8, Fp8Latent };

template <> struct Names<KeyValueFormat> {
    static constexpr std::array table{
        Name<KeyValueFormat>{KeyValueFormat::Bf16, "bf16", "16 bit"},
        Name<KeyValueFormat>{KeyValueFormat::Fp8, "fp8", "FP8"},
        Name<KeyValueFormat>{KeyValueFormat::Int8, "int8", "INT8"},
        Name<KeyValueFormat>{KeyValueFormat::Fp8Latent, "fp8-ds-mla", "FP8 latent, 16-bit rotary"},
    };
};

enum class Batching { Continuous, Static };

template <> struct Names<Batching> {
    static constexpr std::array table{
        Name<Batching>{Batching::Continuous, "continuous", "continuous"},
        Name<Batching>{Batching::Static, "static", "static"},
    };
};

/// What is asked of a served model. Lengths are tokens of a request; limits of 0 are none.
struct Serving {
    std::int64_t prompt = 1024;
    std::int64_t output = 256; ///< tokens generated, the first included
    double lengthSpread = 0; ///< standard deviation of the output length over its mean
    std::int64_t batch = 32; ///< sequences decoded together in a step of one replica (of a batch in flight, under PP)
    std::int64_t inFlight = 0; ///< batches in flight in a replica's pipeline; 0 = as many as the engine keeps
    Batching batching = Batching::Continuous;
    std::int64_t chunk = 0; ///< prompt tokens of a step; 0 = as many as the engine's step takes
    DataType weights = DataType::Bf16;
    QuantisedPart quantised = QuantisedPart::Layers;
    std::int64_t weightGroup = 0; ///< elements that share an integer scale; 0 = 128 for INT4, a row for INT8
    double groupBytes = 2.5; ///< of a group's scale and zero point
    KeyValueFormat keyValues = KeyValueFormat::Bf16;
    int decodeContext = 1; ///< ranks of a tensor-parallel group that share a sequence's keys between them
    std::int64_t draftTokens = 0; ///< speculated per step; 0 = none
    double acceptance = 0.7; ///< chance that a drafted token is taken
    double draftCost = 0.05; ///< time of drafting a token over that of a decode step
    std::int64_t prefillReplicas = 0; ///< replicas that only prefill (disaggregated); 0 = every replica does both
    double ttftLimit = 0; ///< s
    double tpotLimit = 0; ///< s

    bool operator==(const Serving&) const = default;
};

} // namespace partita
