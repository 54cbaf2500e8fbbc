// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli.h"
#include "app/default_scenario.h"
#include "app/preset_folders.h"
#include "app/scenario_options.h"
#include "app/search_text.h"
#include "core/formats/report_json.h"
#include "core/formats/search_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <chrono>
#include <thread>

namespace partita::cli {

namespace {

constexpr std::int64_t mostShown = 1000;

const std::vector<Option>& searchOptions()
{
    static const std::vector<Option> options = [] {
        std::vector<Option> all = scenarioOptions();
        all.push_back({"--fix", "tp=8,pp=4,...", "values to keep; lists as recompute=none|full"});
        all.push_back({"--min", "dp=4,...", "least values of degrees and micro-batch"});
        all.push_back({"--max", "tp=8,...", "largest values of degrees and micro-batch"});
        all.push_back({"--tp-in-node", "", "keep tensor parallel groups inside a node"});
        all.push_back({"--head-room", "PERCENT", "memory to leave free on every device"});
        all.push_back({"--split", "even|needed|any", "layers of model chunks: needed = uneven where none are even"});
        all.push_back({"--rank-orders", "", "also try every order of ranks"});
        all.push_back({"--top", "N", "layouts to print, fastest first; 10 when left out"});
        all.push_back({"--pareto", "", "also what nothing beats in both throughput and memory"});
        all.push_back({"--threads", "N", "threads to search with; all cores when left out"});
        all.push_back({"--json", "", "print counts and layouts as JSON"});
        all.push_back({"--help", "", "print this"});
        return all;
    }();
    return options;
}

/// A whole number from 1 to most, or what is wrong with it.
std::int64_t count(const Arguments& arguments, std::string_view option, std::int64_t otherwise, std::int64_t most,
                   Problems& problems)
{
    const std::optional<std::string> text = arguments.valueOf(option);
    if (!text) {
        return otherwise;
    }
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc() || end != text->data() + text->size() || value < 1 || value > most) {
        problems.push_back({std::string(option), *text, fmt::format("must be a whole number from 1 to {}", most), {}});
        return otherwise;
    }
    return value;
}

void narrowBy(const Arguments& arguments, std::string_view option, Limit limit, SearchSpace& space, Problems& problems)
{
    for (const auto& [name, text] : arguments.options) {
        if (name == option) {
            for (Problem& problem : narrow(space, limit, text)) {
                problem.field = fmt::format("{} {}", option, problem.field);
                problems.push_back(std::move(problem));
            }
        }
    }
}

SearchSpace readSpace(const Arguments& arguments, Problems& problems)
{
    SearchSpace space;
    narrowBy(arguments, "--fix", Limit::Fix, space, problems);
    narrowBy(arguments, "--min", Limit::Least, space, problems);
    narrowBy(arguments, "--max", Limit::Most, space, problems);
    space.tensorInsideNode = arguments.has("--tp-in-node");
    constexpr std::int64_t mostHeadRoom = 99;
    space.headRoom = static_cast<double>(count(arguments, "--head-room", 0, mostHeadRoom, problems)) / 100;
    if (const std::optional<std::string> text = arguments.valueOf("--split")) {
        if (const std::optional<StageSplit> split = fromKey<StageSplit>(*text)) {
            space.stageSplit = *split;
        } else {
            problems.push_back({"--split", *text, "not known", "one of even, needed, any"});
        }
    }
    space.rankOrders = arguments.has("--rank-orders");
    return space;
}

std::vector<LayoutFigures> figuresOfAll(const Scenario& scenario, const std::vector<FoundLayout>& layouts)
{
    std::vector<LayoutFigures> figures;
    for (const FoundLayout& layout : layouts) {
        figures.push_back(figuresOf(scenario, layout.layout));
    }
    return figures;
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
    const Result<Arguments> arguments = parseArguments(words, searchOptions(), 1);
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
    const SearchSpace space = readSpace(*arguments, problems);
    SearchOptions options;
    options.front = arguments->has("--pareto");
    options.top = static_cast<int>(count(*arguments, "--top", options.top, mostShown, problems));
    const std::int64_t cores = std::max(1U, std::thread::hardware_concurrency());
    options.threads = static_cast<int>(count(*arguments, "--threads", cores, mostShown, problems));
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
        scenario, space, options, [] { return false; }, nullptr);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
    if (!result) {
        return refuse(result.problems, NotLegal, asJson);
    }
    SearchAnswer answer{*result, figuresOfAll(scenario, result->best), figuresOfAll(scenario, result->front),
                        options.front, taken.count()};
    fmt::print("{}", asJson ? writeSearch(answer) : searchText(scenario, answer));
    return Done;
}

} // namespace partita::cli
