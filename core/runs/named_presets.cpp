// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/named_presets.h"

#include <fmt/format.h>

#include <cctype>

namespace partita {

namespace {

using Names = std::map<std::string, std::string, std::less<>>;

/// As preset ids are written: "Llama-3.1 405B" is llama-3.1-405b.
std::string spelled(std::string_view name)
{
    std::string result;
    for (const char c : name) {
        const bool gap = c == ' ' || c == '_' || c == '-';
        if (!gap) {
            result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        } else if (!result.empty() && result.back() != '-') {
            result += '-';
        }
    }
    while (!result.empty() && result.back() == '-') {
        result.pop_back();
    }
    return result;
}

/// Without what a source adds in brackets or by "truncated to".
std::string_view bare(std::string_view name)
{
    name = name.substr(0, name.find('('));
    return name.substr(0, name.find(" truncated"));
}

template <class Preset>
const Preset* named(std::string_view name, const Names& names, const Preset* (Catalogue::*find)(std::string_view) const,
                    const Catalogue& catalogue)
{
    for (const std::string& word : {spelled(name), spelled(bare(name))}) {
        const auto alias = names.find(word);
        if (const Preset* preset = (catalogue.*find)(alias != names.end() ? alias->second : word)) {
            return preset;
        }
    }
    return nullptr;
}

void stateLayers(Model& model, const PublishedRun::ModelFacts& facts)
{
    if (facts.layers && *facts.layers < model.layerCount()) {
        const int last = model.layers.back();
        model.layers.resize(static_cast<std::size_t>(*facts.layers));
        if (facts.denseLayers) {
            for (std::size_t i = static_cast<std::size_t>(*facts.denseLayers); i < model.layers.size(); ++i) {
                model.layers[i] = last;
            }
        }
        model.multiTokenPrediction = 0; // a stack cut short is for timing its layers
    } else if (model.multiTokenPrediction > 0 && facts.multiTokenPrediction == false) {
        model.multiTokenPrediction = 0;
    }
}

Problems contradictions(const Model& model, const PublishedRun::ModelFacts& facts)
{
    Problems problems;
    const auto same = [&](const char* field, const std::optional<std::int64_t>& stated, std::int64_t known) {
        if (stated && *stated != known) {
            problems.push_back(
                {field, std::to_string(*stated), fmt::format("is not that of {}", model.name), std::to_string(known)});
        }
    };
    same("model.hidden", facts.hidden, model.hidden);
    if (facts.layers && *facts.layers > model.layerCount()) {
        same("model.layers", facts.layers, model.layerCount());
    }
    for (const LayerKind& kind : model.kinds) {
        if (const auto* moe = std::get_if<MoeFfn>(&kind.feedForward)) {
            same("model.experts", facts.experts, moe->experts);
            same("model.topk", facts.topK, moe->topK);
            break;
        }
    }
    return problems;
}

} // namespace

const Model* namedModel(std::string_view name, const Catalogue& catalogue)
{
    return named(name, catalogue.runNames.models, &Catalogue::model, catalogue);
}

const Accelerator* namedAccelerator(std::string_view name, const Catalogue& catalogue)
{
    return named(name, catalogue.runNames.accelerators, &Catalogue::accelerator, catalogue);
}

const Stack* namedStack(std::string_view name, const Catalogue& catalogue)
{
    return named(name, catalogue.runNames.stacks, &Catalogue::stack, catalogue);
}

Result<Model> modelAsStated(const Model& preset, const PublishedRun::ModelFacts& facts,
                            std::vector<std::string>& assumptions)
{
    const Problems problems = contradictions(preset, facts);
    if (!problems.empty()) {
        return problems;
    }
    Model model = preset;
    stateLayers(model, facts);
    model.vocabulary = facts.vocabulary.value_or(model.vocabulary);
    for (LayerKind& kind : model.kinds) {
        auto* attention = std::get_if<Attention>(&kind.mixer);
        if (attention != nullptr && facts.kvHeads && *facts.kvHeads <= attention->heads) {
            attention->kvHeads = static_cast<int>(*facts.kvHeads);
        }
    }
    if (model.multiTokenPrediction > 0 && !facts.multiTokenPrediction) {
        assumptions.push_back(
            fmt::format("model.multi_token_prediction: {} (as published)", model.multiTokenPrediction));
    }
    assumptions.push_back(fmt::format("model: {} (by its name)", preset.id));
    return model;
}

} // namespace partita
