// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/evaluate.h"

#include "core/model/check_model.h"
#include "core/scenario/rules.h"
#include "core/training/flops.h"
#include "core/training/memory.h"
#include "core/training/stage_times.h"
#include "core/training/step_tail.h"

#include <algorithm>
#include <limits>

namespace partita {

namespace {

void fillStages(Report& report, const Scenario& scenario, const std::vector<StagePlan>& plans)
{
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const StagePlan& plan = plans[i];
        StageReport stage;
        stage.layers = plan.layers();
        stage.inFlight = report.timeline.stages[i].peakActivations;
        stage.memory = stageMemory(scenario, plan, stage.inFlight);
        stage.forward = plan.forward().total();
        stage.backwardInput = plan.backwardInput().total();
        stage.backwardWeight = plan.backwardWeight().total();
        stage.parameters = plan.copies * plan.parameters().total();
        report.stages.push_back(stage);
    }
    const auto fuller = [](const StageReport& a, const StageReport& b) { return a.memory.total() < b.memory.total(); };
    report.peakStage =
        static_cast<int>(std::max_element(report.stages.begin(), report.stages.end(), fuller) - report.stages.begin());
    report.memoryLimit = scenario.cluster.accelerator.memoryBytes;
    report.fits = report.peakMemory() <= report.memoryLimit;
}

/// Seconds of expert all-to-all that a stage's pairs hide over the step.
double hiddenByPairs(const StageTimes& times, const Timeline& timeline, std::size_t stage)
{
    double hidden = 0;
    for (const TimelineOp& op : timeline.stages[stage].ops) {
        if (op.kind == OpKind::ForwardBackward) {
            hidden += times.hidden(stage, timeline.placement.chunks, op.chunk, op.partnerChunk);
        }
    }
    return hidden;
}

/// Bubble is what is left until the last gradients are there.
void fillTime(Report& report, const Scenario& scenario, const std::vector<StagePlan>& plans, const StageTimes& times,
              const RankGrid& grid)
{
    const StepTail tail = addStepTail(report.timeline, scenario, plans, grid);
    report.time = plans[tail.critical].perMicroBatch().scaled(static_cast<double>(scenario.layout.microBatches()));
    double& exchange = report.time[TimeKind::EpExposed];
    exchange = std::max(0.0, exchange - hiddenByPairs(times, report.timeline, tail.critical));
    report.time[TimeKind::PpExposed] += report.timeline.stages[tail.critical].transferWait;
    report.time[TimeKind::DpExposed] += tail.gradients;
    const double idle = tail.reduced - report.time.total();
    report.time[TimeKind::Bubble] = idle > 1e-12 * tail.reduced ? idle : 0; // less is rounding
    report.time[TimeKind::DpExposed] += tail.gather;
    report.time[TimeKind::Optimizer] = tail.optimizer;
    report.time[TimeKind::Host] += scenario.stack.stepOverhead;
    report.stepTime = report.time.total();
}

void fillRates(Report& report, const Scenario& scenario)
{
    const Layout& layout = scenario.layout;
    const double devices = static_cast<double>(layout.devices());
    const double sequences = static_cast<double>(layout.globalBatch);
    report.tokensPerStep = sequences * static_cast<double>(scenario.workload.sequenceLength);
    report.tokensPerSecond = report.tokensPerStep / report.stepTime;
    report.tokensPerSecondPerDevice = report.tokensPerSecond / devices;
    report.bubbleFraction = report.timeline.bubbleFraction();

    const ForwardFlops forward = forwardFlops(scenario.model, scenario.workload.sequenceLength);
    const double peak = peakFor(scenario.cluster.accelerator, operandType(scenario.workload.precision));
    const auto utilization = [&](double perSequence) {
        return perSequence * sequences / report.stepTime / (devices * peak);
    };
    // Frozen weights have no gradient of their own; the attention core's backward is all input gradient.
    const double passes = scenario.workload.training == Training::Full ? 3 : 2;
    const double sixN = 2 * passes * static_cast<double>(report.parameters.active)
        * static_cast<double>(scenario.workload.sequenceLength);
    report.modelFlopsPerStep = (passes * forward.products + 3 * forward.causalCore) * sequences;
    report.mfu = {utilization(passes * forward.products + 3 * forward.fullCore),
                  utilization(passes * forward.products + 3 * forward.causalCore), utilization(sixN)};
    report.hfu = report.mfu;
    if (layout.recompute == Recompute::Full) {
        report.hfu.full += utilization(forward.layerProducts + forward.fullCore);
        report.hfu.causal += utilization(forward.layerProducts + forward.causalCore);
        report.hfu.sixN += utilization(sixN / passes);
    } else if (layout.recompute == Recompute::Experts) {
        for (double* hfu : {&report.hfu.full, &report.hfu.causal, &report.hfu.sixN}) {
            *hfu += utilization(forward.expertProducts);
        }
    } else if (layout.recompute == Recompute::PerOperator) {
        report.hfu.full += utilization(forward.layerProducts / 2);
        report.hfu.causal += utilization(forward.layerProducts / 2);
        report.hfu.sixN += utilization(sixN / passes / 2);
    } else if (layout.recompute == Recompute::Selective) {
        report.hfu.full += utilization(forward.fullCore);
        report.hfu.causal += utilization(forward.causalCore);
    }

    if (scenario.workload.trainingTokens > 0) {
        const double seconds = scenario.workload.trainingTokens / report.tokensPerSecond;
        report.trainingDays = seconds / 86400;
        report.trainingCost = seconds / 3600 * devices * scenario.cluster.accelerator.pricePerHour;
    }
}

/// What the rules and the schedule object to. How many micro-batches there are is only known for a legal layout.
Problems layoutProblems(const Scenario& scenario)
{
    const Problems ofRules = checkLayout(scenario);
    Problems problems = ofRules;
    const Layout& layout = scenario.layout;
    if (layout.pp < 1 || layout.vpp < 1 || layout.dp < 1 || layout.microBatch < 1) {
        return problems;
    }
    const auto told = [&](const std::string& field) {
        return std::any_of(ofRules.begin(), ofRules.end(), [&](const Problem& p) { return p.field == field; });
    };
    const bool batchIsKnown = ofRules.empty();
    const auto microBatches = static_cast<int>(
        std::min<std::int64_t>(batchIsKnown ? layout.microBatches() : 1, std::numeric_limits<int>::max()));
    for (Problem& problem : checkSchedule(layout.schedule, layout.pp, microBatches, layout.vpp)) {
        if (batchIsKnown || (problem.field != "layout.global_batch" && !told(problem.field))) {
            problems.push_back(std::move(problem));
        }
    }
    return problems;
}

} // namespace

Report evaluate(const Scenario& scenario)
{
    Report report;
    report.problems = checkModel(scenario.model);
    if (!report.legal()) {
        return report;
    }
    report.parameters = parameters(scenario.model);
    report.problems = layoutProblems(scenario);
    if (!report.legal()) {
        return report;
    }
    const Layout& layout = scenario.layout;
    Result<Schedule> schedule =
        makeSchedule(layout.schedule, layout.pp, static_cast<int>(layout.microBatches()), layout.vpp);
    if (!schedule) {
        report.problems = schedule.problems;
        return report;
    }
    const RankGrid grid(layout, scenario.cluster);
    const std::vector<StagePlan> plans = planStages(scenario, *schedule, grid);
    const StageTimes times = stageTimes(scenario, plans, grid);
    Result<Timeline> timeline = simulate(*schedule, times);
    if (!timeline) {
        report.problems = timeline.problems;
        return report;
    }
    report.timeline = *std::move(timeline);
    fillStages(report, scenario, plans);
    fillTime(report, scenario, plans, times, grid);
    fillRates(report, scenario);
    report.warnings = adviseLayout(scenario);
    return report;
}

} // namespace partita
