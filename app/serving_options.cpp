// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serving_options.h"

#include "app/cli.h"

#include <fmt/format.h>

namespace partita::cli {

const std::vector<Option>& servingOptions()
{
    static const std::vector<Option> options{
        {"--prompt", "N", "tokens of a prompt"},
        {"--output", "N", "tokens generated for it"},
        {"--batch", "N|sweep", "sequences a replica decodes together; sweep: 1, 2, 4, ... as many as fit"},
        {"--in-flight", "N", "batches in a replica's pipeline; the engine's habit when left out"},
        {"--batching", "continuous|static", "prompts as others finish, or all together"},
        {"--chunk", "N", "prompt tokens of a step"},
        {"--weights", "bf16|fp8|int8|int4|mxfp4|nvfp4|...", "what weights are stored in"},
        {"--quantised", "layers|layers-and-head|feed-forward|experts", "which weights these are"},
        {"--weight-group", "N", "weights that share an integer scale"},
        {"--kv", "bf16|fp8|int8|fp8-ds-mla", "what keys and values are stored in"},
        {"--decode-context", "N", "tensor ranks that share a sequence's keys"},
        {"--draft-tokens", "N", "tokens speculated a step"},
        {"--acceptance", "0..1", "chance that a drafted token is taken"},
        {"--draft-cost", "X", "time of drafting a token over a decode step's"},
        {"--prefill-replicas", "N", "replicas that only take in prompts"},
        {"--ttft", "S", "seconds to the first token that are still good"},
        {"--tpot", "S", "seconds between tokens that are still good"},
    };
    return options;
}

namespace {

/// Served by an engine of today on one node, split over as many tensor ranks as the options ask for.
Result<Scenario> plainScenario(const Catalogue& catalogue)
{
    Result<Scenario> scenario = defaultScenario(catalogue);
    if (scenario) {
        scenario->cluster.nodes = 1;
        scenario->layout.pp = scenario->layout.dp = 1;
        scenario->layout.tp = static_cast<int>(scenario->cluster.devicesPerNode);
        if (const Stack* engine = catalogue.stack("vllm")) {
            scenario->stack = *engine;
        }
    }
    return scenario;
}

} // namespace

std::optional<Scenario> servedScenarioOf(OptionReader& reader, const Catalogue& catalogue)
{
    std::optional<Scenario> scenario = scenarioOf(reader, catalogue, plainScenario);
    Serving serving = scenario ? scenario->serving : Serving();
    applyServingOptions(reader, serving);
    const bool otherSplits = reader.arguments().has("--layouts") || reader.arguments().has("--advise");
    if (scenario && !otherSplits) {
        refuseIdleInFlight(reader, scenario->layout.pp, serving.inFlight);
    }
    if (!scenario || !reader.fine()) {
        return std::nullopt;
    }
    scenario->serving = serving;
    return scenario;
}

Option serveOption(std::string_view help)
{
    return {"--serve", "", help};
}

void refuseMisplaced(OptionReader& reader, bool serves)
{
    for (const Option& option : servingOptions()) {
        if (!serves) {
            reader.idle(option.name, "is an option of serving and has no effect without --serve");
        }
    }
    if (sweepsBatch(reader.arguments())) {
        reader.refuse(Usage, {"--batch", "sweep", "one batch is worked out at a time", "a number"});
    }
}

bool sweepsBatch(const Arguments& arguments)
{
    return arguments.valueOf("--batch") == "sweep";
}

void refuseIdleInFlight(OptionReader& reader, int stages, std::int64_t inFlight)
{
    constexpr std::string_view option = "--in-flight";
    if (stages == 1) {
        reader.idle(option, "has no effect: a pipeline of one stage holds one batch");
    } else if (reader.arguments().has(option) && inFlight > stages) {
        reader.refuse(Usage,
                      {std::string(option), fmt::to_string(inFlight),
                       fmt::format("has no effect beyond {0}: a pipeline of {0} stages holds as many batches", stages),
                       fmt::format("at most {}, or more stages", stages)});
    }
}

void applyServingOptions(OptionReader& reader, Serving& serving)
{
    constexpr std::int64_t tokens = std::int64_t{1} << 30;
    constexpr std::int64_t count = std::int64_t{1} << 24;
    reader.integer("--prompt", serving.prompt, 1, tokens);
    reader.integer("--output", serving.output, 1, tokens);
    if (!sweepsBatch(reader.arguments())) {
        reader.integer("--batch", serving.batch, 1, count);
    }
    reader.integer("--in-flight", serving.inFlight, 0, tokens);
    reader.choice("--batching", serving.batching);
    reader.integer("--chunk", serving.chunk, 0, tokens);
    reader.choice("--weights", serving.weights);
    reader.choice("--quantised", serving.quantised);
    reader.integer("--weight-group", serving.weightGroup, 0, tokens);
    reader.choice("--kv", serving.keyValues);
    reader.integer("--decode-context", serving.decodeContext, 1, count);
    reader.integer("--draft-tokens", serving.draftTokens, 0, 1 << 16);
    reader.number("--acceptance", serving.acceptance, 0, 1);
    reader.number("--draft-cost", serving.draftCost, 0, 1000);
    reader.integer("--prefill-replicas", serving.prefillReplicas, 0, count);
    reader.number("--ttft", serving.ttftLimit, 0, 1e6);
    reader.number("--tpot", serving.tpotLimit, 0, 1e6);
    if (serving.draftTokens == 0) {
        reader.idle("--acceptance", "has no effect when no tokens are drafted");
        reader.idle("--draft-cost", "has no effect when no tokens are drafted");
    }
    if (serving.weights != DataType::Int8 && serving.weights != DataType::Int4) {
        reader.idle("--weight-group", "has no effect on weights without integer scales");
    }
    if (bytesPerElement(serving.weights) >= bytesPerElement(DataType::Bf16)) {
        reader.idle("--quantised", "has no effect when no weights are quantised");
    }
}

} // namespace partita::cli
