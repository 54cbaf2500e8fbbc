// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serving_data.h"

#include "core/layout/rank_grid.h"
#include "core/serving/serve.h"
#include "widgets/text.h"

#include <algorithm>

namespace partita::ui {

Scenario onNetwork(const Scenario& scenario)
{
    Scenario moved = scenario;
    moved.cluster.levels = {scenario.cluster.levels.back()};
    moved.cluster.levels.front().domain = 0;
    return moved;
}

namespace {

void addNetwork(ServingData& data, const Scenario& scenario)
{
    const std::vector<Level>& levels = scenario.cluster.levels;
    if (scenario.layout.tp < 2 || levels.empty()) {
        return;
    }
    const RankGrid grid(scenario.layout, scenario.cluster);
    const auto outermost = static_cast<std::size_t>(grid.span(GroupKind::Tensor).outermostLevel());
    data.link = toText(levels[std::min(outermost, levels.size() - 1)].name);
    if (outermost + 1 < levels.size()) {
        const ServingReport slow = serve(onNetwork(scenario));
        if (slow.legal()) {
            data.overNetwork = slow.time;
            data.network = toText(levels.back().name);
        }
    }
}

} // namespace

std::shared_ptr<const ServingData> servingData(const Scenario& scenario)
{
    auto data = std::make_shared<ServingData>();
    data->serving = scenario.serving;
    data->deviceMemory = scenario.cluster.accelerator.memoryBytes;
    data->report = serve(scenario);
    if (!data->report.legal()) {
        return data;
    }
    constexpr std::int64_t largest = 1024;
    std::vector<std::int64_t> ladder = batchLadder(std::min(largest, scenario.stack.engine.mostSequences));
    const auto at = std::lower_bound(ladder.begin(), ladder.end(), scenario.serving.batch);
    if (at == ladder.end() || *at != scenario.serving.batch) {
        ladder.insert(at, scenario.serving.batch);
    }
    data->sweep = sweepBatch(scenario, ladder);
    addNetwork(*data, scenario);
    return data;
}

} // namespace partita::ui
