// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/context.h"
#include "core/explain/op_values.h"

#include <fmt/format.h>

namespace partita {

namespace {

constexpr std::array computeKinds{TimeKind::Gemm, TimeKind::Attention, TimeKind::Scan, TimeKind::Elementwise,
                                  TimeKind::Host};

/// The values of a layer kind, the embedding or the head.
class BlockOf {
public:
    BlockOf(Ledger& ledger, const ExplainContext& context, const Block& block)
        : m_ledger(ledger)
        , m_context(context)
        , m_block(block)
        , m_where(fmt::format(", {}", block.name))
    {
    }

    void add()
    {
        addParameters();
        addBytes();
        for (const PassPart& pass : passParts) {
            addPass(pass);
        }
        addOps(m_ledger, m_context, m_block);
    }

private:
    std::string path(std::string_view what) const { return fmt::format("{}.{}", m_block.path, what); }
    std::string path(const PassPart& pass, TimeKind kind) const
    {
        return fmt::format("{}.{}.{}", m_block.path, pass.key, keyOf(kind));
    }
    std::string opPath(std::size_t op, std::string_view what) const
    {
        return fmt::format("{}.ops[{}].{}", m_block.path, op, what);
    }
    const Layout& layout() const { return m_context.scenario.layout; }
    bool recomputesAll() const { return m_block.layer() && layout().recompute == Recompute::Full; }

    bool recomputesExperts() const
    {
        return m_block.layer() && m_block.hasExperts && layout().recompute == Recompute::Experts;
    }

    double aloneTime(const PassPart& pass, TimeKind kind) const { return (m_block.alone.*pass.part)[kind]; }
    double time(const PassPart& pass, TimeKind kind) const { return (m_block.plan.cost.*pass.part)[kind]; }

    /// The value before recomputation and the exchange of sharded weights; the same where these change nothing.
    std::string alonePath(const PassPart& pass, TimeKind kind) const
    {
        return aloneTime(pass, kind) == time(pass, kind)
            ? path(pass, kind)
            : fmt::format("{}.alone.{}.{}", m_block.path, pass.key, keyOf(kind));
    }

    void addParameters()
    {
        const DeviceParameters& parameters = m_block.parameters;
        m_ledger.add(path("dense_parameters"), "dense parameters on a device" + m_where, Measure::Count,
                     parameters.dense, [this_ = *this](Derivation& d) { this_.deriveDense(d); });
        m_ledger.add(path("expert_parameters"), "expert parameters on a device" + m_where, Measure::Count,
                     parameters.experts, [&block = m_block, &context = m_context](Derivation& d) {
                         d.formula = "E / (e*t)";
                         d.terms = {
                             given("E", "parameters of the experts", Measure::Count,
                                   static_cast<double>(block.weights.experts), "model"),
                             given("e", "expert parallel", Measure::Count, context.scenario.layout.ep, "layout.ep"),
                             given("t", "tensor parallel inside an expert", Measure::Count, context.scenario.layout.etp,
                                   "layout.etp")};
                     });
        if (m_block.path == "head") {
            addTable();
        }
        if (m_block.layer() && m_context.adapters()) {
            addAdapters();
        }
    }

    /// The embedding's, where the head or a prediction module uses it away from the embedding's own device.
    void addTable()
    {
        const Model& model = m_context.scenario.model;
        const double table = static_cast<double>(model.vocabulary) * static_cast<double>(model.embeddingColumns());
        m_ledger.add(
            path("table"), "copy of the embedding table on a device of the last stage", Measure::Count,
            table / layout().tp, [&context = m_context](Derivation& d) {
                const Model& m = context.scenario.model;
                d.formula = "V*w/t";
                d.terms = {
                    given("V", "vocabulary", Measure::Count, static_cast<double>(m.vocabulary), "model.vocabulary"),
                    given("w", "columns of the table", Measure::Count, static_cast<double>(m.embeddingColumns()),
                          "model"),
                    given("t", "tensor parallel", Measure::Count, context.scenario.layout.tp, "layout.tp")};
            });
    }

    /// Weights trained beside frozen products: (rows + columns) x rank of each.
    void addAdapters()
    {
        std::vector<double> dense, expert;
        std::vector<std::string> denseNames, expertNames;
        for (const Op& op : m_block.ops) {
            if (const auto* gemm = std::get_if<WeightGemm>(&op.work); gemm != nullptr && !gemm->frozen) {
                const GemmShape& s = gemm->shape;
                const double count = static_cast<double>(s.count) * static_cast<double>(s.n) * static_cast<double>(s.k);
                (gemm->expert ? expert : dense).push_back(count);
                (gemm->expert ? expertNames : denseNames).emplace_back(op.name);
            }
        }
        const auto enter = [&](std::string_view key, std::string_view kind, double value,
                               const std::vector<double>& counts, const std::vector<std::string>& names) {
            m_ledger.add(path(key), fmt::format("{} adapters on a device{}", kind, m_where), Measure::Count, value,
                         [counts, names](Derivation& d) {
                             d.formula = counts.empty() ? "0" : "sum(a)";
                             if (!counts.empty()) {
                                 d.terms = {givenList("a", "adapter matrices", Measure::Count, counts, names,
                                                      "size of the product x workload.adapter_rank")};
                             }
                             d.sources.emplace_back("Hu et al. 2021 (LoRA), arXiv:2106.09685");
                         });
        };
        enter("dense_adapters", "dense", m_block.alone.adapters.dense, dense, denseNames);
        enter("expert_adapters", "expert", m_block.alone.adapters.experts, expert, expertNames);
    }

    void deriveDense(Derivation& d) const
    {
        const ShardedParameters& weights = m_block.weights;
        d.formula = "T/t + K/min(t, g) + R";
        d.terms = {given("T", "divided over tensor ranks", Measure::Count, static_cast<double>(weights.tensorParallel),
                         "model"),
                   given("K", "divided over tensor ranks as far as there are K/V groups", Measure::Count,
                         static_cast<double>(weights.keyValue), "model"),
                   given("R", "whole on every rank", Measure::Count, static_cast<double>(weights.replicated), "model"),
                   given("t", "tensor parallel", Measure::Count, layout().tp, "layout.tp"),
                   given("g", "K/V groups", Measure::Count, weights.keyValueGroups, "model")};
        d.sources.emplace_back("Shoeybi et al. 2019 (Megatron-LM), arXiv:1909.08053");
    }

    void addBytes()
    {
        if (m_block.path == "head") {
            m_ledger.add(path("loss_bytes"), "logits and loss", Measure::Bytes, m_block.alone.saved,
                         [this_ = *this](Derivation& d) {
                             d.formula = "sum(s)";
                             d.terms = {this_.savedTensors()};
                             d.sources.emplace_back(sources::activations);
                         });
            addGradient();
            return;
        }
        m_ledger.add(path("kept_bytes"), "activations kept of a micro-batch" + m_where, Measure::Bytes,
                     m_block.plan.kept, [this_ = *this](Derivation& d) { this_.deriveKept(d); });
    }

    /// The head's weight gradient is formed in 16 bit before it is added to the main gradient.
    void addGradient()
    {
        const Model& model = m_context.scenario.model;
        const double columns = static_cast<double>(paddedVocabulary(model, layout().tp)) / layout().tp;
        const double bytes = m_block.pricing->style.operandBytes;
        m_ledger.add(path("gradient_bytes"), "weight gradient of the head before it is added up", Measure::Bytes,
                     bytes * columns * static_cast<double>(model.hidden), [bytes, columns, &model](Derivation& d) {
                         d.formula = "b*c*h";
                         d.terms = {given("b", "bytes of an element", Measure::Bytes, bytes, "workload.precision"),
                                    given("c", "vocabulary rows on the device, padded", Measure::Count, columns,
                                          "model.vocabulary, layout.tp"),
                                    given("h", "hidden size", Measure::Count, static_cast<double>(model.hidden),
                                          "model.hidden")};
                     });
    }

    /// Saved tensors of the operators, those of a part that runs again left out.
    Term savedTensors(std::optional<OpPart> without = std::nullopt) const
    {
        std::vector<std::string> paths;
        for (std::size_t i = 0; i < m_block.ops.size(); ++i) {
            if (m_block.ops[i].saved > 0 && m_block.ops[i].part != without) {
                paths.push_back(opPath(i, "saved_bytes"));
            }
        }
        return m_ledger.list("s", "tensors kept for the backward pass", paths);
    }

    void deriveKept(Derivation& d) const
    {
        d.sources.emplace_back(sources::activations);
        const bool perOperator = m_block.layer() && layout().recompute == Recompute::PerOperator;
        if (!recomputesAll() && !perOperator) {
            const bool selective = m_block.layer() && layout().recompute == Recompute::Selective;
            d.formula = "sum(s)";
            if (recomputesExperts()) {
                addInput(d);
                d.formula += " + e*T*h";
                d.terms.insert(d.terms.begin(), savedTensors(OpPart::Experts));
                d.assumptions.emplace_back("Of the mixture of experts its input alone is kept.");
            } else if (selective) {
                d.terms = {savedTensors(OpPart::AttentionCore)};
                d.assumptions.emplace_back("Scores of the attention core are computed again instead.");
            } else {
                d.terms = {savedTensors()};
            }
            return;
        }
        d.formula = "e*T*h";
        addInput(d);
        if (perOperator) {
            d.formula += " + k";
            d.terms.push_back(given("k", "every second product's output, and the core's", Measure::Bytes,
                                    m_block.alone.savedPerOperator, "operators"));
            d.assumptions.emplace_back("Per-operator recomputation keeps the layer's input and these outputs.");
            return;
        }
        d.assumptions.emplace_back("Full recomputation keeps the layer's input alone.");
    }

    void addInput(Derivation& d) const
    {
        const Shard shard = deviceShard(m_context.scenario);
        d.terms = {given("e", "bytes of an activation", Measure::Bytes, m_block.pricing->style.activationBytes,
                         "workload.precision"),
                   given("T", "tokens of a micro-batch on the device", Measure::Tokens, shard.residualTokens(),
                         "layout: micro_batch x sequence / cp, / tp under sequence parallelism"),
                   given("h", "hidden size", Measure::Count, static_cast<double>(m_context.scenario.model.hidden),
                         "model.hidden")};
    }

    void addPass(const PassPart& pass)
    {
        for (const Name<TimeKind>& kind : Names<TimeKind>::table) {
            const double alone = aloneTime(pass, kind.value);
            const std::string name = fmt::format("{} in the {}{}", kind.label, pass.label, m_where);
            if (time(pass, kind.value) > 0) {
                m_ledger.add(
                    path(pass, kind.value), name, Measure::Seconds, time(pass, kind.value),
                    [this_ = *this, &pass, value = kind.value](Derivation& d) { this_.derive(d, pass, value); });
            }
            if (alone > 0 && alone != time(pass, kind.value)) {
                m_ledger.add(
                    alonePath(pass, kind.value), name + ", nothing computed again", Measure::Seconds, alone,
                    [this_ = *this, &pass, value = kind.value](Derivation& d) { this_.deriveAlone(d, pass, value); });
            }
        }
    }

    void derive(Derivation& d, const PassPart& pass, TimeKind kind) const
    {
        if (kind == TimeKind::Recompute) {
            return deriveRecompute(d);
        }
        if (kind == TimeKind::DpExposed) {
            return deriveShardedWeights(d, pass);
        }
        if (aloneTime(pass, kind) != time(pass, kind)) {
            if (recomputesExperts()) {
                d.formula = "a + sum(f)";
                d.terms = {m_ledger.term("a", alonePath(pass, kind)), expertTimes("f", {kind})};
                d.assumptions.emplace_back("Recomputation repeats the exchanges of the experts.");
                return;
            }
            const bool half = layout().recompute == Recompute::PerOperator && kind == TimeKind::TpExposed;
            d.formula = half ? "a + f/2" : "a + f";
            d.terms = {m_ledger.term("a", alonePath(pass, kind)), m_ledger.term("f", path(passParts[0], kind))};
            d.assumptions.emplace_back(half ? "Recomputation gathers again; what is scattered is kept."
                                            : "Recomputation repeats the exchanges of the forward pass.");
            return;
        }
        deriveAlone(d, pass, kind);
    }

    void deriveAlone(Derivation& d, const PassPart& pass, TimeKind kind) const
    {
        switch (kind) {
        case TimeKind::Host:
            return deriveHost(d, pass);
        case TimeKind::TpExposed:
            return deriveCovered(d, pass);
        case TimeKind::CpExposed:
            return deriveRing(d, pass);
        default:
            d.formula = "sum(t)";
            d.terms = {opTimes("t", pass, kind)};
        }
    }

    Term opTimes(std::string_view symbol, const PassPart& pass, TimeKind kind) const
    {
        std::vector<std::string> paths;
        for (std::size_t i = 0; i < m_block.ops.size(); ++i) {
            if ((m_block.opCosts[i].*pass.part)[kind] > 0) {
                paths.push_back(opPath(i, fmt::format("{}.{}", pass.key, keyOf(kind))));
            }
        }
        return m_ledger.list(symbol, "operators", paths);
    }

    /// Forward times of the mixture's operators, of the kinds given.
    Term expertTimes(std::string_view symbol, const std::vector<TimeKind>& kinds) const
    {
        std::vector<std::string> paths;
        for (std::size_t i = 0; i < m_block.ops.size(); ++i) {
            for (const TimeKind kind : kinds) {
                if (m_block.ops[i].part == OpPart::Experts && m_block.opCosts[i].forward[kind] > 0) {
                    paths.push_back(opPath(i, fmt::format("{}.{}", passParts[0].key, keyOf(kind))));
                }
            }
        }
        return m_ledger.list(symbol, "operators of the experts", paths);
    }

    void deriveHost(Derivation& d, const PassPart& pass) const
    {
        std::vector<std::string> paths;
        for (const Name<TimeKind>& kind : Names<TimeKind>::table) {
            if (kind.value != TimeKind::Host && aloneTime(pass, kind.value) > 0) {
                paths.push_back(alonePath(pass, kind.value));
            }
        }
        d.formula = "max(0, n*h - sum(t))";
        d.terms = {given("n", "kernels to launch", Measure::Count, m_block.alone.*pass.kernels,
                         "operators, as the stack fuses them"),
                   given("h", "host time a kernel", Measure::Seconds, m_context.scenario.stack.hostPerKernel,
                         fmt::format("stack {}: host_per_kernel", m_context.scenario.stack.name)),
                   m_ledger.list("t", "what the device does meanwhile", paths)};
        d.sources = stackSources(m_context.scenario);
        if (m_block.hasExperts && &pass == &passParts[0]) {
            d.formula += " + x";
            d.terms.push_back(given("x", "wait for the token counts of the experts", Measure::Seconds,
                                    m_context.scenario.stack.expertHost,
                                    fmt::format("stack {}: expert_host", m_context.scenario.stack.name)));
        }
    }

    /// Exchanges that a backward product hides show as far as they are longer than it.
    void deriveCovered(Derivation& d, const PassPart& pass) const
    {
        const CoveredExchanges covered = coveredExchanges(m_context, m_block, pass);
        d.formula = "sum(t)";
        d.terms = {opTimes("t", pass, TimeKind::TpExposed)};
        if (!covered.exchanges.empty()) {
            d.formula += " + sum(max(0, x - g))";
            d.terms.push_back(m_ledger.list("x", "exchanges beside a product", covered.exchanges));
            d.terms.push_back(m_ledger.list("g", "the product", covered.products));
            d.assumptions.emplace_back("An exchange beside a product shows as far as it is longer.");
        }
        d.sources.emplace_back(sources::activations);
    }

    void deriveRing(Derivation& d, const PassPart& pass) const
    {
        std::vector<std::string> beside;
        for (std::size_t i = 0; i < m_block.ops.size(); ++i) {
            const auto* exchange = std::get_if<Exchange>(&m_block.ops[i].work);
            if (exchange != nullptr && exchange->cover == Cover::Core) {
                beside.push_back(opPath(i, fmt::format("{}.beside_s", pass.key)));
            }
        }
        d.formula = "sum(t)";
        d.terms = {opTimes("t", pass, TimeKind::CpExposed)};
        if (!beside.empty()) {
            d.formula += " + max(0, sum(x) - c)";
            d.terms.push_back(m_ledger.list("x", "steps of the ring", beside));
            d.terms.push_back(m_ledger.term("c", path(pass, TimeKind::Attention)));
            d.assumptions.emplace_back("Ring steps run beside the attention core.");
            d.sources.emplace_back(sources::ring);
        }
    }

    void deriveRecompute(Derivation& d) const
    {
        d.sources.emplace_back(sources::activations);
        if (layout().recompute == Recompute::PerOperator) {
            d.formula = "g/2 + e + s + h";
            d.terms = {m_ledger.term("g", path(passParts[0], TimeKind::Gemm)),
                       m_ledger.term("e", path(passParts[0], TimeKind::Elementwise)),
                       m_ledger.term("s", path(passParts[0], TimeKind::Scan)),
                       m_ledger.term("h", path(passParts[0], TimeKind::Host))};
            d.assumptions.emplace_back(
                "Element-wise work and every second product run again; the core's output is kept.");
            return;
        }
        if (recomputesExperts()) {
            return deriveExpertRecompute(d);
        }
        std::vector<std::string> paths;
        for (const TimeKind kind : computeKinds) {
            if (layout().recompute == Recompute::Full ? time(passParts[0], kind) > 0 : kind == TimeKind::Attention) {
                paths.push_back(path(passParts[0], kind));
            }
        }
        d.formula = "sum(t)";
        d.terms = {m_ledger.list("t", "computed again", paths)};
        d.assumptions.push_back(layout().recompute == Recompute::Full ? "The whole forward runs again."
                                                                      : "The attention core runs again.");
    }

    void deriveExpertRecompute(Derivation& d) const
    {
        double kernels = 0;
        for (std::size_t i = 0; i < m_block.ops.size(); ++i) {
            kernels += m_block.ops[i].part == OpPart::Experts ? m_block.opCosts[i].forwardKernels : 0;
        }
        const Stack& stack = m_context.scenario.stack;
        d.formula = "sum(t) + max(0, n*h - sum(t) - sum(x)) + w";
        d.terms = {expertTimes("t", {TimeKind::Gemm, TimeKind::Elementwise}),
                   expertTimes("x", {TimeKind::TpExposed, TimeKind::EpExposed}),
                   given("n", "kernels of the experts to launch", Measure::Count, kernels,
                         "operators, as the stack fuses them"),
                   given("h", "host time a kernel", Measure::Seconds, stack.hostPerKernel,
                         fmt::format("stack {}: host_per_kernel", stack.name)),
                   given("w", "wait for the token counts of the experts", Measure::Seconds, stack.expertHost,
                         fmt::format("stack {}: expert_host", stack.name))};
        d.assumptions.emplace_back("The mixture of experts runs its forward again, exchanges included.");
    }

    /// ZeRO-3: gathers and scatters of a layer hide behind the pass.
    void deriveShardedWeights(Derivation& d, const PassPart& pass) const
    {
        const bool overlaps = m_context.scenario.stack.dpOverlap;
        const bool split = describe(layout().schedule).splitsBackward;
        const bool isWeight = &pass == &passParts[2];
        const bool isForward = &pass == &passParts[0];
        const auto gather = m_ledger.term("G", path("gather_s"));
        const auto scatter = m_ledger.term("S", path("scatter_s"));
        const bool gathers = isForward || (m_block.layer() && isWeight != split);
        const bool scatters = isWeight;
        std::string exchange = gathers && scatters ? "G + S" : gathers ? "G" : "S";
        if (gathers) {
            d.terms.push_back(gather);
        }
        if (scatters) {
            d.terms.push_back(scatter);
        }
        if (overlaps) {
            const auto addPass = [&](std::string_view symbol, const PassPart& other) {
                exchange += fmt::format(" - {}", symbol);
                d.terms.push_back(m_ledger.term(symbol, fmt::format("{}.alone.{}_s", m_block.path, other.key)));
            };
            if (isWeight && !split) {
                addPass("b", passParts[1]);
                addPass("w", passParts[2]);
            } else {
                addPass("f", pass);
            }
        }
        d.formula = fmt::format("max(0, {})", exchange);
        if (!m_block.layer()) {
            d.assumptions.emplace_back("Its weights are gathered once a micro-batch.");
        }
        d.assumptions.emplace_back(overlaps ? "The neighbouring layer's compute hides the exchange of sharded weights."
                                            : "The stack does not overlap the exchange of sharded weights.");
        d.sources.emplace_back(sources::fsdp);
    }

    Ledger& m_ledger;
    const ExplainContext& m_context;
    const Block& m_block;
    std::string m_where;
};

} // namespace

void addBlockValues(Ledger& ledger, const ExplainContext& context)
{
    for (const Block& block : context.blocks) {
        BlockOf(ledger, context, block).add();
    }
}

} // namespace partita
