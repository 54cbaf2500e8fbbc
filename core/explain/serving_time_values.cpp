// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/collective_values.h"
#include "core/explain/context.h"
#include "core/explain/served_context.h"

#include <fmt/format.h>

namespace partita {

namespace {

constexpr std::string_view decodeTotal = "steps.decode.total_s";
constexpr std::string_view decodeSlowest = "steps.decode.slowest_stage_s";

/// Latencies, and what they are made of.
class TimesOf : public ServedValues {
public:
    TimesOf(Ledger& ledger, const ServedContext& served)
        : ServedValues(ledger, served)
    {
    }

    void addReported() const
    {
        const ServingReport& r = report();
        add("tpot_s", "time between tokens of a request", r.tpot, [this_ = *this](Derivation& d) {
            std::vector<std::string> parts;
            for (const Name<TimeKind>& kind : Names<TimeKind>::table) {
                parts.push_back(servingPath(fmt::format("time.parts.{}", kind.key)));
            }
            d.formula = "sum(t)";
            d.terms = {this_.m_ledger.list("t", "where the time goes", parts)};
            for (std::string& source : stackSources(this_.m_served.scenario)) {
                d.sources.push_back(std::move(source));
            }
        });
        for (const Name<TimeKind>& kind : Names<TimeKind>::table) {
            add(fmt::format("time.parts.{}", kind.key), fmt::format("{} between tokens", kind.label),
                r.time[kind.value], [this_ = *this, value = kind.value](Derivation& d) { this_.derivePart(d, value); });
        }
        add("ttft_s", "time to the first token", r.ttft, [this_ = *this](Derivation& d) { this_.deriveFirst(d); });
        add("latency_s", "time of a request, from its arrival to its last token", r.latency,
            [this_ = *this](Derivation& d) {
                d.formula = "F + max(0, o - 1)*t";
                d.terms = {this_.term("F", "ttft_s"), this_.output(), this_.term("t", "tpot_s")};
            });
        add("decode_step_s", "a step that only decodes", r.decodeStep, [this_ = *this](Derivation& d) {
            const bool overlaps = this_.engine().overlapsStages;
            d.formula = overlaps ? "max(T, f*S)" : "f*T";
            d.terms = {this_.term("T", decodeTotal), this_.term("f", "layout.in_flight")};
            if (overlaps) {
                d.terms.push_back(this_.term("S", decodeSlowest));
            }
            d.assumptions.emplace_back(overlaps
                                           ? "A batch comes around again when it has passed all stages and all others "
                                             "have passed the slowest one."
                                           : "This engine runs the batches in flight one after the other.");
        });
        add("prefill_s", isStatic() ? "time to take in all prompts of the batch" : "time to take in a prompt",
            r.prefill, [this_ = *this](Derivation& d) {
                d.formula = this_.isStatic() ? "T + (n*f - 1)*S" : "T + (n - 1)*S";
                d.terms = {this_.term("T", "steps.prompt.total_s"), this_.term("n", "chunks"),
                           this_.term("S", "steps.prompt.slowest_stage_s")};
                if (this_.isStatic()) {
                    d.terms.push_back(this_.term("f", "layout.in_flight"));
                }
            });
        add("floor_s", "time between tokens that no software can beat", r.floor,
            [this_ = *this](Derivation& d) { this_.deriveFloor(d); });
        m_ledger.add(servingPath("pipeline_idle"), "share of the stages' time without a batch", Measure::Share,
                     r.pipelineIdle, [this_ = *this](Derivation& d) {
                         d.formula = "max(0, 1 - f*T/(p*d))";
                         d.terms = {this_.term("f", "layout.in_flight"), this_.term("T", decodeTotal),
                                    this_.term("p", "layout.pp"), this_.term("d", "decode_step_s")};
                     });
    }

    void addIntermediate() const
    {
        const ServingTerms& t = m_served.terms;
        for (const Name<TimeKind>& kind : Names<TimeKind>::table) {
            const double decoding = m_served.priced[0].time.parts[kind.value]
                + (kind.value == TimeKind::Bubble ? report().decodeStep - m_served.priced[0].time.total() : 0);
            if (decoding > 0) {
                add(decodePart(kind.value), fmt::format("{} of a step that only decodes", kind.label), decoding,
                    [this_ = *this, value = kind.value](Derivation& d) { this_.deriveDecoding(d, value); });
            }
            const double prompt = t.promptParts[kind.value];
            if (prompt > 0) {
                add(promptPath(kind.value), fmt::format("{} of a prompt, as it fills the pipeline", kind.label), prompt,
                    [this_ = *this, value = kind.value](Derivation& d) {
                        d.formula = "n*S*p/T";
                        d.terms = {this_.term("n", "chunks"), this_.term("S", "steps.prompt.slowest_stage_s"),
                                   this_.term("p", fmt::format("steps.prompt.parts.{}", keyOf(value))),
                                   this_.term("T", "steps.prompt.total_s")};
                    });
            }
        }
        plain("chunks", isStatic() ? "steps that take in the prompts of the batch" : "chunks of a prompt", t.chunks,
              [this_ = *this](Derivation& d) { this_.deriveChunks(d); });
        plain("tokens_per_step", "tokens a sequence gains in a step", t.tokensPerStep,
              [this_ = *this](Derivation& d) { this_.deriveSpeculation(d); });
        plain("drafting", "a step with its drafting over one without", t.drafting, [this_ = *this](Derivation& d) {
            d.formula = "1 + c*g";
            d.terms = {given("c", "time of drafting a token over a step's", Measure::Share, this_.serving().draftCost,
                             "serving.draft_cost"),
                       this_.drafted()};
        });
        if (!isStatic()) {
            add("prompt_s", "what a prompt takes of the pipeline's time", t.promptParts.total(),
                [this_ = *this](Derivation& d) {
                    d.formula = "n*S";
                    d.terms = {this_.term("n", "chunks"), this_.term("S", "steps.prompt.slowest_stage_s")};
                });
        }
        if (m_served.apart()) {
            addApart();
        } else if (!isStatic()) {
            addBeside();
        }
    }

private:
    bool isStatic() const { return m_served.isStatic(); }
    static std::string decodePart(TimeKind kind) { return fmt::format("decode_parts.{}", keyOf(kind)); }
    static std::string promptPath(TimeKind kind) { return fmt::format("prompt_parts.{}", keyOf(kind)); }

    void add(const std::string& key, std::string_view name, double seconds, Derive derive) const
    {
        ServedValues::add(key, name, Measure::Seconds, seconds, std::move(derive));
    }

    Term prompt() const
    {
        return given("p", "prompt", Measure::Tokens, static_cast<double>(serving().prompt), "serving.prompt");
    }
    Term output() const
    {
        return given("o", "output, the first token included", Measure::Tokens, static_cast<double>(serving().output),
                     "serving.output");
    }
    Term drafted() const
    {
        return given("g", "tokens drafted for a step", Measure::Tokens, static_cast<double>(serving().draftTokens),
                     "serving.draft_tokens");
    }
    Term chunkTokens() const
    {
        const bool stated = serving().chunk > 0;
        return given("c", "prompt tokens a step takes", Measure::Tokens,
                     std::max(1.0, static_cast<double>(stated ? serving().chunk : engine().stepTokens)),
                     stated ? "serving.chunk" : engineOrigin("step_tokens"));
    }

    void deriveDecoding(Derivation& d, TimeKind kind) const
    {
        d.formula = "p";
        d.terms = {term("p", fmt::format("steps.decode.parts.{}", keyOf(kind)))};
        if (kind == TimeKind::Bubble) {
            d.formula = "d - T";
            d.terms = {term("d", "decode_step_s"), term("T", decodeTotal)};
            d.assumptions.emplace_back("What a batch waits for the others in flight.");
        }
    }

    /// Decode steps, and prompts of other requests that pass meanwhile.
    void derivePart(Derivation& d, TimeKind kind) const
    {
        d.formula = "c/y*D";
        d.terms = {term("c", "drafting"), term("y", "tokens_per_step"), term("D", decodePart(kind))};
        d.terms.back().measure = Measure::Seconds;
        if (isStatic() || m_served.apart() || !(m_served.terms.promptsPerToken > 0)) {
            return;
        }
        d.formula += " + q*P";
        d.terms.push_back(term("q", "prompts_per_token"));
        d.terms.push_back(term("P", promptPath(kind)));
        d.terms.back().measure = Measure::Seconds;
        if (m_served.terms.shared > 0) {
            d.formula += "*max(0, 1 - s/(q*Q))";
            d.terms.push_back(term("s", "shared_s"));
            d.terms.push_back(term("Q", "prompt_s"));
        }
        d.assumptions.emplace_back("While a request generates its tokens, every other one of the replica brings one "
                                   "prompt.");
    }

    void deriveFirst(Derivation& d) const
    {
        d.formula = "P";
        d.terms = {term("P", "prefill_s")};
        if (m_served.apart()) {
            d.formula = "P + x + d";
            d.terms.push_back(term("x", "transfer_s"));
            d.terms.push_back(term("d", "decode_step_s"));
            d.assumptions.emplace_back("Keys cross the network to the replica that decodes.");
        } else if (!isStatic() && m_served.terms.others > 0) {
            d.formula = "P + min(d*n, P) + d/2";
            d.terms.push_back(term("d", "decode_step_s"));
            const double chunks = m_served.terms.chunks;
            d.terms.push_back(m_ledger.term("n", servingPath("chunks")));
            d.assumptions.push_back(fmt::format("A request waits for half a step; its {} pass beside those that "
                                                "decode.",
                                                chunks > 1 ? "chunks" : "prompt"));
        }
    }

    void deriveChunks(Derivation& d) const
    {
        if (!isStatic()) {
            d.formula = "ceil(p/c)";
            d.terms = {prompt(), chunkTokens()};
            return;
        }
        d.formula = "max(1, ceil(p*b/max(c, p)))";
        d.terms = {prompt(), chunkTokens(),
                   given("b", "sequences of a rank's batch", Measure::Plain,
                         report().batch / report().layout.attentionRanks, "serving.batch / attention_dp")};
    }

    void deriveSpeculation(Derivation& d) const
    {
        if (serving().draftTokens == 0) {
            d.formula = "1";
            d.assumptions.emplace_back("Nothing is speculated: one token a step.");
            return;
        }
        d.formula = serving().acceptance < 1 ? "(1 - a^(g + 1))/(1 - a)" : "g + 1";
        d.terms = {drafted()};
        if (serving().acceptance < 1) {
            d.terms.push_back(given("a", "chance that a drafted token is taken", Measure::Share, serving().acceptance,
                                    "serving.acceptance"));
        }
        d.sources.emplace_back("Leviathan et al. 2023, arXiv:2211.17192");
    }

    /// Prompts that pass beside sequences that decode.
    void addBeside() const
    {
        const ServingTerms& t = m_served.terms;
        plain("others", "other sequences of a rank", t.others, [this_ = *this](Derivation& d) {
            d.formula = "max(0, u/a - 1)";
            d.terms = {this_.term("u", "running"), this_.term("a", "layout.attention_dp")};
        });
        plain("prompts_per_token", "prompts that come in while a request gains a token", t.promptsPerToken,
              [this_ = *this](Derivation& d) {
                  d.formula = "x/o";
                  d.terms = {this_.term("x", "others"), this_.output()};
              });
        if (!m_served.mixes()) {
            return;
        }
        m_ledger.add(servingPath("carrying"), "share of steps that carry prompts", Measure::Share, t.carrying,
                     [this_ = *this](Derivation& d) {
                         d.formula = "min(1, q*p/min(c, p))";
                         d.terms = {this_.term("q", "prompts_per_token"), this_.prompt(), this_.chunkTokens()};
                     });
        add("shared_s", "time a token that mixing prompts into decode steps saves", t.shared,
            [this_ = *this](Derivation& d) {
                d.formula = "v*max(0, A + B - M)";
                d.terms = {this_.term("v", "carrying"), this_.term("A", decodeSlowest),
                           this_.term("B", "steps.mixed_prompt.slowest_stage_s"),
                           this_.term("M", "steps.mixed.slowest_stage_s")};
                d.assumptions.emplace_back("A step with prompts in it reads the weights that its decoding sequences "
                                           "need anyway.");
            });
    }

    void addApart() const
    {
        const ServingTerms& t = m_served.terms;
        add("transfer_s", "keys of a prompt over the network", t.transfer, [this_ = *this](Derivation& d) {
            const Cluster& cluster = this_.m_served.scenario.cluster;
            derivePointToPoint(d, cluster, cluster.levels.size() - 1, this_.term("B", "transfer_bytes"));
        });
        m_ledger.add(servingPath("transfer_bytes"), "keys of a prompt on one device", Measure::Bytes, t.transferBytes,
                     [this_ = *this](Derivation& d) {
                         std::vector<std::string> paths;
                         for (std::size_t i = 0; i < this_.m_served.scenario.model.kinds.size(); ++i) {
                             paths.push_back(kindPath(i, "prompt_bytes"));
                         }
                         d.formula = "sum(n*w)/(t*p)";
                         d.terms = {givenList("n", "layers of a kind", Measure::Count, this_.m_served.layersOfKinds(),
                                              {}, "model"),
                                    this_.m_ledger.list("w", "of one layer", paths), this_.term("t", "layout.tp"),
                                    this_.term("p", "layout.pp")};
                         d.assumptions.emplace_back("Every device sends its part; copies of heads are not sent.");
                     });
        plain("asked_prompts", "prompts a second that decoding could finish", t.askedPrompts,
              [this_ = *this](Derivation& d) {
                  d.formula = "D*u/(o*t)";
                  d.terms = {this_.term("D", "decoding_replicas"), this_.term("u", "running"), this_.output(),
                             this_.term("t", "tpot_s")};
              });
        plain("taken_prompts", "prompts a second that prefill takes in", t.takenPrompts,
              [this_ = *this](Derivation& d) {
                  d.formula = "r*a/Q";
                  d.terms = {given("r", "replicas that only prefill", Measure::Count,
                                   static_cast<double>(this_.serving().prefillReplicas), "serving.prefill_replicas"),
                             this_.term("a", "layout.attention_dp"), this_.term("Q", "prompt_s")};
              });
    }

    void deriveFloor(Derivation& d) const
    {
        const Accelerator& accelerator = m_served.scenario.cluster.accelerator;
        d.formula = "max(B/W, F/P)/y";
        d.terms = {term("B", "floor_bytes"),
                   given("W", "memory bandwidth", Measure::BytesPerSecond, accelerator.memoryBandwidth,
                         fmt::format("accelerator {}: memory_bandwidth", accelerator.name)),
                   term("F", "floor_flops"),
                   given("P", "dense peak", Measure::FlopsPerSecond,
                         std::max(peakFor(accelerator, serving().weights), matrixPeak(accelerator)),
                         fmt::format("accelerator {}: peak", accelerator.name)),
                   term("y", "tokens_per_step")};
        d.assumptions.emplace_back("Weights and keys read once at the full rate, no exchange, no host.");
        d.sources = acceleratorSources(m_served.scenario);
    }
};

} // namespace

void addServingTimes(Ledger& ledger, const ServedContext& served)
{
    addServingFamily<TimesOf>(ledger, served);
}

} // namespace partita
