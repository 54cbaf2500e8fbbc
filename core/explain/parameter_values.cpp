// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/context.h"

#include <fmt/format.h>

namespace partita {

namespace {

/// Weights with how many layers have them, as lists of factors.
struct Factors {
    std::vector<double> layers;
    std::vector<double> copies;
    std::vector<double> rows;
    std::vector<double> columns;
    std::vector<std::string> names;

    void add(const Weight& weight, double times, const std::string& owner)
    {
        layers.push_back(times);
        copies.push_back(static_cast<double>(weight.copies));
        rows.push_back(static_cast<double>(weight.rows));
        columns.push_back(static_cast<double>(weight.columns));
        names.push_back(owner.empty() ? std::string(weight.name) : fmt::format("{}, {}", owner, weight.name));
    }

    void fill(Derivation& d, std::string_view formula) const
    {
        d.formula = formula;
        d.terms.push_back(givenList("n", "layers, or modules, that have it", Measure::Count, layers, names, "model"));
        d.terms.push_back(givenList("c", "tensors of the shape", Measure::Count, copies, names, "model"));
        d.terms.push_back(givenList("r", "rows", Measure::Count, rows, names, "model"));
        d.terms.push_back(givenList("k", "columns", Measure::Count, columns, names, "model"));
    }
};

std::vector<double> layersOfKind(const Model& model)
{
    std::vector<double> counts(model.kinds.size(), 0);
    for (const int kind : model.layers) {
        ++counts[static_cast<std::size_t>(kind)];
    }
    return counts;
}

Factors layerFactors(const Model& model, WeightPart part)
{
    Factors factors;
    const std::vector<double> counts = layersOfKind(model);
    for (std::size_t i = 0; i < model.kinds.size(); ++i) {
        for (const Weight& weight : weightsOf(model.kinds[i], model)) {
            if (weight.part == part) {
                factors.add(weight, counts[i], model.kinds.size() > 1 ? fmt::format("layer kind {}", i) : "");
            }
        }
    }
    return factors;
}

Factors factorsOf(const WeightList& weights, WeightPart part, bool all, double times = 1)
{
    Factors factors;
    for (const Weight& weight : weights) {
        if (all || weight.part == part) {
            factors.add(weight, times, {});
        }
    }
    return factors;
}

void addSources(Derivation& d, const Model& model)
{
    if (!model.source.empty()) {
        d.sources.push_back(model.name + ": " + model.source);
    }
}

const std::vector<std::string>& layerParts()
{
    static const std::vector<std::string> parts{"parameters.mixer",          "parameters.dense_ffn",
                                                "parameters.routed_experts", "parameters.shared_experts",
                                                "parameters.router",         "parameters.norms"};
    return parts;
}

void addTotals(Ledger& ledger, const ExplainContext& context)
{
    const ModelParameters& counts = context.report.parameters;
    ledger.add("parameters.total", "parameters of the model", Measure::Count, static_cast<double>(counts.total()),
               [&](Derivation& d) {
                   d.formula = "e + h + f + sum(l)";
                   d.terms = {ledger.term("e", "parameters.embedding"), ledger.term("h", "parameters.head"),
                              ledger.term("f", "parameters.final_norm"),
                              ledger.list("l", "parts of the layers", layerParts())};
                   d.assumptions.push_back("Multi-token prediction modules are counted apart, as published totals do.");
                   addSources(d, context.scenario.model);
               });
    ledger.add(
        "parameters.active", "parameters a token's computation touches", Measure::Count,
        static_cast<double>(counts.active), [&](Derivation& d) {
            const Model& model = context.scenario.model;
            const double table = static_cast<double>(model.vocabulary) * static_cast<double>(model.embeddingColumns());
            d.formula = "N - r + a - u";
            d.terms = {ledger.term("N", "parameters.total"), ledger.term("r", "parameters.routed_experts"),
                       ledger.term("a", "parameters.active_routed_experts"),
                       given("u", "embedding table that is only looked up", Measure::Count,
                             model.tiedEmbeddings ? 0 : table, "model: vocabulary x embedding width, 0 when tied")};
            d.assumptions.push_back("Routed experts count as often as a token visits them.");
        });
}

void addOutside(Ledger& ledger, const ExplainContext& context)
{
    const ModelParameters& counts = context.report.parameters;
    const auto add = [&](std::string path, std::string name, std::int64_t value, WeightPart part, bool ofHead) {
        ledger.add(
            std::move(path), std::move(name), Measure::Count, static_cast<double>(value),
            [&context, part, ofHead](Derivation& d) {
                const Model& model = context.scenario.model;
                factorsOf(ofHead ? headWeights(model) : embeddingWeights(model), part, false).fill(d, "sum(n*c*r*k)");
                if (part == WeightPart::Head && model.tiedEmbeddings) {
                    d.assumptions.push_back("The output matrix is the embedding's and counted there.");
                }
                addSources(d, model);
            });
    };
    add("parameters.embedding", "parameters of the embedding", counts.embedding, WeightPart::Embedding, false);
    add("parameters.head", "parameters of the head", counts.head, WeightPart::Head, true);
    add("parameters.final_norm", "parameters of the final norm", counts.finalNorm, WeightPart::FinalNorm, true);
}

void addLayers(Ledger& ledger, const ExplainContext& context)
{
    const LayerParameters& counts = context.report.parameters.layers;
    const std::array values{counts.mixer,         counts.denseFfn, counts.routedExperts,
                            counts.sharedExperts, counts.router,   counts.norms};
    constexpr std::array parts{WeightPart::TokenMixer,    WeightPart::DenseFfn, WeightPart::RoutedExperts,
                               WeightPart::SharedExperts, WeightPart::Router,   WeightPart::Norms};
    constexpr std::array names{"mixers (attention, state space)",
                               "dense feed-forwards",
                               "routed experts",
                               "shared experts",
                               "routers",
                               "norms of the layers"};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        ledger.add(layerParts()[i], fmt::format("parameters of the {}", names[i]), Measure::Count,
                   static_cast<double>(values[i]), [&context, part = parts[i]](Derivation& d) {
                       layerFactors(context.scenario.model, part).fill(d, "sum(n*c*r*k)");
                       addSources(d, context.scenario.model);
                   });
    }
}

void addActiveExperts(Ledger& ledger, const ExplainContext& context)
{
    ledger.add("parameters.active_routed_experts", "parameters of the experts a token visits", Measure::Count,
               static_cast<double>(context.report.parameters.layers.activeRoutedExperts), [&](Derivation& d) {
                   const Model& model = context.scenario.model;
                   const std::vector<double> counts = layersOfKind(model);
                   std::vector<double> layers, routed, experts, visited;
                   for (std::size_t i = 0; i < model.kinds.size(); ++i) {
                       if (const auto* moe = std::get_if<MoeFfn>(&model.kinds[i].feedForward)) {
                           layers.push_back(counts[i]);
                           routed.push_back(static_cast<double>(parameters(model.kinds[i], model).routedExperts));
                           experts.push_back(moe->experts);
                           visited.push_back(moe->topK);
                       }
                   }
                   d.formula = layers.empty() ? "n" : "sum(n*r/E*K)";
                   d.terms = {givenList("n", "layers with experts", Measure::Count, layers, {}, "model")};
                   if (layers.empty()) {
                       d.terms[0].list = false;
                       return;
                   }
                   d.terms.push_back(
                       givenList("r", "routed parameters of a layer", Measure::Count, routed, {}, "model"));
                   d.terms.push_back(givenList("E", "experts", Measure::Count, experts, {}, "model"));
                   d.terms.push_back(givenList("K", "experts a token visits", Measure::Count, visited, {}, "model"));
               });
}

} // namespace

void addParameterValues(Ledger& ledger, const ExplainContext& context)
{
    addTotals(ledger, context);
    addOutside(ledger, context);
    addLayers(ledger, context);
    ledger.add("parameters.multi_token_prediction", "parameters of the multi-token prediction modules", Measure::Count,
               static_cast<double>(context.report.parameters.multiTokenPrediction), [&](Derivation& d) {
                   const Model& model = context.scenario.model;
                   const bool any = model.multiTokenPrediction > 0;
                   factorsOf(any ? predictionModuleWeights(model) : WeightList{}, WeightPart::Head, true,
                             model.multiTokenPrediction)
                       .fill(d, "sum(n*c*r*k)");
                   d.sources.emplace_back("DeepSeek-V3, arXiv:2412.19437, section 2.2");
               });
    ledger.setReported(false);
    addActiveExperts(ledger, context);
}

} // namespace partita
