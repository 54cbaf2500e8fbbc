// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/context.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {

namespace {

/// Enters the values of one chunk slot.
class ChunkOf {
public:
    ChunkOf(Ledger& ledger, const ExplainContext& context, std::size_t stage, std::size_t chunk)
        : m_ledger(ledger)
        , m_context(context)
        , m_plan(context.plans[stage].chunks[chunk])
        , m_blocks(context.chunkBlocks[stage][chunk])
        , m_path(chunkPath(stage, chunk))
        , m_where(fmt::format(", chunk {} of stage {}", chunk, stage))
    {
    }

    void add()
    {
        addCounts();
        addBytes();
        for (const PassPart& pass : passParts) {
            addPass(pass);
        }
        const double backward = m_plan.cost.backwardInput.total() + m_plan.cost.backwardWeight.total();
        m_ledger.add(
            m_path + ".backward_s", "backward of a micro-batch" + m_where, Measure::Seconds, backward,
            [&ledger = m_ledger, path = m_path](Derivation& d) {
                d.formula = "b + w";
                d.terms = {ledger.term("b", path + ".backward_input_s"), ledger.term("w", path + ".backward_weight_s")};
            });
    }

private:
    using Derived = std::function<void(Derivation&)>;

    /// sum(n*x) over the chunk's blocks: as often as they run, or as their weights are there; none where it is 0.
    Derived ofBlocks(std::string what, int BlockCount::*times, bool (*takes)(const Block&)) const
    {
        return [&ledger = m_ledger, &context = m_context, &blocks = m_blocks, what = std::move(what), times,
                takes](Derivation& d) {
            std::vector<double> counts;
            std::vector<std::string> names;
            std::vector<std::string> paths;
            for (const BlockCount& each : blocks) {
                const Block& block = context.blocks[each.block];
                if (each.*times > 0 && takes(block)) {
                    counts.push_back(each.*times);
                    names.push_back(block.name);
                    paths.push_back(fmt::format("{}.{}", block.path, what));
                }
            }
            if (counts.empty()) {
                d.formula = "0";
                return;
            }
            d.formula = "sum(n*x)";
            d.terms = {givenList("n", "blocks of a kind in the chunk", Measure::Count, counts, names, "layout, model"),
                       ledger.list("x", "one of them", paths)};
        };
    }

    static bool any(const Block&) { return true; }
    static bool isLayer(const Block& block) { return block.layer(); }
    static bool inLayers(const Block& block) { return block.layer() || block.path == "prediction"; }
    static bool keeps(const Block& block) { return block.path != "head"; }

    bool holds(std::size_t block) const
    {
        return std::any_of(m_blocks.begin(), m_blocks.end(),
                           [block](const BlockCount& each) { return each.block == block; });
    }

    /// The embedding's table once more, where the last stage uses it and does not hold the embedding.
    bool copiesTable() const
    {
        const Model& model = m_context.scenario.model;
        return holds(m_context.head()) && !holds(m_context.embedding())
            && (model.tiedEmbeddings || model.multiTokenPrediction > 0);
    }

    void addWeights(const WeightSet& set)
    {
        const DeviceParameters& weights = m_plan.*set.part;
        const bool ofLayers = set.part == &ChunkPlan::layerWeights;
        const bool adapters = set.part == &ChunkPlan::trained && m_context.adapters();
        const auto enter = [&](std::string_view kind, double value) {
            Derived derive = adapters
                ? ofBlocks(fmt::format("{}_adapters", kind), &BlockCount::runs, isLayer)
                : ofBlocks(fmt::format("{}_parameters", kind), &BlockCount::weights, ofLayers ? inLayers : any);
            if (kind == "dense" && !ofLayers && !adapters && copiesTable()) {
                derive = [derive, &ledger = m_ledger](Derivation& d) {
                    derive(d);
                    d.formula += " + u";
                    d.terms.push_back(ledger.term("u", "head.table"));
                };
            }
            m_ledger.add(fmt::format("{}.{}_{}", m_path, kind, set.key),
                         fmt::format("{} {} on a device{}", kind, set.label, m_where), Measure::Count, value,
                         std::move(derive));
        };
        enter("dense", weights.dense);
        enter("expert", weights.experts);
    }

    void addCounts()
    {
        m_ledger.add(m_path + ".layers", "layers" + m_where, Measure::Count, m_plan.layers,
                     [&context = m_context, &blocks = m_blocks](Derivation& d) {
                         std::vector<double> counts;
                         std::vector<std::string> names;
                         for (const BlockCount& each : blocks) {
                             if (context.blocks[each.block].layer() && each.weights > 0) {
                                 counts.push_back(each.weights);
                                 names.push_back(context.blocks[each.block].name);
                             }
                         }
                         d.formula = counts.empty() ? "0" : "sum(n)";
                         if (!counts.empty()) {
                             d.terms = {givenList("n", "layers of a kind", Measure::Count, counts, names,
                                                  "layout: layers_per_stage, or as even as possible")};
                         }
                     });
        for (const WeightSet& set : weightSets) {
            addWeights(set);
        }
    }

    void addBytes()
    {
        m_ledger.add(m_path + ".kept_bytes", "activations kept of a micro-batch" + m_where, Measure::Bytes, m_plan.kept,
                     ofBlocks("kept_bytes", &BlockCount::runs, keeps));
        m_ledger.add(
            m_path + ".head_bytes", "logits and loss of a micro-batch" + m_where, Measure::Bytes, m_plan.headBytes,
            [&ledger = m_ledger, &context = m_context, has = holds(m_context.head())](Derivation& d) {
                if (!has) {
                    d.formula = "0";
                    d.assumptions.emplace_back("The head lives elsewhere.");
                    return;
                }
                d.formula = "n*s + g";
                d.terms = {given("n", "heads: one, and one a prediction module", Measure::Count,
                                 1 + context.scenario.model.multiTokenPrediction, "model.multi_token_prediction"),
                           ledger.term("s", "head.loss_bytes"), ledger.term("g", "head.gradient_bytes")};
            });
    }

    void addPass(const PassPart& pass)
    {
        const TimeBreakdown& time = m_plan.cost.*pass.part;
        std::vector<std::string> paths;
        for (const Name<TimeKind>& kind : Names<TimeKind>::table) {
            if (time[kind.value] > 0) {
                paths.push_back(fmt::format("{}.{}.{}", m_path, pass.key, kind.key));
                m_ledger.add(paths.back(),
                             fmt::format("{} in the {} of a micro-batch{}", kind.label, pass.label, m_where),
                             Measure::Seconds, time[kind.value],
                             ofBlocks(fmt::format("{}.{}", pass.key, kind.key), &BlockCount::runs, any));
            }
        }
        m_ledger.add(fmt::format("{}.{}_s", m_path, pass.key),
                     fmt::format("{} of a micro-batch{}", pass.label, m_where), Measure::Seconds, time.total(),
                     [&ledger = m_ledger, paths](Derivation& d) {
                         d.formula = "sum(t)";
                         d.terms = {ledger.list("t", "where the time goes", paths)};
                     });
    }

    Ledger& m_ledger;
    const ExplainContext& m_context;
    const ChunkPlan& m_plan;
    const std::vector<BlockCount>& m_blocks;
    std::string m_path;
    std::string m_where;
};

/// Ops that run a forward beside a backward.
void addPairs(Ledger& ledger, const ExplainContext& context, std::size_t stage)
{
    const std::vector<ChunkPlan>& chunks = context.plans[stage].chunks;
    for (std::size_t f = 0; f < chunks.size(); ++f) {
        for (std::size_t b = 0; b < chunks.size(); ++b) {
            const double hidden =
                context.times.hidden(stage, static_cast<int>(chunks.size()), static_cast<int>(f), static_cast<int>(b));
            const double both = chunks[f].cost.forward.total() + chunks[b].cost.backwardInput.total()
                + chunks[b].cost.backwardWeight.total();
            const std::string path = chunkPath(stage, f);
            const std::string other = chunkPath(stage, b);
            ledger.add(
                fmt::format("{}.hidden[{}]_s", path, b),
                fmt::format("expert exchange hidden in a pair of chunks {} and {}, stage {}", f, b, stage),
                Measure::Seconds, hidden, [&ledger, path, other](Derivation& d) {
                    d.formula = "min(x, c) + min(y, e)";
                    d.terms = {
                        ledger.term("x", path + ".forward.ep_exposed"), ledger.term("c", other + ".backward_compute_s"),
                        ledger.term("y", other + ".backward_ep_s"), ledger.term("e", path + ".forward_compute_s")};
                    d.assumptions.emplace_back("The all-to-all of each half runs beside the other half's compute.");
                });
            ledger.add(fmt::format("{}.pairs[{}]_s", path, b),
                       fmt::format("forward of chunk {} beside the backward of chunk {}, stage {}", f, b, stage),
                       Measure::Seconds, both - hidden, [&ledger, path, other, b](Derivation& d) {
                           d.formula = "f + b - h";
                           d.terms = {ledger.term("f", path + ".forward_s"), ledger.term("b", other + ".backward_s"),
                                      ledger.term("h", fmt::format("{}.hidden[{}]_s", path, b))};
                       });
        }
    }
}

/// What a pair's halves compute and exchange, for what they hide.
void addHalves(Ledger& ledger, const ExplainContext& context, std::size_t stage, std::size_t chunk)
{
    const LayerCost& cost = context.plans[stage].chunks[chunk].cost;
    const std::string path = chunkPath(stage, chunk);
    const std::string where = fmt::format(", chunk {} of stage {}", chunk, stage);
    constexpr std::array computed{TimeKind::Gemm,        TimeKind::Attention, TimeKind::Scan,
                                  TimeKind::Elementwise, TimeKind::Recompute, TimeKind::Host};
    const auto computePaths = [path, computed](std::string_view pass) {
        std::vector<std::string> paths;
        for (const TimeKind kind : computed) {
            paths.push_back(fmt::format("{}.{}.{}", path, pass, keyOf(kind)));
        }
        return paths;
    };
    ledger.add(path + ".forward_compute_s", "compute of the forward" + where, Measure::Seconds, cost.forward.compute(),
               [&ledger, computePaths](Derivation& d) {
                   d.formula = "sum(t)";
                   d.terms = {ledger.list("t", "compute by kind", computePaths("forward"))};
               });
    TimeBreakdown backward = cost.backwardInput;
    backward += cost.backwardWeight;
    ledger.add(path + ".backward_compute_s", "compute of the backward" + where, Measure::Seconds, backward.compute(),
               [&ledger, computePaths](Derivation& d) {
                   d.formula = "sum(t) + sum(w)";
                   d.terms = {ledger.list("t", "input gradients by kind", computePaths("backward_input")),
                              ledger.list("w", "weight gradients by kind", computePaths("backward_weight"))};
               });
    ledger.add(path + ".backward_ep_s", "expert exchange of the backward" + where, Measure::Seconds,
               backward[TimeKind::EpExposed], [&ledger, path](Derivation& d) {
                   d.formula = "x + y";
                   d.terms = {ledger.term("x", path + ".backward_input.ep_exposed"),
                              ledger.term("y", path + ".backward_weight.ep_exposed")};
               });
}

} // namespace

void addChunkValues(Ledger& ledger, const ExplainContext& context)
{
    const bool paired = describe(context.scenario.layout.schedule).pairsForwardBackward;
    for (std::size_t i = 0; i < context.plans.size(); ++i) {
        for (std::size_t c = 0; c < context.plans[i].chunks.size(); ++c) {
            ChunkOf(ledger, context, i, c).add();
            if (paired) {
                addHalves(ledger, context, i, c);
            }
        }
        if (paired) {
            addPairs(ledger, context, i);
        }
    }
}

} // namespace partita
