// SPDX-License-Identifier: GPL-3.0-or-later
// How long searches of whole spaces take, and how many layouts a second the fast model times when nothing is pruned.
// Usage: bench_search [NAME...]; all cases when none is named.
#include "core/formats/catalogue.h"
#include "core/search/fast_model.h"
#include "core/search/layout_space.h"
#include "core/search/search.h"
#include "core/training/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

using namespace partita;

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begun)
{
    return std::chrono::duration<double>(Clock::now() - begun).count();
}

/// Of all threads: what a machine that does other things, too, does not stretch.
double processorSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

struct Case {
    std::string name;
    std::string model;
    std::string cluster;
    std::int64_t nodes;
    std::int64_t batch;
    std::int64_t sequence;
};

const std::vector<Case> cases{
    {"1t-4096", "megatron-1t", "selene", 512, 4096, 2048},
    {"1t-4096-b3072", "megatron-1t", "selene", 512, 3072, 2048},
    {"405b-16384", "llama-3.1-405b", "llama3-h100", 2048, 2048, 8192},
    {"70b-64", "llama-3.1-70b", "hgx-h100", 8, 64, 8192},
    {"70b-1024", "llama-3.1-70b", "hgx-h100", 128, 1024, 8192},
    {"8x7b-64", "mixtral-8x7b", "hgx-h100", 8, 256, 4096},
    {"671b-2048", "deepseek-v3", "h800-2048", 256, 15360, 4096},
};

Scenario scenarioOf(const Case& wanted, const Catalogue& catalogue)
{
    Scenario scenario;
    scenario.model = *catalogue.model(wanted.model);
    scenario.cluster = *catalogue.cluster(wanted.cluster);
    scenario.cluster.nodes = wanted.nodes;
    scenario.stack = *catalogue.stack("megatron-core");
    scenario.workload.sequenceLength = wanted.sequence;
    scenario.layout.globalBatch = wanted.batch;
    return scenario;
}

void search(const Scenario& scenario, const SearchSpace& space, int threads, bool front, bool countFits)
{
    const auto begun = Clock::now();
    const double processorBegun = processorSeconds();
    double first = -1;
    double best = 0;
    double last = 0;
    SearchOptions options;
    options.threads = threads;
    options.front = front;
    options.countFitsUpTo = countFits ? std::numeric_limits<std::int64_t>::max() : 0;
    const Result<SearchResult> result = searchLayouts(
        scenario, space, options, [] { return false; },
        [&](const SearchResult& soFar) {
            if (!soFar.best.empty() && first < 0) {
                first = since(begun);
            }
            if (!soFar.best.empty() && soFar.best.front().stepTime != best) {
                best = soFar.best.front().stepTime;
                last = since(begun);
            }
        });
    const double seconds = since(begun);
    const double processor = processorSeconds() - processorBegun;
    if (!result) {
        fmt::print("  {}\n", describe(result.problems.front()));
        return;
    }
    const SearchCounts& counts = result->counts;
    fmt::print("  {} thread{}{}: {:.2f} s ({:.2f} s of processors); first answer {:.3f} s, optimum found {:.2f} s; {} "
               "legal, {} fit, {} timed, {} unseen; "
               "{:.0f} decided a processor second; best {:.4g} s, front {}\n",
               threads, threads == 1 ? "" : "s", front ? " with front" : "", seconds, processor, first, last,
               counts.legal, counts.fit, counts.evaluated, counts.unseen, static_cast<double>(counts.legal) / processor,
               result->best.empty() ? 0 : result->best.front().stepTime, result->front.size());
}

/// Memory and step time of every layout, no bound in the way.
void timeAll(const Scenario& scenario, const SearchSpace& space, double patience)
{
    LayoutSpace layouts(scenario, space);
    FastModel model(scenario);
    std::int64_t timed = 0;
    std::int64_t looked = 0;
    const double limit = scenario.cluster.accelerator.memoryBytes;
    const double begun = processorSeconds();
    for (const DeviceSplit& split : layouts.deviceSplits()) {
        layouts.visit(split, [&](const Layout& layout) {
            ++looked;
            if (model.peakMemory(layout) <= limit) {
                ++timed;
                model.stepTime(layout);
            }
        });
        if (processorSeconds() - begun > patience) {
            break;
        }
    }
    const double seconds = processorSeconds() - begun;
    fmt::print("  nothing pruned by time: {} layouts in {:.2f} processor seconds = {:.0f}/s, {} of them timed\n",
               looked, seconds, static_cast<double>(looked) / seconds, timed);
}

void searchWhole(const Scenario& scenario, const SearchSpace& space, const std::string& name)
{
    const auto begun = Clock::now();
    const std::int64_t size = LayoutSpace(scenario, space).size();
    fmt::print("{}: {} layouts, counted in {:.3f} s\n", name, size, since(begun));
    if (size < 20'000'000) {
        search(scenario, space, 1, false, true);
        search(scenario, space, 2, false, true);
        search(scenario, space, 2, true, true);
        timeAll(scenario, space, 10);
    }
    search(scenario, space, 2, false, false);
    search(scenario, space, 2, true, false);
}

} // namespace

int main(int argc, char** argv)
{
    const Catalogue catalogue = loadCatalogue({PARTITA_SOURCE_DIR "/presets"});
    const std::vector<std::string> names(argv + 1, argv + argc);
    for (const Case& each : cases) {
        if (!names.empty() && std::find(names.begin(), names.end(), each.name) == names.end()) {
            continue;
        }
        const Scenario scenario = scenarioOf(each, catalogue);
        for (const bool beyondStack : {false, true}) {
            SearchSpace space;
            space.beyondStack = beyondStack;
            searchWhole(scenario, space, each.name + (beyondStack ? ", every schedule" : ", what the stack offers"));
        }
    }
    return 0;
}
