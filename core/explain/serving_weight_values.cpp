// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/context.h"
#include "core/explain/served_context.h"
#include "core/model/parameters.h"
#include "core/serving/experts.h"

#include <fmt/format.h>

namespace partita {

namespace {

/// Weights of stages, layers and the checkpoint.
class WeightsOf : public ServedValues {
public:
    WeightsOf(Ledger& ledger, const ServedContext& served)
        : ServedValues(ledger, served)
    {
    }

    void addReported() const
    {
        const ServingReport& report = m_served.report;
        bytes(servingPath("weights.bytes_per_device"), "weights of the fullest stage", report.weightBytesPerDevice,
              [this_ = *this](Derivation& d) {
                  std::vector<std::string> paths;
                  for (std::size_t i = 0; i < this_.m_served.layers.size(); ++i) {
                      paths.push_back(stagePath(i, "weights"));
                  }
                  d.formula = "max(w)";
                  d.terms = {this_.m_ledger.list("w", "by stage", paths)};
              });
        bytes(servingPath("weights.checkpoint_bytes"), "weights of the whole model, once", report.checkpointBytes,
              [this_ = *this](Derivation& d) {
                  const std::vector<double> layers = this_.m_served.layersOfKinds();
                  d.formula = "sum(n*w) + e + h";
                  d.terms = {givenList("n", "layers of a kind", Measure::Count, layers, {}, "model"),
                             this_.paths("w", "of one layer", layers.size(), kindPath, "whole_weights"),
                             this_.m_ledger.term("e", servingPath("embedding.whole_weights")),
                             this_.m_ledger.term("h", servingPath("head.whole_weights"))};
              });
    }

    void addIntermediate() const
    {
        addFloor();
        for (std::size_t i = 0; i < m_served.layers.size(); ++i) {
            addStage(i);
        }
        for (std::size_t i = 0; i < model().kinds.size(); ++i) {
            addLayers(i);
        }
        addEnds();
    }

private:
    void bytes(const std::string& path, std::string name, double value, Derive derive) const
    {
        m_ledger.add(path, std::move(name), Measure::Bytes, value, std::move(derive));
    }

    /// Layers by kind, the embedding on the first stage and the head on the last one.
    void addStage(std::size_t stage) const
    {
        bytes(stagePath(stage, "weights"), fmt::format("weights of a device of stage {}", stage),
              m_served.steps->stages().weights[stage].total(), [this_ = *this, stage](Derivation& d) {
                  const std::vector<double>& layers = this_.m_served.layers[stage];
                  d.formula = "sum(n*w)";
                  d.terms = {givenList("n", "layers of a kind", Measure::Count, layers, {}, "model, layout"),
                             this_.paths("w", "of one layer", layers.size(), kindPath, "weights")};
                  if (stage == 0) {
                      d.formula += " + e";
                      d.terms.push_back(this_.m_ledger.term("e", servingPath("embedding.weights")));
                  }
                  if (this_.isLast(stage)) {
                      d.formula += " + h";
                      d.terms.push_back(this_.m_ledger.term("h", servingPath("head.weights")));
                  }
              });
    }
    bool isLast(std::size_t stage) const { return stage + 1 == m_served.layers.size(); }
    /// The last stage holds no embedding, so tied weights are copied to it.
    bool headIsAlone() const { return m_served.layers.size() > 1; }

    void addLayers(std::size_t kind) const
    {
        const LayerKind& layer = model().kinds[kind];
        const WeightBytes held = layerBytes(layer, model(), serving(), layout());
        const WeightBytes whole = layerBytes(layer, model(), serving(), ServingLayout());
        const WeightList all = weightsOf(layer, model());
        WeightList dense, experts;
        for (const Weight& weight : all) {
            (weight.part == WeightPart::RoutedExperts ? experts : dense).push_back(weight);
        }
        const int groups = shardedParameters(layer, model()).keyValueGroups;
        const std::string name = fmt::format("of one layer of kind {}", kind);
        addWeights(kindPath(kind, "weights"), "weights " + name, held.total(), {all, groups, layout()});
        addWeights(kindPath(kind, "whole_weights"), "weights " + name + ", whole", whole.total(), {all, groups, {}});
        addWeights(kindPath(kind, "dense_weights"), "weights that every step reads " + name, held.dense,
                   {dense, groups, layout()});
        if (held.experts > 0) {
            addWeights(kindPath(kind, "expert_weights"), "experts " + name, held.experts, {experts, groups, layout()});
        }
    }

    void addEnds() const
    {
        const ServingLayout whole;
        const WeightList tables = embeddingWeights(model());
        const WeightList head = headWeights(model());
        addWeights(servingPath("embedding.weights"), "embedding on a device",
                   embeddingBytes(model(), serving(), layout()).total(), {tables, 1, layout()});
        addWeights(servingPath("embedding.whole_weights"), "embedding, whole",
                   embeddingBytes(model(), serving(), whole).total(), {tables, 1, whole});
        const WeightBytes held = headBytes(model(), serving(), layout(), headIsAlone());
        addWeights(servingPath("head.weights"), "final norm and output matrix on a device", held.total(),
                   {head, 1, layout(), headIsAlone()});
        addWeights(servingPath("head.read_weights"), "final norm and output matrix that a step reads", held.dense,
                   {head, 1, layout(), true});
        addWeights(servingPath("head.whole_weights"), "final norm and output matrix, whole",
                   headBytes(model(), serving(), whole, false).total(), {head, 1, whole, false});
    }

    struct Divided {
        WeightList weights;
        int groups = 1; ///< K/V heads, or groups of B and C
        ServingLayout layout;
        bool tiedTable = false; ///< where embedding and output matrix are one, it is counted here
    };

    void addWeights(const std::string& path, std::string name, double value, const Divided& held) const
    {
        bytes(path, std::move(name), value, [this_ = *this, held](Derivation& d) { this_.deriveWeights(d, held); });
    }

    void deriveWeights(Derivation& d, const Divided& held) const
    {
        std::vector<double> counts, sizes, ranks;
        std::vector<std::string> names;
        for (const Weight& weight : held.weights) {
            counts.push_back(weight.approximateCount());
            sizes.push_back(storedBytes(weight, serving()));
            ranks.push_back(sharingRanks(weight, held.groups, held.layout));
            names.emplace_back(weight.name);
        }
        d.formula = "sum(c*b/r)";
        d.terms = {givenList("c", "parameters", Measure::Count, counts, names, "model"),
                   givenList("b", "bytes a parameter is stored in, scales counted", Measure::Bytes, sizes, names,
                             "serving.weights, serving.quantised"),
                   givenList("r", "ranks that share it", Measure::Count, ranks, names, "layout.tp, layout.ep")};
        if (ranks.empty()) { // then each list has the one element that says so
            d.terms.back() = given("r", "ranks that share it", Measure::Count, 1, "no weights of this kind");
        }
        if (model().tiedEmbeddings && held.tiedTable) {
            d.formula += " + 2*V*h/t";
            d.terms.push_back(
                given("V", "vocabulary", Measure::Count, static_cast<double>(model().vocabulary), "model.vocabulary"));
            d.terms.push_back(given("h", "columns of the table", Measure::Count,
                                    static_cast<double>(model().embeddingColumns()), "model"));
            d.terms.push_back(given("t", "ranks that share it", Measure::Count, held.layout.tp, "layout.tp"));
            d.assumptions.emplace_back("The output matrix is the embedding's table, in 16 bits.");
        }
    }

    /// What the floor of the time between tokens reads and multiplies.
    void addFloor() const
    {
        const ServingStages& stages = m_served.steps->stages();
        double read = 0;
        for (std::size_t i = 0; i < stages.weights.size(); ++i) {
            addStageRead(i, stages.weights[i].dense);
            read += stages.weights[i].dense;
        }
        const std::vector<double> counts = m_served.layersOfKinds();
        for (std::size_t i = 0; i < model().kinds.size(); ++i) {
            read += counts[i] * (addKeysRead(i) + addExpertsRead(i));
        }
        bytes(servingPath("floor_bytes"), "weights and keys that a step must read", read,
              [this_ = *this, counts](Derivation& d) {
                  d.formula = "sum(w) + sum(n*(c + e))";
                  d.terms = {this_.paths("w", "weights read by every step", this_.m_served.layers.size(), stagePath,
                                         "read_weights"),
                             givenList("n", "layers of a kind", Measure::Count, counts, {}, "model"),
                             this_.paths("c", "keys and values of the batch", counts.size(), kindPath, "keys_read"),
                             this_.paths("e", "experts its tokens visit", counts.size(), kindPath, "experts_read")};
              });
        addFloorFlops();
    }

    void addFloorFlops() const
    {
        const StepWork& work = m_served.terms.decode;
        const double head = static_cast<double>(model().vocabulary) * static_cast<double>(model().embeddingColumns());
        const double inLayers = std::max(0.0, static_cast<double>(parameters(model()).active) - head);
        m_ledger.add(servingPath("floor_flops"), "products of a step on a device", Measure::Flops,
                     m_served.steps->floorFlops(work), [inLayers, head, work, this_ = *this](Derivation& d) {
                         d.formula = "2*(A*x + H*y)/(t*c)";
                         d.terms = {given("A", "active parameters of the layers", Measure::Count, inLayers, "model"),
                                    given("H", "output matrix", Measure::Count, head, "model"),
                                    given("x", "tokens of the step", Measure::Plain, work.tokens(),
                                          "serving.batch, draft_tokens"),
                                    given("y", "rows of the output product", Measure::Plain, work.outputs(),
                                          "serving.batch, draft_tokens"),
                                    this_.m_ledger.term("t", servingPath("layout.tp")),
                                    this_.m_ledger.term("c", servingPath("layout.cp"))};
                     });
    }

    template <class Path>
    Term paths(std::string_view symbol, std::string_view name, std::size_t count, Path path,
               std::string_view what) const
    {
        std::vector<std::string> all;
        for (std::size_t i = 0; i < count; ++i) {
            all.push_back(path(i, what));
        }
        return m_ledger.list(symbol, name, all);
    }

    void addStageRead(std::size_t stage, double dense) const
    {
        bytes(stagePath(stage, "read_weights"), fmt::format("weights that every step reads on stage {}", stage), dense,
              [this_ = *this, stage](Derivation& d) {
                  const std::vector<double>& layers = this_.m_served.layers[stage];
                  d.formula = "sum(n*w)";
                  d.terms = {givenList("n", "layers of a kind", Measure::Count, layers, {}, "model, layout"),
                             this_.paths("w", "of one layer", layers.size(), kindPath, "dense_weights")};
                  if (this_.isLast(stage)) {
                      d.formula += " + h";
                      d.terms.push_back(this_.m_ledger.term("h", servingPath("head.read_weights")));
                  }
              });
    }

    double addKeysRead(std::size_t kind) const
    {
        const StepWork& work = m_served.terms.decode;
        const LayerKind& layer = model().kinds[kind];
        const LayerCache cache = layerCache(layer, serving().keyValues, m_served.scenario.stack.engine.keepsWindows);
        const double read = work.decoding * deviceShare(layer, layout()) * cache.bytesRead(work.context);
        bytes(kindPath(kind, "keys_read"), fmt::format("keys that a step reads in a layer of kind {}", kind), read,
              [this_ = *this, kind, cache, work](Derivation& d) {
                  deriveKeysRead(d, cache, this_.m_ledger.term("s", kindPath(kind, "key_share")), work.context,
                                 "serving.prompt, serving.output: a request half-way");
                  d.formula = "u*" + d.formula;
                  d.terms.push_back(given("u", "sequences that decode", Measure::Plain, work.decoding,
                                          "serving.batch / attention_dp"));
              });
        return read;
    }

    double addExpertsRead(std::size_t kind) const
    {
        const auto* moe = std::get_if<MoeFfn>(&model().kinds[kind].feedForward);
        if (moe == nullptr) {
            return 0;
        }
        const double held = layerBytes(model().kinds[kind], model(), serving(), layout()).experts;
        const double tokens = m_served.terms.decode.tokens() * layout().attentionRanks;
        const double read = held * expertsTouched(moe->experts, moe->topK, tokens) / moe->experts;
        bytes(kindPath(kind, "experts_read"), fmt::format("experts that a step reads in a layer of kind {}", kind),
              read, [this_ = *this, kind, tokens, moe](Derivation& d) {
                  d.formula = "w*(1 - (1 - k/E)^t)";
                  d.terms = {this_.m_ledger.term("w", kindPath(kind, "expert_weights")),
                             given("k", "experts a token visits", Measure::Count, moe->topK, "model"),
                             given("E", "experts", Measure::Count, moe->experts, "model"),
                             given("t", "tokens of a step of all ranks", Measure::Tokens, tokens,
                                   "serving.batch, draft_tokens")};
                  d.assumptions.emplace_back("Every token visits its experts at random.");
              });
        return read;
    }
};

} // namespace

void addServingWeights(Ledger& ledger, const ServedContext& served)
{
    addServingFamily<WeightsOf>(ledger, served);
}

} // namespace partita
