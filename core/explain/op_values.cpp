// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/op_values.h"

#include "core/explain/collective_values.h"
#include "core/explain/kernel_values.h"

#include <fmt/format.h>

namespace partita {

namespace {

std::string opPath(const Block& block, std::size_t op, std::string_view what)
{
    return fmt::format("{}.ops[{}].{}", block.path, op, what);
}

/// One operator of a block.
class OpOf {
public:
    OpOf(Ledger& ledger, const ExplainContext& context, const Block& block, std::size_t index)
        : m_ledger(ledger)
        , m_context(context)
        , m_block(block)
        , m_op(block.ops[index])
        , m_index(index)
        , m_name(fmt::format("{}, {}", m_op.name, block.name))
    {
    }

    void add()
    {
        addSaved();
        for (std::size_t p = 0; p < passParts.size(); ++p) {
            const PassPart& pass = passParts[p];
            for (const Name<TimeKind>& kind : Names<TimeKind>::table) {
                const double time = (m_block.opCosts[m_index].*pass.part)[kind.value];
                if (time > 0 && kind.value != TimeKind::Host) {
                    m_ledger.add(path(pass, keyOf(kind.value)), fmt::format("{} ({})", m_name, pass.label),
                                 Measure::Seconds, time, [this_ = *this, &pass, value = kind.value](Derivation& d) {
                                     this_.deriveTime(d, pass, value);
                                 });
                }
            }
            std::visit([&](const auto& work) { addWork(work, pass, p); }, m_op.work);
        }
    }

private:
    const Accelerator& accelerator() const { return m_context.scenario.cluster.accelerator; }
    const Stack& stack() const { return m_context.scenario.stack; }
    std::string path(const PassPart& pass, std::string_view what) const
    {
        return opPath(m_block, m_index, fmt::format("{}.{}", pass.key, what));
    }

    void addSaved()
    {
        if (m_op.saved <= 0) {
            return;
        }
        m_ledger.add(opPath(m_block, m_index, "saved_bytes"), fmt::format("kept by {}", m_name), Measure::Bytes,
                     m_op.saved, [&context = m_context, saved = m_op.saved](Derivation& d) {
                         const double tokens = deviceShard(context.scenario).tokens();
                         const double hidden = static_cast<double>(context.scenario.model.hidden);
                         d.formula = "k*T*h";
                         d.terms = {given("k", "bytes a token and hidden element", Measure::Plain,
                                          saved / (tokens * hidden), "list of the operator's saved tensors"),
                                    given("T", "tokens of a micro-batch on a context rank", Measure::Tokens, tokens,
                                          "layout: micro_batch x sequence / cp"),
                                    given("h", "hidden size", Measure::Count, hidden, "model.hidden")};
                         d.sources.emplace_back(std::string(sources::activations) + ", table 2");
                     });
    }

    /// Device time of a kernel kind: kernels and launches at the pace the stack leaves.
    void deriveTime(Derivation& d, const PassPart& pass, TimeKind kind) const
    {
        if (const auto* exchange = std::get_if<Exchange>(&m_op.work)) {
            return deriveExchange(d, pass, *exchange);
        }
        const double kernels = m_block.opCosts[m_index].*pass.kernels;
        d.terms = {m_ledger.term("k", path(pass, "kernel_s")),
                   given("n", "kernels", Measure::Count, kernels, "operator"),
                   given("l", "gap between kernels", Measure::Seconds, accelerator().kernels.launch,
                         fmt::format("accelerator {}: launch", accelerator().name)),
                   given("e", "what the stack leaves of the kernels' speed", Measure::Share, stack().efficiency,
                         fmt::format("stack {}: efficiency", stack().name))};
        std::string speed = "e";
        if (kind == TimeKind::Gemm || kind == TimeKind::Attention) {
            speed += "*u";
            d.terms.push_back(given("u", "clock that holds within the power limit", Measure::Share,
                                    accelerator().kernels.sustained,
                                    fmt::format("accelerator {}: sustained", accelerator().name)));
        }
        if (kind == TimeKind::Attention) {
            speed += "*a";
            d.terms.push_back(given("a", "attention kernel against the best", Measure::Share,
                                    stack().attentionEfficiency,
                                    fmt::format("stack {}: attention_efficiency", stack().name)));
        }
        d.formula = fmt::format("(k + n*l) / ({})", speed);
        d.sources = stackSources(m_context.scenario);
    }

    std::string kernelName(const PassPart& pass) const { return fmt::format("kernels of {} ({})", m_name, pass.label); }

    void addKernel(const PassPart& pass, double time, std::function<void(Derivation&)> derive)
    {
        if (time > 0) {
            m_ledger.add(path(pass, "kernel_s"), kernelName(pass), Measure::Seconds, time, std::move(derive));
        }
    }

    void addWork(const WeightGemm& gemm, const PassPart& pass, std::size_t index)
    {
        const GemmShape& s = gemm.shape;
        if (index == 2 && gemm.frozen) {
            return;
        }
        const bool accumulates = m_block.pricing->accumulates;
        const std::array shapes{s, GemmShape{s.m, s.k, s.n, s.count}, GemmShape{s.k, s.n, s.m, s.count, accumulates}};
        GemmShape shape = shapes[index];
        const int kernels = expertKernels(gemm, stack());
        shape.count /= kernels;
        const DataType type = m_block.pricing->style.operands;
        const double time = kernels * gemmTime(shape, type, accelerator()) / m_block.pricing->style.productPace;
        addKernel(pass, time, [this_ = *this, &pass, shape, type, kernels](Derivation& d) {
            const Term tiles = this_.m_ledger.term("c", this_.path(pass, "tiles_s"));
            KernelLaw(this_.m_context.scenario).gemm(d, tiles, shape, type, this_.m_block.pricing->style.productPace);
            if (kernels > 1) {
                d.formula = fmt::format("w * ({})", d.formula);
                d.terms.push_back(given("w", "experts of the device, one kernel each", Measure::Count, kernels,
                                        fmt::format("stack {}: launches_per_expert", this_.stack().name)));
            }
        });
        addTiles(m_ledger, path(pass, "tiles_s"), fmt::format("{} ({})", m_name, pass.label), m_context.scenario, shape,
                 type);
        if (index > 0) {
            m_ledger.add(path(pass, "product_s"), fmt::format("{} as cover ({})", m_name, pass.label), Measure::Seconds,
                         time / (accelerator().kernels.sustained * stack().efficiency),
                         [this_ = *this, &pass](Derivation& d) {
                             d.formula = "k / (u*e)";
                             d.terms = {this_.m_ledger.term("k", this_.path(pass, "kernel_s")),
                                        given("u", "clock that holds within the power limit", Measure::Share,
                                              this_.accelerator().kernels.sustained,
                                              fmt::format("accelerator {}: sustained", this_.accelerator().name)),
                                        given("e", "what the stack leaves of the kernels' speed", Measure::Share,
                                              this_.stack().efficiency,
                                              fmt::format("stack {}: efficiency", this_.stack().name))};
                         });
        }
    }

    void addWork(const AttentionShape& shape, const PassPart& pass, std::size_t index)
    {
        if (index == 2) {
            return;
        }
        const Pass direction = index == 0 ? Pass::Forward : Pass::Backward;
        const AttentionKernel kernel = m_block.pricing->style.attention;
        addAttention(m_ledger, path(pass, "kernel_s"), kernelName(pass), m_context.scenario, shape, direction, kernel);
    }

    void addWork(const ScanShape& shape, const PassPart& pass, std::size_t index)
    {
        if (index == 2) {
            return;
        }
        const Pass direction = index == 0 ? Pass::Forward : Pass::Backward;
        const std::string at = path(pass, "scan");
        addScan(m_ledger, at, m_name, shape);
        addKernel(pass, scanTime(shape, direction, accelerator()),
                  [this_ = *this, at, shape, direction](Derivation& d) {
                      KernelLaw(this_.m_context.scenario)
                          .scan(d, this_.m_ledger.term("F", at + ".flops"), this_.m_ledger.term("B", at + ".bytes"),
                                shape, direction);
                  });
    }

    void addWork(const MemoryPass& work, const PassPart& pass, std::size_t index)
    {
        const double bytes = index == 0 ? work.forwardBytes : index == 1 ? work.backwardBytes : 0;
        if (bytes <= 0) {
            return;
        }
        addKernel(pass, memoryPassTime(bytes, accelerator()), [&context = m_context, bytes](Derivation& d) {
            const Accelerator& accelerator = context.scenario.cluster.accelerator;
            d.formula = "B / (W*u)";
            d.terms = {given("B", "bytes through memory", Measure::Bytes, bytes, "operator, as the stack fuses it"),
                       given("W", "memory bandwidth", Measure::BytesPerSecond, accelerator.memoryBandwidth,
                             fmt::format("accelerator {}: memory bandwidth", accelerator.name)),
                       given("u", "share a long stream reaches", Measure::Share, accelerator.kernels.memoryEfficiency,
                             fmt::format("accelerator {}: memory efficiency", accelerator.name))};
            d.sources = acceleratorSources(context.scenario);
        });
    }

    void addWork(const Exchange& exchange, const PassPart& pass, std::size_t index)
    {
        const double bytes = index == 0 ? exchange.forwardBytes : index == 1 ? exchange.backwardBytes : 0;
        const double count = index == 0 ? exchange.forwardCount : exchange.backwardCount;
        const GroupSpan& span = m_context.grid->span(exchange.group);
        const DispatchShares shares = dispatchShares(m_context.scenario.stack, exchange, span);
        const double sent = bytes * shares.sent;
        const double time = exchangeTime(m_context.scenario.cluster, span, exchange.kind, sent, shares.beyondNode);
        if (time <= 0) {
            return;
        }
        m_ledger.add(path(pass, "exchange_s"), fmt::format("{} of {} ({})", labelOf(exchange.kind), m_name, pass.label),
                     Measure::Seconds, time,
                     [&cluster = m_context.scenario.cluster,
                      what = CollectiveWork{exchange.kind, span, sent, shares.beyondNode}](Derivation& d) {
                         deriveCollective(d, cluster, what);
                     });
        if (exchange.cover != Cover::Nothing) {
            m_ledger.add(path(pass, "beside_s"), fmt::format("{} beside compute ({})", m_name, pass.label),
                         Measure::Seconds, count * time * visible(exchange),
                         [this_ = *this, &pass, exchange](Derivation& d) { this_.deriveExchange(d, pass, exchange); });
        }
    }

    /// Share that the stack does not hide behind a product; rings wait for their core instead.
    double overlap(const Exchange& exchange) const
    {
        return exchange.cover == Cover::Core      ? 0
            : exchange.group == GroupKind::Tensor ? stack().tpOverlap
            : exchange.group == GroupKind::Expert ? stack().epOverlap
                                                  : 0;
    }
    double visible(const Exchange& exchange) const { return 1 - overlap(exchange); }

    void deriveExchange(Derivation& d, const PassPart& pass, const Exchange& exchange) const
    {
        const bool forward = &pass == &passParts[0];
        d.formula = "n*x*(1 - o)";
        d.terms = {given("n", "exchanges", Measure::Count, forward ? exchange.forwardCount : exchange.backwardCount,
                         "operator"),
                   m_ledger.term("x", path(pass, "exchange_s")),
                   given("o", "share hidden behind its product", Measure::Share, overlap(exchange),
                         fmt::format("stack {}: overlap", stack().name))};
    }

    Ledger& m_ledger;
    const ExplainContext& m_context;
    const Block& m_block;
    const Op& m_op;
    std::size_t m_index;
    std::string m_name;
};

/// Under ZeRO-3: what a layer's passes take without the exchange of its weights, and that exchange.
void addShardedWeights(Ledger& ledger, const ExplainContext& context, const Block& block)
{
    const Scenario& scenario = context.scenario;
    for (const PassPart& pass : passParts) {
        const TimeBreakdown& time = block.alone.*pass.part;
        ledger.add(fmt::format("{}.alone.{}_s", block.path, pass.key),
                   fmt::format("{} of a {} without the exchange of its weights", pass.label, block.name),
                   Measure::Seconds, time.total(), [&ledger, &block, &pass, time](Derivation& d) {
                       std::vector<std::string> paths;
                       for (const Name<TimeKind>& kind : Names<TimeKind>::table) {
                           if (time[kind.value] > 0) {
                               const bool same = time[kind.value] == (block.plan.cost.*pass.part)[kind.value];
                               paths.push_back(
                                   fmt::format("{}.{}{}.{}", block.path, same ? "" : "alone.", pass.key, kind.key));
                           }
                       }
                       d.formula = "sum(t)";
                       d.terms = {ledger.list("t", "where the time goes", paths)};
                   });
    }
    const Layout& layout = scenario.layout;
    const GroupSpan dense = splitSpan(context.grid->span(GroupKind::Gradient), denseShards(layout)).inner;
    const GroupSpan experts = splitSpan(context.grid->span(GroupKind::ExpertData), expertShards(layout)).inner;
    const auto add = [&](const std::string& key, std::string_view what, CollectiveKind kind,
                         const DeviceParameters& weights, double bytes) {
        const std::array parts{std::pair{dense, weights.dense}, std::pair{experts, weights.experts}};
        constexpr std::array names{"dense", "expert"};
        std::vector<std::string> paths;
        double total = 0;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const double size = bytes * parts[i].second;
            const double time = exchangeTime(scenario.cluster, parts[i].first, kind, size);
            total += time;
            paths.push_back(fmt::format("{}.{}.{}_s", block.path, key, names[i]));
            ledger.add(paths.back(), fmt::format("{} {} of a {}", what, names[i], block.name), Measure::Seconds, time,
                       [&scenario, what = CollectiveWork{kind, parts[i].first, size}](Derivation& d) {
                           deriveCollective(d, scenario.cluster, what);
                       });
        }
        ledger.add(fmt::format("{}.{}_s", block.path, key), fmt::format("{} of a {}", what, block.name),
                   Measure::Seconds, total, [&ledger, paths](Derivation& d) {
                       d.formula = "sum(x)";
                       d.terms = {ledger.list("x", "dense and expert parameters", paths)};
                   });
    };
    const DeviceParameters& trained = context.adapters() ? block.alone.adapters : block.parameters;
    add("gather", "gathering the weights", CollectiveKind::AllGather, block.parameters,
        gatheredBytes(scenario, *block.unit));
    add("scatter", "scattering the gradients", CollectiveKind::ReduceScatter, trained, context.bytes.gradient);
}

} // namespace

void addOps(Ledger& ledger, const ExplainContext& context, const Block& block)
{
    for (std::size_t i = 0; i < block.ops.size(); ++i) {
        OpOf(ledger, context, block, i).add();
    }
    if (block.unit && context.scenario.layout.zeroStage == 3 && !keepsGathered(context.scenario)) {
        addShardedWeights(ledger, context, block);
    }
}

CoveredExchanges coveredExchanges(const ExplainContext& context, const Block& block, const PassPart& pass)
{
    const bool input = &pass == &passParts[1];
    const bool weight = &pass == &passParts[2];
    CoveredExchanges covered;
    std::vector<std::size_t> waiting;
    for (std::size_t i = 0; i < block.ops.size(); ++i) {
        if (const auto* exchange = std::get_if<Exchange>(&block.ops[i].work)) {
            const bool beside = (input && exchange->cover == Cover::InputGradient)
                || (weight && exchange->cover == Cover::WeightGradient && context.scenario.stack.asyncGradientExchange);
            if (beside && exchange->backwardBytes > 0) {
                waiting.push_back(i);
            }
        } else if (std::holds_alternative<WeightGemm>(block.ops[i].work)) {
            for (const std::size_t op : waiting) {
                // An exchange of the backward pass is entered under the input gradient, whatever hides it.
                covered.exchanges.push_back(opPath(block, op, fmt::format("{}.beside_s", passParts[1].key)));
                covered.products.push_back(opPath(block, i, fmt::format("{}.product_s", pass.key)));
            }
            waiting.clear();
        }
    }
    return covered;
}

} // namespace partita
