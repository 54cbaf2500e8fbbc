// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/context.h"
#include "core/explain/kernel_values.h"

#include <fmt/format.h>

namespace partita {

namespace {

/// Products and cores of one layer kind for one whole sequence.
struct KindFlops {
    std::vector<std::string> names;
    std::vector<double> m, n, k, count;
    std::vector<std::string> coreNames;
    std::vector<double> causal, full;
    std::vector<ScanShape> scans;
};

Shard wholeModel(std::int64_t sequence)
{
    Shard whole;
    whole.sequence = sequence;
    return whole;
}

KindFlops flopsOf(const std::vector<Op>& ops, std::optional<OpPart> only = std::nullopt)
{
    KindFlops flops;
    for (const Op& op : ops) {
        if (only && op.part != *only) {
            continue;
        }
        if (const auto* gemm = std::get_if<WeightGemm>(&op.work)) {
            flops.names.emplace_back(op.name);
            flops.m.push_back(static_cast<double>(gemm->shape.m));
            flops.n.push_back(static_cast<double>(gemm->shape.n));
            flops.k.push_back(static_cast<double>(gemm->shape.k));
            flops.count.push_back(static_cast<double>(gemm->shape.count));
        } else if (const auto* core = std::get_if<AttentionShape>(&op.work)) {
            AttentionShape unmasked = *core;
            unmasked.causal = false;
            unmasked.window = 0;
            flops.coreNames.emplace_back(op.name);
            flops.causal.push_back(core->flops(Pass::Forward));
            flops.full.push_back(unmasked.flops(Pass::Forward));
        } else if (const auto* scan = std::get_if<ScanShape>(&op.work)) {
            flops.scans.push_back(*scan);
        }
    }
    return flops;
}

double sumOfProducts(const KindFlops& flops)
{
    double sum = 0;
    for (std::size_t i = 0; i < flops.m.size(); ++i) {
        sum += 2 * flops.m[i] * flops.n[i] * flops.k[i] * flops.count[i];
    }
    return sum;
}

double sumOf(const std::vector<double>& values)
{
    double sum = 0;
    for (const double value : values) {
        sum += value;
    }
    return sum;
}

void deriveProducts(Derivation& d, const KindFlops& flops)
{
    if (flops.m.empty()) {
        d.formula = "0";
        return;
    }
    d.formula = "sum(2*m*n*k*c)";
    d.terms = {givenList("m", "rows: tokens", Measure::Count, flops.m, flops.names, "workload, model"),
               givenList("n", "columns", Measure::Count, flops.n, flops.names, "model"),
               givenList("k", "inner size", Measure::Count, flops.k, flops.names, "model"),
               givenList("c", "products alike", Measure::Count, flops.count, flops.names, "model")};
}

/// Attention cores, and scans, which have no mask.
void deriveCore(Derivation& d, const Ledger& ledger, const std::string& path, const KindFlops& flops, bool causal)
{
    std::vector<std::string> scans;
    for (std::size_t i = 0; i < flops.scans.size(); ++i) {
        scans.push_back(indexed(path + ".scans", i) + ".flops");
    }
    const bool attends = !flops.causal.empty();
    d.formula = attends && !scans.empty() ? "sum(c) + sum(f)" : attends ? "sum(c)" : scans.empty() ? "0" : "sum(f)";
    if (attends) {
        d.terms.push_back(givenList("c", "core", Measure::Flops, causal ? flops.causal : flops.full, flops.coreNames,
                                    "2 x heads x (Q/K size + V size) FLOP a score"));
        d.assumptions.emplace_back(causal ? "Scores behind the mask or outside the window are left out."
                                          : "All s x s scores count, masked or not.");
    }
    if (!scans.empty()) {
        d.terms.push_back(ledger.list("f", "scans", scans));
    }
}

double scanFlops(const KindFlops& flops)
{
    double sum = 0;
    for (const ScanShape& scan : flops.scans) {
        sum += scan.flops();
    }
    return sum;
}

void addKinds(Ledger& ledger, const ExplainContext& context)
{
    const Model& model = context.scenario.model;
    const Shard whole = wholeModel(context.scenario.workload.sequenceLength);
    if (model.multiTokenPrediction > 0) {
        const KindFlops flops = flopsOf(predictionOps(model, whole, OpStyle{}));
        ledger.add("flops.prediction.products", "projection of a prediction module, a sequence forward", Measure::Flops,
                   sumOfProducts(flops), [flops](Derivation& d) { deriveProducts(d, flops); });
    }
    for (std::size_t i = 0; i < model.kinds.size(); ++i) {
        const KindFlops flops = flopsOf(layerOps(model, model.kinds[i], whole, OpStyle{}));
        const std::string path = indexed("flops.layer_kinds", i);
        ledger.add(path + ".products", fmt::format("weight products of one layer of kind {}, a sequence forward", i),
                   Measure::Flops, sumOfProducts(flops), [flops](Derivation& d) { deriveProducts(d, flops); });
        const KindFlops experts = flopsOf(layerOps(model, model.kinds[i], whole, OpStyle{}), OpPart::Experts);
        ledger.add(path + ".expert_products",
                   fmt::format("products of the mixture of experts of one layer of kind {}, a sequence forward", i),
                   Measure::Flops, sumOfProducts(experts), [experts](Derivation& d) { deriveProducts(d, experts); });
        ledger.add(path + ".causal_core", fmt::format("core of one layer of kind {}, masked scores left out", i),
                   Measure::Flops, sumOf(flops.causal) + scanFlops(flops),
                   [&ledger, path, flops](Derivation& d) { deriveCore(d, ledger, path, flops, true); });
        ledger.add(path + ".full_core", fmt::format("core of one layer of kind {}, all scores", i), Measure::Flops,
                   sumOf(flops.full) + scanFlops(flops),
                   [&ledger, path, flops](Derivation& d) { deriveCore(d, ledger, path, flops, false); });
        for (std::size_t k = 0; k < flops.scans.size(); ++k) {
            addScan(ledger, indexed(path + ".scans", k), fmt::format("a scan of a layer of kind {}", i),
                    flops.scans[k]);
        }
    }
}

void deriveSum(Derivation& d, const Ledger& ledger, const ExplainContext& context, std::string_view what)
{
    const Model& model = context.scenario.model;
    std::vector<double> layers(model.kinds.size(), 0);
    for (const int kind : model.layers) {
        ++layers[static_cast<std::size_t>(kind)];
    }
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < model.kinds.size(); ++i) {
        paths.push_back(fmt::format("flops.layer_kinds[{}].{}", i, what));
    }
    d.formula = "sum(n*f)";
    d.terms = {givenList("n", "layers of a kind", Measure::Count, layers, {}, "model"),
               ledger.list("f", "FLOPs of one layer", paths)};
}

Term modules(const Model& model)
{
    return given("q", "multi-token prediction modules", Measure::Count, model.multiTokenPrediction,
                 "model.multi_token_prediction");
}

/// A prediction module runs a layer of the last kind once more.
Term lastLayer(const Ledger& ledger, const Model& model, std::string_view what)
{
    return ledger.term("l", fmt::format("flops.layer_kinds[{}].{}", model.layers.back(), what));
}

void deriveSumWithModules(Derivation& d, const Ledger& ledger, const ExplainContext& context, std::string_view what)
{
    deriveSum(d, ledger, context, what);
    if (context.scenario.model.multiTokenPrediction > 0) {
        d.formula += " + q*l";
        d.terms.push_back(modules(context.scenario.model));
        d.terms.push_back(lastLayer(ledger, context.scenario.model, what));
    }
}

} // namespace

void addFlopValues(Ledger& ledger, const ExplainContext& context)
{
    const Model& model = context.scenario.model;
    const ForwardFlops flops = forwardFlops(model, context.scenario.workload.sequenceLength);
    ledger.add("flops.products", "weight products of one sequence forward, head included", Measure::Flops,
               flops.products, [&](Derivation& d) {
                   d.formula = "L + 2*s*V*h";
                   d.terms = {
                       ledger.term("L", "flops.layer_products"),
                       given("s", "sequence length", Measure::Tokens,
                             static_cast<double>(context.scenario.workload.sequenceLength), "workload.sequence_length"),
                       given("V", "vocabulary, unpadded", Measure::Count, static_cast<double>(model.vocabulary),
                             "model.vocabulary"),
                       given("h", "hidden size", Measure::Count, static_cast<double>(model.hidden), "model.hidden")};
                   if (model.multiTokenPrediction > 0) {
                       d.formula = "L + q*(l + j) + 2*(1 + q)*s*V*h";
                       d.terms.push_back(modules(model));
                       d.terms.push_back(lastLayer(ledger, model, "products"));
                       d.terms.push_back(ledger.term("j", "flops.prediction.products"));
                   }
               });
    ledger.add("flops.layer_products", "weight products of one sequence forward, without the head", Measure::Flops,
               flops.layerProducts, [&](Derivation& d) { deriveSum(d, ledger, context, "products"); });
    ledger.add("flops.causal_core", "attention cores and scans of one sequence forward", Measure::Flops,
               flops.causalCore, [&](Derivation& d) { deriveSumWithModules(d, ledger, context, "causal_core"); });
    ledger.add("flops.full_core", "attention cores with all scores, and scans, of one sequence forward", Measure::Flops,
               flops.fullCore, [&](Derivation& d) { deriveSumWithModules(d, ledger, context, "full_core"); });
    ledger.add("flops.expert_products", "products of the mixtures of experts of one sequence forward", Measure::Flops,
               flops.expertProducts,
               [&](Derivation& d) { deriveSumWithModules(d, ledger, context, "expert_products"); });
    addKinds(ledger, context);
}

} // namespace partita
