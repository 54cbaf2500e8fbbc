// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/fast_model_parts.h"

#include "core/training/memory.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace partita {

namespace {

constexpr std::size_t mostPasses = std::size_t{1} << 16; // some 20 MB

} // namespace

FastModel::Common FastModel::common(const Pipelines& pipelines)
{
    Common common{true, true, 1};
    for (const Pipeline& pipeline : pipelines) {
        const Habits& habits = habitsOf(pipeline.schedule);
        common.plain = common.plain && pipeline.vpp == 1 && !habits.splitsBackward && !habits.pairs;
        common.whole = common.whole && !habits.splitsBackward;
    }
    return common;
}

double FastModel::leastInFlight(const LayoutGroup& group)
{
    double least = std::numeric_limits<double>::infinity();
    Layout layout = group.withoutExperts.front();
    for (const Pipeline& pipeline : group.pipelines) {
        layout.schedule = pipeline.schedule;
        layout.vpp = pipeline.vpp;
        least = std::min(least, m_shapes.leastInFlight(layout));
    }
    return least;
}

/// The busiest stage is at least as busy as the mean, and a micro-batch goes all the way and back. Where rank r has
/// only to wait for the ranks before it, twice, m times its work and once theirs are within the step: least when the
/// work of each is 1 / m of what those before it leave of the step.
double FastModel::meanTime(const PassTimes& work, const Common& common) const
{
    const Layout& layout = m_scenario.layout;
    const auto microBatches = static_cast<double>(layout.microBatches());
    const double overhead = m_scenario.stack.stepOverhead;
    if (common.plain) {
        return work.total() / -std::expm1(layout.pp * std::log1p(-1 / microBatches)) + overhead;
    }
    const double hidden = layout.ep > 1 ? work.hidden() : 0; // by a schedule that pairs passes
    const double way = work.forward + (common.whole ? work.backward : work.input) - hidden;
    return std::max(microBatches * (work.total() - hidden) / layout.pp, way) + overhead;
}

FastModel::Held FastModel::heldOf(const ChunkPlanner& chunks) const
{
    const ChunkPlan model = chunks.chunk(m_layersOfKind, true, true);
    return {model.parameters, model.layerWeights, model.trained, model.kept};
}

const FastModel::Passes& FastModel::passes()
{
    const Layout& layout = m_scenario.layout;
    if (m_passes >= mostPasses) {
        for (auto& [key, each] : m_places) {
            each->passes.clear();
        }
        m_passes = 0;
    }
    const auto [at, isNew] =
        place().passes.try_emplace({{layout.microBatch, layout.sequenceParallel}, layout.recompute});
    if (isNew) {
        ++m_passes;
        const LayerPrices& priced = prices();
        int& zero = m_scenario.layout.zeroStage;
        const int own = std::exchange(zero, 0);
        const ChunkPlanner chunks(m_scenario, grid(), priced);
        at->second = {StepFloor(chunks, m_layersOfKind.size()).whole(m_layersOfKind), heldOf(chunks),
                      chunks.chunk(m_layersOfKind, false, false).kept};
        zero = own;
    }
    return at->second;
}

double FastModel::timeFloor(const LayoutGroup& group, const Common& common)
{
    double least = std::numeric_limits<double>::infinity();
    for (const Layout& layout : group.withoutExperts) {
        moveToKernels(layout);
        least = std::min(least, meanTime(dense().whole, common));
    }
    return least;
}

std::size_t FastModel::leanestWay(const LayoutGroup& group)
{
    std::size_t leanest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < group.ways.size(); ++i) {
        const double memory = memoryFloor(Family::Kernels, group.ways[i], {});
        if (memory < least) {
            least = memory;
            leanest = i;
        }
    }
    return leanest;
}

double FastModel::memoryFloor(const LayoutGroup& group, std::size_t leanest, const Common& common)
{
    Layout layout = group.ways[leanest];
    layout.microBatch = group.withoutExperts.front().microBatch;
    layout.sequenceParallel = group.withoutExperts.front().sequenceParallel;
    return memoryFloor(Family::Kernels, layout, common);
}

double FastModel::timeFloor(Family family, const Layout& layout, double enough, const Common& common)
{
    if (family == Family::Stages) {
        moveTo(layout);
        return pipelineFloor();
    }
    moveToKernels(layout);
    if (family == Family::Passes) {
        const double least = meanTime(passes().whole, common); // what ZeRO-3 exchanges comes on top
        return layout.zeroStage < 3 || least > enough ? least : meanTime(planner().floor.whole(m_layersOfKind), common);
    }
    if (const double floor = meanTime(dense().whole, common); floor > enough) {
        return floor;
    }
    std::map<ShardKey, PassTimes>& known = place().whole;
    const ShardKey key{layout.microBatch, layout.sequenceParallel};
    auto at = known.find(key);
    if (at == known.end()) {
        at = known.emplace(key, StepFloor(prices()).whole(m_layersOfKind)).first;
    }
    return meanTime(at->second, common);
}

/// Bytes of what grows with the model, on a stage with its even share: some stage holds as much.
double FastModel::meanMemory(const Held& model)
{
    const double share = 1.0 / m_scenario.layout.pp;
    ChunkPlan mean;
    mean.parameters = model.parameters.times(share);
    mean.layerWeights = model.layerWeights.times(share);
    mean.trained = model.trained.times(share);
    mean.kept = model.kept * share;
    return stageMemory(m_scenario, {{mean}, 1}, 1).total();
}

double FastModel::memoryFloor(Family family, const Layout& layout, const Common& common)
{
    moveToKernels(layout);
    int& zero = m_scenario.layout.zeroStage;
    if (family == Family::Kernels) {
        std::optional<Held>& states = m_ground->states;
        if (!states) {
            states = heldOf(ChunkPlanner(m_scenario, grid(), unpricedLayers(m_scenario)));
        }
        states->kept =
            common.inFlight * layerInputBytes(m_scenario) * static_cast<double>(m_scenario.model.layers.size());
        zero = 2;
        const double whole = meanMemory(*states);
        zero = 3;
        const double gathered = meanMemory(*states);
        zero = layout.zeroStage;
        return std::min(whole, gathered);
    }
    const Passes& known = passes();
    Held model = known.held;
    model.kept += (common.inFlight - 1) * known.keptOfLayers;
    zero = layout.zeroStage == 3 ? 3 : 2;
    const double floor = meanMemory(model);
    zero = layout.zeroStage;
    return floor;
}

} // namespace partita
