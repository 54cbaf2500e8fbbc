// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/search_text.h"

#include "core/base/format.h"
#include "core/cluster/price.h"
#include "core/layout/layout_text.h"
#include "core/scenario/scenario_title.h"
#include "core/scenario/stack_offer.h"
#include "core/training/evaluate.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {

namespace {

std::string_view unitOf(const SearchAnswer& answer)
{
    return costUnit(answer.pricePerHour > 0);
}

std::string costText(const LayoutFigures& figures, const SearchAnswer& answer)
{
    const double price = answer.pricePerHour > 0 ? answer.pricePerHour : 1;
    return formatScaled(takenBy(figures, FrontAgainst::Cost) * price);
}

std::string table(const std::vector<LayoutFigures>& layouts, const SearchAnswer& answer)
{
    std::string text = fmt::format("{:>4} {:>10}{:>9}{:>11}{:>9}{:>10}{:>25}  {}\n", "", "step", "MFU", "memory",
                                   "bubble", "exposed", unitOf(answer), "layout");
    int rank = 0;
    for (const LayoutFigures& figures : layouts) {
        text += fmt::format("{:>4} {:>10}{:>9}{:>11}{:>9}{:>10}{:>25}  {}\n", ++rank, formatSeconds(figures.stepTime),
                            formatPercent(figures.mfu), formatBytes(figures.peakMemory), formatPercent(figures.bubble),
                            formatPercent(figures.exposed / figures.stepTime), costText(figures, answer),
                            layoutText(figures.layout));
    }
    return text;
}

std::string sizes(const SearchAnswer& answer)
{
    std::string text = fmt::format("{:>9}{:>12}{:>25}{:>11}{:>9}  {}\n", "devices", "tokens/s", unitOf(answer), "step",
                                   "MFU", "layout");
    for (const LayoutFigures& figures : answer.front) {
        text += fmt::format("{:>9}{:>12}{:>25}{:>11}{:>9}  {}\n", formatCount(figures.layout.devices()),
                            formatScaled(figures.tokensPerSecond), costText(figures, answer),
                            formatSeconds(figures.stepTime), formatPercent(figures.mfu), layoutText(figures.layout));
    }
    return text;
}

/// "other orders of ranks (--fix rank_order=any); ..."
std::string unvariedText(const std::vector<Unvaried>& all)
{
    std::string text;
    for (const Unvaried& each : all) {
        text += fmt::format("{}{} (--fix {}=any)", text.empty() ? "" : "; ", each.text, each.key);
    }
    return text;
}

/// What is to be known of the layouts, each once, with the rows that it is said of; without what holds of all and has
/// been said of the search.
std::string warnings(Scenario scenario, const std::vector<LayoutFigures>& layouts, const std::vector<std::string>& said)
{
    struct Told {
        std::string warning;
        std::string rows;
        std::size_t count = 1;
    };
    std::vector<Told> told;
    int rank = 0;
    for (const LayoutFigures& figures : layouts) {
        scenario.layout = figures.layout;
        ++rank;
        for (const std::string& warning : evaluate(scenario).warnings) {
            const auto known =
                std::find_if(told.begin(), told.end(), [&](const Told& each) { return each.warning == warning; });
            if (known == told.end()) {
                told.push_back({warning, fmt::format("{}", rank)});
            } else {
                known->rows += fmt::format(", {}", rank);
                ++known->count;
            }
        }
    }
    told.erase(std::remove_if(told.begin(), told.end(),
                              [&](const Told& each) {
                                  return each.count == layouts.size()
                                      && std::find(said.begin(), said.end(), each.warning) != said.end();
                              }),
               told.end());
    std::string text = told.empty() ? "" : "\n";
    for (const Told& each : told) {
        text += fmt::format("{}: {}\n", each.rows, each.warning);
    }
    return text;
}

} // namespace

std::string searchCountsText(const SearchResult& result)
{
    const SearchCounts& counts = result.counts;
    return fmt::format("{} of {}{} legal layouts decided: {}{} fit in memory, {} timed, {} ruled out by a bound",
                       formatCount(counts.legal), counts.counted ? "" : "at least ", formatCount(counts.enumerated),
                       counts.unseen > 0 ? "at least " : "", formatCount(counts.fit), formatCount(counts.evaluated),
                       formatCount(counts.fit + counts.unseen - counts.evaluated));
}

std::string searchText(const Scenario& scenario, const SearchAnswer& answer)
{
    const SearchResult& result = answer.result;
    std::string text = fmt::format("{}, {} sequences of {} tokens per step, {}\n", modelOnDevices(scenario),
                                   formatCount(scenario.layout.globalBatch),
                                   formatCount(scenario.workload.sequenceLength), scenario.stack.name);
    text += fmt::format("{}; {}\n", searchCountsText(result), formatSeconds(answer.seconds));
    if (answer.beyondStack.value_or(0) > 0) {
        text +=
            fmt::format("{} more are left out, as {} does not offer them (it has {}); --beyond-stack looks at them\n",
                        formatCount(*answer.beyondStack), scenario.stack.name, describe(scenario.stack.offer));
    }
    if (!answer.unvaried.empty()) {
        text += fmt::format("not varied: {}\n", unvariedText(answer.unvaried));
    }
    text += priceText(scenario.cluster.accelerator) + '\n';
    for (const std::string& warning : answer.warnings) {
        text += fmt::format("note: {}\n", warning);
    }
    if (!result.complete) {
        text += fmt::format("stopped before the end: of what is left, {}{} layouts, none takes less than {}\n",
                            result.counts.counted ? "" : "at least ",
                            formatCount(result.counts.enumerated - result.counts.legal), formatSeconds(result.bound));
    }
    text += '\n';
    if (!result.complete && result.best.empty()) {
        return text + "none that fits so far\n";
    }
    if (result.leanest) {
        return text
            + fmt::format("no layout fits in {}; the leanest needs {}:\n  {}\n", formatBytes(result.memoryLimit),
                          formatBytes(result.leanest->peakMemory), layoutText(result.leanest->layout));
    }
    text += table(answer.best, answer) + warnings(scenario, answer.best, answer.warnings);
    if (answer.against) {
        const std::string tried =
            answer.frontDevices.empty() ? "" : fmt::format(", of {}", sizesText(answer.frontDevices));
        text +=
            fmt::format("\nthroughput against {}{}: nothing beats these in both\n", labelOf(*answer.against), tried);
        text += *answer.against == FrontAgainst::Memory ? table(answer.front, answer) : sizes(answer);
    }
    return text;
}

} // namespace partita
