// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/advice/advise.h"
#include "core/advice/optimum.h"
#include "core/advice/preset_scenario.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace partita::regret {

/// What the advisor is asked: a model, devices and a batch.
struct Case {
    std::string name;
    Scenario scenario;
};

/// The advice against the best of all layouts that it may choose.
struct Outcome {
    Layout advised;
    Layout best;
    double advisedTime = 0; ///< s; 0 where nothing fits
    double bestTime = 0; ///< s; 0 where nothing fits
    bool complete = false; ///< the search looked at everything

    double regret() const { return bestTime > 0 && advisedTime > 0 ? advisedTime / bestTime - 1 : 0; }
    /// Something fits and the advice did not find it.
    bool disagree() const { return (advisedTime > 0) != (bestTime > 0); }
};

/// Nine models from 1B to 671B under Megatron-Core: five clusters, up to four sizes of each, 1 and 4 sequences a
/// device.
inline std::vector<Case> megatronCases()
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

/// What other stacks offer: mostly experts, which have to move together with stages and schedules, and long sequences.
inline std::vector<Case> stackCases()
{
    struct Size {
        const char* model;
        std::int64_t devices;
    };
    constexpr Size sizes[]{{"gemma-3-27b", 16},
                           {"qwen3-30b-a3b", 32},
                           {"glm-4.5-air", 64},
                           {"mixtral-8x22b", 64},
                           {"qwen3-235b-a22b", 128}};
    std::vector<Case> cases;
    for (const Size& size : sizes) {
        for (const char* stack : {"torchtitan", "deepspeed", "jax", "megatron-bridge"}) {
            for (const char* cluster : {"hgx-h200", "ascend-910b-8"}) {
                for (const std::int64_t tokens : {4096, 32768}) {
                    for (const std::int64_t share : {1, 4}) { // sequences a device
                        const std::int64_t batch = size.devices * share;
                        Scenario scenario =
                            samples::presetScenario(size.model, cluster, size.devices / 8, batch, stack);
                        scenario.workload.sequenceLength = tokens;
                        cases.push_back({fmt::format("{} on {} of {}, {}, {} tokens, batch {}", size.model,
                                                     size.devices, cluster, stack, tokens, batch),
                                         std::move(scenario)});
                    }
                }
            }
        }
    }
    return cases;
}

/// The stated grid.
inline std::vector<Case> grid()
{
    std::vector<Case> cases = megatronCases();
    for (Case& each : stackCases()) {
        cases.push_back(std::move(each));
    }
    return cases;
}

/// Random cases that leave little memory to spare: small devices, large models, long sequences, many experts.
inline std::vector<Case> tightCases(std::size_t count)
{
    constexpr std::array models{"llama-3.1-8b", "llama-2-13b",   "gemma-3-27b",   "llama-3.1-70b",
                                "mixtral-8x7b", "mixtral-8x22b", "qwen3-30b-a3b", "gpt-oss-20b",
                                "gpt-oss-120b", "glm-4.5-air",   "llama-4-scout", "deepseek-v2-lite"};
    constexpr std::array clusters{"rtx-pro-6000", "p4d-a100", "hgx-a100", "l40s-pcie", "hgx-h100"};
    constexpr std::array stacks{"megatron-core",   "megatron-lm-2022", "megatron-lm-2023",
                                "megatron-bridge", "torchtitan",       "nanotron"};
    std::mt19937 random(5); // whose numbers, unlike those of distributions, are the same everywhere
    const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random() % end); };
    std::vector<Case> cases;
    while (cases.size() < count) {
        const char* model = models[below(models.size())];
        const char* cluster = clusters[below(clusters.size())];
        const char* stack = stacks[below(stacks.size())];
        const auto nodes = static_cast<std::int64_t>(1 + below(8));
        const auto tokens = std::int64_t{4096} << below(3);
        Scenario scenario = samples::presetScenario(model, cluster, nodes, 1, stack);
        scenario.workload.sequenceLength = tokens;
        const auto batch = scenario.cluster.devices() * (std::int64_t{1} << below(3));
        scenario.layout.globalBatch = batch;
        cases.push_back({fmt::format("{} on {} of {}, {}, {} tokens, batch {}", model, scenario.cluster.devices(),
                                     cluster, stack, tokens, batch),
                         std::move(scenario)});
    }
    return cases;
}

/// Fewer sequences a step than replicas would want: most devices have to split a sequence or the model.
inline std::vector<Case> smallBatchCases()
{
    struct Size {
        const char* model;
        std::int64_t devices;
    };
    constexpr Size sizes[]{{"llama-3.2-1b", 8},   {"llama-3.1-8b", 8},  {"llama-3.1-8b", 32},
                           {"mamba-7b", 16},      {"gpt-oss-20b", 16},  {"qwen3-30b-a3b", 16},
                           {"llama-3.1-70b", 64}, {"mixtral-8x7b", 32}, {"glm-4.5-air", 64}};
    std::vector<Case> cases;
    for (const Size& size : sizes) {
        for (const char* cluster : {"hgx-h100", "h100-pcie"}) {
            for (const char* stack : {"ideal", "megatron-core", "torchtitan", "nanotron"}) {
                for (const std::int64_t batch : {1, 2, 3, 6}) {
                    Scenario scenario = samples::presetScenario(size.model, cluster, 1, batch, stack);
                    scenario.cluster.nodes = size.devices / scenario.cluster.devicesPerNode;
                    cases.push_back(
                        {fmt::format("{} on {} of {}, {}, batch {}", size.model, size.devices, cluster, stack, batch),
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
    const Optimum optimum = findOptimum(scenario, advice, threads, [] { return false; });
    outcome.complete = optimum.complete;
    if (optimum.best) {
        outcome.best = optimum.best->layout;
        outcome.bestTime = optimum.best->stepTime;
    }
    return outcome;
}

} // namespace partita::regret
