// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/step_tail.h"

#include "core/training/gradient_exchange.h"

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

StepTail addStepTail(Timeline& timeline, const Scenario& scenario, const std::vector<StagePlan>& plans,
                     const RankGrid& grid)
{
    std::vector<GradientExchange> exchanges;
    StepTail tail;
    tail.reduced = -1;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        StageTimeline& stage = timeline.stages[i];
        const double backward = plans[i].backwardInput().total() + plans[i].backwardWeight().total();
        const GradientExchange exchange =
            gradientExchange(scenario, plans[i], grid, plans[i].forward().total(), backward);
        stage.after.clear();
        const double ended = stage.ops.empty() ? 0 : stage.ops.back().end;
        const double scattered = append(stage, OpKind::ReduceScatter, ended, exchange.reduceScatter);
        const double reduced = append(stage, OpKind::AllReduce, scattered, exchange.allReduce);
        if (reduced > tail.reduced) {
            tail.reduced = reduced;
            tail.critical = i;
            tail.gradients = exchange.gradients();
        }
        exchanges.push_back(exchange);
    }
    double end = tail.reduced;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const GradientExchange& exchange = exchanges[i];
        const double updated = append(timeline.stages[i], OpKind::Optimizer, tail.reduced, exchange.optimizer);
        end = std::max(end, append(timeline.stages[i], OpKind::AllGather, updated, exchange.gather));
        if (i == 0 || exchange.optimizer + exchange.gather > tail.optimizer + tail.gather) {
            tail.optimizer = exchange.optimizer;
            tail.gather = exchange.gather;
        }
    }
    for (StageTimeline& stage : timeline.stages) {
        append(stage, OpKind::Host, end, scenario.stack.stepOverhead);
    }
    return tail;
}

} // namespace partita
