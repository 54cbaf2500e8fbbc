// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/hf_fields.h"

#include "core/formats/json_fields.h"
#include "core/model/check_model.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {

using nlohmann::json;

namespace {

constexpr std::size_t mostNotes = 60;
constexpr IntegerRange anyInt{0, std::numeric_limits<std::int32_t>::max()};

/// Keys that say nothing about size or speed: tokens, initialisation, dropout, numerics, generation, training loss.
constexpr std::array<std::string_view, 34> withoutCost{"architectures",
                                                       "attention_value_scale",
                                                       "auto_map",
                                                       "clip_qkv",
                                                       "dtype",
                                                       "generation_config",
                                                       "id2label",
                                                       "initializer_range",
                                                       "label2id",
                                                       "logit_scale",
                                                       "max_window_layers",
                                                       "model_type",
                                                       "norm_topk_prob",
                                                       "original_max_position_embeddings",
                                                       "output_attentions",
                                                       "output_hidden_states",
                                                       "output_router_logits",
                                                       "partial_rotary_factor",
                                                       "pretraining_tp",
                                                       "query_pre_attn_scalar",
                                                       "return_dict",
                                                       "rope_parameters",
                                                       "rope_scaling",
                                                       "rope_theta",
                                                       "scale_depth",
                                                       "scale_emb",
                                                       "dim_model_base",
                                                       "scoring_func",
                                                       "swiglu_limit",
                                                       "task_specific_params",
                                                       "torch_dtype",
                                                       "transformers_version",
                                                       "use_cache",
                                                       "tokenizer_class"};
constexpr std::array<std::string_view, 41> withoutCostParts{"_token_id",
                                                            "token_index",
                                                            "_token_ids",
                                                            "dropout",
                                                            "pdrop",
                                                            "_eps",
                                                            "epsilon",
                                                            "rotary",
                                                            "rope",
                                                            "hidden_act",
                                                            "activation",
                                                            "summary_",
                                                            "init_",
                                                            "_init",
                                                            "aux_loss",
                                                            "softcapping",
                                                            "_multiplier",
                                                            "softmax_in_fp32",
                                                            "fusion",
                                                            "router_jitter",
                                                            "jitter_noise",
                                                            "loss_coef",
                                                            "_name_or_path",
                                                            "seq_aux",
                                                            "scaling_factor",
                                                            "num_beam",
                                                            "length_penalty",
                                                            "verbose",
                                                            "_attn_implementation",
                                                            "scale_attn",
                                                            "flash",
                                                            "tokenizer",
                                                            "attn_impl",
                                                            "_from_model",
                                                            "in_fp32",
                                                            "penalty",
                                                            "rescale_",
                                                            "time_step_",
                                                            "kernels",
                                                            "logits_to_keep",
                                                            "use_logn"};

const json& emptyObject()
{
    static const json nothing = json::object();
    return nothing;
}

bool isWithoutCost(std::string_view key)
{
    return std::find(withoutCost.begin(), withoutCost.end(), key) != withoutCost.end()
        || std::any_of(withoutCostParts.begin(), withoutCostParts.end(),
                       [&](std::string_view part) { return key.find(part) != std::string_view::npos; });
}

} // namespace

HfFields::HfFields(const json& object, std::string path, std::string modelType, ImportedModel& notes,
                   Problems& problems)
    : m_object(object)
    , m_path(std::move(path))
    , m_modelType(std::move(modelType))
    , m_notes(notes)
    , m_problems(problems)
{
}

const json* HfFields::find(Keys keys, std::string_view& used)
{
    const json* found = nullptr;
    for (const std::string_view key : keys) {
        m_known.emplace(key);
        const auto it = m_object.find(key);
        if (found == nullptr && it != m_object.end() && !it->is_null()) {
            found = &*it;
            used = key;
        }
    }
    return found;
}

bool HfFields::says(std::string_view key, std::string_view word)
{
    std::string_view used;
    const json* value = find({key}, used);
    return value != nullptr && value->is_string() && value->get_ref<const std::string&>() == word;
}

std::optional<std::int64_t> HfFields::readNumber(const json& value, std::string_view key)
{
    const std::string path = memberPath(m_path, key);
    if (!value.is_array()) {
        return readInteger(value, path, anyInt, m_problems);
    }
    // Some files repeat a number for every layer.
    if (value.empty() || std::any_of(value.begin(), value.end(), [&](const json& v) { return v != value.front(); })) {
        problem(key, shown(value), "must be one number, the same for every layer");
        return std::nullopt;
    }
    return readInteger(value.front(), path, anyInt, m_problems);
}

std::optional<std::int64_t> HfFields::optionalInteger(Keys keys)
{
    std::string_view used;
    const json* value = find(keys, used);
    if (value == nullptr) {
        return std::nullopt;
    }
    const std::optional<std::int64_t> number = readNumber(*value, used);
    if (number) {
        m_spelling.emplace(*keys.begin(), used);
    }
    return number;
}

std::int64_t HfFields::integer(Keys keys, std::int64_t classDefault)
{
    std::string_view used;
    if (const std::optional<std::int64_t> number = optionalInteger(keys)) {
        return *number;
    }
    if (find(keys, used) != nullptr) {
        return std::max<std::int64_t>(classDefault, 1); // there, and already a Problem
    }
    if (classDefault == 0) {
        problem(*keys.begin(), "", "is missing", fmt::format("{} has no default for it", m_modelType));
        return 1;
    }
    assume(*keys.begin(), fmt::format("{} as for {}", classDefault, m_modelType));
    return classDefault;
}

std::int64_t HfFields::integerOrZero(Keys keys)
{
    return optionalInteger(keys).value_or(0);
}

std::int64_t HfFields::derived(Keys keys, std::int64_t value, std::string_view why)
{
    std::string_view used;
    if (const std::optional<std::int64_t> number = optionalInteger(keys)) {
        return *number;
    }
    if (find(keys, used) == nullptr) {
        assume(*keys.begin(), fmt::format("{}, {}", value, why));
    }
    return value;
}

bool HfFields::flag(std::string_view key, bool classDefault)
{
    std::string_view used;
    if (const json* value = find({key}, used)) {
        return readFlag(*value, memberPath(m_path, key), m_problems).value_or(classDefault);
    }
    assume(key, fmt::format("{} as for {}", classDefault, m_modelType));
    return classDefault;
}

std::string HfFields::text(std::string_view key, std::string_view classDefault)
{
    std::string_view used;
    const json* value = find({key}, used);
    return value == nullptr ? std::string(classDefault)
                            : readText(*value, memberPath(m_path, key), m_problems).value_or(std::string(classDefault));
}

double HfFields::number(std::string_view key, double classDefault)
{
    std::string_view used;
    if (const json* value = find({key}, used)) {
        return partita::readNumber(*value, memberPath(m_path, key), {0, 1e6}, m_problems).value_or(classDefault);
    }
    assume(key, fmt::format("{} as for {}", classDefault, m_modelType));
    return classDefault;
}

std::optional<std::vector<std::string>> HfFields::texts(std::string_view key)
{
    const json* value = array(key);
    if (value == nullptr) {
        return std::nullopt;
    }
    std::vector<std::string> list;
    for (std::size_t i = 0; i < value->size() && i < std::size_t{ModelBounds::layers}; ++i) {
        list.push_back(
            readText((*value)[i], elementPath(memberPath(m_path, key), i), m_problems).value_or(std::string()));
    }
    return list;
}

std::optional<std::vector<std::int64_t>> HfFields::integers(std::string_view key)
{
    const json* value = array(key);
    if (value == nullptr) {
        return std::nullopt;
    }
    std::vector<std::int64_t> list;
    for (std::size_t i = 0; i < value->size() && i < std::size_t{ModelBounds::layers}; ++i) {
        list.push_back(
            readInteger((*value)[i], elementPath(memberPath(m_path, key), i), anyInt, m_problems).value_or(0));
    }
    return list;
}

const json* HfFields::object(std::string_view key)
{
    std::string_view used;
    const json* value = find({key}, used);
    if (value != nullptr && !value->is_object()) {
        problem(key, shown(*value), "must be an object");
        return nullptr;
    }
    return value;
}

const json* HfFields::array(std::string_view key)
{
    std::string_view used;
    const json* value = find({key}, used);
    if (value != nullptr && !value->is_array()) {
        problem(key, shown(*value), "must be a list");
        return nullptr;
    }
    return value;
}

HfFields HfFields::nested(std::string_view key)
{
    const json* value = object(key);
    return {value != nullptr ? *value : emptyObject(), memberPath(m_path, key), m_modelType, m_notes, m_problems};
}

HfFields HfFields::element(std::string_view key, std::size_t index)
{
    const std::string path = elementPath(memberPath(m_path, key), index);
    const json* list = array(key);
    const bool usable = list != nullptr && index < list->size() && (*list)[index].is_object();
    if (!usable) {
        m_problems.push_back({path, "", "must be an object", ""});
    }
    return {usable ? (*list)[index] : emptyObject(), path, m_modelType, m_notes, m_problems};
}

void HfFields::assume(std::string_view key, std::string what)
{
    if (m_notes.assumed.size() < mostNotes) {
        m_notes.assumed.push_back(fmt::format("{}: absent, {}", memberPath(m_path, key), what));
    }
}

void HfFields::ignore(std::string what)
{
    if (m_notes.ignored.size() < mostNotes) {
        m_notes.ignored.push_back(std::move(what));
    }
}

void HfFields::problem(std::string_view key, std::string value, std::string message, std::string suggestion)
{
    m_problems.push_back({memberPath(m_path, key), std::move(value), std::move(message), std::move(suggestion)});
}

void HfFields::unsupported(std::string_view key, std::string message)
{
    const auto it = m_object.find(key);
    problem(key, it != m_object.end() ? shown(*it) : std::string(), std::move(message));
}

void HfFields::know(Keys keys)
{
    m_known.insert(keys.begin(), keys.end());
}

void HfFields::noteUnknownKeys()
{
    constexpr std::size_t longest = 80;
    for (const auto& [key, value] : m_object.items()) {
        if (m_known.count(key) == 0 && !isWithoutCost(key)) {
            const std::string shortKey = key.size() > longest ? key.substr(0, longest) + "..." : key;
            ignore(fmt::format("{}: {}, not read", memberPath(m_path, shortKey), shown(value)));
        }
    }
}

bool HfFields::sound(std::string_view canonical) const
{
    return m_spelling.find(canonical) != m_spelling.end();
}

std::string HfFields::spelling(std::string_view canonical) const
{
    const auto it = m_spelling.find(canonical);
    return memberPath(m_path, it != m_spelling.end() ? it->second : canonical);
}

Attention Dimensions::attention() const
{
    Attention attention;
    attention.heads = heads;
    attention.kvHeads = kvHeads;
    attention.headDim = headDim;
    return attention;
}

int readFrame(HfFields& fields, Model& model, const ClassDefaults& defaults)
{
    model.hidden = fields.integer({"hidden_size", "n_embd", "d_model", "n_embed"}, defaults.hidden);
    model.vocabulary = fields.integer({"vocab_size", "padded_vocab_size"}, defaults.vocabulary);
    const auto positions = fields.optionalInteger({"max_position_embeddings", "n_positions", "max_seq_len",
                                                   "seq_length", "max_sequence_length", "n_ctx", "model_max_length"});
    model.maxPositions = positions.value_or(defaults.positions);
    if (!positions && defaults.positions > 0) {
        fields.assume("max_position_embeddings", fmt::format("{} as for {}", defaults.positions, fields.modelType()));
    }
    model.tiedEmbeddings = fields.flag("tie_word_embeddings", defaults.tied);
    const std::int64_t layers =
        fields.integer({"num_hidden_layers", "n_layer", "n_layers", "num_layers"}, defaults.layers);
    if (layers < 1 || layers > ModelBounds::layers) {
        fields.problem("num_hidden_layers", fmt::to_string(layers),
                       fmt::format("must be 1 to {}", ModelBounds::layers));
        return 1;
    }
    return static_cast<int>(layers);
}

int readHeads(HfFields& fields, const ClassDefaults& defaults)
{
    return static_cast<int>(fields.integer({"num_attention_heads", "n_head", "n_heads", "num_heads"}, defaults.heads));
}

int readKvHeads(HfFields& fields, int heads, const ClassDefaults& defaults)
{
    constexpr std::string_view key = "num_key_value_heads";
    const HfFields::Keys keys{key, "num_kv_heads", "n_head_kv", "num_attention_groups"};
    // A class fills its own number in when the key is absent; null means one for every query head.
    if (defaults.kvHeads > 0 && !fields.has(key)) {
        return static_cast<int>(fields.integer(keys, defaults.kvHeads));
    }
    return static_cast<int>(fields.derived(keys, heads, "one for every query head"));
}

int readHeadDim(HfFields& fields, const Model& model, int heads, const ClassDefaults& defaults)
{
    const HfFields::Keys keys{"head_dim", "hidden_size_per_head", "attention_head_dim"};
    if (defaults.headDim > 0 && !fields.has("head_dim")) {
        return static_cast<int>(fields.integer(keys, defaults.headDim));
    }
    if (const std::int64_t stated = fields.integerOrZero(keys); stated > 0) {
        return static_cast<int>(stated);
    }
    if (heads < 1) {
        return 1; // already a Problem of the heads
    }
    const std::int64_t size = model.hidden / heads;
    if (size * heads != model.hidden) {
        fields.problem(
            "head_dim", "",
            fmt::format("is missing and {} query heads do not divide a hidden size of {}", heads, model.hidden));
    }
    return static_cast<int>(size);
}

Dimensions readDimensions(HfFields& fields, Model& model, const ClassDefaults& defaults)
{
    Dimensions d;
    d.layers = readFrame(fields, model, defaults);
    d.heads = readHeads(fields, defaults);
    d.kvHeads = readKvHeads(fields, d.heads, defaults);
    d.headDim = readHeadDim(fields, model, d.heads, defaults);
    d.width = fields.integer({"intermediate_size", "ffn_hidden_size", "ffn_dim"}, defaults.width);
    return d;
}

void addLayer(Model& model, const LayerKind& kind)
{
    auto it = std::find(model.kinds.begin(), model.kinds.end(), kind);
    if (it == model.kinds.end()) {
        it = model.kinds.insert(it, kind);
    }
    model.layers.push_back(static_cast<int>(it - model.kinds.begin()));
}

void addLayers(Model& model, int layers, const LayerKind& kind)
{
    addLayers(model, layers, [&](int) { return kind; });
}

void addLayers(Model& model, int layers, const std::function<LayerKind(int)>& kindOf)
{
    for (int i = 0; i < layers; ++i) {
        addLayer(model, kindOf(i));
    }
}

std::vector<int> readWindows(HfFields& fields, int layers, std::int64_t window,
                             const std::function<bool(int)>& isWindowed)
{
    std::vector<int> windows(static_cast<std::size_t>(layers), 0);
    const std::optional<std::vector<std::string>> types = fields.texts("layer_types");
    if (types && types->size() != windows.size()) {
        fields.problem("layer_types", fmt::format("{} entries", types->size()),
                       fmt::format("must name {} layers", layers));
        return windows;
    }
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const bool windowed = types ? (*types)[i] == "sliding_attention" || (*types)[i] == "chunked_attention"
                                    : isWindowed(static_cast<int>(i));
        windows[i] = windowed ? static_cast<int>(window) : 0;
        if (types && !windowed && (*types)[i] != "full_attention" && (*types)[i] != "attention") {
            fields.problem(elementPath("layer_types", i), (*types)[i],
                           "is not a known kind of layer of this architecture", "full_attention or sliding_attention");
        }
    }
    return windows;
}

} // namespace partita
