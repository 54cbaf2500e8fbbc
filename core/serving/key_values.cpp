// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serving/key_values.h"

#include <algorithm>

namespace partita {

namespace {

LayerCache cacheOf(std::monostate, KeyValueFormat)
{
    return {};
}

LayerCache cacheOf(const Attention& attention, KeyValueFormat format)
{
    LayerCache cache;
    cache.perToken =
        static_cast<double>(attention.kvHeads) * (attention.headDim + attention.valueDim()) * bytesPerElement(format);
    cache.window = attention.window;
    return cache;
}

LayerCache cacheOf(const LatentAttention& mla, KeyValueFormat format)
{
    LayerCache cache;
    // vLLM fp8_ds_mla: FP8 latent, an FP32 scale per 128 of it, the rotary part in 16 bit (656 bytes for 512 + 64).
    cache.perToken = format == KeyValueFormat::Fp8Latent ? mla.kvRank * (1 + 4.0 / 128) + 2.0 * mla.ropeHeadDim
                                                         : (mla.kvRank + mla.ropeHeadDim) * bytesPerElement(format);
    if (mla.indexHeads > 0) {
        cache.indexPerToken = mla.indexHeadDim + 4; // FP8 with an FP32 scale (DeepSeek-V3.2)
        cache.readAtMost = mla.indexTopK;
    }
    return cache;
}

/// Recurrent states are kept in FP32, the last inputs of the convolution in 16 bit.
LayerCache recurrence(double states, double convolved, int convWidth)
{
    LayerCache cache;
    cache.perSequence = 4 * states + 2 * convolved * std::max(0, convWidth - 1);
    return cache;
}

LayerCache cacheOf(const Mamba1& mamba, KeyValueFormat)
{
    const auto inner = static_cast<double>(mamba.innerWidth);
    return recurrence(inner * mamba.stateSize, inner, mamba.convWidth);
}

LayerCache cacheOf(const Mamba2& mamba, KeyValueFormat)
{
    const auto inner = static_cast<double>(mamba.innerWidth());
    return recurrence(inner * mamba.stateSize, inner + 2.0 * mamba.groups * mamba.stateSize, mamba.convWidth);
}

LayerCache cacheOf(const GatedDelta& delta, KeyValueFormat)
{
    const double keys = static_cast<double>(delta.keyHeads) * delta.keyHeadDim;
    const double values = static_cast<double>(delta.valueHeads) * delta.valueHeadDim;
    return recurrence(values * delta.keyHeadDim, 2 * keys + values, delta.convWidth);
}

} // namespace

double bytesPerElement(KeyValueFormat format)
{
    return format == KeyValueFormat::Bf16 ? 2 : 1;
}

double LayerCache::bytes(double tokens) const
{
    return perToken * (window > 0 ? std::min(tokens, window) : tokens) + indexPerToken * tokens + perSequence;
}

double LayerCache::attended(double tokens) const
{
    const double kept = window > 0 ? std::min(tokens, window) : tokens;
    return readAtMost > 0 ? std::min(kept, readAtMost) : kept;
}

double LayerCache::bytesRead(double tokens) const
{
    return perToken * attended(tokens) + indexPerToken * tokens + 2 * perSequence;
}

LayerCache layerCache(const LayerKind& kind, KeyValueFormat format, bool keepsWindows)
{
    LayerCache cache = std::visit([format](const auto& mixer) { return cacheOf(mixer, format); }, kind.mixer);
    cache.window = keepsWindows ? cache.window : 0;
    return cache;
}

double deviceShare(const LayerKind& kind, const ServingLayout& layout)
{
    double share = 1.0 / layout.tp;
    if (const auto* attention = std::get_if<Attention>(&kind.mixer)) {
        const int heads = std::max(1, attention->kvHeads);
        share = static_cast<double>(std::max(1, (heads + layout.tp - 1) / layout.tp)) / heads;
    } else if (std::holds_alternative<LatentAttention>(kind.mixer)) {
        share = 1;
    }
    return share
        / (std::holds_alternative<Attention>(kind.mixer) || std::holds_alternative<LatentAttention>(kind.mixer)
               ? layout.decodeContext
               : 1);
}

double keyValueCopies(const Model& model, const ServingLayout& layout)
{
    double copies = 1;
    for (const LayerKind& kind : model.kinds) {
        copies = std::max(copies, layout.tp * deviceShare(kind, layout));
    }
    return copies;
}

double keyValueBytesPerToken(const Model& model, KeyValueFormat format)
{
    double bytes = 0;
    for (const int kind : model.layers) {
        const LayerCache cache = layerCache(model.kinds[static_cast<std::size_t>(kind)], format);
        bytes += cache.perToken + cache.indexPerToken;
    }
    return bytes;
}

double sequenceBytes(const Model& model, KeyValueFormat format, double tokens)
{
    double bytes = 0;
    for (const int kind : model.layers) {
        bytes += layerCache(model.kinds[static_cast<std::size_t>(kind)], format).bytes(tokens);
    }
    return bytes;
}

} // namespace partita
