// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/parameters.h"

#include "core/model/weights.h"

namespace partita {

namespace {

void add(LayerParameters& to, const Weight& weight)
{
    switch (weight.part) {
    case WeightPart::TokenMixer:
        to.mixer += weight.count();
        break;
    case WeightPart::DenseFfn:
        to.denseFfn += weight.count();
        break;
    case WeightPart::RoutedExperts:
        to.routedExperts += weight.count();
        break;
    case WeightPart::SharedExperts:
        to.sharedExperts += weight.count();
        break;
    case WeightPart::Router:
        to.router += weight.count();
        break;
    case WeightPart::Norms:
        to.norms += weight.count();
        break;
    case WeightPart::Embedding:
    case WeightPart::FinalNorm:
    case WeightPart::Head:
        break; // not of a layer
    }
}

void addTimes(LayerParameters& to, const LayerParameters& layer, std::int64_t times)
{
    to.mixer += times * layer.mixer;
    to.denseFfn += times * layer.denseFfn;
    to.routedExperts += times * layer.routedExperts;
    to.sharedExperts += times * layer.sharedExperts;
    to.router += times * layer.router;
    to.norms += times * layer.norms;
    to.activeRoutedExperts += times * layer.activeRoutedExperts;
}

std::int64_t count(const WeightList& weights, WeightPart part)
{
    std::int64_t sum = 0;
    for (const Weight& weight : weights) {
        sum += weight.part == part ? weight.count() : 0;
    }
    return sum;
}

std::int64_t count(const WeightList& weights)
{
    std::int64_t sum = 0;
    for (const Weight& weight : weights) {
        sum += weight.count();
    }
    return sum;
}

} // namespace

LayerParameters parameters(const LayerKind& kind, const Model& model)
{
    LayerParameters layer;
    for (const Weight& weight : weightsOf(kind, model)) {
        add(layer, weight);
    }
    if (const auto* moe = std::get_if<MoeFfn>(&kind.feedForward); moe != nullptr && moe->experts > 0) {
        layer.activeRoutedExperts = layer.routedExperts / moe->experts * moe->topK;
    }
    return layer;
}

ModelParameters parameters(const Model& model)
{
    ModelParameters result;
    result.embedding = count(embeddingWeights(model), WeightPart::Embedding);
    const WeightList head = headWeights(model);
    result.head = count(head, WeightPart::Head);
    result.finalNorm = count(head, WeightPart::FinalNorm);

    std::vector<std::int64_t> layersOfKind(model.kinds.size(), 0);
    for (const int kind : model.layers) {
        ++layersOfKind[static_cast<std::size_t>(kind)];
    }
    for (std::size_t i = 0; i < model.kinds.size(); ++i) {
        addTimes(result.layers, parameters(model.kinds[i], model), layersOfKind[i]);
    }
    if (model.multiTokenPrediction > 0) {
        result.multiTokenPrediction = model.multiTokenPrediction * count(predictionModuleWeights(model));
    }
    const std::int64_t lookUp = model.tiedEmbeddings ? 0 : model.vocabulary * model.embeddingColumns();
    result.active = result.embedding - lookUp + result.head + result.finalNorm + result.layers.active();
    return result;
}

} // namespace partita
