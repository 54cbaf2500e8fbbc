// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/stated_stages.h"

#include "core/layout/pipeline_layout_string.h"
#include "core/scenario/rules.h"

#include <fmt/format.h>

#include <numeric>

namespace partita {

Result<Scenario> withPipelineLayout(const Scenario& scenario, std::string_view text)
{
    const Result<std::vector<ChunkUnits>> units = parsePipelineLayout(text);
    if (!units) {
        return units.problems;
    }
    Problems problems;
    const auto add = [&](int value, std::string message, std::string suggestion) {
        problems.push_back(
            {"layout.layers_per_stage", fmt::format("{}", value), std::move(message), std::move(suggestion)});
    };
    const std::vector<int> layers = layersOf(*units);
    const int chunks = static_cast<int>(layers.size());
    const int pp = scenario.layout.pp;
    if (chunks % pp != 0) {
        add(chunks, fmt::format("chunks do not spread over {} stages", pp),
            fmt::format("write {} or {} cuts", pp - 1, 2 * pp - 1));
    }
    const int sum = std::accumulate(layers.begin(), layers.end(), 0);
    if (sum != scenario.model.layerCount()) {
        add(sum, "layers in all, but the model has another number",
            fmt::format("place {}", scenario.model.layerCount()));
    }
    int predictors = 0;
    for (const ChunkUnits& chunk : *units) {
        predictors += chunk.predictors;
    }
    if (predictors != scenario.model.multiTokenPrediction) {
        add(predictors, "prediction modules, but the model has another number",
            fmt::format("place {}", scenario.model.multiTokenPrediction));
    }
    if (!problems.empty()) {
        return problems;
    }
    Scenario next = scenario;
    if (chunks / pp != scenario.layout.vpp) {
        next.layout = withField(scenario, LayoutField::Vpp, chunks / pp);
    }
    next.layout.layersPerStage = layers;
    return next;
}

std::string pipelineLayoutText(const Scenario& scenario, const std::vector<int>& layers)
{
    return writePipelineLayout(unitsOf(layers, scenario.model.multiTokenPrediction));
}

} // namespace partita
