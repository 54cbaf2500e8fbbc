// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/formats/catalogue.h"
#include "core/runs/published_run.h"
#include "core/runs/score.h"
#include "core/scenario/scenario.h"
#include "core/training/report.h"

namespace partita {

/// A run as a scenario, and what had to be taken where its source says nothing.
struct RunScenario {
    Scenario scenario;
    std::vector<std::string> assumptions;
};

/// Fields that a source leaves out follow the stack's habits; what cannot be guessed, or expressed, is a Problem.
Result<RunScenario> scenarioOf(const PublishedRun& run, const Catalogue& catalogue);

/// Per second and device: as stated, or from step time, batch and sequence.
std::optional<double> measuredTokens(const PublishedRun& run);

/// Bytes of the fullest device that a meter counts ("torch max_reserved", "nvidia-smi"): a framework's own leaves out
/// its context and the buffers of collectives, "allocated" what the allocator holds in reserve.
double bytesSeen(const Report& report, std::string_view meter);

/// Evaluates a run. source: the run file's stem; a row of a file of several sources is in STEM/PART.
ScoredRun scoreRun(const PublishedRun& run, const std::string& source, const Catalogue& catalogue);

/// Bytes/s per device of a phrase such as "8x200 Gb/s HDR InfiniBand per node" or "400 Gb/s RoCE per GPU"; 0 when it
/// has none, a Problem when what stands before its unit is no positive number.
Result<double> networkBandwidth(std::string_view phrase, std::int64_t devicesPerNode);

} // namespace partita
