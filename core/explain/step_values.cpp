// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/context.h"

#include <fmt/format.h>

namespace partita {

namespace {

std::string partPath(TimeKind kind)
{
    return fmt::format("time.parts.{}", keyOf(kind));
}

std::string ofCritical(const ExplainContext& context, std::string_view what)
{
    return fmt::format("stages[{}].{}", context.tail.critical, what);
}

/// m micro-batches of the stage that ends the step.
void deriveWork(Derivation& d, const Ledger& ledger, const ExplainContext& context, TimeKind kind)
{
    d.formula = "m*(f + b + w)";
    d.terms = {given("m", "micro-batches per replica and step", Measure::Count,
                     static_cast<double>(context.scenario.layout.microBatches()),
                     "layout: global_batch / (micro_batch x dp)")};
    constexpr std::array symbols{"f", "b", "w"};
    for (std::size_t i = 0; i < passParts.size(); ++i) {
        const std::string path = ofCritical(context, fmt::format("{}.{}", passParts[i].key, keyOf(kind)));
        d.terms.push_back(ledger.term(symbols[i], path));
        d.terms.back().name = fmt::format("{}, {}", labelOf(kind), passParts[i].label);
        d.terms.back().measure = Measure::Seconds;
    }
    d.assumptions.push_back(fmt::format("Of stage {}, the one that ends the step.", context.tail.critical));
}

void deriveHidden(Derivation& d, const Ledger& ledger, const ExplainContext& context)
{
    deriveWork(d, ledger, context, TimeKind::EpExposed);
    if (context.times.hiddenInPair.empty()) {
        return;
    }
    d.formula = "max(0, m*(f + b + w) - h)";
    d.terms.push_back(ledger.term("h", ofCritical(context, "hidden_in_pairs_s")));
}

/// Of updated weights, after the pipeline.
Term gathered(const Ledger& ledger, const ExplainContext& context)
{
    return ledger.term("g", fmt::format("stages[{}].exchange.gather_exposed_s", context.lastUpdate));
}

void deriveBubble(Derivation& d, const Ledger& ledger, const ExplainContext& context)
{
    std::vector<std::string> parts;
    for (const Name<TimeKind>& kind : Names<TimeKind>::table) {
        if (kind.value != TimeKind::Bubble && kind.value != TimeKind::Optimizer) {
            parts.push_back(partPath(kind.value));
        }
    }
    d.formula = "max(0, E - (sum(t) - o - g))";
    d.terms = {ledger.term("E", "pipeline.step_end_s"), ledger.list("t", "what the stage does meanwhile", parts),
               given("o", "host time once a step, after the pipeline", Measure::Seconds,
                     context.scenario.stack.stepOverhead,
                     fmt::format("stack {}: step_overhead", context.scenario.stack.name))};
    d.terms.push_back(gathered(ledger, context));
    d.assumptions.push_back(fmt::format("With equal stages: {}.", describe(context.scenario.layout.schedule).bubble));
    d.sources.emplace_back(describe(context.scenario.layout.schedule).splitsBackward ? sources::zeroBubble
                                                                                     : sources::megatron);
}

void derivePart(Derivation& d, const Ledger& ledger, const ExplainContext& context, TimeKind kind)
{
    switch (kind) {
    case TimeKind::Bubble:
        return deriveBubble(d, ledger, context);
    case TimeKind::EpExposed:
        return deriveHidden(d, ledger, context);
    case TimeKind::Optimizer:
        d.formula = "u";
        d.terms = {ledger.term("u", fmt::format("stages[{}].exchange.optimizer_s", context.lastUpdate))};
        d.assumptions.push_back(fmt::format(
            "The clipping norm joins all stages before the update; stage {} is the last to have its new weights.",
            context.lastUpdate));
        return;
    case TimeKind::PpExposed:
        deriveWork(d, ledger, context, kind);
        d.formula += " + x";
        d.terms.push_back(ledger.term("x", ofCritical(context, "transfer_wait_s")));
        return;
    case TimeKind::DpExposed:
        deriveWork(d, ledger, context, kind);
        d.formula += " + x + g";
        d.terms.push_back(ledger.term("x", ofCritical(context, "exchange.gradients_exposed_s")));
        d.terms.push_back(gathered(ledger, context));
        return;
    case TimeKind::Host:
        deriveWork(d, ledger, context, kind);
        d.formula += " + o";
        d.terms.push_back(given("o", "host time once a step: loader, synchronisation, logging", Measure::Seconds,
                                context.scenario.stack.stepOverhead,
                                fmt::format("stack {}: step_overhead", context.scenario.stack.name)));
        return;
    default:
        return deriveWork(d, ledger, context, kind);
    }
}

} // namespace

void addStepValues(Ledger& ledger, const ExplainContext& context)
{
    const Report& report = context.report;
    ledger.add("step_time_s", "step time", Measure::Seconds, report.stepTime, [&](Derivation& d) {
        std::vector<std::string> parts;
        for (const Name<TimeKind>& kind : Names<TimeKind>::table) {
            parts.push_back(partPath(kind.value));
        }
        d.formula = "sum(t)";
        d.terms = {ledger.list("t", "where the step goes", parts)};
        d.assumptions.push_back(fmt::format("Seen from stage {}, the one that ends the step.", context.tail.critical));
        for (std::string& source : stackSources(context.scenario)) {
            d.sources.push_back(std::move(source));
        }
    });
    ledger.setReported(false);
    ledger.add("exposed_communication", "exposed share of the step", Measure::Share,
               report.stepTime > 0 ? report.time.exposedCommunication() / report.stepTime : 0, [&](Derivation& d) {
                   d.formula = "x/T";
                   d.terms = {ledger.term("x", "exposed_communication_s"), ledger.term("T", "step_time_s")};
               });
    ledger.add("exposed_communication_s", "communication of the step that nothing hides", Measure::Seconds,
               report.time.exposedCommunication(), [&](Derivation& d) {
                   d.formula = "sum(x)";
                   d.terms = {ledger.list("x", "communication that nothing hides",
                                          {partPath(TimeKind::TpExposed), partPath(TimeKind::CpExposed),
                                           partPath(TimeKind::EpExposed), partPath(TimeKind::PpExposed),
                                           partPath(TimeKind::DpExposed)})};
               });
    ledger.setReported(true);
    for (const Name<TimeKind>& kind : Names<TimeKind>::table) {
        ledger.add(partPath(kind.value), fmt::format("{} in the step", kind.label), Measure::Seconds,
                   report.time[kind.value],
                   [&ledger, &context, value = kind.value](Derivation& d) { derivePart(d, ledger, context, value); });
    }
}

} // namespace partita
