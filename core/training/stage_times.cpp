// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/stage_times.h"

#include <algorithm>

namespace partita {

namespace {

ExposedExchange exposedIn(const TimeBreakdown& time)
{
    ExposedExchange exposed;
    exposed[ExchangeGroup::Tensor] = time[TimeKind::TpExposed];
    exposed[ExchangeGroup::Context] = time[TimeKind::CpExposed];
    exposed[ExchangeGroup::Expert] = time[TimeKind::EpExposed];
    exposed[ExchangeGroup::Data] = time[TimeKind::DpExposed];
    return exposed;
}

/// Sizes: StageTimes::hiddenInPair.
std::vector<std::vector<double>> hiddenInPairs(const std::vector<StagePlan>& stages)
{
    std::vector<std::vector<double>> hidden;
    for (const StagePlan& stage : stages) {
        std::vector<double> row;
        for (const ChunkPlan& forward : stage.chunks) {
            for (const ChunkPlan& backward : stage.chunks) {
                TimeBreakdown back = backward.cost.backwardInput;
                back += backward.cost.backwardWeight;
                row.push_back(hiddenInPair(overlapOf(forward.cost.forward), overlapOf(back)));
            }
        }
        hidden.push_back(std::move(row));
    }
    return hidden;
}

} // namespace

double transferTime(const Scenario& scenario, const RankGrid& grid)
{
    return scenario.layout.pp > 1 ? pointToPointTime(scenario.cluster, grid.pipelineLevel(), boundaryBytes(scenario))
                                  : 0;
}

PassOverlap overlapOf(const TimeBreakdown& pass)
{
    return {pass[TimeKind::EpExposed], pass.compute()};
}

/// The expert all-to-all of each half runs beside the compute of the other half, as far as that lasts.
double hiddenInPair(const PassOverlap& forward, const PassOverlap& backward)
{
    return std::min(forward.exchange, backward.compute) + std::min(backward.exchange, forward.compute);
}

StageTimes stageTimes(const Scenario& scenario, const std::vector<StagePlan>& stages, const RankGrid& grid)
{
    StageTimes times;
    for (const StagePlan& stage : stages) {
        std::vector<double> forward;
        std::vector<double> input;
        std::vector<double> weight;
        for (const ChunkPlan& chunk : stage.chunks) {
            forward.push_back(chunk.cost.forward.total());
            input.push_back(chunk.cost.backwardInput.total());
            weight.push_back(chunk.cost.backwardWeight.total());
            times.exchange.push_back({exposedIn(chunk.cost.forward), exposedIn(chunk.cost.backwardInput),
                                      exposedIn(chunk.cost.backwardWeight)});
        }
        times.forward.push_back(std::move(forward));
        times.backwardInput.push_back(std::move(input));
        times.backwardWeight.push_back(std::move(weight));
    }
    const Layout& layout = scenario.layout;
    if (describe(layout.schedule).pairsForwardBackward && layout.ep > 1) {
        times.hiddenInPair = hiddenInPairs(stages);
    }
    if (layout.pp > 1) {
        times.transfer = transferTime(scenario, grid);
        times.blockingTransfer = !scenario.stack.ppOverlap;
    }
    return times;
}

} // namespace partita
