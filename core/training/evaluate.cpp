// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/evaluate.h"

#include "core/model/check_model.h"
#include "core/pipeline/drawn_schedule.h"
#include "core/scenario/rules.h"
#include "core/training/flops.h"
#include "core/training/memory.h"
#include "core/training/stage_times.h"
#include "core/training/step_tail.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace partita {

namespace {

void fillStages(Report& report, const Scenario& scenario, const std::vector<StagePlan>& plans,
                const PipelineFigures& pipeline)
{
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const StagePlan& plan = plans[i];
        StageReport stage;
        stage.layers = plan.layers();
        stage.inFlight = pipeline.ranks[i].peakActivations;
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

/// Bubble is what is left until the last gradients are there.
void fillTime(Report& report, const Scenario& scenario, const std::vector<StagePlan>& plans,
              const PipelineFigures& pipeline, const StepTail& tail)
{
    const RankFigures& critical = pipeline.ranks[tail.critical];
    report.time = plans[tail.critical].perMicroBatch().scaled(static_cast<double>(scenario.layout.microBatches()));
    double& exchange = report.time[TimeKind::EpExposed];
    exchange = std::max(0.0, exchange - critical.hidden);
    report.time[TimeKind::PpExposed] += critical.transferWait;
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

/// Every op of the pipeline, or what they come to.
enum class Detail { Timeline, Figures };

Result<Timeline> timelineOf(const Layout& layout, const StageTimes& times)
{
    const Result<Schedule> schedule =
        makeSchedule(layout.schedule, layout.pp, static_cast<int>(layout.microBatches()), layout.vpp);
    return schedule ? simulate(*schedule, times) : schedule.problems;
}

/// Needs a layout that has no problems.
Result<PipelineFigures> figuresOf(const Layout& layout, const StageTimes& times)
{
    std::vector<int> ranks(static_cast<std::size_t>(layout.pp));
    std::iota(ranks.begin(), ranks.end(), 0);
    DrawnSchedule drawn(layout.schedule, layout.pp, static_cast<int>(layout.microBatches()), layout.vpp, ranks);
    return drawn.figures(times, layout.microBatches());
}

Report report(const Scenario& scenario, Detail detail)
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
    const RankGrid grid(layout, scenario.cluster);
    const std::vector<StagePlan> plans =
        planStages(scenario, placementOf(layout.schedule, layout.pp, layout.vpp), grid);
    const StageTimes times = stageTimes(scenario, plans, grid);
    Result<PipelineFigures> pipeline = Problems();
    if (detail == Detail::Figures) {
        pipeline = figuresOf(layout, times);
    } else if (Result<Timeline> timeline = timelineOf(layout, times)) {
        report.timeline = *std::move(timeline);
        pipeline = figuresOf(report.timeline);
    } else {
        pipeline = timeline.problems;
    }
    if (!pipeline) {
        report.problems = pipeline.problems;
        return report;
    }
    const StepTail tail = stepTail(*pipeline, scenario, plans, grid);
    addStepTail(report.timeline, tail, scenario.stack.stepOverhead);
    fillStages(report, scenario, plans, *pipeline);
    fillTime(report, scenario, plans, *pipeline, tail);
    report.bubbleFraction = pipeline->bubbleFraction();
    fillRates(report, scenario);
    report.warnings = adviseLayout(scenario);
    return report;
}

} // namespace

Report evaluate(const Scenario& scenario)
{
    return report(scenario, Detail::Timeline);
}

Report evaluateFigures(const Scenario& scenario)
{
    return report(scenario, Detail::Figures);
}

} // namespace partita
