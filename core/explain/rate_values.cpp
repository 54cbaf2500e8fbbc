// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/context.h"
#include "core/explain/linked_values.h"
#include "core/search/resource_front.h"

#include <fmt/format.h>

namespace partita {

namespace {

Term globalBatch(const ExplainContext& context)
{
    return given("B", "sequences per step", Measure::Count, static_cast<double>(context.scenario.layout.globalBatch),
                 "layout.global_batch");
}

Term sequence(const ExplainContext& context)
{
    return given("s", "sequence length", Measure::Tokens, static_cast<double>(context.scenario.workload.sequenceLength),
                 "workload.sequence_length");
}

Term devices(const ExplainContext& context)
{
    return given("N", "devices", Measure::Count, static_cast<double>(context.scenario.layout.devices()),
                 "layout: tp x cp x pp x dp");
}

Term peak(const ExplainContext& context)
{
    const Accelerator& accelerator = context.scenario.cluster.accelerator;
    const DataType type = productType(accelerator, operandType(context.scenario.workload.precision));
    return given("P", "dense peak of a device", Measure::FlopsPerSecond,
                 peakFor(accelerator, operandType(context.scenario.workload.precision)),
                 fmt::format("accelerator {}: dense {} peak", accelerator.name, labelOf(type)));
}

void addThroughput(Ledger& ledger, const ExplainContext& context)
{
    const Report& report = context.report;
    ledger.add("tokens_per_step", "tokens per step", Measure::Tokens, report.tokensPerStep, [&](Derivation& d) {
        d.formula = "B*s";
        d.terms = {globalBatch(context), sequence(context)};
    });
    ledger.add("tokens_per_s", "tokens per second", Measure::TokensPerSecond, report.tokensPerSecond,
               [&](Derivation& d) {
                   d.formula = "S/T";
                   d.terms = {ledger.term("S", "tokens_per_step"), ledger.term("T", "step_time_s")};
               });
    ledger.add("tokens_per_s_per_device", "tokens per second and device", Measure::TokensPerSecond,
               report.tokensPerSecondPerDevice, [&](Derivation& d) {
                   d.formula = "R/N";
                   d.terms = {ledger.term("R", "tokens_per_s"), devices(context)};
               });
    ledger.setReported(false);
    ledger.add("device_hours_per_billion_tokens", "device-hours for a billion tokens", Measure::Plain,
               deviceHoursPerBillionTokens(1, report.tokensPerSecondPerDevice), [&](Derivation& d) {
                   d.formula = "1000000000/3600/R";
                   d.terms = {ledger.term("R", "tokens_per_s_per_device")};
               });
    const Accelerator& accelerator = context.scenario.cluster.accelerator;
    if (accelerator.pricePerHour > 0) {
        ledger.add("usd_per_billion_tokens", "cost of a billion tokens", Measure::Dollars,
                   deviceHoursPerBillionTokens(accelerator.pricePerHour, report.tokensPerSecondPerDevice),
                   [&](Derivation& d) {
                       d.formula = "h*p";
                       d.terms = {ledger.term("h", "device_hours_per_billion_tokens"),
                                  devicePrice(context.scenario.cluster.accelerator)};
                   });
    }
    ledger.setReported(true);
}

/// How attention is counted decides which work a utilization divides by the peak.
struct Convention {
    std::string_view key;
    std::string_view label;
    double Utilization::*member;
    std::string_view core; ///< path of the attention work; empty: none counted
};

constexpr std::array conventions{
    Convention{"full", "attention in full", &Utilization::full, "flops.full_core"},
    Convention{"causal", "causal attention", &Utilization::causal, "flops.causal_core"},
    Convention{"6n", "6N, no attention", &Utilization::sixN, ""},
};

/// Forward products and gradients of a step, in forward passes.
Term passes(const ExplainContext& context)
{
    return given("p", "passes of the weight products: forward and gradients", Measure::Count,
                 context.adapters() ? 2 : 3, "workload.training: frozen weights have no gradient");
}

void deriveModelShare(Derivation& d, const Ledger& ledger, const ExplainContext& context, const Convention& convention)
{
    d.terms = {passes(context), globalBatch(context), ledger.term("T", "step_time_s"), devices(context), peak(context)};
    if (convention.core.empty()) {
        d.formula = "2*p*A*s*B / (T*N*P)";
        d.terms.push_back(ledger.term("A", "parameters.active"));
        d.terms.push_back(sequence(context));
    } else {
        d.formula = "(p*F + 3*C)*B / (T*N*P)";
        d.terms.push_back(ledger.term("F", "flops.products"));
        d.terms.push_back(ledger.term("C", std::string(convention.core)));
        d.assumptions.emplace_back("The backward pass of trained weights counts twice the forward pass.");
    }
    d.assumptions.emplace_back("Model FLOPs only: what is computed again, padding and the optimizer do not count.");
    d.sources.emplace_back(sources::mfu);
    for (std::string& source : acceleratorSources(context.scenario)) {
        d.sources.push_back(std::move(source));
    }
}

void deriveHardwareShare(Derivation& d, const Ledger& ledger, const ExplainContext& context,
                         const Convention& convention)
{
    d.formula = "u";
    d.terms = {ledger.term("u", "mfu." + std::string(convention.key))};
    d.sources.emplace_back(sources::mfu);
    const Recompute recompute = context.scenario.layout.recompute;
    const bool countsCore = !convention.core.empty();
    if (recompute == Recompute::None || (recompute == Recompute::Selective && !countsCore)) {
        d.assumptions.emplace_back("Nothing that this convention counts is computed again.");
        return;
    }
    d.terms.push_back(globalBatch(context));
    d.terms.push_back(ledger.term("T", "step_time_s"));
    d.terms.push_back(devices(context));
    d.terms.push_back(peak(context));
    if (recompute == Recompute::Experts) {
        d.formula = "u + E*B / (T*N*P)";
        d.terms.push_back(ledger.term("E", "flops.expert_products"));
        d.assumptions.emplace_back("The products of the mixtures of experts run again.");
        return;
    }
    const bool perOperator = recompute == Recompute::PerOperator;
    if (!countsCore) {
        d.formula = perOperator ? "u + A*s*B / (T*N*P)" : "u + 2*A*s*B / (T*N*P)";
        d.terms.push_back(ledger.term("A", "parameters.active"));
        d.terms.push_back(sequence(context));
        return;
    }
    if (perOperator) {
        d.formula = "u + L/2*B / (T*N*P)";
        d.terms.push_back(ledger.term("L", "flops.layer_products"));
        d.assumptions.emplace_back("Every second product of the layers runs again.");
        return;
    }
    d.terms.push_back(ledger.term("C", std::string(convention.core)));
    if (recompute == Recompute::Selective) {
        d.formula = "u + C*B / (T*N*P)";
        return;
    }
    d.formula = "u + (L + C)*B / (T*N*P)";
    d.terms.push_back(ledger.term("L", "flops.layer_products"));
}

void addUtilization(Ledger& ledger, const ExplainContext& context)
{
    for (const Convention& convention : conventions) {
        ledger.add(fmt::format("mfu.{}", convention.key), fmt::format("MFU ({})", convention.label), Measure::Share,
                   context.report.mfu.*convention.member,
                   [&](Derivation& d) { deriveModelShare(d, ledger, context, convention); });
    }
    for (const Convention& convention : conventions) {
        ledger.add(fmt::format("hfu.{}", convention.key), fmt::format("HFU ({})", convention.label), Measure::Share,
                   context.report.hfu.*convention.member,
                   [&](Derivation& d) { deriveHardwareShare(d, ledger, context, convention); });
    }
    ledger.add("model_flops_per_step", "model FLOPs of a step (causal attention)", Measure::Flops,
               context.report.modelFlopsPerStep, [&](Derivation& d) {
                   d.formula = "(p*F + 3*C)*B";
                   d.terms = {passes(context), ledger.term("F", "flops.products"),
                              ledger.term("C", "flops.causal_core"), globalBatch(context)};
                   d.assumptions.emplace_back("The backward pass of trained weights counts twice the forward pass.");
                   d.sources.emplace_back(sources::mfu);
               });
}

} // namespace

void addRateValues(Ledger& ledger, const ExplainContext& context)
{
    addThroughput(ledger, context);
    addUtilization(ledger, context);
    const Report& report = context.report;
    if (report.trainingDays > 0) {
        ledger.add("training_days", "days for the token budget", Measure::Days, report.trainingDays,
                   [&](Derivation& d) {
                       d.formula = "D / (R*86400)";
                       d.terms = {given("D", "token budget", Measure::Tokens, context.scenario.workload.trainingTokens,
                                        "workload.training_tokens"),
                                  ledger.term("R", "tokens_per_s")};
                       d.assumptions.emplace_back("No failures, restarts, evaluations or checkpoints.");
                   });
    }
    if (report.trainingCost > 0) {
        ledger.add("training_cost_usd", "cost of the token budget", Measure::Dollars, report.trainingCost,
                   [&](Derivation& d) {
                       d.formula = "t*24*N*p";
                       d.terms = {ledger.term("t", "training_days"), devices(context),
                                  devicePrice(context.scenario.cluster.accelerator)};
                       for (std::string& source : acceleratorSources(context.scenario)) {
                           d.sources.push_back(std::move(source));
                       }
                   });
    }
}

} // namespace partita
