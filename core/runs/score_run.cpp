// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/run_scenario.h"

#include "core/base/units.h"
#include "core/base/words.h"
#include "core/runs/serving_scenario.h"
#include "core/training/evaluate.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {

namespace {

double bytesSeen(const MemoryBreakdown& memory, std::string_view meter)
{
    const bool reserved = contains(meter, "reserved");
    if (contains(meter, "allocated") && !reserved) {
        return memory.total() - memory[MemoryKind::Framework] - memory[MemoryKind::CommunicationBuffers]
            - memory[MemoryKind::Fragmentation];
    }
    return contains(meter, "torch")
        ? memory.total() - memory[MemoryKind::Framework] - memory[MemoryKind::CommunicationBuffers]
        : memory.total();
}

} // namespace

double bytesSeen(const Report& report, std::string_view meter)
{
    double seen = 0;
    for (const StageReport& stage : report.stages) {
        seen = std::max(seen, bytesSeen(stage.memory, meter));
    }
    return seen;
}

std::optional<double> measuredTokens(const PublishedRun& run)
{
    const std::optional<std::int64_t>& batch = run.layout.globalBatch;
    if (!run.measured.tokensPerSecondPerDevice && run.measured.stepTime && batch && run.model.sequence
        && run.cluster.devices) {
        const double tokens = static_cast<double>(*batch) * static_cast<double>(*run.model.sequence);
        return tokens / *run.measured.stepTime / static_cast<double>(*run.cluster.devices);
    }
    return run.measured.tokensPerSecondPerDevice;
}

ScoredRun scoreRun(const PublishedRun& run, const std::string& source, const Catalogue& catalogue)
{
    if (run.serving) {
        return scoreServing(run, source, catalogue);
    }
    ScoredRun row;
    row.id = run.id;
    row.source = source;
    if (!run.part.empty() && run.part != source) {
        row.source += "/" + run.part;
    }
    row.group = fmt::format("{}/{}/{}/{}", row.source, run.model.name, run.cluster.devices.value_or(0),
                            run.model.sequence.value_or(0));
    row.measuredTokens = measuredTokens(run);
    row.measuredMemoryGib = run.measured.peakMemoryGib;
    row.memoryKind = run.measured.peakMemoryKind.value_or("");
    if (run.measured.outOfMemory) {
        row.measuredFits = !*run.measured.outOfMemory;
    }
    const Result<RunScenario> scenario = scenarioOf(run, catalogue);
    Problems problems = scenario.problems;
    Report report;
    if (scenario) {
        row.assumptions = scenario->assumptions;
        report = evaluate(scenario->scenario);
        problems = report.problems;
    }
    if (!problems.empty()) {
        const Problem& first = problems.front();
        row.skipped = first.field.empty() ? first.message : fmt::format("{}: {}", first.field, first.message);
        return row;
    }
    row.predictedTokens = report.tokensPerSecondPerDevice;
    row.predictedMemoryGib = bytesSeen(report, row.memoryKind) / gibibyte;
    row.predictedFits = report.fits;
    if (!row.measuredTokens && !row.measuredMemoryGib && !row.measuredFits) {
        row.skipped = "measured: no tokens/s, step time or memory (a utilisation alone needs its FLOP convention)";
    }
    return row;
}

} // namespace partita
