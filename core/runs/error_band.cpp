// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/error_band.h"

#include "core/base/units.h"
#include "core/model/parameters.h"
#include "core/runs/run_scenario.h"
#include "core/training/evaluate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace partita {

namespace {

constexpr std::size_t fewest = 5;

std::string family(const std::string& accelerator)
{
    return accelerator.substr(0, accelerator.find('-'));
}

bool hasExperts(const Model& model)
{
    return std::any_of(model.kinds.begin(), model.kinds.end(),
                       [](const LayerKind& kind) { return std::holds_alternative<MoeFfn>(kind.feedForward); });
}

bool hasRecurrence(const Model& model)
{
    return std::any_of(model.kinds.begin(), model.kinds.end(), [](const LayerKind& kind) {
        return std::holds_alternative<Mamba1>(kind.mixer) || std::holds_alternative<Mamba2>(kind.mixer)
            || std::holds_alternative<GatedDelta>(kind.mixer);
    });
}

/// By linear interpolation between order statistics; values ascend and are not empty.
double percentile(const std::vector<double>& values, double share)
{
    const double at = share * static_cast<double>(values.size() - 1);
    const std::size_t below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

} // namespace

double predictedRate(const ComparableRun& run)
{
    if (run.predicted) {
        return *run.predicted;
    }
    const Report report = evaluate(run.scenario);
    return report.legal() ? report.tokensPerSecondPerDevice : 0;
}

RunFigures predictedFigures(const ComparableRun& run)
{
    if (run.figures) {
        return *run.figures;
    }
    const Report report = evaluate(run.scenario);
    return report.legal() ? RunFigures{report.mfu.causal, bytesSeen(report, run.memoryKind)} : RunFigures{};
}

RunKind::RunKind(const Scenario& s)
    : stack(s.stack.id)
    , accelerator(family(s.cluster.accelerator.id))
    , splits{s.layout.tp > 1, s.layout.cp > 1, s.layout.pp > 1, s.layout.ep > 1, s.layout.zeroStage > 1}
    , experts(hasExperts(s.model))
    , recurrence(hasRecurrence(s.model))
    , recompute(s.layout.recompute)
    , operands(operandType(s.workload.precision))
    , size(std::log2(std::max<double>(1, static_cast<double>(parameters(s.model).total()))))
    , devices(std::log2(std::max<double>(1, static_cast<double>(s.cluster.devices()))))
    , sequence(std::log2(std::max<double>(1, static_cast<double>(s.workload.sequenceLength))))
{
}

double distanceInKind(const RunKind& a, const RunKind& b)
{
    double sum = 0;
    sum += a.stack != b.stack ? 1 : 0;
    sum += a.accelerator != b.accelerator ? 1 : 0;
    for (std::size_t i = 0; i < a.splits.size(); ++i) {
        sum += a.splits[i] != b.splits[i] ? 0.4 : 0;
    }
    sum += a.experts != b.experts ? 1.5 : 0;
    sum += a.recurrence != b.recurrence ? 1.5 : 0;
    sum += a.recompute != b.recompute ? 0.3 : 0;
    sum += a.operands != b.operands ? 0.5 : 0;
    sum += 0.25 * std::abs(a.size - b.size) + 0.1 * std::abs(a.devices - b.devices)
        + 0.1 * std::abs(a.sequence - b.sequence);
    return sum;
}

std::vector<ComparableRun> comparableRuns(const std::vector<RunFile>& files, const Catalogue& catalogue)
{
    std::vector<ComparableRun> result;
    for (const RunFile& file : files) {
        for (const PublishedRun& run : file.runs) {
            const std::optional<double> measured = measuredTokens(run);
            Result<RunScenario> scenario = measured ? scenarioOf(run, catalogue) : Result<RunScenario>(Problems{});
            if (scenario) {
                const std::string where = run.where.empty() ? run.sourceTitle : run.sourceTitle + ", " + run.where;
                const RunKind kind(scenario->scenario);
                ComparableRun comparable{run.id, file.source, where,       std::move(scenario->scenario),
                                         kind,   *measured,   std::nullopt};
                comparable.memoryKind = run.measured.peakMemoryKind.value_or("");
                if (run.measured.peakMemoryGib) {
                    comparable.measuredMemory = *run.measured.peakMemoryGib * gibibyte;
                }
                result.push_back(std::move(comparable));
            }
        }
    }
    return result;
}

void predictAll(std::vector<ComparableRun>& runs, const std::function<bool()>& stop)
{
    for (ComparableRun& run : runs) {
        if (stop()) {
            return;
        }
        const Report report = evaluate(run.scenario);
        const bool legal = report.legal();
        run.predicted = legal ? report.tokensPerSecondPerDevice : 0;
        run.figures = legal ? RunFigures{report.mfu.causal, bytesSeen(report, run.memoryKind)} : RunFigures{};
    }
}

std::vector<std::size_t> nearestRuns(const Scenario& scenario, const std::vector<ComparableRun>& runs,
                                     std::size_t nearest, const std::function<bool(const ComparableRun&)>& admits)
{
    const RunKind kind(scenario);
    std::vector<double> distances;
    for (const ComparableRun& run : runs) {
        distances.push_back(distanceInKind(kind, run.kind));
    }
    std::vector<std::size_t> order(runs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return distances[a] < distances[b]; });

    std::vector<std::size_t> found;
    std::map<std::string, std::size_t> ofSource;
    for (const std::size_t i : order) {
        if (found.size() == nearest) {
            break;
        }
        if (ofSource[runs[i].source] * 2 < nearest && admits(runs[i]) && predictedRate(runs[i]) > 0) {
            ++ofSource[runs[i].source];
            found.push_back(i);
        }
    }
    return found;
}

std::optional<ErrorBand> errorBand(const Scenario& scenario, const std::vector<ComparableRun>& runs,
                                   std::size_t nearest)
{
    ErrorBand band;
    band.runs = nearestRuns(scenario, runs, nearest, [](const ComparableRun&) { return true; });
    std::vector<double> ratios;
    for (const std::size_t i : band.runs) {
        ratios.push_back(predictedRate(runs[i]) / runs[i].measured);
    }
    if (ratios.size() < fewest) {
        return std::nullopt;
    }
    std::sort(ratios.begin(), ratios.end());
    band.low = percentile(ratios, 0.1);
    band.high = percentile(ratios, 0.9);
    return band;
}

std::optional<StepTimeBand> stepTimeBand(const Scenario& scenario, double stepTime,
                                         const std::vector<ComparableRun>& runs)
{
    const std::optional<ErrorBand> band = errorBand(scenario, runs);
    if (!band) {
        return std::nullopt;
    }
    StepTimeBand result{stepTime * band->low, stepTime * band->high, {}};
    for (const std::size_t i : band->runs) {
        result.runs.push_back(runs[i].id);
    }
    return result;
}

} // namespace partita
