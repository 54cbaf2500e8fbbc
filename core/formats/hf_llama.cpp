// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/hf_architectures.h"

#include <array>

namespace partita {

namespace {

LayerKind gated(const Attention& attention, const Dimensions& d, int norms = 2)
{
    return {attention, DenseFfn{d.width, true, false}, norms};
}

Attention withWindow(Attention attention, int window)
{
    attention.window = window;
    return attention;
}

/// Layers that differ by their window only.
void addWindowed(Model& model, const std::vector<int>& windows, const LayerKind& kind)
{
    addLayers(model, static_cast<int>(windows.size()), [&](int i) {
        LayerKind layer = kind;
        std::get<Attention>(layer.mixer).window = windows[static_cast<std::size_t>(i)];
        return layer;
    });
}

void setBias(Attention& attention, bool bias)
{
    attention.qkvBias = attention.outputBias = bias;
}

void readLlama(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {4096, 32, 32, 0, 0, 11008, 32000, 2048, false});
    Attention attention = d.attention();
    setBias(attention, f.flag("attention_bias", false));
    LayerKind kind = gated(attention, d);
    std::get<DenseFfn>(kind.feedForward).bias = f.flag("mlp_bias", false);
    addLayers(m, d.layers, kind);
}

void readMistral(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {4096, 32, 32, 8, 0, 14336, 32000, 131072, false});
    // Absent means the class default, null means full attention (v0.2 and later say so).
    const std::int64_t window =
        f.has("sliding_window") ? f.integerOrZero({"sliding_window"}) : f.integer({"sliding_window"}, 4096);
    addWindowed(m, readWindows(f, d.layers, window, [](int) { return true; }), gated(d.attention(), d));
}

/// Windows of Qwen: only where use_sliding_window says so, from layer max_window_layers on.
std::vector<int> readQwenWindows(HfFields& f, int layers)
{
    f.know({"sliding_window"});
    if (!f.flag("use_sliding_window", false)) {
        f.know({"layer_types"});
        return std::vector<int>(static_cast<std::size_t>(layers), 0);
    }
    const std::int64_t window = f.integer({"sliding_window"}, 4096);
    const std::int64_t first = f.integer({"max_window_layers"}, 28);
    return readWindows(f, layers, window, [first](int i) { return i >= first; });
}

void readQwen2(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {4096, 32, 32, 32, 0, 22016, 151936, 32768, false});
    Attention attention = d.attention();
    attention.qkvBias = true;
    addWindowed(m, readQwenWindows(f, d.layers), gated(attention, d));
    m.multiTokenPrediction = static_cast<int>(f.integerOrZero({"num_nextn_predict_layers"})); // MiMo
}

void readQwen3(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {4096, 32, 32, 32, 128, 22016, 151936, 32768, false});
    Attention attention = d.attention();
    attention.queryKeyNorm = true;
    setBias(attention, f.flag("attention_bias", false));
    addWindowed(m, readQwenWindows(f, d.layers), gated(attention, d));
}

void readGemma(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {3072, 28, 16, 16, 256, 24576, 256000, 8192, true});
    Attention attention = d.attention();
    setBias(attention, f.flag("attention_bias", false));
    addLayers(m, d.layers, gated(attention, d));
}

void readGemma2(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {2304, 26, 8, 4, 256, 9216, 256000, 8192, true});
    Attention attention = d.attention();
    setBias(attention, f.flag("attention_bias", false));
    const std::int64_t window = f.integer({"sliding_window"}, 4096);
    addWindowed(m, readWindows(f, d.layers, window, [](int i) { return i % 2 == 0; }), gated(attention, d, 4));
}

/// Every pattern-th layer sees the whole sequence.
std::vector<int> readPatternWindows(HfFields& f, int layers, int defaultWindow, int defaultPattern)
{
    const std::int64_t window =
        f.has("sliding_window") ? f.integerOrZero({"sliding_window"}) : f.integer({"sliding_window"}, defaultWindow);
    const std::int64_t stated = f.has("layer_types") ? 0 : f.period({"sliding_window_pattern"}, defaultPattern);
    f.know({"sliding_window_pattern"});
    const std::int64_t pattern = stated > 0 ? stated : defaultPattern;
    return readWindows(f, layers, window, [pattern](int i) { return (i + 1) % pattern != 0; });
}

void readGemma3(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {2304, 26, 8, 4, 256, 9216, 262208, 131072, true});
    Attention attention = d.attention();
    attention.queryKeyNorm = true;
    setBias(attention, f.flag("attention_bias", false));
    addWindowed(m, readPatternWindows(f, d.layers, 4096, 6), gated(attention, d, 4));
}

void readPhi3(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {3072, 32, 32, 0, 0, 8192, 32064, 4096, false});
    const auto window = static_cast<int>(f.integerOrZero({"sliding_window"}));
    for (const std::string_view key : {"attention_bias", "mlp_bias", "lm_head_bias"}) {
        if (f.has(key) && f.flag(key, false)) {
            f.unsupported(key, "biases are not covered for this architecture");
        }
    }
    addLayers(m, d.layers, gated(withWindow(d.attention(), window), d));
}

void readOlmo(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {4096, 32, 32, 0, 0, 11008, 50304, 2048, false});
    m.norm = NormKind::NonParametric;
    Attention attention = d.attention();
    setBias(attention, f.flag("attention_bias", false));
    addLayers(m, d.layers, gated(attention, d));
}

void readOlmo2(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {4096, 32, 32, 0, 0, 11008, 50304, 2048, false});
    Attention attention = d.attention();
    attention.fullWidthQueryKeyNorm = true;
    setBias(attention, f.flag("attention_bias", false));
    addLayers(m, d.layers, gated(attention, d));
}

void readOlmo3(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {4096, 32, 32, 0, 0, 11008, 50304, 2048, false});
    Attention attention = d.attention();
    attention.fullWidthQueryKeyNorm = true;
    setBias(attention, f.flag("attention_bias", false));
    addWindowed(m, readPatternWindows(f, d.layers, 4096, 4), gated(attention, d));
}

/// A parallel block: one norm in front of attention and feed-forward.
LayerKind readCohereLayer(HfFields& f, Model& m, const Dimensions& d)
{
    m.norm = NormKind::LayerWithoutBias;
    Attention attention = d.attention();
    setBias(attention, f.flag("attention_bias", false));
    attention.fullWidthQueryKeyNorm = f.has("use_qk_norm") && f.flag("use_qk_norm", false);
    return gated(attention, d, 1);
}

void readCohere(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {8192, 40, 64, 0, 0, 22528, 256000, 8192, true});
    addLayers(m, d.layers, readCohereLayer(f, m, d));
}

void readCohere2(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {8192, 40, 64, 0, 0, 22528, 256000, 8192, true});
    const LayerKind kind = readCohereLayer(f, m, d);
    addWindowed(m, readPatternWindows(f, d.layers, 4096, 4), kind);
}

void readStableLm(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {2560, 32, 32, 32, 0, 6912, 50304, 4096, false});
    m.norm = NormKind::Layer;
    Attention attention = d.attention();
    attention.qkvBias = f.flag("use_qkv_bias", false);
    attention.fullWidthQueryKeyNorm = f.flag("qk_layernorm", false);
    addLayers(m, d.layers, gated(attention, d, f.flag("use_parallel_residual", false) ? 1 : 2));
}

LayerKind readGlmLayer(HfFields& f, const Dimensions& d, int norms)
{
    Attention attention = d.attention();
    attention.qkvBias = f.flag("attention_bias", true);
    return gated(attention, d, norms);
}

constexpr ClassDefaults glmDefaults{4096, 40, 32, 2, 128, 13696, 151552, 131072, false};

void readGlm(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, glmDefaults);
    addLayers(m, d.layers, readGlmLayer(f, d, 2));
}

void readGlm4(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, glmDefaults);
    addLayers(m, d.layers, readGlmLayer(f, d, 4));
}

void readSmolLm3(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {2048, 36, 16, 4, 0, 11008, 128256, 32768, true});
    f.know({"layer_types", "no_rope_layers", "no_rope_layer_interval", "sliding_window"});
    if (f.flag("use_sliding_window", false)) {
        f.unsupported("use_sliding_window", "windows are not covered for this architecture");
    }
    Attention attention = d.attention();
    setBias(attention, f.flag("attention_bias", false));
    LayerKind kind = gated(attention, d);
    std::get<DenseFfn>(kind.feedForward).bias = f.flag("mlp_bias", false);
    addLayers(m, d.layers, kind);
}

void readSeedOss(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {4096, 64, 80, 8, 128, 27648, 155136, 524288, false});
    Attention attention = d.attention();
    attention.qkvBias = f.flag("attention_bias", true);
    attention.outputBias = f.flag("attention_out_bias", false);
    LayerKind kind = gated(attention, d);
    std::get<DenseFfn>(kind.feedForward).bias = f.flag("mlp_bias", false);
    addLayers(m, d.layers, kind);
}

void readErnie(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {1024, 18, 16, 2, 128, 3072, 103424, 131072, true});
    const bool bias = f.flag("use_bias", false);
    Attention attention = d.attention();
    setBias(attention, bias);
    addLayers(m, d.layers, {attention, DenseFfn{d.width, true, bias}, 2});
}

void readExaone4(HfFields& f, Model& m)
{
    const Dimensions d = readDimensions(f, m, {4096, 32, 32, 32, 0, 16384, 102400, 2048, false});
    Attention attention = d.attention();
    attention.queryKeyNorm = true;
    addWindowed(m, readPatternWindows(f, d.layers, 4096, 4), gated(attention, d));
}

constexpr std::array table{
    Architecture{"llama", readLlama},
    Architecture{"granite", readLlama},
    Architecture{"Yi", readLlama},
    Architecture{"mistral", readMistral},
    Architecture{"ministral", readMistral},
    Architecture{"qwen2", readQwen2},
    Architecture{"qwen2_vl", readQwen2},
    Architecture{"qwen2_vl_text", readQwen2},
    Architecture{"qwen2_5_vl", readQwen2},
    Architecture{"qwen2_5_vl_text", readQwen2},
    Architecture{"mimo", readQwen2},
    Architecture{"qwen3", readQwen3},
    Architecture{"qwen3_vl_text", readQwen3},
    Architecture{"gemma", readGemma},
    Architecture{"gemma2", readGemma2},
    Architecture{"gemma3_text", readGemma3},
    Architecture{"phi3", readPhi3},
    Architecture{"phi3_v", readPhi3},
    Architecture{"olmo", readOlmo},
    Architecture{"olmo2", readOlmo2},
    Architecture{"olmo3", readOlmo3},
    Architecture{"cohere", readCohere},
    Architecture{"cohere2", readCohere2},
    Architecture{"stablelm", readStableLm},
    Architecture{"glm", readGlm},
    Architecture{"glm4", readGlm4},
    Architecture{"smollm3", readSmolLm3},
    Architecture{"seed_oss", readSeedOss},
    Architecture{"ernie4_5", readErnie},
    Architecture{"exaone4", readExaone4},
};

} // namespace

std::span<const Architecture> llamaArchitectures()
{
    return table;
}

} // namespace partita
