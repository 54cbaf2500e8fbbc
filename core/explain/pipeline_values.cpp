// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/collective_values.h"
#include "core/explain/context.h"
#include "core/explain/explainer.h"

#include "core/pipeline/op_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <tuple>

namespace partita {

namespace {

/// Ops of a stage that take the same time.
struct OpGroup {
    std::size_t stage = 0;
    OpKind kind = OpKind::Forward;
    int chunk = 0;
    int partner = 0;

    bool operator<(const OpGroup& other) const
    {
        return std::tie(stage, kind, chunk, partner) < std::tie(other.stage, other.kind, other.chunk, other.partner);
    }
};

OpGroup groupOf(std::size_t stage, const TimelineOp& op)
{
    return {stage, op.kind, op.chunk, op.kind == OpKind::ForwardBackward ? op.partnerChunk : 0};
}

constexpr std::string_view hostPath = "pipeline.host_s";

/// The value that says how long an op of the group takes.
std::string durationPath(const OpGroup& group)
{
    const std::string chunk = chunkPath(group.stage, static_cast<std::size_t>(group.chunk));
    switch (group.kind) {
    case OpKind::Forward:
        return chunk + ".forward_s";
    case OpKind::Backward:
        return chunk + ".backward_s";
    case OpKind::BackwardInput:
        return chunk + ".backward_input_s";
    case OpKind::BackwardWeight:
        return chunk + ".backward_weight_s";
    case OpKind::ForwardBackward:
        return fmt::format("{}.pairs[{}]_s", chunk, group.partner);
    case OpKind::ReduceScatter:
    case OpKind::AllReduce:
        return fmt::format("stages[{}].exchange.gradients_exposed_s", group.stage);
    case OpKind::AllGather:
        return fmt::format("stages[{}].exchange.gather_exposed_s", group.stage);
    case OpKind::Optimizer:
        return fmt::format("stages[{}].exchange.optimizer_s", group.stage);
    case OpKind::Host:
        break;
    }
    return std::string(hostPath);
}

constexpr std::string_view transferPath = "pipeline.transfer_s";

/// sum(n*t) over groups of ops.
void deriveOps(Derivation& d, const Ledger& ledger, const std::map<OpGroup, int>& groups)
{
    std::vector<double> counts;
    std::vector<std::string> names;
    std::vector<std::string> paths;
    for (const auto& [group, count] : groups) {
        counts.push_back(count);
        names.push_back(fmt::format("{}, stage {}", labelOf(group.kind), group.stage));
        paths.push_back(durationPath(group));
    }
    d.formula = "sum(n*t)";
    d.terms = {givenList("n", "ops of a kind", Measure::Count, counts, names, "simulated schedule"),
               ledger.list("t", "time of an op", paths)};
}

/// The ops without which the one at the end could not end when it does, first to last.
std::vector<OpRef> chainTo(const OpGraph& graph, OpRef last)
{
    std::vector<OpRef> chain;
    for (OpRef op = last; op;) {
        chain.push_back(op);
        OpRef cause = graph.whyIdle(op).waitedFor;
        if (!cause && op.index > 0) {
            cause = {op.stage, op.index - 1};
        }
        op = cause;
    }
    std::reverse(chain.begin(), chain.end());
    return chain;
}

/// When an op of the pipeline ends: the ops on the chain that leads to it, and the transfers between them.
void deriveEnd(Derivation& d, const Ledger& ledger, Timeline timeline, std::size_t stage, std::size_t index)
{
    for (StageTimeline& each : timeline.stages) {
        each.after.clear(); // the chain of the pipeline alone
    }
    const OpGraph graph(timeline);
    const OpRef last{static_cast<int>(stage), static_cast<int>(index)};
    const double whole = 1e-9 * timeline.makespan; // shorter waits are rounding
    std::map<OpGroup, int> groups;
    std::vector<double> waits;
    std::vector<std::string> names;
    double before = 0;
    for (const OpRef& ref : chainTo(graph, last)) {
        const TimelineOp& op = graph.at(ref);
        ++groups[groupOf(static_cast<std::size_t>(ref.stage), op)];
        if (op.start - before > whole) {
            waits.push_back(op.start - before);
            names.push_back("before " + opText(op));
        }
        before = op.end;
    }
    deriveOps(d, ledger, groups);
    d.terms[0].name = "ops on the longest chain";
    d.assumptions.emplace_back("The longest chain of ops that need one another sets the time.");
    if (waits.empty()) {
        return;
    }
    const bool alike = std::all_of(waits.begin(), waits.end(),
                                   [&](double wait) { return std::abs(wait - timeline.transfer) <= whole; });
    if (alike) {
        d.formula += " + k*h";
        d.terms.push_back(given("k", "transfers between the ops of the chain", Measure::Count,
                                static_cast<double>(waits.size()), "simulated schedule"));
        d.terms.push_back(ledger.term("h", std::string(transferPath)));
    } else {
        d.formula += " + sum(x)";
        d.terms.push_back(givenList("x", "wait for a transfer", Measure::Seconds, waits, names, "simulated schedule"));
    }
}

void deriveMakespan(Derivation& d, const Ledger& ledger, const Timeline& timeline)
{
    std::size_t last = 0;
    for (std::size_t i = 0; i < timeline.stages.size(); ++i) {
        last = timeline.stages[i].ops.back().end > timeline.stages[last].ops.back().end ? i : last;
    }
    deriveEnd(d, ledger, timeline, last, timeline.stages[last].ops.size() - 1);
}

void addStage(Ledger& ledger, const ExplainContext& context, std::size_t i)
{
    const StageTimeline& stage = context.report.timeline.stages[i];
    const std::string path = indexed("stages", i);
    ledger.add(path + ".busy_s", fmt::format("time stage {} computes", i), Measure::Seconds, stage.busy,
               [&ledger, &stage, i](Derivation& d) {
                   std::map<OpGroup, int> groups;
                   for (const TimelineOp& op : stage.ops) {
                       ++groups[groupOf(i, op)];
                   }
                   deriveOps(d, ledger, groups);
               });
    ledger.add(path + ".idle_s", fmt::format("time stage {} idles until the pipeline ends", i), Measure::Seconds,
               stage.idle, [&ledger, path](Derivation& d) {
                   d.formula = "T - b";
                   d.terms = {ledger.term("T", "pipeline.makespan_s"), ledger.term("b", path + ".busy_s")};
               });
    ledger.add(path + ".end_s", fmt::format("when the last op of stage {} ends", i), Measure::Seconds,
               stage.ops.back().end, [&ledger, &context, i](Derivation& d) {
                   const Timeline& timeline = context.report.timeline;
                   deriveEnd(d, ledger, timeline, i, timeline.stages[i].ops.size() - 1);
               });
    ledger.add(path + ".transfer_wait_s", fmt::format("idle time of stage {} with its input on the wire", i),
               Measure::Seconds, stage.transferWait, [&stage, &context](Derivation& d) {
                   std::vector<double> waits;
                   std::vector<std::string> names;
                   for (const TimelineOp& op : stage.ops) {
                       if (op.transferWait > 0) {
                           waits.push_back(op.transferWait);
                           names.push_back("before " + opText(op));
                       }
                   }
                   d.formula = waits.empty() ? "w" : "sum(w)";
                   d.terms = {
                       givenList("w", "wait before an op", Measure::Seconds, waits, names, "simulated schedule")};
                   d.terms.back().list = !waits.empty();
                   d.assumptions.push_back(fmt::format("One transfer takes {}; links do not queue.",
                                                       formatMeasure(context.times.transfer, Measure::Seconds)));
               });
}

void addHidden(Ledger& ledger, const ExplainContext& context, std::size_t i)
{
    const int chunks = context.report.timeline.placement.chunks;
    std::vector<double> counts(static_cast<std::size_t>(chunks) * static_cast<std::size_t>(chunks), 0);
    double total = 0;
    for (const TimelineOp& op : context.report.timeline.stages[i].ops) {
        if (op.kind == OpKind::ForwardBackward) {
            ++counts[static_cast<std::size_t>(op.chunk * chunks + op.partnerChunk)];
            total += context.times.hidden(i, chunks, op.chunk, op.partnerChunk);
        }
    }
    ledger.add(fmt::format("stages[{}].hidden_in_pairs_s", i),
               fmt::format("expert exchange that pairs of stage {} hide over the step", i), Measure::Seconds, total,
               [&ledger, i, chunks, counts](Derivation& d) {
                   std::vector<std::string> paths;
                   for (std::size_t k = 0; k < counts.size(); ++k) {
                       paths.push_back(fmt::format("{}.hidden[{}]_s",
                                                   chunkPath(i, k / static_cast<std::size_t>(chunks)),
                                                   k % static_cast<std::size_t>(chunks)));
                   }
                   d.formula = "sum(n*h)";
                   d.terms = {givenList("n", "pairs of chunks", Measure::Count, counts, {}, "simulated schedule"),
                              ledger.list("h", "hidden in one pair", paths)};
               });
}

std::string opsPath(std::size_t stage, std::string_view which, std::string_view what)
{
    return fmt::format("stages[{}].ops[{}].{}", stage, which, what);
}

std::string opPath(OpRef op, std::string_view what)
{
    return opsPath(static_cast<std::size_t>(op.stage), fmt::to_string(op.index), what);
}

constexpr std::string_view endOf = "end_s";
constexpr std::string_view idleBefore = "idle_s";
constexpr std::string_view busyOf = "busy_s";

/// Operations that a path names, one or a range, and what of them.
struct NamedOps {
    std::size_t stage = 0;
    std::size_t first = 0;
    std::size_t last = 0;
    std::string_view what;
};

std::optional<NamedOps> namedOps(std::string_view path)
{
    NamedOps named;
    const auto takes = [&path](std::string_view word) {
        const bool found = path.substr(0, word.size()) == word;
        path.remove_prefix(found ? word.size() : 0);
        return found;
    };
    const auto number = [&path](std::size_t& value) {
        const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), value);
        path.remove_prefix(static_cast<std::size_t>(end - path.data()));
        return error == std::errc();
    };
    if (!takes("stages[") || !number(named.stage) || !takes("].ops[") || !number(named.first)) {
        return std::nullopt;
    }
    named.last = named.first;
    const bool range = takes("-");
    if ((range && !number(named.last)) || !takes("].") || named.last < named.first || range != (path == busyOf)) {
        return std::nullopt;
    }
    named.what = path;
    return named;
}

/// Behind the pipeline an op follows the one before it and what that waits for.
void deriveLaterEnd(Derivation& d, const Ledger& ledger, OpRef op, const TimelineOp& itself, double idle)
{
    d.formula = "b + t";
    d.terms = {ledger.term("b", opPath({op.stage, op.index - 1}, endOf)),
               ledger.term("t", operationPath(static_cast<std::size_t>(op.stage), itself))};
    if (idle > 0) {
        d.formula = "b + w + t";
        d.terms.push_back(ledger.term("w", opPath(op, idleBefore)));
    }
}

/// Until what it waits for has ended, and has come over the wire.
void deriveIdle(Derivation& d, const Ledger& ledger, const Timeline& timeline, OpRef op)
{
    const OpGraph graph(timeline);
    const IdleReason why = graph.whyIdle(op);
    if (!why.waitedFor) {
        d.formula = "w";
        d.terms = {
            given("w", "until the stage has sent its own result", Measure::Seconds, why.idle, "simulated schedule")};
        return;
    }
    d.formula = "e";
    d.terms = {ledger.term("e", opPath(why.waitedFor, endOf))};
    if (why.waitedFor.stage != op.stage && isPipelineOp(graph.at(op).kind) && timeline.transfer > 0) {
        d.formula += " + h";
        d.terms.push_back(ledger.term("h", std::string(transferPath)));
    }
    if (op.index > 0) {
        d.formula += " - b";
        d.terms.push_back(ledger.term("b", opPath({op.stage, op.index - 1}, endOf)));
    }
    d.assumptions.push_back(
        fmt::format("It waits for {} of stage {}.", opText(graph.at(why.waitedFor)), why.waitedFor.stage));
}

} // namespace

std::string operationsPath(std::size_t stage, std::size_t first, std::size_t last)
{
    return opsPath(stage, fmt::format("{}-{}", first, last), busyOf);
}

std::string idlePath(const Timeline& timeline, std::size_t stage, std::size_t index)
{
    return index < opCount(timeline.stages[stage]) ? opsPath(stage, fmt::to_string(index), idleBefore)
                                                   : fmt::format("stages[{}].{}", stage, idleBefore);
}

std::string busyPath(std::size_t stage)
{
    return fmt::format("stages[{}].{}", stage, busyOf);
}

bool addOperationValue(Ledger& ledger, const ExplainContext& context, std::string_view path)
{
    const Timeline& timeline = context.report.timeline;
    const std::optional<NamedOps> named = namedOps(path);
    if (!named || named->stage >= timeline.stages.size() || named->last >= opCount(timeline.stages[named->stage])) {
        return false;
    }
    const StageTimeline& stage = timeline.stages[named->stage];
    const OpRef ref{static_cast<int>(named->stage), static_cast<int>(named->first)};
    const TimelineOp& op = opAt(stage, named->first);
    const double idle = op.start - (named->first > 0 ? opAt(stage, named->first - 1).end : 0);
    ledger.setReported(false);
    const auto add = [&](std::string name, double value, Derive derive) {
        ledger.add(std::string(path), std::move(name), Measure::Seconds, value, std::move(derive));
        return true;
    };
    if (named->what == endOf) {
        return add(fmt::format("when {} of stage {} ends", opText(op), named->stage), op.end,
                   [&ledger, &timeline, &op, ref, idle, size = stage.ops.size()](Derivation& d) {
                       const auto index = static_cast<std::size_t>(ref.index);
                       if (index < size) {
                           deriveEnd(d, ledger, timeline, static_cast<std::size_t>(ref.stage), index);
                       } else {
                           deriveLaterEnd(d, ledger, ref, op, idle);
                       }
                   });
    }
    if (named->what == idleBefore) {
        return add(fmt::format("idle time of stage {} before {}", named->stage, opText(op)), idle,
                   [&ledger, &timeline, ref](Derivation& d) { deriveIdle(d, ledger, timeline, ref); });
    }
    if (named->what != busyOf) {
        return false;
    }
    std::map<OpGroup, int> groups;
    double busy = 0;
    for (std::size_t i = named->first; i <= named->last; ++i) {
        ++groups[groupOf(named->stage, opAt(stage, i))];
        busy += opAt(stage, i).end - opAt(stage, i).start;
    }
    return add(fmt::format("what stage {} takes for {} operations", named->stage, named->last - named->first + 1), busy,
               [&ledger, groups](Derivation& d) { deriveOps(d, ledger, groups); });
}

std::string operationPath(std::size_t stage, const TimelineOp& op)
{
    return durationPath(groupOf(stage, op));
}

void addPipelineValues(Ledger& ledger, const ExplainContext& context)
{
    const Report& report = context.report;
    ledger.add(
        "bubble_fraction", "idle share of the pipeline", Measure::Share, report.bubbleFraction, [&](Derivation& d) {
            std::vector<std::string> idle;
            for (std::size_t i = 0; i < report.timeline.stages.size(); ++i) {
                idle.push_back(fmt::format("stages[{}].idle_s", i));
            }
            d.formula = "sum(I) / (p*T)";
            d.terms = {ledger.list("I", "idle time of a stage", idle),
                       given("p", "pipeline stages", Measure::Count, static_cast<double>(idle.size()), "layout.pp"),
                       ledger.term("T", "pipeline.makespan_s")};
            const ScheduleFacts facts = describe(context.scenario.layout.schedule);
            d.assumptions.push_back(fmt::format("Bubble with equal stages: {}.", facts.bubble));
            d.sources.emplace_back(facts.splitsBackward ? sources::zeroBubble : sources::megatron);
        });
    ledger.setReported(false);
    ledger.add("pipeline.makespan_s", "time of the pipeline", Measure::Seconds, report.timeline.makespan,
               [&](Derivation& d) { deriveMakespan(d, ledger, context.report.timeline); });
    ledger.add(std::string(hostPath), "host work once a step", Measure::Seconds, context.scenario.stack.stepOverhead,
               [&](Derivation& d) {
                   d.formula = "o";
                   d.terms = {given("o", "loader, synchronisation, logging", Measure::Seconds,
                                    context.scenario.stack.stepOverhead,
                                    fmt::format("stack {}: step_overhead", context.scenario.stack.name))};
                   d.sources = stackSources(context.scenario);
               });
    if (context.scenario.layout.pp > 1) {
        ledger.add(std::string(transferPath), "one transfer to the next stage", Measure::Seconds,
                   context.times.transfer, [&](Derivation& d) {
                       derivePointToPoint(d, context.scenario.cluster,
                                          static_cast<std::size_t>(context.grid->pipelineLevel()),
                                          ledger.term("B", "boundary_bytes"));
                   });
    }
    ledger.add("pipeline.step_end_s", "when the last stage has reduced its gradients", Measure::Seconds,
               context.tail.reduced, [&](Derivation& d) {
                   std::vector<std::string> ends;
                   std::vector<std::string> exposed;
                   for (std::size_t i = 0; i < context.plans.size(); ++i) {
                       ends.push_back(fmt::format("stages[{}].end_s", i));
                       exposed.push_back(fmt::format("stages[{}].exchange.gradients_exposed_s", i));
                   }
                   d.formula = "max(e + x)";
                   d.terms = {ledger.list("e", "last op of a stage", ends),
                              ledger.list("x", "gradient exchange that shows", exposed)};
               });
    for (std::size_t i = 0; i < report.timeline.stages.size(); ++i) {
        addStage(ledger, context, i);
        if (!context.times.hiddenInPair.empty()) {
            addHidden(ledger, context, i);
        }
    }
}

} // namespace partita
