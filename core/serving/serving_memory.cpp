// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serving/serving_memory.h"

#include "core/serving/key_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace partita {

namespace {

/// Widest row a layer holds between operators, in elements of 16 bits, on one tensor rank.
double widestRow(const LayerKind& kind, int tp)
{
    if (const auto* dense = std::get_if<DenseFfn>(&kind.feedForward)) {
        return static_cast<double>(dense->width) * (dense->gated ? 3 : 2) / tp;
    }
    if (const auto* moe = std::get_if<MoeFfn>(&kind.feedForward)) {
        return static_cast<double>(moe->topK) * static_cast<double>(moe->expertWidth) * 3 / tp
            + static_cast<double>(moe->sharedWidth) * 3 / tp;
    }
    return 0;
}

/// Bytes of one sequence on a device of every stage.
std::vector<double> sequenceBytesByStage(const Scenario& scenario, const ServingLayout& layout,
                                         const std::vector<int>& stageLayers, double tokens)
{
    const Model& model = scenario.model;
    const double pages = static_cast<double>(std::max<std::int64_t>(1, scenario.stack.engine.pageTokens));
    const double allotted = std::ceil(tokens / pages) * pages;
    std::vector<double> kinds;
    for (const LayerKind& kind : model.kinds) {
        kinds.push_back(layerCache(kind, scenario.serving.keyValues, scenario.stack.engine.keepsWindows).bytes(allotted)
                        * deviceShare(kind, layout));
    }
    std::vector<double> stages;
    auto layer = model.layers.begin();
    for (const int count : stageLayers) {
        stages.push_back(std::accumulate(layer, layer + count, 0.0, [&](double sum, int kind) {
            return sum + kinds[static_cast<std::size_t>(kind)];
        }));
        layer += count;
    }
    return stages;
}

Room deviceRoom(const Scenario& scenario, const ServingLayout& layout, double weights)
{
    const Engine& engine = scenario.stack.engine;
    const double memory = scenario.cluster.accelerator.memoryBytes;
    Room room;
    room[RoomKind::Weights] = weights;
    room[RoomKind::Activations] = stepActivations(scenario).bytes();
    room[RoomKind::Graphs] = engine.graphs ? engine.graphBytes : 0;
    room[RoomKind::Framework] = scenario.stack.frameworkBytes;
    room[RoomKind::Communicators] = scenario.stack.commBufferBytes * communicators(layout);
    const double held = room.total();
    const double cache = engine.shareOfFree ? engine.memoryShare * (memory - held) : engine.memoryShare * memory - held;
    room[RoomKind::KeyValues] = std::max(0.0, cache);
    room[RoomKind::Unused] = std::max(0.0, memory - room.total());
    return room;
}

double quotient(double room, double each)
{
    return each > 0 ? room / each : room > 0 ? std::numeric_limits<double>::infinity() : 0;
}

} // namespace

StepActivations stepActivations(const Scenario& scenario)
{
    const Model& model = scenario.model;
    const Engine& engine = scenario.stack.engine;
    StepActivations step;
    for (const LayerKind& kind : model.kinds) {
        step.widest = std::max(step.widest, widestRow(kind, scenario.layout.tp));
    }
    step.tokens = static_cast<double>(
        std::max(engine.mixedSteps ? engine.stepTokens : scenario.serving.prompt, engine.stepTokens));
    step.sequences =
        static_cast<double>(std::min(engine.mostSequences, std::max<std::int64_t>(scenario.serving.batch, 1)));
    step.hidden = static_cast<double>(model.hidden);
    step.vocabulary = static_cast<double>(model.vocabulary);
    return step;
}

int communicators(const ServingLayout& layout)
{
    return (layout.tp > 1 ? 1 : 0) + (layout.pp > 1 ? 1 : 0) + (layout.cp > 1 ? 1 : 0)
        + (layout.attentionRanks > 1 ? 1 : 0);
}

double Room::total() const
{
    return std::accumulate(bytes.begin(), bytes.end(), 0.0);
}

double meanHeldTokens(const Serving& serving)
{
    const double spread = serving.lengthSpread;
    return static_cast<double>(serving.prompt) + static_cast<double>(serving.output) * (1 + spread * spread) / 2;
}

std::vector<StageRoom> stageRooms(const Scenario& scenario, const ServingLayout& layout, const ServingStages& stages)
{
    const Serving& serving = scenario.serving;
    const double longest = static_cast<double>(serving.prompt + serving.output);
    const std::vector<double> whole = sequenceBytesByStage(scenario, layout, stages.layers, longest);
    const std::vector<double> mean =
        sequenceBytesByStage(scenario, layout, stages.layers, std::min(longest, meanHeldTokens(serving)));
    std::vector<StageRoom> rooms;
    for (std::size_t i = 0; i < stages.weights.size(); ++i) {
        StageRoom stage;
        stage.room = deviceRoom(scenario, layout, stages.weights[i].total());
        stage.longestBytes = whole[i];
        stage.meanBytes = mean[i];
        const double bytes = stage.room[RoomKind::KeyValues];
        stage.requests = layout.attentionRanks * std::floor(quotient(bytes, whole[i]));
        stage.steadyRequests = layout.attentionRanks * std::floor(quotient(bytes, mean[i]));
        rooms.push_back(stage);
    }
    return rooms;
}

CacheRoom cacheRoom(const Scenario& scenario, const ServingLayout& layout, const ServingStages& stages)
{
    const double longest = static_cast<double>(scenario.serving.prompt + scenario.serving.output);
    const std::vector<StageRoom> rooms = stageRooms(scenario, layout, stages);
    const auto fullest = std::min_element(
        rooms.begin(), rooms.end(), [](const StageRoom& a, const StageRoom& b) { return a.requests < b.requests; });
    CacheRoom cache;
    cache.room = fullest->room;
    cache.stage = static_cast<int>(fullest - rooms.begin());
    cache.requests = fullest->requests;
    cache.tokens =
        layout.attentionRanks * quotient(fullest->room[RoomKind::KeyValues], fullest->longestBytes / longest);
    cache.steadyRequests = fullest->steadyRequests;
    return cache;
}

} // namespace partita
