// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/hf_config.h"

#include "core/formats/hf_architectures.h"
#include "core/formats/hf_params_json.h"
#include "core/formats/hf_quantisation.h"
#include "core/formats/json_fields.h"
#include "core/model/check_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <exception>

namespace partita {

using nlohmann::json;

namespace {

/// Keys by which files that are something else give themselves away.
struct Foreign {
    std::string_view key;
    std::string_view what;
};

constexpr std::array foreign{
    Foreign{"peft_type", "an adapter (PEFT): give the config.json of its base model"},
    Foreign{"lora_alpha", "an adapter (LoRA): give the config.json of its base model"},
    Foreign{"_diffusers_version", "a diffusion pipeline, not a language model"},
    Foreign{"weight_map", "an index of weight files, not a configuration"},
    Foreign{"added_tokens_decoder", "the configuration of a tokenizer, not of a model"},
    Foreign{"quantization", "a quantisation description (hf_quant_config.json): give the config.json beside it"},
    Foreign{"zero_optimization", "a DeepSpeed configuration: it describes a run, not a model"},
    Foreign{"train_micro_batch_size_per_gpu", "a DeepSpeed configuration: it describes a run, not a model"},
    Foreign{"ffn_embed_dim", "a model file of llm-analysis, not a Hugging Face config.json"},
};

/// The types of the language models inside composite ones whose inner object does not say.
struct Inner {
    std::string_view outer;
    std::string_view inner;
};

constexpr std::array innerTypes{
    Inner{"gemma3", "gemma3_text"},
    Inner{"llama4", "llama4_text"},
    Inner{"llava", "llama"},
    Inner{"llava_next", "llama"},
    Inner{"mistral3", "mistral"},
    Inner{"pixtral", "mistral"},
    Inner{"qwen3_vl", "qwen3_vl_text"},
    Inner{"kimi_k25", "kimi_k2"},
    Inner{"qwen3_vl_moe", "qwen3_vl_moe_text"},
    Inner{"qwen2_vl", "qwen2_vl_text"},
    Inner{"qwen2_5_vl", "qwen2_5_vl_text"},
};

std::string_view innerTypeOf(std::string_view outer)
{
    for (const Inner& entry : innerTypes) {
        if (entry.outer == outer) {
            return entry.inner;
        }
    }
    return {};
}

/// Where the language model is described: the object itself or one inside it.
struct Located {
    std::string path; ///< empty: the object itself
    std::string modelType;
    json completed; ///< the inner object with what it leaves to the outer one
};

std::string textOf(const json& object, std::string_view key)
{
    const auto it = object.find(key);
    return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

std::string typeOf(const json& config, ImportedModel& notes, Problems& problems)
{
    const std::string type = textOf(config, "model_type");
    if (!type.empty()) {
        return type;
    }
    if (const auto it = config.find("model_type"); it != config.end() && !it->is_string()) {
        problems.push_back({"model_type", shown(*it), "must be text", ""});
        return {};
    }
    const auto classes = config.find("architectures");
    if (classes != config.end() && classes->is_array() && !classes->empty() && classes->front().is_string()) {
        const std::string_view found = modelTypeOfClass(classes->front().get_ref<const std::string&>());
        if (!found.empty()) {
            notes.assumed.push_back(fmt::format("model_type: absent, {} as for {}", found, shown(classes->front())));
            return std::string(found);
        }
    }
    return {};
}

Located locate(const json& outer, ImportedModel& notes, Problems& problems)
{
    Located at{"", "", {}};
    if (isParamsJson(outer)) {
        at.modelType = paramsJsonType;
        return at;
    }
    for (const char* key : {"text_config", "llm_config", "language_config"}) {
        const auto it = outer.find(key);
        if (it == outer.end() || !it->is_object()) {
            continue;
        }
        at.path = key;
        at.completed = *it;
        // Transformers keeps these two outside in some composite files.
        for (const char* shared : {"tie_word_embeddings", "quantization_config"}) {
            if (outer.contains(shared) && !at.completed.contains(shared)) {
                at.completed[shared] = outer[shared];
            }
        }
        at.modelType = textOf(*it, "model_type");
        if (at.modelType.empty()) {
            at.modelType = innerTypeOf(textOf(outer, "model_type"));
        }
        notes.ignored.push_back(fmt::format("everything outside {}: only the language model is read", key));
        return at;
    }
    at.modelType = typeOf(outer, notes, problems);
    return at;
}

/// Why the type cannot be read.
Problem refusal(const json& config, const std::string& modelType)
{
    const std::string shownType = modelType.substr(0, 60);
    if (modelType.empty()) {
        return {"model_type", "", "is missing: nothing says which architecture this is",
                "the config.json of a Hugging Face model has it"};
    }
    if (const std::string_view why = whyNotCovered(modelType); !why.empty()) {
        return {"model_type", shownType, std::string(why), ""};
    }
    if (config.contains("vision_config") || config.contains("image_size") || config.contains("patch_size")) {
        return {"model_type", shownType, "an image model without the description of a language model", ""};
    }
    const std::string_view near = closestModelType(modelType);
    return {"model_type", shownType, "is not a covered architecture: the shape of its layers is not known",
            near.empty() ? "a preset with the same layers, edited" : fmt::format("did you mean '{}'?", near)};
}

/// Key of the file behind a field of the model, as the readers call it first.
struct KeyOfField {
    std::string_view field;
    std::string_view key;
};

constexpr std::array keysOfFields{
    KeyOfField{"hidden", "hidden_size"},
    KeyOfField{"vocabulary", "vocab_size"},
    KeyOfField{"maxPositions", "max_position_embeddings"},
    KeyOfField{"learnedPositions", "max_position_embeddings"},
    KeyOfField{"embeddingWidth", "word_embed_proj_dim"},
    KeyOfField{"layers", "num_hidden_layers"},
    KeyOfField{"mixer.heads", "num_attention_heads"},
    KeyOfField{"mixer.kvHeads", "num_key_value_heads"},
    KeyOfField{"mixer.headDim", "head_dim"},
    KeyOfField{"mixer.valueHeadDim", "v_head_dim"},
    KeyOfField{"mixer.queryRank", "q_lora_rank"},
    KeyOfField{"mixer.kvRank", "kv_lora_rank"},
    KeyOfField{"mixer.nopeHeadDim", "qk_nope_head_dim"},
    KeyOfField{"mixer.ropeHeadDim", "qk_rope_head_dim"},
    KeyOfField{"mixer.window", "sliding_window"},
    KeyOfField{"mixer.groups", "n_groups"},
    KeyOfField{"feedForward.width", "intermediate_size"},
    KeyOfField{"feedForward.experts", "num_experts"},
    KeyOfField{"feedForward.topK", "num_experts_per_tok"},
    KeyOfField{"feedForward.expertWidth", "moe_intermediate_size"},
    KeyOfField{"feedForward.routingGroups", "n_group"},
    KeyOfField{"feedForward.routedGroups", "topk_group"},
};

std::string_view keyOfField(std::string_view field)
{
    if (const std::size_t dot = field.find('.'); field.starts_with("kinds[") && dot != std::string_view::npos) {
        field.remove_prefix(dot + 1);
    }
    for (const KeyOfField& entry : keysOfFields) {
        if (entry.field == field) {
            return entry.key;
        }
    }
    return {};
}

/// What the model's own check finds, in the words of the file and once for all layers. When reading already failed,
/// only what is certain to be in the file: the values that stand in for bad ones must not be blamed.
void checkRead(const Model& model, const HfFields& fields, Problems& problems)
{
    const bool readWell = problems.empty();
    Problems aboutOthers;
    for (Problem problem : checkModel(model)) {
        const std::string_view key = keyOfField(problem.field);
        const bool stated = !key.empty() && fields.sound(key);
        const bool relation = !problem.message.starts_with("must be");
        if (!readWell && (!stated || relation)) {
            continue;
        }
        if (!key.empty()) {
            problem.field = fields.spelling(key);
        } else if (!problem.field.empty()) {
            problem.field = "model." + problem.field;
        }
        Problems& to = stated ? problems : aboutOthers;
        if (std::find(to.begin(), to.end(), problem) == to.end()) {
            to.push_back(std::move(problem));
        }
    }
    if (problems.empty()) {
        problems = std::move(aboutOthers); // not mere consequences of the former
    }
}

std::string idOf(std::string_view name)
{
    std::string id;
    for (const char c : name.substr(0, 100)) {
        const auto byte = static_cast<unsigned char>(c);
        const char lower = static_cast<char>(std::tolower(byte));
        const bool plain = (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '.';
        if (plain) {
            id += lower;
        } else if (!id.empty() && id.back() != '-') {
            id += '-';
        }
    }
    return id;
}

void shorten(Problems& problems)
{
    constexpr std::size_t most = 50;
    if (problems.size() > most) {
        const std::size_t more = problems.size() - most;
        problems.resize(most);
        problems.push_back({"", "", fmt::format("and {} more", more), ""});
    }
}

Result<ImportedModel> readArchitecture(const json& outer, std::string_view name)
{
    ImportedModel imported;
    Problems problems;
    const Located at = locate(outer, imported, problems);
    const json& config = at.path.empty() ? outer : at.completed;
    constexpr Architecture paramsJson{paramsJsonType, readParamsJson};
    const bool isParams = at.path.empty() && isParamsJson(outer);
    const Architecture* architecture = isParams ? &paramsJson : findArchitecture(at.modelType);
    if (architecture == nullptr && problems.empty()) {
        const std::string outerType = textOf(outer, "model_type");
        const bool tellsOuter = at.modelType.empty() || !whyNotCovered(outerType).empty();
        problems.push_back(refusal(config, tellsOuter && !outerType.empty() ? outerType : at.modelType));
    }
    const auto crossed = config.find("is_encoder_decoder");
    if (architecture != nullptr && crossed != config.end() && *crossed == true) {
        problems.push_back(
            {memberPath(at.path, "is_encoder_decoder"), "true", "encoders with decoders are not covered", ""});
    }
    if (!problems.empty()) {
        return problems;
    }
    HfFields fields(config, at.path, at.modelType, imported, problems);
    imported.model.name = name.empty() ? textOf(outer, "_name_or_path") : std::string(name);
    imported.model.id = idOf(imported.model.name);
    imported.model.source = isParams ? std::string("params.json beside the original weights")
                                     : fmt::format("Hugging Face config.json, model type {}", at.modelType);
    architecture->read(fields, imported.model);
    if (fields.object("quantization_config") != nullptr) {
        HfFields quantisation = fields.nested("quantization_config");
        imported.nativeWeights = readQuantisation(quantisation);
    }
    fields.noteUnknownKeys();
    checkRead(imported.model, fields, problems);
    if (!problems.empty()) {
        shorten(problems);
        return problems;
    }
    return imported;
}

Result<ImportedModel> readText(std::string_view text, std::string_view name)
{
    JsonOptions options;
    options.maxBytes =
        std::size_t{2} << 20; // the longest real ones, a list of unquantised modules in them, have 0.1 MB
    options.maxValues = 200'000;
    options.nonFiniteAsNull = true;
    options.skipClassName = true;
    const Result<json> parsed = parseJson(text, options);
    if (!parsed) {
        return parsed.problems;
    }
    if (!parsed->is_object()) {
        return Problem{"", shown(*parsed), "a config.json is an object", "{\"model_type\": ...}"};
    }
    for (const Foreign& entry : foreign) {
        if (parsed->contains(entry.key) && !parsed->contains("model_type")) {
            return Problem{"", "", std::string(entry.what), ""};
        }
    }
    return readArchitecture(*parsed, name);
}

} // namespace

Result<ImportedModel> readHuggingFaceConfig(std::string_view text, std::string_view name)
{
    try {
        return readText(text, name);
    } catch (const std::exception& error) {
        return Problem{"", "", fmt::format("cannot be read: {}", error.what()), ""};
    }
}

} // namespace partita
