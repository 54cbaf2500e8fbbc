// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/fast_model_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace partita {

namespace {

constexpr std::size_t mostPasses = std::size_t{1} << 16; // some 20 MB
constexpr std::size_t mostRouted = std::size_t{1} << 17; // some 20 MB

/// What the places of expert groups depend on.
std::array<int, 10> routedKey(const Layout& layout)
{
    std::array<int, 10> key{layout.ep, layout.etp, layout.tp * layout.cp * layout.dp, layout.pp, 1};
    bool inside = true; // of a stage, ranks numbered before the pipeline's
    for (std::size_t i = 0; i < layout.rankOrder.size(); ++i) {
        const Axis axis = layout.rankOrder[i];
        inside = inside && axis != Axis::Pp;
        key[4] *= !inside      ? 1
            : axis == Axis::Tp ? layout.tp
            : axis == Axis::Cp ? layout.cp
            : axis == Axis::Dp ? layout.dp
                               : 1;
        key[5 + i] = static_cast<int>(axis);
    }
    return key;
}

} // namespace

FastModel::Common FastModel::common(const Pipelines& pipelines)
{
    Common common;
    common.plain = true;
    common.whole = true;
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
    const std::vector<int>& stages = group.zeroStages;
    all.gathers = std::find(stages.begin(), stages.end(), 3) != stages.end();
    int below = -1;
    for (const int stage : stages) {
        below = stage == 3 ? below : std::max(below, stage);
    }
    all.zeroStage = below >= 0 ? below : all.gathers ? 3 : all.zeroStage;
    return all;
}

void FastModel::addLoads(const LayoutGroup& group, Common& common)
{
    common.inFlight = std::numeric_limits<double>::infinity();
    common.paired = 0;
    common.heaviest.clear();
    Layout layout = group.withoutExperts.front();
    for (const Pipeline& pipeline : group.pipelines) {
        layout.schedule = pipeline.schedule;
        layout.vpp = pipeline.vpp;
        const PipelineLoad& load = m_shapes.load(layout);
        common.inFlight = std::min(common.inFlight, load.inFlight);
        common.paired = std::max(common.paired, load.paired);
        std::vector<RankLoad>& known = common.heaviest;
        const auto covers = [](const RankLoad& less, const RankLoad& more) {
            return less.layers <= more.layers && less.copies <= more.copies;
        };
        if (std::none_of(known.begin(), known.end(),
                         [&](const RankLoad& each) { return covers(each, load.heaviest); })) {
            known.erase(std::remove_if(known.begin(), known.end(),
                                       [&](const RankLoad& each) { return covers(load.heaviest, each); }),
                        known.end());
            known.push_back(load.heaviest);
        }
    }
}

/// The busiest stage is at least as busy as the mean, and a micro-batch goes all the way and back. Where rank r has
/// only to wait for the ranks before it, twice, m times its work and once theirs are within the step: least when the
/// work of each is 1 / m of what those before it leave of the step.
double FastModel::meanTime(const Layout& layout, const PassTimes& work, const Common& common) const
{
    const auto microBatches = static_cast<double>(layout.microBatches());
    const double overhead = m_scenario.stack.stepOverhead;
    if (common.plain) {
        return work.total() / -std::expm1(layout.pp * std::log1p(-1 / microBatches)) + overhead;
    }
    const double hidden = layout.ep > 1 ? work.hidden(common.paired) : 0; // by a schedule that pairs passes
    const double way = work.forward + (common.whole ? work.backward : work.input); // in pairs or not
    return std::max(microBatches * (work.total() - hidden) / layout.pp, way) + overhead;
}

FastModel::Sketch FastModel::sketchOf(const ChunkPlanner& chunks) const
{
    Sketch sketch;
    const ChunkPlan whole = chunks.chunk(m_layersOfKind, true, true);
    sketch.whole = passTimesOf(whole.cost);
    sketch.keptOfLayers = chunks.chunk(m_layersOfKind, false, false).kept;
    sketch.keptApart = whole.kept - sketch.keptOfLayers;
    sketch.head = whole.headBytes;
    const ChunkPlan layer = chunks.chunk(layersOfCommonest(1), false, false);
    sketch.keptPerLayer = layer.kept;
    sketch.working = layer.workingSet;
    return sketch;
}

/// With what experts take at least, however they are split.
const FastModel::Sketch& FastModel::sketch(Recompute recompute)
{
    Dense& known = dense();
    std::optional<Sketch>& sketch = known.sketches[static_cast<std::size_t>(recompute)];
    if (!sketch) {
        const LayerPrices device = withoutHost(densePrices(known));
        Layout& layout = m_scenario.layout;
        const int zero = std::exchange(layout.zeroStage, 0);
        const Recompute own = std::exchange(layout.recompute, recompute);
        sketch = sketchOf(ChunkPlanner(m_scenario, grid(), device));
        if (recompute == Recompute::PerOperator) { // what is kept more need not be recomputed
            sketch->working = device.kinds[m_shapes.commonestKind()].cost.transient;
        }
        layout.recompute = own;
        layout.zeroStage = zero;
    }
    return *sketch;
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
        at->second = sketchOf(chunksInMemory());
    }
    return at->second;
}

const FastModel::Routed& FastModel::routed(const Layout& layout)
{
    RoutedPlace*& place = m_routedPlaces[routedKey(layout)];
    if (place == nullptr) {
        moveToKernels(layout);
        place = &m_routed[placeKey({0, 0, layout.ep, layout.etp}, {GroupKind::Expert, GroupKind::ExpertTensor})];
    }
    if (m_routedKnown >= mostRouted) {
        for (auto& [lie, each] : m_routed) {
            each.clear();
        }
        m_routedKnown = 0;
    }
    const Shard shard{layout.tp,
                      layout.cp,
                      layout.ep,
                      layout.etp,
                      layout.sequenceParallel,
                      layout.microBatch,
                      m_scenario.workload.sequenceLength};
    const auto [at, isNew] = place->try_emplace(shard.residualTokens());
    if (isNew) {
        ++m_routedKnown;
        moveToKernels(layout);
        const std::vector<LayerCost> kinds = priceRouted(m_scenario, grid(), &m_products);
        Routed& experts = at->second;
        for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
            experts.whole.add(passTimesOf(kinds[kind]), m_layersOfKind[kind]);
            experts.saved += m_layersOfKind[kind] * kinds[kind].saved;
        }
        const Model& model = m_scenario.model;
        experts.whole.add(passTimesOf(kinds[static_cast<std::size_t>(model.layers.back())]),
                          model.multiTokenPrediction);
        experts.savedPerLayer = kinds[m_shapes.commonestKind()].saved;
        experts.transient = kinds[m_shapes.commonestKind()].transient;
    }
    return at->second;
}

double FastModel::timeFloor(const LayoutGroup& group, const Common& common)
{
    double least = std::numeric_limits<double>::infinity();
    for (const Layout& layout : group.withoutExperts) {
        moveToKernels(layout);
        least = std::min(least, meanTime(layout, dense().whole, common));
    }
    return least;
}

FastModel::GroupFloors FastModel::groupFloors(const LayoutGroup& group, const std::vector<Recompute>& recompute,
                                              const Common& common)
{
    GroupFloors floors;
    floors.times.fill(std::numeric_limits<double>::infinity());
    for (const Layout& layout : group.withoutExperts) { // wherever ranks lie
        moveToKernels(layout);
        for (const Recompute each : recompute) {
            const auto i = static_cast<std::size_t>(each);
            const Sketch& known = sketch(each);
            floors.times[i] = std::min(floors.times[i], meanTime(layout, known.whole, common));
            Sketch& least = floors.sketches[i];
            PassTimes whole = known.whole;
            if (&layout != &group.withoutExperts.front()) { // but for its exchanges it takes as long everywhere
                whole.forward = std::min(whole.forward, least.whole.forward);
                whole.backward = std::min(whole.backward, least.whole.backward);
                whole.input = std::min(whole.input, least.whole.input);
            }
            least = known;
            least.whole = whole;
        }
        floors.transient = densePrices(dense()).kinds[m_shapes.commonestKind()].cost.transient;
    }
    floors.buffers = buffersOf(group.withoutExperts.front());
    floors.pp = group.withoutExperts.front().pp;
    return floors;
}

FastModel::GroupFloors FastModel::statesAlone(const LayoutGroup& group)
{
    GroupFloors floors;
    floors.pp = group.withoutExperts.front().pp;
    return floors;
}

FastModel::Floor FastModel::floor(const GroupFloors& group, const StatesByZero& states, Recompute recompute,
                                  const Common& common) const
{
    const auto i = static_cast<std::size_t>(recompute);
    return {memoryOf(group.sketches[i], states, group.pp, common) + group.buffers, group.times[i]};
}

/// As ChunkPlanner recomputes: backward passes that run experts again exchange again, and hold what was not kept.
FastModel::Sketch FastModel::withRouted(Sketch sketch, const Routed& experts, Recompute recompute,
                                        double transient) const
{
    sketch.whole.add(experts.whole, 1);
    sketch.working += std::max(0.0, experts.transient - transient);
    if (recompute == Recompute::Experts || recompute == Recompute::Full) {
        sketch.whole.backward += experts.whole.forward;
        sketch.whole.input += experts.whole.forward;
        sketch.whole.besideBackward.exchange += experts.whole.beside.exchange;
        sketch.whole.besideBackward.compute += experts.whole.beside.compute;
        sketch.working += experts.savedPerLayer;
    } else if (recompute != Recompute::PerOperator) {
        sketch.keptOfLayers += experts.saved;
        sketch.keptPerLayer += experts.savedPerLayer;
    }
    return sketch;
}

FastModel::Floor FastModel::floor(const GroupFloors& group, const StatesByZero& states, const Routed& experts,
                                  const Layout& kernels, Recompute recompute, const Common& common) const
{
    const auto i = static_cast<std::size_t>(recompute);
    const Sketch split = withRouted(group.sketches[i], experts, recompute, group.transient);
    return {memoryOf(split, states, group.pp, common) + group.buffers,
            std::max(group.times[i], meanTime(kernels, split.whole, common))};
}

double FastModel::timeFloor(Family family, const Layout& layout, double enough, const Common& common)
{
    if (family == Family::Stages) {
        moveTo(layout);
        return pipelineFloor();
    }
    moveToKernels(layout);
    if (family == Family::Passes) {
        const double least = meanTime(layout, passes().whole, common); // what ZeRO-3 exchanges comes on top
        return layout.zeroStage < 3 || least > enough ? least
                                                      : meanTime(layout, stepFloor().whole(m_layersOfKind), common);
    }
    return meanTime(layout, dense().whole, common);
}

} // namespace partita
