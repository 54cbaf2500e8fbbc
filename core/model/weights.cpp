// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/weights.h"

#include <type_traits>

namespace partita {

namespace {

using Count = std::int64_t;

/// Weights under construction. Adding nothing (a zero side or copy) leaves no entry.
class Builder {
public:
    void matrix(std::string_view name, WeightPart part, WeightSplit split, Count rows, Count columns, Count copies = 1)
    {
        add({name, part, split, true, copies, rows, columns});
    }
    void vector(std::string_view name, WeightPart part, WeightSplit split, Count size, Count copies = 1)
    {
        add({name, part, split, false, copies, 1, size});
    }
    void plane(std::string_view name, WeightPart part, WeightSplit split, Count rows, Count columns)
    {
        add({name, part, split, false, 1, rows, columns});
    }
    WeightList take() { return std::move(m_weights); }

private:
    void add(const Weight& weight)
    {
        if (weight.copies > 0 && weight.rows > 0 && weight.columns > 0) {
            m_weights.push_back(weight);
        }
    }

    WeightList m_weights;
};

constexpr auto mixer = WeightPart::TokenMixer;
constexpr auto tensor = WeightSplit::Tensor;
constexpr auto keyValue = WeightSplit::KeyValue;
constexpr auto replicated = WeightSplit::Replicated;

/// Vectors of a norm: scale, and shift for LayerNorm.
Count vectorsOf(NormKind kind)
{
    switch (kind) {
    case NormKind::Rms:
    case NormKind::LayerWithoutBias:
        return 1;
    case NormKind::Layer:
        return 2;
    case NormKind::NonParametric:
        return 0;
    }
    return 1;
}

void addMixer(Builder&, std::monostate, Count) { }

void addMixer(Builder& to, const Attention& a, Count hidden)
{
    const Count queries = Count{a.heads} * a.headDim;
    const Count keys = Count{a.kvHeads} * a.headDim;
    const Count values = Count{a.kvHeads} * a.valueDim();
    const Count outputs = Count{a.heads} * a.valueDim();
    to.matrix("query", mixer, tensor, hidden, queries);
    to.matrix("key", mixer, keyValue, hidden, keys);
    to.matrix("value", mixer, keyValue, hidden, values);
    to.matrix("output", mixer, tensor, outputs, hidden);
    if (a.outputGate) {
        to.matrix("output gate", mixer, tensor, hidden, outputs);
    }
    if (a.qkvBias) {
        to.vector("query bias", mixer, tensor, queries);
        to.vector("key bias", mixer, keyValue, keys);
        to.vector("value bias", mixer, keyValue, values);
    }
    if (a.outputBias) {
        to.vector("output bias", mixer, replicated, hidden);
    }
    if (a.queryKeyNorm) {
        to.vector("query and key norm", mixer, replicated, a.headDim, 2);
    }
    if (a.fullWidthQueryKeyNorm) {
        to.vector("query norm", mixer, tensor, queries);
        to.vector("key norm", mixer, keyValue, keys);
    }
    if (a.sinks) {
        to.vector("sinks", mixer, tensor, a.heads);
    }
}

void addIndexer(Builder& to, const LatentAttention& a, Count hidden)
{
    const Count input = a.queryRank > 0 ? Count{a.queryRank} : hidden;
    to.matrix("indexer query", mixer, replicated, input, Count{a.indexHeads} * a.indexHeadDim);
    to.matrix("indexer key", mixer, replicated, hidden, a.indexHeadDim);
    to.vector("indexer key norm", mixer, replicated, a.indexHeadDim, vectorsOf(NormKind::Layer));
    to.matrix("indexer head weights", mixer, replicated, hidden, a.indexHeads);
}

void addMixer(Builder& to, const LatentAttention& a, Count hidden)
{
    const Count queries = Count{a.heads} * (Count{a.nopeHeadDim} + a.ropeHeadDim);
    const Count latent = Count{a.kvRank} + a.ropeHeadDim;
    if (a.queryRank > 0) {
        to.matrix("query down", mixer, replicated, hidden, a.queryRank);
        to.vector("query norm", mixer, replicated, a.queryRank);
        to.matrix("query up", mixer, tensor, a.queryRank, queries);
    } else {
        to.matrix("query", mixer, tensor, hidden, queries);
    }
    to.matrix("key-value down", mixer, replicated, hidden, latent);
    to.vector("key-value norm", mixer, replicated, a.kvRank);
    to.matrix("key-value up", mixer, tensor, a.kvRank, Count{a.heads} * (Count{a.nopeHeadDim} + a.valueHeadDim));
    to.matrix("output", mixer, tensor, Count{a.heads} * a.valueHeadDim, hidden);
    if (a.bias) {
        // The up projections carry none; without a query rank neither does the query (DeepSeek's reference code).
        to.vector("query down bias", mixer, replicated, a.queryRank);
        to.vector("key-value down bias", mixer, replicated, latent);
        to.vector("output bias", mixer, replicated, hidden);
    }
    if (a.indexHeads > 0) {
        addIndexer(to, a, hidden);
    }
}

void addMixer(Builder& to, const Mamba1& m, Count hidden)
{
    const Count inner = m.innerWidth;
    const Count states = Count{m.stateSize};
    to.matrix("in", mixer, tensor, hidden, inner, 2);
    to.plane("convolution", mixer, tensor, inner, m.convWidth);
    to.matrix("selection", mixer, tensor, inner, Count{m.stepRank} + 2 * states);
    to.matrix("step", mixer, tensor, m.stepRank, inner);
    to.vector("step bias", mixer, tensor, inner);
    to.plane("state decay", mixer, tensor, inner, states);
    to.vector("skip", mixer, tensor, inner);
    to.matrix("out", mixer, tensor, inner, hidden);
    if (m.convBias) {
        to.vector("convolution bias", mixer, tensor, inner);
    }
    if (m.projectionBias) {
        to.vector("in bias", mixer, tensor, inner, 2);
        to.vector("out bias", mixer, replicated, hidden);
    }
    if (m.innerNorms) {
        to.vector("selection norms", mixer, replicated, Count{m.stepRank} + 2 * states);
    }
}

void addMixer(Builder& to, const Mamba2& m, Count hidden)
{
    const Count inner = m.innerWidth();
    const Count groupStates = 2 * Count{m.groups} * m.stateSize;
    const Count convolution = Count{m.convWidth} + (m.convBias ? 1 : 0);
    to.matrix("in", mixer, tensor, hidden, inner, 2);
    to.matrix("in, states", mixer, keyValue, hidden, groupStates);
    to.matrix("in, steps", mixer, tensor, hidden, m.heads);
    to.plane("convolution", mixer, tensor, inner, convolution);
    to.plane("convolution, states", mixer, keyValue, groupStates, convolution);
    to.vector("decay, skip and step bias", mixer, tensor, m.heads, 3);
    to.matrix("out", mixer, tensor, inner, hidden);
    if (m.gatedNorm) {
        to.vector("gated norm", mixer, tensor, inner);
    }
    if (m.projectionBias) {
        to.vector("in bias", mixer, tensor, inner, 2);
        to.vector("in bias, states", mixer, keyValue, groupStates);
        to.vector("in bias, steps", mixer, tensor, m.heads);
        to.vector("out bias", mixer, replicated, hidden);
    }
}

void addMixer(Builder& to, const GatedDelta& d, Count hidden)
{
    const Count keys = Count{d.keyHeads} * d.keyHeadDim;
    const Count values = Count{d.valueHeads} * d.valueHeadDim;
    to.matrix("query and key", mixer, keyValue, hidden, keys, 2);
    to.matrix("value and gate", mixer, tensor, hidden, values, 2);
    to.matrix("beta and decay", mixer, tensor, hidden, d.valueHeads, 2);
    to.plane("convolution, query and key", mixer, keyValue, 2 * keys, d.convWidth);
    to.plane("convolution, value", mixer, tensor, values, d.convWidth);
    to.vector("decay and step bias", mixer, tensor, d.valueHeads, 2);
    to.vector("output norm", mixer, replicated, d.valueHeadDim);
    to.matrix("out", mixer, tensor, values, hidden);
}

void addFeedForward(Builder&, std::monostate, Count) { }

void addFeedForward(Builder& to, const DenseFfn& f, Count hidden)
{
    const Count ways = f.gated ? 2 : 1;
    to.matrix("up", WeightPart::DenseFfn, tensor, hidden, f.width, ways);
    to.matrix("down", WeightPart::DenseFfn, tensor, f.width, hidden);
    if (f.bias) {
        to.vector("up bias", WeightPart::DenseFfn, tensor, f.width, ways);
        to.vector("down bias", WeightPart::DenseFfn, replicated, hidden);
    }
}

void addFeedForward(Builder& to, const MoeFfn& f, Count hidden)
{
    constexpr auto routed = WeightPart::RoutedExperts;
    constexpr auto shared = WeightPart::SharedExperts;
    constexpr auto expert = WeightSplit::Expert;
    const Count ways = f.gated ? 2 : 1;
    const Count outer = f.latentWidth > 0 ? Count{f.latentWidth} : hidden;
    to.matrix("router", WeightPart::Router, replicated, hidden, f.experts);
    if (f.routerBias) {
        to.vector("router bias", WeightPart::Router, replicated, f.experts);
    }
    to.matrix("expert up", routed, expert, outer, f.expertWidth, ways * f.experts);
    to.matrix("expert down", routed, expert, f.expertWidth, outer, f.experts);
    if (f.expertBias) {
        to.vector("expert up bias", routed, expert, f.expertWidth, ways * f.experts);
        to.vector("expert down bias", routed, expert, outer, f.experts);
    }
    if (f.latentWidth > 0) {
        to.matrix("latent in and out", shared, replicated, hidden, f.latentWidth, 2);
    }
    to.matrix("shared up", shared, tensor, hidden, f.sharedWidth, ways);
    to.matrix("shared down", shared, tensor, f.sharedWidth, hidden);
    if (f.sharedGate) {
        to.matrix("shared gate", shared, replicated, hidden, 1);
    }
}

void addNorms(Builder& to, WeightPart part, const Model& model, Count norms)
{
    to.vector("norm", part, replicated, model.hidden, norms * vectorsOf(model.norm));
}

/// Parts into which the weights split by WeightSplit::KeyValue can be divided.
int keyValueGroups(const Mixer& mixerOfLayer)
{
    return std::visit(
        [](const auto& m) {
            using T = std::decay_t<decltype(m)>;
            if constexpr (std::is_same_v<T, Attention>) {
                return m.kvHeads;
            } else if constexpr (std::is_same_v<T, Mamba2>) {
                return m.groups;
            } else if constexpr (std::is_same_v<T, GatedDelta>) {
                return m.keyHeads;
            } else {
                return 1;
            }
        },
        mixerOfLayer);
}

ShardedParameters sum(const WeightList& weights, int groups)
{
    ShardedParameters sharded;
    sharded.keyValueGroups = groups;
    for (const Weight& weight : weights) {
        switch (weight.split) {
        case WeightSplit::Tensor:
            sharded.tensorParallel += weight.count();
            break;
        case WeightSplit::KeyValue:
            sharded.keyValue += weight.count();
            break;
        case WeightSplit::Replicated:
            sharded.replicated += weight.count();
            break;
        case WeightSplit::Expert:
            sharded.experts += weight.count();
            break;
        }
    }
    return sharded;
}

} // namespace

WeightList weightsOf(const LayerKind& kind, const Model& model)
{
    Builder to;
    std::visit([&](const auto& m) { addMixer(to, m, model.hidden); }, kind.mixer);
    std::visit([&](const auto& f) { addFeedForward(to, f, model.hidden); }, kind.feedForward);
    addNorms(to, WeightPart::Norms, model, kind.norms);
    return to.take();
}

WeightList embeddingWeights(const Model& model)
{
    constexpr auto part = WeightPart::Embedding;
    Builder to;
    to.plane("tokens", part, tensor, model.vocabulary, model.embeddingColumns());
    to.plane("positions", part, replicated, model.learnedPositions, model.hidden);
    if (model.embeddingColumns() != model.hidden) {
        to.matrix("projection in", part, replicated, model.embeddingColumns(), model.hidden);
    }
    if (model.embeddingNorm) {
        addNorms(to, part, model, 1);
    }
    return to.take();
}

WeightList headWeights(const Model& model)
{
    Builder to;
    if (model.finalNorm) {
        addNorms(to, WeightPart::FinalNorm, model, 1);
    }
    if (model.embeddingColumns() != model.hidden) {
        to.matrix("projection out", WeightPart::Head, replicated, model.hidden, model.embeddingColumns());
    }
    if (!model.tiedEmbeddings) {
        to.matrix("head", WeightPart::Head, tensor, model.embeddingColumns(), model.vocabulary);
    }
    if (model.headBias) {
        to.vector("head bias", WeightPart::Head, tensor, model.vocabulary);
    }
    return to.take();
}

WeightList predictionModuleWeights(const Model& model)
{
    if (model.layers.empty()) {
        return {};
    }
    WeightList weights = weightsOf(model.layer(model.layerCount() - 1), model);
    Builder to;
    to.matrix("prediction projection", mixer, replicated, 2 * model.hidden, model.hidden);
    addNorms(to, WeightPart::Norms, model, 3);
    for (const Weight& weight : to.take()) {
        weights.push_back(weight);
    }
    return weights;
}

ShardedParameters shardedParameters(const LayerKind& kind, const Model& model)
{
    return sum(weightsOf(kind, model), keyValueGroups(kind.mixer));
}

ShardedParameters shardedEmbedding(const Model& model)
{
    return sum(embeddingWeights(model), 1);
}

ShardedParameters shardedHead(const Model& model)
{
    return sum(headWeights(model), 1);
}

ShardedParameters shardedPredictionModule(const Model& model)
{
    const int groups = model.layers.empty() ? 1 : keyValueGroups(model.layer(model.layerCount() - 1).mixer);
    return sum(predictionModuleWeights(model), groups);
}

} // namespace partita
