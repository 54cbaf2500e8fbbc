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

FastModel::Common FastModel::common(const LayoutGroup& group)
{
    Common all = common(group.pipelines);
    all.gathers = false;
    all.zeroStage = group.zeroStages.empty() ? 2 : group.zeroStages.front();
    for (const int stage : group.zeroStages) {
        all.gathers = all.gathers || stage == 3;
        all.zeroStage = stage == 3 ? all.zeroStage : all.zeroStage == 3 ? stage : std::max(all.zeroStage, stage);
    }
    return all;
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

FastModel::Held FastModel::heldOf(const std::vector<int>& layers, bool ends, const ChunkPlanner& chunks) const
{
    const ChunkPlan plan = chunks.chunk(layers, ends, ends);
    return {plan.parameters, plan.layerWeights, plan.trained, plan.largestLayer};
}

FastModel::Sketch FastModel::sketchOf(const ChunkPlanner& chunks) const
{
    Sketch sketch;
    sketch.whole = StepFloor(chunks, m_layersOfKind.size()).whole(m_layersOfKind);
    sketch.keptOfLayers = chunks.chunk(m_layersOfKind, false, false).kept;
    sketch.keptApart = chunks.chunk(m_layersOfKind, true, true).kept - sketch.keptOfLayers;
    const ChunkPlan kind = chunks.chunk(m_commonest, false, false);
    sketch.keptOfKind = kind.kept;
    sketch.workingOfKind = kind.workingSet;
    return sketch;
}

/// With what experts take at least, however they are split.
const FastModel::Sketches& FastModel::sketches()
{
    Dense& known = dense();
    if (!known.sketches) {
        known.sketches.emplace();
        const LayerPrices device = withoutHost(known.prices);
        Layout& layout = m_scenario.layout;
        const int zero = std::exchange(layout.zeroStage, 0);
        const Recompute own = layout.recompute;
        for (const auto& name : Names<Recompute>::table) {
            layout.recompute = name.value;
            Sketch& sketch = (*known.sketches)[static_cast<std::size_t>(name.value)];
            sketch = sketchOf(ChunkPlanner(m_scenario, grid(), device));
            if (name.value == Recompute::PerOperator) { // what is kept more need not be recomputed
                const auto kind = std::find_if(m_commonest.begin(), m_commonest.end(), [](int n) { return n > 0; });
                sketch.workingOfKind =
                    device.kinds[static_cast<std::size_t>(kind - m_commonest.begin())].cost.transient;
            }
        }
        layout.recompute = own;
        layout.zeroStage = zero;
    }
    return *known.sketches;
}

const FastModel::Sketch& FastModel::passes()
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
        const int zero = std::exchange(m_scenario.layout.zeroStage, 0);
        at->second = sketchOf(ChunkPlanner(m_scenario, grid(), priced));
        m_scenario.layout.zeroStage = zero;
    }
    return at->second;
}

/// A micro-batch on the whole model, experts split as they are.
const PassTimes& FastModel::wholePriced()
{
    std::map<ShardKey, PassTimes>& known = place().whole;
    const ShardKey key{m_scenario.layout.microBatch, m_scenario.layout.sequenceParallel};
    auto at = known.find(key);
    if (at == known.end()) {
        at = known.emplace(key, StepFloor(prices()).whole(m_layersOfKind)).first;
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

std::size_t FastModel::leanestWay(const LayoutGroup& group, const Common& common)
{
    std::size_t leanest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < group.ways.size(); ++i) {
        moveToKernels(group.ways[i]);
        const double memory = leastStates(common).most();
        if (memory < least) {
            least = memory;
            leanest = i;
        }
    }
    return leanest;
}

FastModel::Floors FastModel::floors(const LayoutGroup& group, std::size_t leanest, const Common& common)
{
    Layout layout = group.ways[leanest];
    layout.microBatch = group.withoutExperts.front().microBatch;
    layout.sequenceParallel = group.withoutExperts.front().sequenceParallel;
    Floors least = floors(layout, false, common);
    if (group.withoutExperts.size() > 1) { // wherever ranks lie
        for (Floor& floor : least) {
            floor.time = std::numeric_limits<double>::infinity();
        }
        for (const Layout& each : group.withoutExperts) {
            moveToKernels(each);
            const Sketches& known = sketches();
            for (std::size_t i = 0; i < least.size(); ++i) {
                least[i].time = std::min(least[i].time, meanTime(known[i].whole, common));
            }
        }
    }
    return least;
}

FastModel::Floors FastModel::floors(const Layout& kernels, bool priced, const Common& common)
{
    moveToKernels(kernels);
    const Sketches& known = sketches();
    const MeanBytes states = leastStates(common);
    const double buffers = stageMemory(m_scenario, {}, 1)[MemoryKind::CommunicationBuffers];
    Floors all;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Sketch& sketch = known[i];
        all[i].memory = (states + activationsOf(sketch, common.inFlight)).most() + buffers;
        PassTimes work = sketch.whole;
        if (priced) { // what is recomputed comes on top
            work = wholePriced();
            work.add(sketch.whole, 1);
            work.add(known[static_cast<std::size_t>(Recompute::None)].whole, -1);
        }
        all[i].time = meanTime(work, common);
    }
    return all;
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
    return meanTime(wholePriced(), common);
}

/// Bytes of what is there without a micro-batch, buffers of exchanges left out.
FastModel::MeanBytes FastModel::statesOf(const Held& all, const Held& kind) const
{
    const double share = 1.0 / m_scenario.layout.pp;
    const auto bytes = [&](const Held& held, double largestLayer) {
        ChunkPlan mean;
        mean.parameters = held.parameters.times(share);
        mean.layerWeights = held.layerWeights.times(share);
        mean.trained = held.trained.times(share);
        mean.largestLayer = largestLayer;
        MemoryBreakdown memory = stageMemory(m_scenario, {{mean}, 1}, 1);
        memory[MemoryKind::CommunicationBuffers] = 0;
        return memory.total();
    };
    return {bytes(all, 0), bytes(kind, kind.largestLayer)};
}

/// Of training in any of the ZeRO stages to choose from.
FastModel::MeanBytes FastModel::leastStates(const Common& common)
{
    if (!m_ground->states.front()) {
        int& zero = m_scenario.layout.zeroStage;
        const int own = std::exchange(zero, 0);
        const ChunkPlanner chunks(m_scenario, grid(), unpricedLayers(m_scenario));
        const Held all = heldOf(m_layersOfKind, true, chunks);
        const Held kind = heldOf(m_commonest, false, chunks);
        for (std::size_t stage = 0; stage < m_ground->states.size(); ++stage) {
            zero = static_cast<int>(stage);
            m_ground->states[stage] = statesOf(all, kind);
        }
        zero = own;
    }
    const MeanBytes& whole = *m_ground->states[static_cast<std::size_t>(common.zeroStage)];
    const MeanBytes& gathered = common.gathers ? *m_ground->states.back() : whole;
    return {std::min(whole.ofAll, gathered.ofAll), std::min(whole.ofKind, gathered.ofKind)};
}

/// Bytes of activations with so many micro-batches in flight, and of what the largest layer works with.
FastModel::MeanBytes FastModel::activationsOf(const Sketch& sketch, double inFlight) const
{
    const double share = 1.0 / m_scenario.layout.pp;
    const auto held = [&](double bytes) { return bytes + fragmentationOf(m_scenario.stack, bytes); };
    return {held(share * (inFlight * sketch.keptOfLayers + sketch.keptApart)),
            held(share * inFlight * sketch.keptOfKind + sketch.workingOfKind)};
}

double FastModel::memoryFloor(Family family, const Layout& layout, const Common& common)
{
    if (family == Family::Kernels) {
        const Floors all = floors(layout, false, common);
        return std::min_element(all.begin(), all.end(),
                                [](const Floor& a, const Floor& b) { return a.memory < b.memory; })
            ->memory;
    }
    moveToKernels(layout);
    Common own = common; // of the family's ZeRO stages
    own.gathers = false;
    own.zeroStage = layout.zeroStage == 3 ? 3 : common.zeroStage;
    const double buffers = stageMemory(m_scenario, {}, 1)[MemoryKind::CommunicationBuffers];
    return (leastStates(own) + activationsOf(passes(), common.inFlight)).most() + buffers;
}

} // namespace partita
