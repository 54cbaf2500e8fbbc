// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/collective_values.h"
#include "core/explain/context.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {

namespace {

/// What data parallelism adds at the end of a step on one stage; see gradientExchange().
class GradientsOf {
public:
    GradientsOf(Ledger& ledger, const ExplainContext& context, std::size_t stage)
        : m_ledger(ledger)
        , m_context(context)
        , m_stage(stage)
        , m_where(fmt::format(", stage {}", stage))
    {
    }

    void add()
    {
        const Layout& layout = m_context.scenario.layout;
        addGroup("dense", m_context.grid->span(GroupKind::Gradient), denseShards(layout), &DeviceParameters::dense);
        addGroup("expert", m_context.grid->span(GroupKind::ExpertData), expertShards(layout),
                 &DeviceParameters::experts);
        addSum("gradients_s", "reduction of all gradients", m_gradients);
        addSum("weights_s", "gathering of the updated weights", m_weights);
        const GradientExchange& exchange = m_context.tail.exchanges[m_stage];
        m_ledger.add(path("gradients_exposed_s"), "reduction of gradients that shows" + m_where, Measure::Seconds,
                     exchange.gradients(), [this_ = *this](Derivation& d) { this_.deriveGradients(d); });
        m_ledger.add(path("gather_exposed_s"), "gathering of weights that shows" + m_where, Measure::Seconds,
                     exchange.gather, [this_ = *this](Derivation& d) { this_.deriveGather(d); });
        m_ledger.add(path("optimizer_s"), "optimizer update" + m_where, Measure::Seconds, exchange.optimizer,
                     [this_ = *this](Derivation& d) { this_.deriveOptimizer(d); });
    }

private:
    struct Sum {
        std::vector<std::string> paths;
        double total = 0;
    };

    std::string path(std::string_view what) const { return fmt::format("stages[{}].exchange.{}", m_stage, what); }

    void addCollective(Sum& sum, std::string_view key, std::string name, const GroupSpan& span, CollectiveKind kind,
                       double bytes)
    {
        const double time = exchangeTime(m_context.scenario.cluster, span, kind, bytes);
        sum.paths.push_back(path(key));
        sum.total += time;
        m_ledger.add(path(key), std::move(name) + m_where, Measure::Seconds, time,
                     [&cluster = m_context.scenario.cluster, what = CollectiveWork{kind, span, bytes}](Derivation& d) {
                         deriveCollective(d, cluster, what);
                     });
    }

    /// Bytes of the weights that every rank gathers: those trained, and all where they are sharded between steps.
    double gatheredBytes(double DeviceParameters::*part) const
    {
        const StagePlan& plan = m_context.plans[m_stage];
        if (m_context.adapters() && !keepsGathered(m_context.scenario)) {
            return m_context.bytes.weight * (plan.trained().*part);
        }
        const double layers = plan.layerWeights().*part;
        return m_context.bytes.weight * (plan.parameters().*part - layers)
            + layerWeightBytes(m_context.scenario.workload) * layers;
    }

    void addGroup(const std::string& who, const GroupSpan& span, double shards, double DeviceParameters::*part)
    {
        const double gradientBytes = m_context.bytes.gradient * (m_context.plans[m_stage].trained().*part);
        const int zero = m_context.scenario.layout.zeroStage;
        if (zero == 0) {
            addCollective(m_gradients, who + "_reduce_s", "all-reduce of " + who + " gradients", span,
                          CollectiveKind::AllReduce, gradientBytes);
            return;
        }
        const SplitSpan split = splitSpan(span, shards);
        if (zero < 3 || keepsGathered(m_context.scenario)) {
            addCollective(m_gradients, who + "_scatter_s", "reduce-scatter of " + who + " gradients", split.inner,
                          CollectiveKind::ReduceScatter, gradientBytes);
            addCollective(m_weights, who + "_gather_s", "all-gather of " + who + " weights", split.inner,
                          CollectiveKind::AllGather, gatheredBytes(part));
        }
        addCollective(m_gradients, who + "_across_s", "all-reduce of " + who + " gradients between shard groups",
                      split.outer, CollectiveKind::AllReduce, gradientBytes / shards);
    }

    void addSum(std::string_view key, std::string name, const Sum& sum)
    {
        m_ledger.add(path(key), std::move(name) + m_where, Measure::Seconds, sum.total,
                     [&ledger = m_ledger, paths = sum.paths](Derivation& d) {
                         d.formula = "sum(x)";
                         d.terms = {ledger.list("x", "collectives", paths)};
                         d.sources.emplace_back(sources::zero);
                     });
    }

    bool overlaps(Derivation& d) const
    {
        d.sources.emplace_back(sources::zero);
        if (!m_context.scenario.stack.dpOverlap) {
            d.assumptions.emplace_back("The stack does not overlap the exchange.");
        }
        return m_context.scenario.stack.dpOverlap;
    }

    Term layers() const
    {
        return given("l", "layers of the stage", Measure::Count, std::max(1, m_context.plans[m_stage].layers()),
                     "layout");
    }

    void deriveGradients(Derivation& d) const
    {
        d.formula = "G";
        d.terms = {m_ledger.term("G", path("gradients_s"))};
        if (overlaps(d)) {
            d.formula = "max(G - b - w, G/l)";
            d.terms.push_back(m_ledger.term("b", fmt::format("stages[{}].backward_input_s", m_stage)));
            d.terms.push_back(m_ledger.term("w", fmt::format("stages[{}].backward_weight_s", m_stage)));
            d.terms.push_back(layers());
            d.assumptions.emplace_back("Gradients hide behind the last backward; the last bucket has none left.");
        }
    }

    void deriveGather(Derivation& d) const
    {
        d.formula = "W";
        d.terms = {m_ledger.term("W", path("weights_s"))};
        if (overlaps(d)) {
            d.formula = "max(W - f, W/l)";
            d.terms.push_back(m_ledger.term("f", fmt::format("stages[{}].forward_s", m_stage)));
            d.terms.push_back(layers());
            d.assumptions.emplace_back("Weights hide behind the next forward; the first layer has none before it.");
        }
    }

    void deriveOptimizer(Derivation& d) const
    {
        const StateBytes& bytes = m_context.bytes;
        const Accelerator& accelerator = m_context.scenario.cluster.accelerator;
        const std::string stage = fmt::format("stages[{}]", m_stage);
        const bool sharded = m_context.scenario.layout.zeroStage >= 1;
        const double offloaded = m_context.scenario.workload.offloadedStates;
        d.formula = "(U*(1 - f)*(4*g + 2*o + 4 + w) + p*g) / (B*e)";
        d.terms = {
            m_ledger.term("U", stage + (sharded ? ".sharded_trained" : ".trained_per_copy")),
            m_ledger.term("p", stage + ".trained_per_copy"),
            given("f", "share updated by the host", Measure::Share, offloaded, "workload.offloaded_states"),
            given("g", "bytes of a gradient", Measure::Bytes, bytes.gradient, "stack: gradient_type"),
            given("o", "bytes of master copy and moments", Measure::Bytes, bytes.optimizer, "workload.optimizer"),
            given("w", "bytes of a weight", Measure::Bytes, bytes.weight, "workload.precision"),
            given("B", "memory bandwidth", Measure::BytesPerSecond, accelerator.memoryBandwidth,
                  fmt::format("accelerator {}: memory bandwidth", accelerator.name)),
            given("e", "share a long stream reaches", Measure::Share, accelerator.kernels.memoryEfficiency,
                  fmt::format("accelerator {}: memory efficiency", accelerator.name))};
        d.assumptions.emplace_back("Gradients zeroed, their norm, clipping, the update of master copy and moments, the "
                                   "16-bit weights: each a pass through memory.");
        d.sources = acceleratorSources(m_context.scenario);
        if (offloaded > 0) {
            d.formula += " + U*f*max(max(g, w)/H, (g + 2*o + w)/M)";
            d.terms.push_back(given("H", "link to host memory, each way", Measure::BytesPerSecond,
                                    accelerator.hostBandwidth,
                                    fmt::format("accelerator {}: host bandwidth", accelerator.name)));
            d.terms.push_back(given("M", "host memory for one device", Measure::BytesPerSecond, hostMemoryBandwidth,
                                    "two sockets of eight DDR4 channels over eight devices"));
            d.sources.emplace_back("Ren et al. 2021 (ZeRO-Offload), arXiv:2101.06840, section 4");
        }
    }

    Ledger& m_ledger;
    const ExplainContext& m_context;
    std::size_t m_stage;
    std::string m_where;
    Sum m_gradients;
    Sum m_weights;
};

} // namespace

void addExchangeValues(Ledger& ledger, const ExplainContext& context)
{
    for (std::size_t i = 0; i < context.plans.size(); ++i) {
        GradientsOf(ledger, context, i).add();
    }
    ledger.add("boundary_bytes", "bytes that cross a stage boundary for one micro-batch", Measure::Bytes,
               boundaryBytes(context.scenario), [&context](Derivation& d) {
                   const Scenario& scenario = context.scenario;
                   d.formula = "e*T*h";
                   d.terms = {given("e", "bytes of an activation", Measure::Bytes,
                                    opStyle(scenario.stack, scenario.workload).activationBytes, "workload.precision"),
                              given("T", "tokens of a micro-batch on the device", Measure::Tokens,
                                    deviceShard(scenario).residualTokens(),
                                    "layout: micro_batch x sequence / cp, / tp under sequence parallelism"),
                              given("h", "hidden size", Measure::Count, static_cast<double>(scenario.model.hidden),
                                    "model.hidden")};
               });
}

} // namespace partita
