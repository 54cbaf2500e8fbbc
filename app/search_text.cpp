// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/search_text.h"

#include "core/base/format.h"
#include "core/layout/layout_text.h"

#include <fmt/format.h>

namespace partita {

namespace {

std::string table(const std::vector<LayoutFigures>& layouts)
{
    std::string text = fmt::format("{:>4}{:>11}{:>9}{:>11}{:>9}{:>10}  {}\n", "", "step", "MFU", "memory", "bubble",
                                   "exposed", "layout");
    int rank = 0;
    for (const LayoutFigures& figures : layouts) {
        text += fmt::format("{:>4}{:>11}{:>9}{:>11}{:>9}{:>10}  {}\n", ++rank, formatSeconds(figures.stepTime),
                            formatPercent(figures.mfu), formatBytes(figures.peakMemory), formatPercent(figures.bubble),
                            formatPercent(figures.exposed / figures.stepTime), layoutText(figures.layout));
    }
    return text;
}

} // namespace

std::string searchCountsText(const SearchResult& result)
{
    const SearchCounts& counts = result.counts;
    return fmt::format("{} of {} legal layouts looked at: {} fit in memory, {} timed, {} ruled out by a bound",
                       formatCount(counts.legal), formatCount(counts.enumerated), formatCount(counts.fit),
                       formatCount(counts.evaluated), formatCount(counts.fit - counts.evaluated));
}

std::string searchText(const Scenario& scenario, const SearchAnswer& answer)
{
    const SearchResult& result = answer.result;
    std::string text = fmt::format("{} on {} × {}, {} sequences of {} tokens per step, {}\n", scenario.model.name,
                                   formatCount(scenario.cluster.devices()), scenario.cluster.accelerator.name,
                                   formatCount(scenario.layout.globalBatch),
                                   formatCount(scenario.workload.sequenceLength), scenario.stack.name);
    text += fmt::format("{}; {}\n\n", searchCountsText(result), formatSeconds(answer.seconds));
    if (result.leanest) {
        return text
            + fmt::format("no layout fits in {}; the leanest needs {}:\n  {}\n", formatBytes(result.memoryLimit),
                          formatBytes(result.leanest->peakMemory), layoutText(result.leanest->layout));
    }
    text += table(answer.best);
    if (answer.withFront) {
        text += fmt::format("\nthroughput against memory: nothing beats these in both\n{}", table(answer.front));
    }
    return text;
}

} // namespace partita
