// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/collective_values.h"
#include "core/explain/context.h"
#include "core/explain/kernel_values.h"
#include "core/explain/served_context.h"

#include <fmt/format.h>

namespace partita {

namespace {

/// The values of one step: parts, stages, blocks and their kernels.
class StepOf {
public:
    StepOf(Ledger& ledger, const ServedContext& served, const PricedStep& step)
        : m_ledger(ledger)
        , m_served(served)
        , m_step(step)
    {
    }

    void add() const
    {
        for (const Name<TimeKind>& kind : Names<TimeKind>::table) {
            if (m_step.time.parts[kind.value] > 0) {
                m_ledger.add(partPath(kind.value), fmt::format("{} in {}", kind.label, m_step.name), Measure::Seconds,
                             m_step.time.parts[kind.value],
                             [this_ = *this, value = kind.value](Derivation& d) { this_.derivePart(d, value); });
            }
        }
        m_ledger.add(path("total_s"), fmt::format("{}, through all stages", m_step.name), Measure::Seconds,
                     m_step.time.total(), [this_ = *this](Derivation& d) {
                         d.formula = "sum(t)";
                         d.terms = {this_.m_ledger.list("t", "where the step goes", this_.partPaths())};
                         d.assumptions.push_back(this_.workText());
                     });
        m_ledger.add(path("slowest_stage_s"), fmt::format("slowest stage of {}", m_step.name), Measure::Seconds,
                     m_step.time.slowestStage, [this_ = *this](Derivation& d) {
                         std::vector<std::string> paths;
                         for (std::size_t i = 0; i < this_.m_step.record.stages.size(); ++i) {
                             paths.push_back(this_.stagePath(i));
                         }
                         d.formula = "max(t)";
                         d.terms = {this_.m_ledger.list("t", "stages", paths)};
                     });
        if (stages() > 1) {
            addHop();
        }
        for (std::size_t i = 0; i < m_step.record.stages.size(); ++i) {
            m_ledger.add(stagePath(i), fmt::format("stage {} of {}", i, m_step.name), Measure::Seconds,
                         m_step.record.stages[i].total(),
                         [this_ = *this, i](Derivation& d) { this_.deriveStage(d, i); });
        }
        for (std::size_t i = 0; i < m_step.record.kinds.size(); ++i) {
            addBlock(indexed("layer_kinds", i), fmt::format("one layer of kind {}", i), m_step.record.kinds[i]);
        }
        addBlock("head", "the head", m_step.record.head);
    }

private:
    std::string path(std::string_view what) const { return fmt::format("{}.{}", m_step.path, what); }
    std::string partPath(TimeKind kind) const { return path(fmt::format("parts.{}", keyOf(kind))); }
    std::string stagePath(std::size_t stage) const { return path(indexed("stages", stage)); }
    const Stack& stack() const { return m_served.scenario.stack; }
    std::string engine(std::string_view what) const { return fmt::format("stack {}: {}", stack().name, what); }
    std::size_t stages() const { return m_step.record.stages.size(); }

    std::vector<std::string> partPaths() const
    {
        std::vector<std::string> paths;
        for (const Name<TimeKind>& kind : Names<TimeKind>::table) {
            if (m_step.time.parts[kind.value] > 0) {
                paths.push_back(partPath(kind.value));
            }
        }
        return paths;
    }

    std::string workText() const
    {
        const StepWork& work = m_step.work;
        std::string text = "An attention rank works on";
        if (work.decoding > 0) {
            text +=
                fmt::format(" {} sequences that decode with {} behind each",
                            formatMeasure(work.decoding, Measure::Plain), formatMeasure(work.context, Measure::Tokens));
        }
        if (work.prefilling > 0) {
            text += fmt::format("{} {} of prompts, {} before each", work.decoding > 0 ? " and" : "",
                                formatMeasure(work.prefilling, Measure::Tokens),
                                formatMeasure(work.before, Measure::Tokens));
        }
        return text + ".";
    }

    /// Layer kinds by their number in layers, and the head once.
    std::vector<Term> blocks(const std::vector<double>& layers, bool head, std::string_view what) const
    {
        std::vector<double> counts = layers;
        std::vector<std::string> names;
        std::vector<std::string> paths;
        for (std::size_t i = 0; i < layers.size(); ++i) {
            names.push_back(fmt::format("layers of kind {}", i));
            paths.push_back(path(fmt::format("layer_kinds[{}].{}", i, what)));
        }
        if (head) {
            counts.push_back(1);
            names.emplace_back("head");
            paths.push_back(path(fmt::format("head.{}", what)));
        }
        return {givenList("n", "how many", Measure::Count, counts, names, "model, layout"),
                m_ledger.list("t", "one of each", paths)};
    }

    /// Host time of a step besides its kernels.
    void addHost(Derivation& d) const
    {
        const Engine& engine_ = stack().engine;
        d.formula += " + a + b*o";
        d.terms.push_back(given("a", "host time between steps: scheduling, sampling", Measure::Seconds,
                                engine_.hostPerStep, engine("host_per_step")));
        d.terms.push_back(given("b", "host time for a sequence", Measure::Seconds, engine_.hostPerSequence,
                                engine("host_per_sequence")));
        d.terms.push_back(given("o", "sequences that get a token", Measure::Plain, m_step.record.work.outputs(),
                                "serving.steps: decoding sequences and prompts"));
        if (m_step.record.work.prefilling > 0) {
            d.formula += " + p";
            d.terms.push_back(given("p", "host time of a step that carries prompts", Measure::Seconds,
                                    engine_.hostPerPrefill, engine("host_per_prefill")));
        }
    }

    Term hop() const { return m_ledger.term("x", path("hop_s")); }

    void addHop() const
    {
        m_ledger.add(path("hop_s"), fmt::format("hop to the next stage of {}", m_step.name), Measure::Seconds,
                     m_step.record.hop, [this_ = *this](Derivation& d) {
                         derivePointToPoint(d, this_.m_served.scenario.cluster,
                                            static_cast<std::size_t>(this_.m_step.record.hopLevel),
                                            this_.m_ledger.term("B", this_.path("hop_bytes")));
                     });
        m_ledger.add(path("hop_bytes"), fmt::format("bytes that cross a stage boundary in {}", m_step.name),
                     Measure::Bytes, m_step.record.hopBytes, [this_ = *this](Derivation& d) {
                         const Model& model = this_.m_served.scenario.model;
                         d.formula = "2*T*h";
                         d.terms = {given("T", "tokens of the step on a device", Measure::Tokens,
                                          this_.m_step.record.work.tokens(), "serving, layout.cp"),
                                    given("h", "hidden size", Measure::Count, static_cast<double>(model.hidden),
                                          "model.hidden")};
                         d.assumptions.emplace_back("16 bits a hidden element.");
                     });
    }

    void derivePart(Derivation& d, TimeKind kind) const
    {
        d.formula = "sum(n*t)";
        d.terms = blocks(m_served.layersOfKinds(), true, keyOf(kind));
        if (kind == TimeKind::Host) {
            addHost(d);
        } else if (kind == TimeKind::PpExposed) {
            d.formula = "q*x";
            d.terms = {given("q", "hops", Measure::Count, static_cast<double>(stages()) - 1, "layout.pp"), hop()};
        }
    }

    void deriveStage(Derivation& d, std::size_t stage) const
    {
        const bool last = stage + 1 == stages();
        d.formula = "sum(n*t)";
        d.terms = blocks(m_served.layers[stage], last, "total_s");
        if (last) {
            addHost(d);
        } else {
            d.formula += " + x";
            d.terms.push_back(hop());
        }
    }

    void addBlock(const std::string& key, const std::string& name, const StepBlock& block) const
    {
        const std::string where = fmt::format("{}, {}", name, m_step.name);
        std::vector<std::string> parts;
        for (const Name<TimeKind>& kind : Names<TimeKind>::table) {
            if (block.time[kind.value] > 0) {
                parts.push_back(path(fmt::format("{}.{}", key, kind.key)));
                m_ledger.add(parts.back(), fmt::format("{} of {}", kind.label, where), Measure::Seconds,
                             block.time[kind.value], [this_ = *this, key, &block, value = kind.value](Derivation& d) {
                                 this_.deriveBlockPart(d, key, block, value);
                             });
            }
        }
        m_ledger.add(path(key + ".total_s"), where, Measure::Seconds, block.time.total(),
                     [this_ = *this, parts](Derivation& d) {
                         d.formula = "sum(t)";
                         d.terms = {this_.m_ledger.list("t", "parts", parts)};
                     });
        for (std::size_t i = 0; i < block.kernels.size(); ++i) {
            const StepKernel& kernel = block.kernels[i];
            const std::string at = path(fmt::format("{}.kernels[{}]", key, i));
            m_ledger.add(at, fmt::format("{}, {}", kernel.name, where), Measure::Seconds, kernel.seconds,
                         [this_ = *this, at, &kernel](Derivation& d) {
                             std::visit([&](const auto& work) { this_.derive(d, at, work); }, kernel.work);
                         });
            std::visit([&](const auto& work) { addInner(at, work); }, kernel.work);
        }
    }

    void deriveBlockPart(Derivation& d, const std::string& key, const StepBlock& block, TimeKind kind) const
    {
        std::vector<std::string> paths;
        for (std::size_t i = 0; i < block.kernels.size(); ++i) {
            if (block.kernels[i].kind == kind && block.kernels[i].seconds > 0) {
                paths.push_back(path(fmt::format("{}.kernels[{}]", key, i)));
            }
        }
        const Term launches = given("l", "kernels launched", Measure::Count, block.launches, "operators of the engine");
        if (kind == TimeKind::Host) {
            std::vector<std::string> others;
            for (const Name<TimeKind>& other : Names<TimeKind>::table) {
                if (other.value != TimeKind::Host && block.time[other.value] > 0) {
                    others.push_back(path(fmt::format("{}.{}", key, other.key)));
                }
            }
            d.formula = "max(0, l*h - sum(t))";
            d.terms = {launches,
                       given("h", "host time to enqueue a kernel", Measure::Seconds, stack().engine.hostPerKernel,
                             engine("host_per_kernel")),
                       m_ledger.list("t", "what the device does meanwhile", others)};
            return;
        }
        d.formula = "sum(k)";
        d.terms = {m_ledger.list("k", "kernels", paths)};
        if (kind == TimeKind::Elementwise) {
            d.formula += " + l*g";
            d.terms.push_back(launches);
            d.terms.push_back(
                given("g", "gap between two of them", Measure::Seconds, block.gap,
                      fmt::format("accelerator {}: launch; {}", m_served.scenario.cluster.accelerator.name,
                                  engine(block.replayed ? "graph_gap" : "kernel_gap"))));
        }
    }

    Term bandwidth() const { return KernelLaw(m_served.scenario).bandwidth(); }
    void bytes(const std::string& path_, std::string_view name, double value, Derive derive) const
    {
        m_ledger.add(path_, std::string(name), Measure::Bytes, value, std::move(derive));
    }

    // What a kernel's time is unfolded to.
    void addInner(const std::string& at, const PricedProduct& work) const
    {
        addTiles(m_ledger, at + ".tiles_s", "the product", m_served.scenario, work.shape, work.operands);
        const Term copies = given("n", "products: one, or the experts visited on the busiest rank", Measure::Plain,
                                  work.copies, "model, layout.ep; mean and spread of a random placement");
        const Term columns = given("c", "columns on the device", Measure::Count, work.columns, "model, layout");
        const Term inner = given("k", "inner size on the device", Measure::Count, work.inner, "model, layout");
        bytes(at + ".weight_bytes", "weights, as they are stored", work.weightBytes(), [=](Derivation& d) {
            d.formula = "n*c*k*b";
            d.terms = {copies, columns, inner,
                       given("b", "bytes of a weight, scales counted", Measure::Bytes, work.weightSize,
                             "serving.weights, serving.quantised")};
        });
        bytes(at + ".moved_bytes", "operands and results", work.movedBytes(), [=](Derivation& d) {
            d.formula = "2*n*m*(c + k)";
            d.terms = {copies, given("m", "rows of a product", Measure::Plain, work.rows, "tokens of the step"),
                       columns, inner};
            d.assumptions.emplace_back("16 bits an element.");
        });
    }
    void addInner(const std::string& at, const PricedPrompt& work) const
    {
        const Scenario& scenario = m_served.scenario;
        addAttention(m_ledger, at + ".own_s", "a prompt's tokens attend one another", scenario, work.own, Pass::Forward,
                     scenario.stack.attention);
        if (work.before.queries > 0) {
            addAttention(m_ledger, at + ".before_s", "and what earlier chunks left", scenario, work.before,
                         Pass::Forward, scenario.stack.attention);
        }
    }
    Term sequences(double number) const
    {
        return given("n", "sequences that decode", Measure::Plain, number, "serving.batch, attention_dp");
    }
    void addInner(const std::string& at, const PricedKeys& work) const
    {
        bytes(at + ".bytes", "keys and values read on this rank", work.bytes(), [this_ = *this, work](Derivation& d) {
            deriveKeysRead(d, work.cache, given("s", "share of a rank", Measure::Share, work.share, "layout.tp"),
                           work.context, "serving.prompt, serving.output: a request half-way");
            d.formula = fmt::format("n*{}*g", d.formula);
            d.terms.push_back(this_.sequences(work.sequences));
            d.terms.push_back(given("g", "times they are read, by query heads that share them", Measure::Plain,
                                    work.again, "model; " + this_.engine("key_value_sharing")));
        });
        if (work.flopRate <= 0) {
            return;
        }
        m_ledger.add(
            at + ".flops", "scores and values", Measure::Flops, work.flops(), [this_ = *this, work](Derivation& d) {
                d.formula = "n*v*h*a*f/p";
                d.terms = {
                    this_.sequences(work.sequences),
                    given("v", "tokens each is given", Measure::Plain, work.verified, "1 + serving.draft_tokens"),
                    given("h", "query heads on the rank", Measure::Plain, work.heads, "model, layout.tp"),
                    given("a", "tokens attended", Measure::Tokens, work.cache.attended(work.context),
                          "serving.prompt, serving.output; model"),
                    given("f", "FLOP of a head and key", Measure::Flops, work.flopsPerKey, "model"),
                    given("p", "ranks that share a sequence", Measure::Count, work.contextRanks,
                          "serving.decode_context")};
            });
    }
    void addInner(const std::string& at, const PricedExchange& work) const
    {
        for (std::size_t i = 0; i < work.collectives.size(); ++i) {
            const PricedCollective& part = work.collectives[i];
            m_ledger.add(collectivePath(at, i), std::string(labelOf(part.kind)), Measure::Seconds, part.seconds,
                         [&cluster = m_served.scenario.cluster,
                          what = CollectiveWork{part.kind, part.span, part.bytes, 1, part.direct}](Derivation& d) {
                             deriveCollective(d, cluster, what);
                         });
        }
    }
    static std::string collectivePath(const std::string& at, std::size_t index)
    {
        return fmt::format("{}.collectives[{}]", at, index);
    }
    void addInner(const std::string& at, const PricedScan& work) const
    {
        bytes(at + ".state_bytes", "states read and written by sequences that decode", work.bytes(),
              [this_ = *this, work](Derivation& d) {
                  d.formula = "2*n*s*c";
                  d.terms = {this_.sequences(work.sequences),
                             given("s", "share of a rank", Measure::Share, work.share, "layout.tp"),
                             given("c", "states of a sequence", Measure::Bytes, work.states, "model")};
              });
        if (work.prompts.tokens <= 0) {
            return;
        }
        addScan(m_ledger, at + ".scan", "the scan over the prompts", work.prompts);
        m_ledger.add(at + ".prompts_s", "scan over the prompts", Measure::Seconds,
                     scanTime(work.prompts, Pass::Forward, m_served.scenario.cluster.accelerator),
                     [this_ = *this, at, shape = work.prompts](Derivation& d) {
                         KernelLaw(this_.m_served.scenario)
                             .scan(d, this_.m_ledger.term("F", at + ".scan.flops"),
                                   this_.m_ledger.term("B", at + ".scan.bytes"), shape, Pass::Forward);
                     });
    }
    void addInner(const std::string&, const PricedPass&) const { }

    void derive(Derivation& d, const std::string& at, const PricedProduct& work) const
    {
        const KernelConstants& kernels = m_served.scenario.cluster.accelerator.kernels;
        d.formula = "max(u*c/v, (w/r + a)/W) + x*min(u*c/v, (w/r + a)/W)";
        d.terms = {m_ledger.term("c", at + ".tiles_s"),
                   given("u", "share of the whole products that run", Measure::Plain, work.share,
                         "experts visited on the busiest rank"),
                   given("v", "rate of products in this engine", Measure::Share, work.speed, engine("efficiency")),
                   m_ledger.term("w", at + ".weight_bytes"),
                   given("r", "rate at which weights of this type are read", Measure::Share, work.weightRate,
                         engine("weight_rate")),
                   m_ledger.term("a", at + ".moved_bytes"),
                   bandwidth(),
                   given("x", "share of the shorter that is not hidden", Measure::Share, kernels.exposure,
                         fmt::format("accelerator {}: exposure", m_served.scenario.cluster.accelerator.name))};
        d.assumptions.push_back(fmt::format(
            "{} x {} x {}{}, multiplied in {}.", work.shape.m, work.shape.n, work.shape.k,
            work.shape.count > 1 ? fmt::format(", {} alike", work.shape.count) : "", labelOf(work.operands)));
        d.sources = acceleratorSources(m_served.scenario);
    }
    void derive(Derivation& d, const std::string&, const PricedPass& work) const
    {
        d.formula = "B/W";
        d.terms = {given("B", "bytes through memory", Measure::Bytes, work.bytes, "tokens of the step, model"),
                   bandwidth()};
    }
    void derive(Derivation& d, const std::string& at, const PricedKeys& work) const
    {
        d.formula = work.flopRate > 0 ? "max(B/(W*r), F/P)" : "B/(W*r)";
        d.terms = {m_ledger.term("B", at + ".bytes"), bandwidth(),
                   given("r", "rate at which keys are read", Measure::Share, work.rate, engine("key_value_rate"))};
        if (work.flopRate > 0) {
            d.terms.push_back(m_ledger.term("F", at + ".flops"));
            d.terms.push_back(given("P", "rate of attention", Measure::FlopsPerSecond, work.flopRate,
                                    fmt::format("accelerator {}: peak x attention efficiency",
                                                m_served.scenario.cluster.accelerator.name)));
        }
        d.sources = stackSources(m_served.scenario);
    }
    void derive(Derivation& d, const std::string& at, const PricedPrompt& work) const
    {
        const bool early = work.before.queries > 0;
        d.formula = early ? "n*(o + b)/v" : "n*o/v";
        d.terms = {given("n", "prompts in the step", Measure::Plain, work.sequences, "serving.chunk, serving.prompt"),
                   m_ledger.term("o", at + ".own_s"),
                   given("v", "rate of prompts' attention in this engine", Measure::Share, work.speed,
                         engine("efficiency x prefill_efficiency x attention_efficiency"))};
        if (early) {
            d.terms.push_back(m_ledger.term("b", at + ".before_s"));
        }
    }
    void derive(Derivation& d, const std::string& at, const PricedScan& work) const
    {
        d.formula = "B/W";
        d.terms = {m_ledger.term("B", at + ".state_bytes"), bandwidth()};
        if (work.prompts.tokens > 0) {
            d.formula = "p + B/W";
            d.terms.push_back(m_ledger.term("p", at + ".prompts_s"));
        }
    }
    void derive(Derivation& d, const std::string& at, const PricedExchange& work) const
    {
        std::vector<std::string> paths;
        for (std::size_t i = 0; i < work.collectives.size(); ++i) {
            paths.push_back(collectivePath(at, i));
        }
        d.formula = "x*sum(t)";
        d.terms = {given("x", "factor on collectives of this engine, less what is hidden", Measure::Plain, work.factor,
                         engine("communication, ep_overlap")),
                   m_ledger.list("t", "collectives", paths)};
    }

    Ledger& m_ledger;
    const ServedContext& m_served;
    const PricedStep& m_step;
};

} // namespace

void addServingSteps(Ledger& ledger, const ServedContext& served)
{
    for (const PricedStep& step : served.priced) {
        StepOf(ledger, served, step).add();
    }
}

} // namespace partita
