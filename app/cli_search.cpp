// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli.h"
#include "app/cli_explain.h"
#include "app/cli_runs.h"
#include "app/default_scenario.h"
#include "app/scenario_options.h"
#include "app/search_limits.h"
#include "app/search_text.h"
#include "core/cluster/price.h"
#include "core/explain/layout_values.h"
#include "core/formats/search_json.h"
#include "core/search/stack_limits.h"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <functional>
#include <thread>

#include <unistd.h>

namespace partita::cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds longestAfterStop(100); ///< to count what the stack does not offer

volatile std::sig_atomic_t interrupted = 0;

/// While there is one, the first Ctrl-C asks for an end, so that what has been found can be printed; the second one
/// ends the program as ever.
class EndOnInterrupt {
public:
    EndOnInterrupt()
    {
        struct sigaction action { };
        action.sa_handler = [](int) { interrupted = 1; };
        action.sa_flags = static_cast<int>(SA_RESETHAND);
        sigaction(SIGINT, &action, &m_before);
    }
    ~EndOnInterrupt() { sigaction(SIGINT, &m_before, nullptr); }
    EndOnInterrupt(const EndOnInterrupt&) = delete;
    EndOnInterrupt& operator=(const EndOnInterrupt&) = delete;

private:
    struct sigaction m_before { };
};

/// In s; 0 where none is given.
double readTimeLimit(OptionReader& reader)
{
    constexpr double least = 0.001;
    constexpr double most = 1e6;
    double seconds = 0;
    reader.number("--time-limit", seconds, least, most);
    return seconds;
}

/// Whether to end a search begun now, for the time it has or for Ctrl-C.
std::function<bool()> endAfter(double seconds, Clock::time_point begun)
{
    if (seconds <= 0) {
        return [] { return interrupted != 0; };
    }
    const auto end = begun + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    return [end] { return interrupted != 0 || Clock::now() >= end; };
}

SearchOptions readOptions(OptionReader& reader)
{
    constexpr std::int64_t most = 1000;
    SearchOptions options;
    options.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    reader.integer("--top", options.top, 1, most);
    reader.integer("--threads", options.threads, 1, most);
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
    return [last = Clock::now()](const SearchResult& soFar) mutable {
        const auto now = Clock::now();
        const bool done = soFar.counts.legal == soFar.counts.enumerated;
        if (!done && now - last < std::chrono::seconds(1)) {
            return;
        }
        last = now;
        fmt::print(stderr, "\r{}\x1b[K", searchCountsText(soFar)); // over the line before, and nothing of it left
        if (done) {
            fmt::print(stderr, "\n");
        }
        std::fflush(stderr);
    };
}

int run(const Arguments& arguments)
{
    const EndOnInterrupt endOnInterrupt;
    const auto begun = Clock::now();
    OptionReader reader(arguments);
    SearchSpace space = readLimits(reader);
    if (arguments.has("--rank-orders")) {
        if (!space.orders.empty()) {
            reader.refuse(Usage, Problem{"--rank-orders", {}, "--fix limits rank_order, too", "one of them"});
        }
        space.rankOrders = true;
    }
    SearchOptions options = readOptions(reader);
    const double timeLimit = readTimeLimit(reader);
    const std::optional<ExplainRequest> explained = readExplain(reader);
    std::optional<FrontAgainst> against;
    if (arguments.has("--pareto")) {
        against = FrontAgainst::Memory;
        reader.choice("--pareto", *against);
    }
    options.front = against == FrontAgainst::Memory;
    options.wantsBound = [] { return true; };
    const Catalogue catalogue = loadPresets();
    printProblems(catalogue.problems);
    const std::optional<Scenario> scenario = scenarioOf(reader, catalogue);
    if (!scenario) {
        return reader.refusal();
    }
    const std::function<bool()> stop = endAfter(timeLimit, begun);
    const Result<SearchResult> result = searchLayouts(*scenario, space, options, stop, progressLine());
    const std::chrono::duration<double> taken = Clock::now() - begun;
    if (!result) {
        return refuse(arguments, result.problems, NotLegal);
    }
    // What was stopped wants its answer now.
    const auto soon = [patience = result->complete ? Clock::time_point::max() : Clock::now() + longestAfterStop] {
        return Clock::now() >= patience;
    };
    SearchAnswer answer{*result,
                        figuresOfAll(*scenario, result->best),
                        figuresOfAll(*scenario, result->front),
                        against,
                        scenario->cluster.accelerator.pricePerHour,
                        priceOrigin(scenario->cluster.accelerator),
                        layoutsBeyondStack(*scenario, space, result->counts, soon),
                        searchWarnings(*scenario, space),
                        unvaried(space),
                        taken.count(),
                        {}};
    if (against && *against != FrontAgainst::Memory) {
        options.top = 1;
        SizeSearch sizes = fastestBySize(*scenario, space, result->best, options, stop, nullptr);
        answer.front = frontOf(std::move(sizes.layouts), *against);
        answer.frontDevices = std::move(sizes.devices);
    }
    if (!answer.best.empty()) {
        Scenario best = *scenario;
        best.layout = answer.best.front().layout;
        if (const int code = saveAsked(arguments, best, catalogue); code != Done) {
            return code;
        }
    }
    if (explained && answer.best.empty() && !result->complete) {
        return refuse(arguments,
                      {{std::string(explained->option), explained->path,
                        "the search was stopped before it had found anything", "give it more time"}},
                      NotLegal);
    }
    if (explained) {
        const std::vector<ComparableRun> runs = loadComparableRuns(catalogue);
        return printDerivation(arguments, *explainSearch(*scenario, answer, space.headRoom, runs), *explained, Usage);
    }
    fmt::print("{}", arguments.has("--json") ? writeSearch(answer) : searchText(*scenario, answer));
    return endOf(arguments, !answer.best.empty());
}

} // namespace

Verb searchVerb()
{
    std::vector<Option> options = scenarioOptions(Purpose::Choice);
    options.insert(options.end(), limitOptions().begin(), limitOptions().end());
    options.push_back({"--rank-orders", "", "also try every order of ranks"});
    options.push_back({"--top", "N", "layouts to print, fastest first; 10 when left out"});
    options.push_back({"--pareto",
                       "memory|devices|cost",
                       "also what nothing beats in both throughput and memory (when left out), devices or cost",
                       Times::Once,
                       {},
                       "memory"});
    options.push_back({"--time-limit", "SECONDS", "print the best found by then; Ctrl-C ends it likewise"});
    options.push_back(saveOption("write the scenario with the fastest layout to a .partita file"));
    options.push_back({"--threads", "N", "threads to search with; all cores when left out"});
    for (Option& option : explainOptions("derive a value of --json instead: best[0].mfu, front[1].peak_memory_bytes")) {
        options.push_back(std::move(option));
    }
    options.push_back({"--json", "", "print counts and layouts as JSON"});
    return {"partita search [SCENARIO|-] [options]\n\n"
            "Looks at every legal layout of the scenario's model, devices and batch and prints the fastest\n"
            "that fit. The scenario's own layout gives the global batch; --fix, --min and --max limit the\n"
            "rest: tp, cp, pp, vpp, dp, ep, etp, micro_batch, micro_batches, zero_stage, sequence_parallel,\n"
            "recompute, schedule, rank_order, split. Exit code 0 also when nothing fits.\n\n"
            "Of its counts, `enumerated` is the space, of which only legal layouts are made: once all are\n"
            "looked at, `legal` is as many. What a search finds that ends does not depend on threads, but how\n"
            "many it timed (`evaluated`) and left out (`pruned`, `unseen`) does, as it depends on when the first\n"
            "fast ones are found; so does `fit`, a least number then, in spaces of over 5 million and where\n"
            "stages are balanced (--fix split=any).",
            std::move(options), 1, run};
}

} // namespace partita::cli
