// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/step_tail.h"

#include <algorithm>

namespace partita {

namespace {

/// Appends an op and returns when it ends.
double append(StageTimeline& stage, OpKind kind, double start, double seconds)
{
    if (seconds > 0) {
        TimelineOp op;
        op.kind = kind;
        op.start = start;
        op.end = start + seconds;
        op.microBatch = -1;
        op.chunk = -1;
        stage.after.push_back(op);
    }
    return start + seconds;
}

} // namespace

StepTail stepTail(const PipelineFigures& pipeline, const Scenario& scenario, const std::vector<StagePlan>& plans,
                  const RankGrid& grid)
{
    constexpr double rounding = 1e-9; // of many thousand ops that add up to the same in another order
    StepTail tail;
    std::vector<double> reduced;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const double backward = plans[i].backwardInput().total() + plans[i].backwardWeight().total();
        const GradientExchange exchange =
            gradientExchange(scenario, plans[i], grid, plans[i].forward().total(), backward);
        reduced.push_back(pipeline.ranks[i].end + exchange.reduceScatter + exchange.allReduce);
        if (i == 0 || exchange.optimizer + exchange.gather > tail.optimizer + tail.gather) {
            tail.optimizer = exchange.optimizer;
            tail.gather = exchange.gather;
        }
        tail.exchanges.push_back(exchange);
    }
    tail.reduced = *std::max_element(reduced.begin(), reduced.end());
    const auto last = std::find_if(reduced.begin(), reduced.end(),
                                   [&](double seconds) { return seconds >= (1 - rounding) * tail.reduced; });
    tail.critical = static_cast<std::size_t>(last - reduced.begin());
    tail.gradients = tail.exchanges[tail.critical].gradients();
    return tail;
}

void addStepTail(Timeline& timeline, const StepTail& tail, double stepOverhead)
{
    double end = tail.reduced;
    for (std::size_t i = 0; i < timeline.stages.size(); ++i) {
        StageTimeline& stage = timeline.stages[i];
        const GradientExchange& exchange = tail.exchanges[i];
        stage.after.clear();
        const double ended = stage.ops.empty() ? 0 : stage.ops.back().end;
        const double scattered = append(stage, OpKind::ReduceScatter, ended, exchange.reduceScatter);
        append(stage, OpKind::AllReduce, scattered, exchange.allReduce);
        const double updated = append(stage, OpKind::Optimizer, tail.reduced, exchange.optimizer);
        end = std::max(end, append(stage, OpKind::AllGather, updated, exchange.gather));
    }
    for (StageTimeline& stage : timeline.stages) {
        append(stage, OpKind::Host, end, stepOverhead);
    }
}

} // namespace partita
