// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/hf_architectures.h"

#include "core/base/words.h"
#include "core/formats/json_fields.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace partita {

namespace {

struct NotCovered {
    std::string_view modelType;
    std::string_view why;
};

constexpr std::string_view encoder = "an encoder: only decoder-only language models are covered";
constexpr std::string_view sequenceToSequence = "an encoder with a decoder: cross attention is not covered";
constexpr std::string_view notText = "not a language model";
constexpr std::string_view linearAttention = "its linear attention is not covered";

constexpr std::array notCovered{
    NotCovered{"bert", encoder},
    NotCovered{"roberta", encoder},
    NotCovered{"xlm-roberta", encoder},
    NotCovered{"distilbert", encoder},
    NotCovered{"albert", encoder},
    NotCovered{"electra", encoder},
    NotCovered{"deberta", encoder},
    NotCovered{"deberta-v2", encoder},
    NotCovered{"mpnet", encoder},
    NotCovered{"camembert", encoder},
    NotCovered{"modernbert", encoder},
    NotCovered{"nomic_bert", encoder},
    NotCovered{"t5", sequenceToSequence},
    NotCovered{"mt5", sequenceToSequence},
    NotCovered{"umt5", sequenceToSequence},
    NotCovered{"bart", sequenceToSequence},
    NotCovered{"mbart", sequenceToSequence},
    NotCovered{"pegasus", sequenceToSequence},
    NotCovered{"m2m_100", sequenceToSequence},
    NotCovered{"whisper", sequenceToSequence},
    NotCovered{"t5gemma", sequenceToSequence},
    NotCovered{"vision-encoder-decoder", sequenceToSequence},
    NotCovered{"clip", notText},
    NotCovered{"clip_vision_model", notText},
    NotCovered{"siglip", notText},
    NotCovered{"siglip_vision_model", notText},
    NotCovered{"vit", notText},
    NotCovered{"dinov2", notText},
    NotCovered{"swin", notText},
    NotCovered{"wav2vec2", notText},
    NotCovered{"hubert", notText},
    NotCovered{"rwkv", "its time and channel mixing is not covered"},
    NotCovered{"rwkv5", "its time and channel mixing is not covered"},
    NotCovered{"rwkv6", "its time and channel mixing is not covered"},
    NotCovered{"rwkv7", "its time and channel mixing is not covered"},
    NotCovered{"zamba", "its attention block is shared between layers, which is not covered"},
    NotCovered{"zamba2", "its attention blocks are shared between layers, which is not covered"},
    NotCovered{"falcon_h1", "attention and state space side by side in one layer are not covered"},
    NotCovered{"hymba", "attention and state space side by side in one layer are not covered"},
    NotCovered{"recurrent_gemma", "its gated linear recurrence is not covered"},
    NotCovered{"lfm2", "its short convolutions are not covered"},
    NotCovered{"lfm2_moe", "its short convolutions are not covered"},
    NotCovered{"minimax", linearAttention},
    NotCovered{"minimax_text_01", linearAttention},
    NotCovered{"kimi_linear", linearAttention},
    NotCovered{"gemma3n", "its per-layer embeddings are not covered"},
    NotCovered{"gemma3n_text", "its per-layer embeddings are not covered"},
    NotCovered{"gemma4", "its layers with a dense feed-forward beside the experts are not covered"},
    NotCovered{"gemma4_text", "its layers with a dense feed-forward beside the experts are not covered"},
    NotCovered{"arctic", "its layers with a dense feed-forward beside the experts are not covered"},
    NotCovered{"mllama", "its cross attention to images is not covered"},
    NotCovered{"mllama_text_model", "its cross attention to images is not covered"},
    NotCovered{"longcat_flash", "two attentions and a shortcut in one layer are not covered"},
    NotCovered{"step3p5", "its head-wise gates and its second form of attention are not in the file"},
    NotCovered{"step3p7", "its head-wise gates and its second form of attention are not in the file"},
    NotCovered{"apertus", "the weights of its activation function are not covered"},
};

using Tables = std::array<std::span<const Architecture>, 6>;

Tables allTables()
{
    return {llamaArchitectures(),  gptArchitectures(),    remoteArchitectures(),
            expertArchitectures(), latentArchitectures(), hybridArchitectures()};
}

/// Lower case letters and digits only: "Qwen3MoeForCausalLM" and "qwen3_moe" meet in "qwen3moe".
std::string squeezed(std::string_view text)
{
    std::string result;
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    return result;
}

} // namespace

const Architecture* findArchitecture(std::string_view modelType)
{
    for (const std::span<const Architecture> table : allTables()) {
        for (const Architecture& architecture : table) {
            if (architecture.modelType == modelType) {
                return &architecture;
            }
        }
    }
    return nullptr;
}

std::string_view modelTypeOfClass(std::string_view className)
{
    constexpr std::string_view longestClass = "ForConditionalGeneration";
    for (const std::string_view suffix :
         {std::string_view("ForCausalLM"), std::string_view("LMHeadModel"), longestClass}) {
        if (className.size() <= suffix.size() || className.size() > 100 || !className.ends_with(suffix)) {
            continue;
        }
        const std::string stem = squeezed(className.substr(0, className.size() - suffix.size()));
        for (const std::span<const Architecture> table : allTables()) {
            for (const Architecture& architecture : table) {
                if (squeezed(architecture.modelType) == stem) {
                    return architecture.modelType;
                }
            }
        }
    }
    return {};
}

std::string_view closestModelType(std::string_view modelType)
{
    std::vector<std::string_view> types;
    for (const std::span<const Architecture> table : allTables()) {
        for (const Architecture& architecture : table) {
            types.push_back(architecture.modelType);
        }
    }
    return closest(modelType, types);
}

std::string_view whyNotCovered(std::string_view modelType)
{
    for (const NotCovered& entry : notCovered) {
        if (entry.modelType == modelType) {
            return entry.why;
        }
    }
    return {};
}

} // namespace partita
