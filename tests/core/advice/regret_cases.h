// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/advice/advise.h"
#include "core/advice/preset_scenario.h"
#include "core/search/search.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace partita::regret {

/// What the advisor is asked: a model, devices and a batch.
struct Case {
    std::string name;
    Scenario scenario;
};

/// The advice against the best of all layouts.
struct Outcome {
    Layout advised;
    Layout best;
    double advisedTime = 0; ///< s; 0 where nothing fits
    double bestTime = 0; ///< s; 0 where nothing fits
    bool complete = false; ///< the search looked at everything

    double regret() const { return bestTime > 0 && advisedTime > 0 ? advisedTime / bestTime - 1 : 0; }
    /// One of them found something that fits and the other did not.
    bool disagree() const { return (advisedTime > 0) != (bestTime > 0); }
};

/// The stated grid: nine models from 1B to 671B, five clusters, three sizes of each, three batches a device count.
inline std::vector<Case> grid()
{
    struct Size {
        const char* model;
        std::int64_t least; ///< devices that are worth a try
        std::int64_t most;
    };
    constexpr Size sizes[]{{"llama-3.2-1b", 8, 64},     {"llama-3.1-8b", 8, 256},      {"llama-2-13b", 8, 256},
                           {"llama-3.1-70b", 32, 1024}, {"mixtral-8x7b", 32, 512},     {"gpt3-175b", 64, 1024},
                           {"mamba-7b", 8, 64},         {"llama-3.1-405b", 256, 1024}, {"deepseek-v3", 512, 1024}};
    struct Machine {
        const char* cluster;
        std::int64_t devicesPerNode;
    };
    constexpr Machine machines[]{
        {"hgx-h100", 8}, {"hgx-a100", 8}, {"gb200-nvl72", 4}, {"mi300x-8", 8}, {"h100-pcie", 8}};
    std::vector<Case> cases;
    for (const Size& size : sizes) {
        for (const Machine& machine : machines) {
            for (std::int64_t devices = size.least; devices <= size.most; devices *= 4) {
                for (const std::int64_t share : {1, 4}) { // sequences a device
                    Scenario scenario = samples::presetScenario(size.model, machine.cluster,
                                                                devices / machine.devicesPerNode, devices * share);
                    scenario.cluster.nodes = devices / scenario.cluster.devicesPerNode;
                    scenario.layout.dp = static_cast<int>(devices);
                    cases.push_back(
                        {fmt::format("{} on {} of {}, batch {}", size.model, devices, machine.cluster, devices * share),
                         std::move(scenario)});
                }
            }
        }
    }
    return cases;
}

inline Outcome measure(const Scenario& scenario, int threads)
{
    Outcome outcome;
    const Advice advice = advise(scenario, Voice::ConstraintFirst);
    outcome.advised = advice.pick.layout;
    outcome.advisedTime = advice.pick.fits ? advice.pick.stepTime : 0;
    SearchOptions options;
    options.top = 1;
    options.threads = threads;
    const Result<SearchResult> found = searchLayouts(
        scenario, {}, options, [] { return false; }, [](const SearchResult&) {});
    if (found) {
        outcome.complete = found->complete;
        if (!found->best.empty()) {
            outcome.best = found->best.front().layout;
            outcome.bestTime = found->best.front().stepTime;
        }
    }
    return outcome;
}

} // namespace partita::regret
