// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/formats/report_json.h"
#include "core/runs/load_runs.h"
#include "core/scenario/scenario.h"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace partita {

/// What decides how well a prediction does. Taken once a scenario: counting parameters walks the layers.
struct RunKind {
    RunKind() = default;
    explicit RunKind(const Scenario& scenario);

    std::string stack;
    std::string accelerator; ///< family: products of one chip
    std::array<bool, 5> splits{}; ///< tensor, context, pipeline and expert parallelism, sharded gradients or weights
    bool experts = false;
    bool recurrence = false; ///< state-space or linear-attention layers
    Recompute recompute = Recompute::None;
    DataType operands = DataType::Bf16;
    double size = 0; ///< log2 of the parameters
    double devices = 0; ///< log2
    double sequence = 0; ///< log2 of its tokens
};

/// 0 for alike; a stack or a device generation counts as much as four doublings of the model.
double distanceInKind(const RunKind& a, const RunKind& b);

/// What is predicted of a run besides its rate.
struct RunFigures {
    double mfu = 0; ///< causal
    double memory = 0; ///< bytes of the fullest device, as far as the run's own meter counts them
};

/// A measured run as a scenario to compare with.
struct ComparableRun {
    std::string id;
    std::string source;
    std::string where; ///< title and place of the source
    Scenario scenario;
    RunKind kind;
    double measured = 0; ///< tokens per second and device
    std::optional<double> predicted; ///< the same; not yet evaluated while absent, 0 where the scenario is illegal
    std::optional<double> measuredMemory = std::nullopt; ///< bytes
    std::string memoryKind = {}; ///< what its meter counts
    std::optional<RunFigures> figures = std::nullopt; ///< evaluated with predicted
};

/// The runs that have a measured rate and can be expressed, in the order of files and rows. Evaluates nothing.
std::vector<ComparableRun> comparableRuns(const std::vector<RunFile>& files, const Catalogue& catalogue);

/// Evaluates those that have not been, until stop() says so.
void predictAll(std::vector<ComparableRun>& runs, const std::function<bool()>& stop);

/// Tokens per second and device: the run's `predicted`, or evaluated now; 0 where the scenario is illegal.
double predictedRate(const ComparableRun& run);
/// The run's `figures`, or evaluated now; zeros where the scenario is illegal.
RunFigures predictedFigures(const ComparableRun& run);
/// The runs nearest in kind, nearest first, of those that `admits` lets through and whose scenario is legal; at most
/// half of them of one source, because rows of one sweep are wrong together.
std::vector<std::size_t> nearestRuns(const Scenario& scenario, const std::vector<ComparableRun>& runs,
                                     std::size_t nearest, const std::function<bool(const ComparableRun&)>& admits);

/// What measured step times were of predicted ones, in the runs nearest in kind.
struct ErrorBand {
    double low = 1; ///< 10th percentile of measured over predicted step time
    double high = 1; ///< 90th
    std::vector<std::size_t> runs; ///< indices of the runs, nearest first

    bool operator==(const ErrorBand&) const = default;
};

/// Of the nearest runs, at most half of them of one source: rows of one sweep are wrong together. Runs not evaluated
/// yet are evaluated when they are among the nearest. Nothing for fewer than five runs.
std::optional<ErrorBand> errorBand(const Scenario& scenario, const std::vector<ComparableRun>& runs,
                                   std::size_t nearest = 20);

/// The band around a predicted step time (s), with the ids of its runs.
std::optional<StepTimeBand> stepTimeBand(const Scenario& scenario, double stepTime,
                                         const std::vector<ComparableRun>& runs);

} // namespace partita
