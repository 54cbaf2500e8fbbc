// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serving/weight_bytes.h"

#include "core/training/stage_plan.h"

#include <algorithm>

namespace partita {

namespace {

constexpr double wide = bytesPerElement(DataType::Bf16);

bool isQuantised(WeightPart part, QuantisedPart quantised)
{
    switch (part) {
    case WeightPart::TokenMixer:
        return quantised == QuantisedPart::Layers || quantised == QuantisedPart::LayersAndHead;
    case WeightPart::DenseFfn:
    case WeightPart::SharedExperts:
        return quantised != QuantisedPart::Experts;
    case WeightPart::RoutedExperts:
        return true;
    case WeightPart::Head:
        return quantised == QuantisedPart::LayersAndHead;
    case WeightPart::Embedding:
    case WeightPart::Router:
    case WeightPart::Norms:
    case WeightPart::FinalNorm:
        break;
    }
    return false;
}

double bytesOf(const Weight& weight, const Serving& serving)
{
    return weight.approximateCount() * storedBytes(weight, serving);
}

} // namespace

double storedBytes(const Weight& weight, const Serving& serving)
{
    return weight.matrix ? storedBytes(storedType(weight.part, serving), serving) : wide;
}

double sharingRanks(const Weight& weight, int groups, const ServingLayout& layout)
{
    switch (weight.split) {
    case WeightSplit::Tensor:
        return layout.tp;
    case WeightSplit::KeyValue:
        return std::min(layout.tp, std::max(1, groups));
    case WeightSplit::Expert:
        return static_cast<double>(layout.ep) * layout.etp;
    case WeightSplit::Replicated:
        break;
    }
    return 1;
}

DataType storedType(WeightPart part, const Serving& serving)
{
    const bool narrow = bytesPerElement(serving.weights) < wide;
    if (!narrow) {
        return serving.weights;
    }
    return isQuantised(part, serving.quantised) ? serving.weights : DataType::Bf16;
}

double storedBytes(DataType type, const Serving& serving)
{
    const double group = static_cast<double>(serving.weightGroup);
    switch (type) {
    case DataType::Fp8:
        return 1 + 4.0 / (128 * 128);
    case DataType::Int8:
        return group > 0 ? 1 + serving.groupBytes / group : 1;
    case DataType::Int4:
        return 0.5 + serving.groupBytes / (group > 0 ? group : 128);
    default:
        return bytesPerElement(type);
    }
}

WeightBytes& WeightBytes::operator+=(const WeightBytes& other)
{
    dense += other.dense;
    experts += other.experts;
    lookedUp += other.lookedUp;
    return *this;
}

WeightBytes layerBytes(const LayerKind& kind, const Model& model, const Serving& serving, const ServingLayout& layout)
{
    const int groups = shardedParameters(kind, model).keyValueGroups;
    WeightBytes bytes;
    for (const Weight& weight : weightsOf(kind, model)) {
        const double share = bytesOf(weight, serving) / sharingRanks(weight, groups, layout);
        (weight.part == WeightPart::RoutedExperts ? bytes.experts : bytes.dense) += share;
    }
    return bytes;
}

WeightBytes embeddingBytes(const Model& model, const Serving& serving, const ServingLayout& layout)
{
    WeightBytes bytes;
    for (const Weight& weight : embeddingWeights(model)) {
        bytes.lookedUp += bytesOf(weight, serving) / sharingRanks(weight, 1, layout);
    }
    return bytes;
}

WeightBytes headBytes(const Model& model, const Serving& serving, const ServingLayout& layout, bool alone)
{
    WeightBytes bytes;
    for (const Weight& weight : headWeights(model)) {
        bytes.dense += bytesOf(weight, serving) / sharingRanks(weight, 1, layout);
    }
    if (model.tiedEmbeddings) {
        // Read through as the output matrix; held once where the stage looks it up as well.
        const double table =
            static_cast<double>(model.vocabulary) * static_cast<double>(model.embeddingColumns()) * wide / layout.tp;
        bytes.dense += table;
        bytes.lookedUp -= alone ? 0 : table;
    }
    return bytes;
}

double checkpointBytes(const Model& model, const Serving& serving)
{
    const ServingLayout whole;
    WeightBytes bytes = embeddingBytes(model, serving, whole);
    bytes += headBytes(model, serving, whole, false);
    std::vector<double> kinds;
    for (const LayerKind& kind : model.kinds) {
        kinds.push_back(layerBytes(kind, model, serving, whole).total());
    }
    double total = bytes.total();
    for (const int kind : model.layers) {
        total += kinds[static_cast<std::size_t>(kind)];
    }
    return total;
}

double ServingStages::fullest() const
{
    double bytes = 0;
    for (const WeightBytes& stage : weights) {
        bytes = std::max(bytes, stage.total());
    }
    return bytes;
}

ServingStages servingStages(const Scenario& scenario, const ServingLayout& layout)
{
    const Model& model = scenario.model;
    std::vector<WeightBytes> kinds;
    for (const LayerKind& kind : model.kinds) {
        kinds.push_back(layerBytes(kind, model, scenario.serving, layout));
    }
    ServingStages stages;
    stages.layers = layersPerChunk(withoutTraining(scenario));
    auto layer = model.layers.begin();
    for (const int count : stages.layers) {
        WeightBytes stage;
        for (int i = 0; i < count; ++i) {
            stage += kinds[static_cast<std::size_t>(*layer++)];
        }
        stages.weights.push_back(stage);
    }
    stages.weights.front() += embeddingBytes(model, scenario.serving, layout);
    stages.weights.back() += headBytes(model, scenario.serving, layout, stages.weights.size() > 1);
    return stages;
}

} // namespace partita
