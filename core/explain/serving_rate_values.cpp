// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/context.h"
#include "core/explain/linked_values.h"
#include "core/explain/served_context.h"

#include <fmt/format.h>

#include <cmath>

namespace partita {

namespace {

/// Verdicts, sequences in flight, rates and cost.
class RatesOf : public ServedValues {
public:
    RatesOf(Ledger& ledger, const ServedContext& served)
        : ServedValues(ledger, served)
    {
    }

    void addReported() const
    {
        addVerdicts();
        addSequences();
        addRates();
    }

    void addIntermediate() const
    {
        const ServingTerms& t = m_served.terms;
        plain("decoding_replicas", "replicas that decode",
              report().layout.replicas - static_cast<double>(serving().prefillReplicas),
              [this_ = *this](Derivation& d) {
                  d.formula = "R - p";
                  d.terms = {this_.term("R", "layout.replicas"),
                             given("p", "replicas that only prefill", Measure::Count,
                                   static_cast<double>(this_.serving().prefillReplicas), "serving.prefill_replicas")};
              });
        plain("asked", "sequences of a replica that are asked for", t.asked, [this_ = *this](Derivation& d) {
            d.formula = "b*f";
            d.terms = {given("b", "batch", Measure::Count, static_cast<double>(this_.serving().batch), "serving.batch"),
                       this_.term("f", "layout.in_flight")};
        });
        plain("room", "sequences a replica has room for", t.room, [this_ = *this](Derivation& d) {
            const bool whole = this_.engine().reservesOutput || this_.m_served.isStatic();
            d.formula = "min(r, q)";
            d.terms = {this_.term("r",
                                  fmt::format("stages[{}].{}", this_.report().cache.stage,
                                              whole ? "requests" : "steady_requests")),
                       this_.mostSequences()};
            d.assumptions.emplace_back(whole ? "A request has room for its whole output."
                                             : "Requests are between their start and their end.");
        });
        plain("running", "sequences of a replica that run", t.running, [this_ = *this](Derivation& d) {
            d.formula = this_.report().fits ? "min(a, max(1, r))" : "a";
            d.terms = {this_.term("a", "asked")};
            if (this_.report().fits) {
                d.terms.push_back(this_.term("r", "room"));
            } else {
                d.assumptions.emplace_back("Weights that do not fit are shown at the batch asked for.");
            }
        });
        plain("requests_per_replica", "whole requests a replica has room for", report().cache.requests,
              [this_ = *this](Derivation& d) {
                  d.formula = "min(r)";
                  d.terms = {this_.requestsByStage()};
              });
    }

private:
    Term output() const
    {
        return given("o", "output, the first token included", Measure::Tokens, static_cast<double>(serving().output),
                     "serving.output");
    }
    Term devices() const
    {
        return given("N", "devices", Measure::Count, static_cast<double>(m_served.scenario.layout.devices()),
                     "layout: tp x cp x pp x dp");
    }
    Term mostSequences() const
    {
        return given("q", "sequences of a replica at most", Measure::Count, static_cast<double>(engine().mostSequences),
                     engineOrigin("most_sequences"));
    }
    Term requestsByStage() const
    {
        std::vector<std::string> paths;
        for (std::size_t i = 0; i < m_served.rooms.size(); ++i) {
            paths.push_back(servingPath(fmt::format("stages[{}].requests", i)));
        }
        return m_ledger.list("r", "whole requests, by stage", paths);
    }
    /// Prefill replicas that cannot keep up leave fewer sequences to decode.
    bool isStarved() const { return m_served.apart() && m_served.terms.askedPrompts > m_served.terms.takenPrompts; }
    void starve(Derivation& d) const
    {
        if (isStarved()) {
            d.formula += " * T/A";
            d.terms.push_back(term("T", "taken_prompts"));
            d.terms.push_back(term("A", "asked_prompts"));
            d.assumptions.emplace_back("Prompts cannot keep up with decoding.");
        }
    }

    void addVerdicts() const
    {
        add("fits", "whether there is room for a request", Measure::Truth, report().fits ? 1 : 0,
            [this_ = *this](Derivation& d) {
                d.formula = "1 <= r";
                d.terms = {this_.term("r", "requests_per_replica")};
            });
        const auto limit = [&](std::string_view key, std::string_view of, std::string_view name, bool meets,
                               double seconds, std::string_view field) {
            add(key, name, Measure::Truth, meets ? 1 : 0,
                [this_ = *this, of = std::string(of), seconds, field = std::string(field)](Derivation& d) {
                    if (seconds <= 0) {
                        d.assumptions.emplace_back("No limit is set.");
                        return;
                    }
                    d.formula = "t <= l";
                    d.terms = {this_.term("t", of), given("l", "limit", Measure::Seconds, seconds, field)};
                });
        };
        limit("meets_ttft", "ttft_s", "whether the first token comes in time", report().meetsTtft, serving().ttftLimit,
              "serving.ttft_limit_s");
        limit("meets_tpot", "tpot_s", "whether tokens follow in time", report().meetsTpot, serving().tpotLimit,
              "serving.tpot_limit_s");
    }

    void addSequences() const
    {
        const ServingReport& r = report();
        plain("batch", "sequences of a step", r.batch, [this_ = *this](Derivation& d) {
            d.formula = "u/f";
            d.terms = {this_.term("u", "running"), this_.term("f", "layout.in_flight")};
            this_.starve(d);
        });
        plain("concurrency", "sequences in flight", r.concurrency, [this_ = *this](Derivation& d) {
            d.formula = "D*u";
            d.terms = {this_.term("D", "decoding_replicas"), this_.term("u", "running")};
            this_.starve(d);
        });
        plain("waiting", "sequences asked for that find no room", r.waiting, [this_ = *this](Derivation& d) {
            d.formula = "D*(a - u)";
            d.terms = {this_.term("D", "decoding_replicas"), this_.term("a", "asked"), this_.term("u", "running")};
        });
        plain("max_concurrency", "whole requests at once, at most", r.maxConcurrency, [this_ = *this](Derivation& d) {
            d.formula = "D*min(r, q)";
            d.terms = {this_.term("D", "decoding_replicas"), this_.term("r", "requests_per_replica"),
                       this_.mostSequences()};
        });
    }

    void addRates() const
    {
        const ServingReport& r = report();
        add("tokens_per_s", "tokens generated a second", Measure::TokensPerSecond, r.tokensPerSecond,
            [this_ = *this](Derivation& d) { this_.deriveRate(d); });
        add("tokens_per_s_per_device", "tokens a second and device", Measure::TokensPerSecond,
            r.tokensPerSecondPerDevice, [this_ = *this](Derivation& d) {
                d.formula = "R/N";
                d.terms = {this_.term("R", "tokens_per_s"), this_.devices()};
            });
        plain("requests_per_s", "requests finished a second", r.requestsPerSecond, [this_ = *this](Derivation& d) {
            d.formula = "R/o";
            d.terms = {this_.term("R", "tokens_per_s"), this_.output()};
        });
        plain("goodput_per_s", "requests a second that meet the limits", r.goodput, [this_ = *this](Derivation& d) {
            d.formula = "r*f*(w <= 0)*a*b";
            d.terms = {this_.term("r", "requests_per_s"), this_.term("f", "fits"), this_.term("w", "waiting"),
                       this_.term("a", "meets_ttft"), this_.term("b", "meets_tpot")};
            d.assumptions.emplace_back("In steady state all requests meet the limits, or none.");
        });
        if (r.costPerMillionTokens > 0) {
            add("cost_per_million_tokens_usd", "cost of a million tokens", Measure::Dollars, r.costPerMillionTokens,
                [this_ = *this](Derivation& d) {
                    const Accelerator& accelerator = this_.m_served.scenario.cluster.accelerator;
                    d.formula = "p*N/3600/R*1000000";
                    d.terms = {devicePrice(accelerator), this_.devices(), this_.term("R", "tokens_per_s")};
                    d.sources = acceleratorSources(this_.m_served.scenario);
                });
        }
    }

    void deriveRate(Derivation& d) const
    {
        d.terms = {term("C", "concurrency"), output()};
        if (!m_served.isStatic()) {
            d.formula = m_served.apart() ? "C*o/(o*t)" : "C*o/(o*t + P)";
            d.terms.push_back(term("t", "tpot_s"));
            if (!m_served.apart()) {
                d.terms.push_back(term("P", "prefill_s"));
                d.assumptions.emplace_back("While its own prompt is taken in a request does not decode.");
            }
            return;
        }
        d.formula = "C*o/L";
        d.terms.push_back(term("L", "latency_s"));
        if (report().waiting > 0) {
            d.formula += " * (1 + w/C)/ceil(1 + w/C - 0.000000001)";
            d.terms.push_back(term("w", "waiting"));
            d.assumptions.emplace_back("What finds no room comes in further batches, the last of them part full.");
        }
    }
};

} // namespace

void addServingRates(Ledger& ledger, const ServedContext& served)
{
    addServingFamily<RatesOf>(ledger, served);
}

void addServingLayout(Ledger& ledger, const ServedContext& served)
{
    const ServingLayout& layout = served.report.layout;
    const auto add = [&](std::string_view key, std::string_view name, int value, std::string_view how) {
        ledger.add(servingPath(fmt::format("layout.{}", key)), std::string(name), Measure::Count, value,
                   [how = std::string(how)](Derivation& d) { d.assumptions.push_back(how); });
    };
    add("tp", "tensor parallel", layout.tp, "layout.tp");
    add("cp", "context parallel, of prompts", layout.cp, "layout.cp");
    add("pp", "pipeline stages", layout.pp, "layout.pp");
    add("ep", "expert parallel", layout.ep, "layout.ep, and never less than the experts of a rank allow.");
    add("etp", "tensor parallel inside an expert", layout.etp,
        "Experts are always divided by the tensor ranks: what layout.ep leaves of layout.tp cuts inside an expert.");
    add("attention_dp", "data-parallel ranks of one engine", layout.attentionRanks,
        "A layout.ep beyond layout.tp joins data-parallel ranks into one engine; else one.");
    add("decode_context", "ranks that share a sequence's keys", layout.decodeContext, "serving.decode_context");
    add("in_flight", "batches in a replica's pipeline at once", layout.inFlight,
        "serving.in_flight; where it is 0 the engine keeps one for each stage, or one if it does not split batches.");
    ledger.add(servingPath("layout.replicas"), "engines", Measure::Count, layout.replicas, [&](Derivation& d) {
        d.formula = "N/(t*c*p*a)";
        d.terms = {given("N", "devices", Measure::Count, static_cast<double>(served.scenario.layout.devices()),
                         "layout: tp x cp x pp x dp"),
                   ledger.term("t", servingPath("layout.tp")), ledger.term("c", servingPath("layout.cp")),
                   ledger.term("p", servingPath("layout.pp")), ledger.term("a", servingPath("layout.attention_dp"))};
    });
}

} // namespace partita
