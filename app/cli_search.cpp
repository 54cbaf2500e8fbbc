// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli.h"
#include "app/default_scenario.h"
#include "app/preset_folders.h"
#include "app/scenario_options.h"
#include "app/search_limits.h"
#include "app/search_text.h"
#include "core/formats/report_json.h"
#include "core/formats/search_json.h"
#include "core/search/stack_limits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <thread>

#include <unistd.h>

namespace partita::cli {

namespace {

constexpr std::int64_t mostShown = 1000;

const std::vector<Option>& searchOptions()
{
    static const std::vector<Option> options = [] {
        std::vector<Option> all = scenarioOptions();
        all.insert(all.end(), limitOptions().begin(), limitOptions().end());
        all.push_back({"--rank-orders", "", "also try every order of ranks"});
        all.push_back({"--top", "N", "layouts to print, fastest first; 10 when left out"});
        all.push_back({"--pareto", "memory|devices|cost",
                       "also what nothing beats in both throughput and memory (when left out), devices or cost"});
        all.push_back({"--threads", "N", "threads to search with; all cores when left out"});
        all.push_back({"--json", "", "print counts and layouts as JSON"});
        all.push_back({"--help", "", "print this"});
        return all;
    }();
    return options;
}

std::vector<LayoutFigures> figuresOfAll(const Scenario& scenario, const std::vector<FoundLayout>& layouts)
{
    std::vector<LayoutFigures> figures;
    for (const FoundLayout& layout : layouts) {
        figures.push_back(figuresOf(scenario, layout.layout));
    }
    return figures;
}

/// Says once a second on a terminal how far a search is; nothing where errors go elsewhere.
std::function<void(const SearchResult&)> progressLine()
{
    if (isatty(STDERR_FILENO) == 0) {
        return nullptr;
    }
    return [last = std::chrono::steady_clock::now()](const SearchResult& soFar) mutable {
        const auto now = std::chrono::steady_clock::now();
        if (now - last < std::chrono::seconds(1)) {
            return;
        }
        last = now;
        fmt::print(stderr, "\r{}\x1b[K", searchCountsText(soFar)); // over the line before, and nothing of it left
        if (soFar.counts.legal == soFar.counts.enumerated) {
            fmt::print(stderr, "\n");
        }
        std::fflush(stderr);
    };
}

/// "--pareto" alone means memory.
Words withWholePareto(Words words)
{
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == "--pareto" && (i + 1 == words.size() || !fromKey<FrontAgainst>(words[i + 1]))) {
            words[i] = "--pareto=memory";
        }
    }
    return words;
}

int refuse(const Problems& problems, int exitCode, bool asJson)
{
    printProblems(problems);
    if (asJson) {
        fmt::print("{}", writeProblems(problems));
    }
    return exitCode;
}

} // namespace

int searchVerb(const Words& words)
{
    const Result<Arguments> arguments = parseArguments(withWholePareto(words), searchOptions(), 1);
    if (!arguments) {
        return usageError(arguments.problems, "search");
    }
    if (arguments->has("--help")) {
        fmt::print("usage: partita search [SCENARIO|-] [options]\n\n"
                   "Looks at every legal layout of the scenario's model, devices and batch and prints the fastest\n"
                   "that fit. The scenario's own layout gives the global batch; --fix, --min and --max limit the\n"
                   "rest: tp, cp, pp, vpp, dp, ep, etp, micro_batch, micro_batches, zero_stage, sequence_parallel,\n"
                   "recompute, schedule. Exit code 0 also when nothing fits.\n\n{}",
                   describeOptions(searchOptions()));
        return Done;
    }
    Problems problems;
    SearchSpace space = readLimits(*arguments, problems);
    space.rankOrders = arguments->has("--rank-orders");
    SearchOptions options;
    std::optional<FrontAgainst> against;
    if (const std::optional<std::string> text = arguments->valueOf("--pareto")) {
        against = fromKey<FrontAgainst>(*text);
        if (!against) {
            problems.push_back({"--pareto", *text, "not known", "one of memory, devices, cost"});
        }
    }
    options.front = against == FrontAgainst::Memory;
    options.top = static_cast<int>(readCount(*arguments, "--top", options.top, mostShown, problems));
    const std::int64_t cores = std::max(1U, std::thread::hardware_concurrency());
    options.threads = static_cast<int>(readCount(*arguments, "--threads", cores, mostShown, problems));
    if (!problems.empty()) {
        return usageError(problems, "search");
    }
    const bool asJson = arguments->has("--json");
    const Catalogue catalogue = loadPresets();
    printProblems(catalogue.problems);
    const ScenarioInput input = scenarioOf(*arguments, catalogue);
    if (!input.scenario) {
        return input.exitCode == Usage ? usageError(input.problems, "search")
                                       : refuse(input.problems, input.exitCode, asJson);
    }
    const Scenario& scenario = *input.scenario;
    const auto begun = std::chrono::steady_clock::now();
    const Result<SearchResult> result = searchLayouts(
        scenario, space, options, [] { return false; }, progressLine());
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
    if (!result) {
        return refuse(result.problems, NotLegal, asJson);
    }
    SearchAnswer answer{*result,      figuresOfAll(scenario, result->best),      figuresOfAll(scenario, result->front),
                        against,      scenario.cluster.accelerator.pricePerHour, layoutsBeyondStack(scenario, space),
                        taken.count()};
    if (against && *against != FrontAgainst::Memory) {
        options.top = 1;
        const auto sizes = fastestBySize(
            scenario, space, options, [] { return false; }, nullptr);
        answer.front = sizes ? frontOf(*sizes, *against) : std::vector<LayoutFigures>();
    }
    fmt::print("{}", asJson ? writeSearch(answer) : searchText(scenario, answer));
    return Done;
}

} // namespace partita::cli
