// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/context.h"
#include "core/explain/served_context.h"
#include "core/model/parameters.h"
#include "core/serving/experts.h"
#include "core/serving/key_values.h"

#include <fmt/format.h>

#include <cmath>

namespace partita {

namespace {

/// A number, or that there is no limit.
void addFinite(Ledger& ledger, const std::string& path, std::string name, Measure measure, double value, Derive derive)
{
    if (std::isfinite(value)) {
        ledger.add(path, std::move(name), measure, value, std::move(derive));
    } else {
        ledger.addText(path, std::move(name), "unlimited", [](Derivation& d) {
            d.assumptions.emplace_back("A token adds nothing to what a device keeps.");
        });
    }
}

std::string ofStage(std::size_t stage, std::string_view what)
{
    return servingPath(fmt::format("stages[{}].{}", stage, what));
}

std::string ofKind(std::size_t kind, std::string_view what)
{
    return servingPath(fmt::format("layer_kinds[{}].{}", kind, what));
}

/// What a device's memory is held for, and how many keys and values go into the rest.
class RoomOf {
public:
    RoomOf(Ledger& ledger, const ServedContext& served)
        : m_ledger(ledger)
        , m_served(served)
    {
    }

    void addReported() const
    {
        const CacheRoom& cache = m_served.report.cache;
        for (const Name<RoomKind>& kind : Names<RoomKind>::table) {
            bytes(fmt::format("memory.{}", kind.key), fmt::format("{} on the device that fills first", kind.label),
                  cache.room[kind.value],
                  [this_ = *this, value = kind.value](Derivation& d) { this_.deriveRoom(d, value); });
        }
        bytes("memory.total", "memory of a device", cache.room.total(), [this_ = *this](Derivation& d) {
            d.formula = "sum(b)";
            d.terms = {this_.m_ledger.list("b", "what it is held for", this_.roomPaths(RoomKind::Unused, true))};
        });
        m_ledger.add(servingPath("memory.stage"), "stage that fills first", Measure::Count, cache.stage,
                     [this_ = *this](Derivation& d) {
                         d.formula = "argmax(-r)";
                         d.terms = {this_.byStage("r", "whole requests, by stage", "requests")};
                     });
        addKeyValues();
    }

    void addIntermediate() const
    {
        for (std::size_t i = 0; i < m_served.rooms.size(); ++i) {
            addStage(i);
        }
        for (std::size_t i = 0; i < model().kinds.size(); ++i) {
            addCache(i, "sequence_bytes", "a whole sequence", allotted(longest()));
            addCache(i, "mean_bytes", "a sequence in steady state", allotted(mean()));
            addCachePerToken(i);
        }
        const StepActivations step = stepActivations(m_served.scenario);
        bytes("activations", "activations of the largest step", step.bytes(), [this_ = *this, step](Derivation& d) {
            d.formula = "2*t*(4*h + w) + 4*q*V";
            d.terms = {given("t", "tokens of the largest step", Measure::Tokens, step.tokens,
                             this_.engineOrigin("step_tokens; serving.prompt where steps are not mixed")),
                       given("h", "hidden size", Measure::Count, step.hidden, "model.hidden"),
                       given("w", "elements of a token inside the widest layer", Measure::Count, step.widest,
                             "model, layout.tp"),
                       given("q", "sequences that have logits", Measure::Count, step.sequences,
                             this_.engineOrigin("most_sequences, at most serving.batch")),
                       given("V", "vocabulary", Measure::Count, step.vocabulary, "model.vocabulary")};
        });
        addFloor();
    }

private:
    const Model& model() const { return m_served.scenario.model; }
    const Serving& serving() const { return m_served.scenario.serving; }
    const Engine& engine() const { return m_served.scenario.stack.engine; }
    const ServingLayout& layout() const { return m_served.report.layout; }
    const CacheRoom& cache() const { return m_served.report.cache; }
    std::size_t fullest() const { return static_cast<std::size_t>(cache().stage); }
    double longest() const { return static_cast<double>(serving().prompt + serving().output); }
    double mean() const { return std::min(longest(), meanHeldTokens(serving())); }
    double page() const { return static_cast<double>(std::max<std::int64_t>(1, engine().pageTokens)); }
    double allotted(double tokens) const { return std::ceil(tokens / page()) * page(); }
    LayerCache cacheOf(std::size_t kind) const
    {
        return layerCache(model().kinds[kind], serving().keyValues, engine().keepsWindows);
    }
    std::string engineOrigin(std::string_view what) const
    {
        return fmt::format("stack {}: {}", m_served.scenario.stack.name, what);
    }
    Term term(std::string_view symbol, std::string_view key) const { return m_ledger.term(symbol, servingPath(key)); }
    void bytes(const std::string& key, std::string name, double value, Derive derive) const
    {
        m_ledger.add(servingPath(key), std::move(name), Measure::Bytes, value, std::move(derive));
    }
    Term byStage(std::string_view symbol, std::string_view name, std::string_view what) const
    {
        std::vector<std::string> paths;
        for (std::size_t i = 0; i < m_served.rooms.size(); ++i) {
            paths.push_back(ofStage(i, what));
        }
        return m_ledger.list(symbol, name, paths);
    }
    Term kinds(std::string_view symbol, std::string_view name, std::string_view what) const
    {
        std::vector<std::string> paths;
        for (std::size_t i = 0; i < model().kinds.size(); ++i) {
            paths.push_back(ofKind(i, what));
        }
        return m_ledger.list(symbol, name, paths);
    }
    static Term layers(const std::vector<double>& counts)
    {
        return givenList("n", "layers of a kind", Measure::Count, counts, {}, "model, layout");
    }
    Term ranks() const { return term("a", "layout.attention_dp"); }
    Term tokens(std::string_view symbol) const
    {
        return given(symbol, "prompt and output", Measure::Tokens, longest(), "serving.prompt + serving.output");
    }
    Term memory() const
    {
        const Accelerator& accelerator = m_served.scenario.cluster.accelerator;
        return given("M", "memory of a device", Measure::Bytes, accelerator.memoryBytes,
                     fmt::format("accelerator {}: memory", accelerator.name));
    }
    Term share() const
    {
        return given("s", "share of the memory the engine takes", Measure::Share, engine().memoryShare,
                     engineOrigin("memory_share"));
    }

    /// Paths of the kinds before one in the stack, itself included on demand.
    static std::vector<std::string> roomPaths(RoomKind last, bool included)
    {
        std::vector<std::string> paths;
        for (const Name<RoomKind>& kind : Names<RoomKind>::table) {
            if (kind.value < last || (included && kind.value == last)) {
                paths.push_back(servingPath(fmt::format("memory.{}", kind.key)));
            }
        }
        return paths;
    }

    void deriveRoom(Derivation& d, RoomKind kind) const
    {
        const Stack& stack = m_served.scenario.stack;
        switch (kind) {
        case RoomKind::Weights:
            d.formula = "w";
            d.terms = {m_ledger.term("w", ofStage(fullest(), "weights"))};
            return;
        case RoomKind::Activations:
            d.formula = "x";
            d.terms = {term("x", "activations")};
            return;
        case RoomKind::Graphs:
            d.formula = "g";
            d.terms = {given("g", "captured graphs", Measure::Bytes, engine().graphs ? engine().graphBytes : 0,
                             engineOrigin("graphs, graph_memory"))};
            return;
        case RoomKind::Framework:
            d.formula = "f";
            d.terms = {given("f", "context and framework", Measure::Bytes, stack.frameworkBytes,
                             engineOrigin("framework_bytes"))};
            return;
        case RoomKind::Communicators:
            d.formula = "g*b";
            d.terms = {given("g", "groups that exchange", Measure::Count, communicators(layout()), "layout"),
                       given("b", "buffers of a group", Measure::Bytes, stack.commBufferBytes,
                             engineOrigin("comm_buffer_bytes"))};
            return;
        case RoomKind::KeyValues:
            d.formula = engine().shareOfFree ? "max(0, s*(M - sum(b)))" : "max(0, s*M - sum(b))";
            d.terms = {share(), memory(),
                       m_ledger.list("b", "what else is held", roomPaths(RoomKind::KeyValues, false))};
            return;
        case RoomKind::Unused:
            d.formula = "max(0, M - sum(b))";
            d.terms = {memory(), m_ledger.list("b", "what is held", roomPaths(RoomKind::Unused, false))};
            return;
        }
    }

    void addKeyValues() const
    {
        const ServingReport& report = m_served.report;
        addFinite(m_ledger, servingPath("kv.tokens"), "tokens a replica's caches hold", Measure::Tokens, cache().tokens,
                  [this_ = *this](Derivation& d) {
                      d.formula = "a*K*t/w";
                      d.terms = {this_.ranks(), this_.term("K", "memory.key_values"), this_.tokens("t"),
                                 this_.m_ledger.term("w", ofStage(this_.fullest(), "sequence_bytes"))};
                  });
        bytes(
            "kv.bytes_per_token", "keys and values of a token, all layers", report.keyValueBytesPerToken,
            [this_ = *this](Derivation& d) {
                d.formula = "sum(n*b)";
                d.terms = {layers(this_.m_served.layersOfKinds()), this_.kinds("b", "of one layer", "bytes_per_token")};
                d.assumptions.emplace_back("While a sequence is shorter than any window.");
            });
        bytes("kv.bytes_per_token_per_device", "keys and values of a token on the device that fills first",
              report.keyValueBytesPerTokenPerDevice, [this_ = *this](Derivation& d) {
                  if (!std::isfinite(this_.cache().tokens) || !(this_.cache().tokens > 0)) {
                      d.assumptions.emplace_back("There is no room for any, or no limit.");
                      return;
                  }
                  d.formula = "K*a/T";
                  d.terms = {this_.term("K", "memory.key_values"), this_.ranks(), this_.term("T", "kv.tokens")};
              });
        m_ledger.add(servingPath("kv.copies"), "copies of keys among tensor ranks", Measure::Plain,
                     report.keyValueCopies, [this_ = *this](Derivation& d) {
                         std::vector<double> shares;
                         for (const LayerKind& kind : this_.model().kinds) {
                             shares.push_back(deviceShare(kind, this_.layout()));
                         }
                         d.formula = "max(1, max(t*s))";
                         d.terms = {this_.term("t", "layout.tp"),
                                    givenList("s", "share of a layer's keys on a rank", Measure::Share, shares, {},
                                              "whole K/V heads; a latent is on every rank; decode_context")};
                     });
        bytes("kv.room_bytes", "room for keys and values", cache().room[RoomKind::KeyValues],
              [this_ = *this](Derivation& d) {
                  d.formula = "K";
                  d.terms = {this_.term("K", "memory.key_values")};
              });
        m_ledger.addText(
            servingPath("kv.eviction"), "what happens when the cache is full", report.eviction,
            [this_ = *this](Derivation& d) { d.assumptions.push_back(this_.engineOrigin("reserves_output")); });
    }

    void addStage(std::size_t stage) const
    {
        const StageRoom& room = m_served.rooms[stage];
        const auto requests = [&](std::string_view key, std::string_view name, double value, std::string_view each) {
            m_ledger.add(ofStage(stage, key), fmt::format("{}, stage {}", name, stage), Measure::Plain, value,
                         [this_ = *this, stage, each = std::string(each)](Derivation& d) {
                             d.formula = "a*floor(K/w)";
                             d.terms = {this_.ranks(), this_.m_ledger.term("K", ofStage(stage, "room_bytes")),
                                        this_.m_ledger.term("w", ofStage(stage, each))};
                         });
        };
        requests("requests", "whole requests at once", room.requests, "sequence_bytes");
        requests("steady_requests", "requests at once, in steady state", room.steadyRequests, "mean_bytes");
        const auto sequences = [&](std::string_view key, std::string_view name, double value) {
            m_ledger.add(ofStage(stage, key), fmt::format("keys and values of {}, a device of stage {}", name, stage),
                         Measure::Bytes, value, [this_ = *this, stage, key = std::string(key)](Derivation& d) {
                             d.formula = "sum(n*b)";
                             d.terms = {layers(this_.m_served.layers[stage]), this_.kinds("b", "of one layer", key)};
                         });
        };
        sequences("sequence_bytes", "a whole sequence", room.longestBytes);
        sequences("mean_bytes", "a sequence in steady state", room.meanBytes);
        m_ledger.add(ofStage(stage, "room_bytes"), fmt::format("room for keys and values, stage {}", stage),
                     Measure::Bytes, room.room[RoomKind::KeyValues], [this_ = *this, stage](Derivation& d) {
                         std::vector<std::string> held = roomPaths(RoomKind::KeyValues, false);
                         held.front() = ofStage(stage, "weights");
                         d.formula = this_.engine().shareOfFree ? "max(0, s*(M - sum(b)))" : "max(0, s*M - sum(b))";
                         d.terms = {this_.share(), this_.memory(), this_.m_ledger.list("b", "what else is held", held)};
                     });
    }

    void addCache(std::size_t kind, std::string_view key, std::string_view name, double tokens) const
    {
        const LayerCache kept = cacheOf(kind);
        const double share = deviceShare(model().kinds[kind], layout());
        m_ledger.add(
            ofKind(kind, key), fmt::format("keys and values of {}, one layer of kind {} on a device", name, kind),
            Measure::Bytes, kept.bytes(tokens) * share, [this_ = *this, kept, share, tokens](Derivation& d) {
                d.formula = kept.window > 0 ? "s*(b*min(t, w) + i*t + c)" : "s*(b*t + i*t + c)";
                d.terms = {given("s", "share of a rank", Measure::Share, share,
                                 "whole K/V heads over layout.tp; a latent is on every rank; decode_context"),
                           given("b", "of a token", Measure::Bytes, kept.perToken, "model, serving.key_values"),
                           given("t", "tokens, in whole pages", Measure::Tokens, tokens,
                                 "serving.prompt, serving.output; " + this_.engineOrigin("page_tokens")),
                           given("i", "of a token in the indexer", Measure::Bytes, kept.indexPerToken, "model"),
                           given("c", "states of a recurrence", Measure::Bytes, kept.perSequence, "model")};
                if (kept.window > 0) {
                    d.terms.push_back(given("w", "window", Measure::Tokens, kept.window, "model"));
                }
            });
    }

    void addCachePerToken(std::size_t kind) const
    {
        const LayerCache kept = layerCache(model().kinds[kind], serving().keyValues);
        m_ledger.add(ofKind(kind, "bytes_per_token"),
                     fmt::format("keys and values of a token, one layer of kind {}", kind), Measure::Bytes,
                     kept.perToken + kept.indexPerToken, [this_ = *this, kind, kept](Derivation& d) {
                         d.formula = "b + i";
                         d.terms = {given("b", "keys and values, or the latent", Measure::Bytes, kept.perToken,
                                          "model, serving.key_values"),
                                    given("i", "keys of an indexer", Measure::Bytes, kept.indexPerToken, "model")};
                         const auto* attention = std::get_if<Attention>(&this_.model().kinds[kind].mixer);
                         if (attention == nullptr) {
                             return;
                         }
                         const double elements =
                             static_cast<double>(attention->kvHeads) * (attention->headDim + attention->valueDim());
                         d.formula = "g*(k + v)*e + i";
                         d.terms = {given("g", "K/V heads", Measure::Count, attention->kvHeads, "model"),
                                    given("k", "size of a key", Measure::Count, attention->headDim, "model"),
                                    given("v", "size of a value", Measure::Count, attention->valueDim(), "model"),
                                    given("e", "bytes of an element", Measure::Bytes, kept.perToken / elements,
                                          "serving.key_values"),
                                    d.terms[1]};
                     });
    }

    /// What the floor of the time between tokens reads and multiplies.
    void addFloor() const
    {
        const Model& m = model();
        const StepWork& work = m_served.terms.decode;
        std::vector<double> dense;
        std::vector<std::string> stageNames;
        for (const WeightBytes& stage : m_served.steps->stages().weights) {
            stageNames.push_back(fmt::format("stage {}", stageNames.size()));
            dense.push_back(stage.dense);
        }
        std::vector<double> caches, experts;
        const double all = work.tokens() * layout().attentionRanks;
        for (std::size_t i = 0; i < m.kinds.size(); ++i) {
            caches.push_back(work.decoding * deviceShare(m.kinds[i], layout()) * cacheOf(i).bytesRead(work.context));
            const auto* moe = std::get_if<MoeFfn>(&m.kinds[i].feedForward);
            experts.push_back(moe == nullptr ? 0
                                             : layerBytes(m.kinds[i], m, serving(), layout()).experts
                                      * expertsTouched(moe->experts, moe->topK, all) / moe->experts);
        }
        const std::vector<double> counts = m_served.layersOfKinds();
        double read = 0;
        for (const double bytes_ : dense) {
            read += bytes_;
        }
        for (std::size_t i = 0; i < counts.size(); ++i) {
            read += counts[i] * (caches[i] + experts[i]);
        }
        bytes("floor_bytes", "weights and keys that a step must read", read,
              [dense, stageNames, caches, experts, counts](Derivation& d) {
                  d.formula = "sum(w) + sum(n*(c + e))";
                  d.terms = {givenList("w", "weights read by every step", Measure::Bytes, dense, stageNames,
                                       "model, serving.weights, layout"),
                             layers(counts),
                             givenList("c", "keys and values of the batch", Measure::Bytes, caches, {},
                                       "sequences x context x bytes of a token"),
                             givenList("e", "experts its tokens visit", Measure::Bytes, experts, {},
                                       "E (1 - (1 - k/E)^tokens) of the experts held")};
              });
        const double head = static_cast<double>(m.vocabulary) * static_cast<double>(m.embeddingColumns());
        const double inLayers = std::max(0.0, static_cast<double>(parameters(m).active) - head);
        const double ranks = static_cast<double>(layout().tp) * layout().cp;
        m_ledger.add(servingPath("floor_flops"), "products of a step on a device", Measure::Flops,
                     2 * (inLayers * work.tokens() + head * work.outputs()) / ranks,
                     [inLayers, head, work, this_ = *this](Derivation& d) {
                         d.formula = "2*(A*x + H*y)/(t*c)";
                         d.terms = {given("A", "active parameters of the layers", Measure::Count, inLayers, "model"),
                                    given("H", "output matrix", Measure::Count, head, "model"),
                                    given("x", "tokens of the step", Measure::Plain, work.tokens(),
                                          "serving.batch, draft_tokens"),
                                    given("y", "rows of the output product", Measure::Plain, work.outputs(),
                                          "serving.batch, draft_tokens"),
                                    this_.term("t", "layout.tp"),
                                    this_.term("c", "layout.cp")};
                     });
    }

    Ledger& m_ledger;
    const ServedContext& m_served;
};

/// Weights of stages, layers and the checkpoint.
class WeightsOf {
public:
    WeightsOf(Ledger& ledger, const ServedContext& served)
        : m_ledger(ledger)
        , m_served(served)
    {
    }

    void addReported() const
    {
        const ServingReport& report = m_served.report;
        bytes(servingPath("weights.bytes_per_device"), "weights of the fullest stage", report.weightBytesPerDevice,
              [this_ = *this](Derivation& d) {
                  std::vector<std::string> paths;
                  for (std::size_t i = 0; i < this_.m_served.layers.size(); ++i) {
                      paths.push_back(ofStage(i, "weights"));
                  }
                  d.formula = "max(w)";
                  d.terms = {this_.m_ledger.list("w", "by stage", paths)};
              });
        bytes(servingPath("weights.checkpoint_bytes"), "weights of the whole model, once", report.checkpointBytes,
              [this_ = *this](Derivation& d) {
                  this_.deriveSum(d, this_.m_served.layersOfKinds(), ServingLayout(), false);
                  d.formula = "sum(n*w) + e + h";
              });
    }

    void addIntermediate() const
    {
        for (std::size_t i = 0; i < m_served.layers.size(); ++i) {
            bytes(ofStage(i, "weights"), fmt::format("weights of a device of stage {}", i),
                  m_served.steps->stages().weights[i].total(), [this_ = *this, i](Derivation& d) {
                      const bool first = i == 0;
                      const bool last = i + 1 == this_.m_served.layers.size();
                      this_.deriveSum(d, this_.m_served.layers[i], this_.layout(), last && !first);
                      d.formula = fmt::format("sum(n*w){}{}", first ? " + e" : "", last ? " + h" : "");
                      std::erase_if(d.terms, [&](const Term& term) {
                          return (term.symbol == "e" && !first) || (term.symbol == "h" && !last);
                      });
                  });
        }
        for (std::size_t i = 0; i < model().kinds.size(); ++i) {
            bytes(ofKind(i, "weights"), fmt::format("weights of one layer of kind {} on a device", i),
                  layerBytes(model().kinds[i], model(), serving(), layout()).total(),
                  [this_ = *this, i](Derivation& d) { this_.deriveLayer(d, this_.model().kinds[i]); });
        }
    }

private:
    const Model& model() const { return m_served.scenario.model; }
    const Serving& serving() const { return m_served.scenario.serving; }
    const ServingLayout& layout() const { return m_served.report.layout; }
    void bytes(const std::string& path, std::string name, double value, Derive derive) const
    {
        m_ledger.add(path, std::move(name), Measure::Bytes, value, std::move(derive));
    }

    /// Layers by kind, the embedding and the head.
    void deriveSum(Derivation& d, const std::vector<double>& layers, const ServingLayout& divided, bool headAlone) const
    {
        const bool whole = divided == ServingLayout();
        std::vector<double> each;
        std::vector<std::string> paths;
        for (std::size_t i = 0; i < model().kinds.size(); ++i) {
            each.push_back(layerBytes(model().kinds[i], model(), serving(), divided).total());
            paths.push_back(ofKind(i, "weights"));
        }
        d.terms = {givenList("n", "layers of a kind", Measure::Count, layers, {}, "model, layout"),
                   whole && !(layout() == divided)
                       ? givenList("w", "of one layer, whole", Measure::Bytes, each, {}, "model, serving.weights")
                       : m_ledger.list("w", "of one layer", paths),
                   given("e", "embedding", Measure::Bytes, embeddingBytes(model(), serving(), divided).total(),
                         "model.vocabulary, model.hidden, in 16 bits, layout.tp"),
                   given("h", "final norm and output matrix", Measure::Bytes,
                         headBytes(model(), serving(), divided, headAlone).total(),
                         "model; 0 where the output matrix is the embedding's table")};
    }

    void deriveLayer(Derivation& d, const LayerKind& kind) const
    {
        const int groups = shardedParameters(kind, model()).keyValueGroups;
        std::vector<double> counts, sizes, ranks;
        std::vector<std::string> names;
        for (const Weight& weight : weightsOf(kind, model())) {
            counts.push_back(weight.approximateCount());
            sizes.push_back(storedBytes(weight, serving()));
            ranks.push_back(sharingRanks(weight, groups, layout()));
            names.emplace_back(weight.name);
        }
        d.formula = "sum(c*b/r)";
        d.terms = {givenList("c", "parameters", Measure::Count, counts, names, "model"),
                   givenList("b", "bytes a parameter is stored in, scales counted", Measure::Bytes, sizes, names,
                             "serving.weights, serving.quantised"),
                   givenList("r", "ranks that share it", Measure::Count, ranks, names, "layout.tp, layout.ep")};
    }

    Ledger& m_ledger;
    const ServedContext& m_served;
};

template <class Family> void addFamily(Ledger& ledger, const ServedContext& served)
{
    const Family family(ledger, served);
    family.addReported();
    ledger.setReported(false);
    family.addIntermediate();
    ledger.setReported(true);
}

} // namespace

void addServingRoom(Ledger& ledger, const ServedContext& served)
{
    addFamily<RoomOf>(ledger, served);
}

void addServingWeights(Ledger& ledger, const ServedContext& served)
{
    addFamily<WeightsOf>(ledger, served);
}

} // namespace partita
