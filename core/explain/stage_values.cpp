// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/context.h"

#include <fmt/format.h>

namespace partita {

namespace {

std::string stagePath(std::size_t stage, std::string_view what)
{
    return fmt::format("stages[{}].{}", stage, what);
}

std::vector<std::string> chunkPaths(const ExplainContext& context, std::size_t stage, std::string_view what)
{
    std::vector<std::string> paths;
    for (std::size_t c = 0; c < context.plans[stage].chunks.size(); ++c) {
        paths.push_back(fmt::format("{}.{}", chunkPath(stage, c), what));
    }
    return paths;
}

Term copies(const ExplainContext& context, std::size_t stage)
{
    return given("c", "copies of the model on the stage", Measure::Count, context.plans[stage].copies,
                 fmt::format("schedule {}", labelOf(context.scenario.layout.schedule)));
}

/// A value that the chunks add up to, per copy.
void deriveFromChunks(Derivation& d, const Ledger& ledger, const ExplainContext& context, std::size_t stage,
                      std::string_view what)
{
    d.formula = "sum(x)/c";
    d.terms = {ledger.list("x", "chunks of the stage", chunkPaths(context, stage, what)), copies(context, stage)};
}

/// What stageMemory() holds weights and states for: of one copy, and one device's shard of it.
void addWeights(Ledger& ledger, const ExplainContext& context, std::size_t i, const WeightSet& set)
{
    const DeviceParameters weights = (context.plans[i].*set.ofStage)();
    const Layout& layout = context.scenario.layout;
    const auto name = [&](std::string_view what) {
        return fmt::format("{}{}, a device of stage {}", what, set.label, i);
    };
    const auto path = [i, &set](std::string_view what) { return fmt::format("stages[{}].{}{}", i, what, set.key); };
    const auto parts = [&ledger, path] {
        return std::vector<Term>{ledger.term("D", path("dense_")), ledger.term("E", path("expert_"))};
    };
    ledger.add(path("") + "_per_copy", name("") + ", of one model copy", Measure::Count, weights.total(),
               [parts](Derivation& d) {
                   d.formula = "D + E";
                   d.terms = parts();
               });
    ledger.add(path("sharded_"), name("shard of "), Measure::Count, shardedTotal(weights, layout),
               [&layout, parts](Derivation& d) {
                   d.formula = "D/d + E/e";
                   d.terms = parts();
                   d.terms.push_back(given("d", "ranks that share dense states", Measure::Count, denseShards(layout),
                                           "layout: dp x cp, or the shard group"));
                   d.terms.push_back(given("e", "ranks that share expert states", Measure::Count, expertShards(layout),
                                           "layout: tp x cp x dp / (ep x etp), or the shard group"));
                   d.sources.emplace_back(sources::zero);
               });
    const auto fromChunks = [&ledger, &context, i, &set](std::string_view kind) {
        return [&ledger, &context, i, what = fmt::format("{}{}", kind, set.key)](Derivation& d) {
            deriveFromChunks(d, ledger, context, i, what);
        };
    };
    ledger.add(path("dense_"), name("dense "), Measure::Count, weights.dense, fromChunks("dense_"));
    ledger.add(path("expert_"), name("expert "), Measure::Count, weights.experts, fromChunks("expert_"));
}

void addMemoryParts(Ledger& ledger, const ExplainContext& context, std::size_t i)
{
    const StagePlan& plan = context.plans[i];
    double head = 0;
    for (const ChunkPlan& chunk : plan.chunks) {
        head += chunk.headBytes;
    }
    ledger.add(stagePath(i, "kept_bytes"), fmt::format("activations kept of a micro-batch in flight, stage {}", i),
               Measure::Bytes, plan.kept(), [&ledger, &context, i](Derivation& d) {
                   deriveFromChunks(d, ledger, context, i, "kept_bytes");
                   d.sources.emplace_back(sources::activations);
               });
    ledger.add(stagePath(i, "head_bytes"), fmt::format("logits and loss of a micro-batch, stage {}", i), Measure::Bytes,
               head, [&ledger, &context, i](Derivation& d) {
                   d.formula = "sum(x)";
                   d.terms = {ledger.list("x", "chunks of the stage", chunkPaths(context, i, "head_bytes"))};
               });
}

/// Seconds of a pass by kind, of the stage per model copy.
void addTimes(Ledger& ledger, const ExplainContext& context, std::size_t i)
{
    for (const PassPart& pass : passParts) {
        const TimeBreakdown time = (context.plans[i].*pass.ofStage)();
        for (const Name<TimeKind>& kind : Names<TimeKind>::table) {
            std::string path = fmt::format("stages[{}].{}.{}", i, pass.key, kind.key);
            std::string name = fmt::format("{} in the {} of a micro-batch, stage {}", kind.label, pass.label, i);
            if (time[kind.value] > 0) {
                ledger.add(std::move(path), std::move(name), Measure::Seconds, time[kind.value],
                           [&ledger, &context, &pass, i, key = kind.key](Derivation& d) {
                               deriveFromChunks(d, ledger, context, i, fmt::format("{}.{}", pass.key, key));
                           });
            } else {
                ledger.addAbsent(std::move(path), std::move(name), Measure::Seconds);
            }
        }
    }
}

void deriveInFlight(Derivation& d, const ExplainContext& context, std::size_t i)
{
    const Layout& layout = context.scenario.layout;
    const double stated = statedActivations(layout.schedule, layout.pp, static_cast<int>(layout.microBatches()),
                                            layout.vpp, static_cast<int>(i));
    d.assumptions.push_back("Counted in the simulated schedule: held from the start of a forward until its backward "
                            "ends; an input gradient alone frees half.");
    d.assumptions.push_back(
        fmt::format("Closed form: {}: {}.", describe(layout.schedule).memory, formatMeasure(stated, Measure::Plain)));
    d.sources.emplace_back(describe(layout.schedule).splitsBackward ? sources::zeroBubble : sources::megatron);
}

} // namespace

void addStageValues(Ledger& ledger, const ExplainContext& context)
{
    const std::vector<StageReport>& stages = context.report.stages;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        ledger.add(stagePath(i, "layers"), fmt::format("layers of stage {}", i), Measure::Count, stages[i].layers,
                   [&ledger, &context, i](Derivation& d) {
                       d.formula = "sum(l)";
                       d.terms = {ledger.list("l", "chunks of the stage", chunkPaths(context, i, "layers"))};
                   });
        ledger.add(stagePath(i, "parameters"), fmt::format("parameters a device of stage {} holds", i), Measure::Count,
                   stages[i].parameters, [&ledger, &context, i](Derivation& d) {
                       d.formula = "c*p";
                       d.terms = {copies(context, i), ledger.term("p", stagePath(i, "parameters_per_copy"))};
                   });
        const std::array values{stages[i].forward, stages[i].backwardInput, stages[i].backwardWeight};
        for (std::size_t p = 0; p < passParts.size(); ++p) {
            const PassPart& pass = passParts[p];
            ledger.add(stagePath(i, fmt::format("{}_s", pass.key)),
                       fmt::format("{} of a micro-batch, stage {}", pass.label, i), Measure::Seconds, values[p],
                       [&ledger, &pass, i](Derivation& d) {
                           std::vector<std::string> paths;
                           for (const Name<TimeKind>& kind : Names<TimeKind>::table) {
                               std::string path = fmt::format("stages[{}].{}.{}", i, pass.key, kind.key);
                               if (const LedgerEntry* part = ledger.find(path); part != nullptr && !part->absent) {
                                   paths.push_back(std::move(path));
                               }
                           }
                           d.formula = "sum(t)";
                           d.terms = {ledger.list("t", "where the time goes", paths)};
                       });
        }
        ledger.add(stagePath(i, "in_flight"), fmt::format("micro-batches whose activations stage {} holds at most", i),
                   Measure::Plain, stages[i].inFlight, [&context, i](Derivation& d) { deriveInFlight(d, context, i); });
    }
    ledger.setReported(false);
    for (std::size_t i = 0; i < stages.size(); ++i) {
        for (const WeightSet& set : weightSets) {
            addWeights(ledger, context, i, set);
        }
        addMemoryParts(ledger, context, i);
        addTimes(ledger, context, i);
    }
}

} // namespace partita
