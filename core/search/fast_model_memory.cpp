// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/fast_model_parts.h"

#include "core/training/memory.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace partita {

namespace {

constexpr std::size_t mostStates = std::size_t{1} << 15; // some 6 MB

std::array<int, 7> statesKey(const Layout& layout)
{
    return {layout.tp, layout.cp, layout.pp, layout.dp, layout.ep, layout.etp, layout.shardGroup};
}

} // namespace

std::vector<int> FastModel::layersOfCommonest(int count) const
{
    std::vector<int> layers(m_layersOfKind.size(), 0);
    layers[m_shapes.commonestKind()] = count;
    return layers;
}

const FastModel::Parameters& FastModel::parameters()
{
    const Layout& layout = m_scenario.layout;
    const auto [at, isNew] = m_parameters.try_emplace({layout.tp, layout.ep, layout.etp});
    if (isNew) { // no weights are exchanged, so that the grid does not matter
        const int zero = std::exchange(m_scenario.layout.zeroStage, 0);
        const ChunkPlanner chunks(m_scenario, grid(), unpricedLayers(m_scenario));
        at->second = {chunks.chunk(m_layersOfKind, true, true), chunks.chunk(layersOfCommonest(1), false, false)};
        m_scenario.layout.zeroStage = zero;
    }
    return at->second;
}

/// In the ZeRO stage of the moment.
FastModel::States FastModel::statesNow(const Parameters& held) const
{
    StagePlan stage;
    stage.chunks.resize(1);
    ChunkPlan& part = stage.chunks.front();
    const auto bytes = [&](const ChunkPlan& plan, double share, double largestLayer) {
        part.parameters = plan.parameters.times(share);
        part.layerWeights = plan.layerWeights.times(share);
        part.trained = plan.trained.times(share);
        part.largestLayer = largestLayer;
        MemoryBreakdown memory = stageMemory(m_scenario, stage, 1);
        memory[MemoryKind::CommunicationBuffers] = 0;
        return memory.total();
    };
    const double noLayers = bytes(held.layer, 0, held.layer.largestLayer);
    const int pp = m_scenario.layout.pp;
    return {bytes(held.model, 1.0 / pp, pp == 1 ? held.model.largestLayer : 0), noLayers,
            bytes(held.layer, 1, held.layer.largestLayer) - noLayers};
}

/// Where ranks lie does not matter.
const FastModel::StatesByZero& FastModel::states(const Layout& layout, const Common& common)
{
    if (m_states.size() >= mostStates) {
        m_states.clear();
    }
    StatesByZero& known = m_states[statesKey(layout)];
    const auto find = [&](int stage) {
        States& states = known[static_cast<std::size_t>(stage)];
        if (states.mean < 0) {
            if (!m_known) {
                moveToKernels(layout);
            }
            const Layout own = std::exchange(m_scenario.layout, layout);
            m_scenario.layout.zeroStage = stage;
            states = statesNow(parameters());
            m_scenario.layout = own;
        }
    };
    find(common.zeroStage);
    if (common.gathers) {
        find(3);
    }
    return known;
}

/// Bytes that some stage of the layout holds, buffers of exchanges left out: one with a mean share of all, which works
/// with one of the commonest layers and the head if there is no other; one with a mean share of those layers, which
/// works with one; or the one with most of their activations.
double FastModel::memoryOf(const Sketch& sketch, const StatesByZero& states, int pp, const Common& common) const
{
    const auto held = [&](double bytes) { return bytes + fragmentationOf(m_scenario.stack, bytes); };
    const double share = 1.0 / pp;
    const double apart = pp == 1 ? std::max(sketch.working, sketch.head) : 0; // never alive together
    const double kept = held(share * (common.inFlight * sketch.keptOfLayers + sketch.keptApart) + apart);
    const double working = held(sketch.working);
    const double perCopy = held(sketch.keptPerLayer);
    const double meanLayers = share * m_layersOfKind[m_shapes.commonestKind()];
    const auto memoryIn = [&](const States& stage) {
        const auto with = [&](const RankLoad& load) {
            return stage.noLayers + load.layers * stage.perLayer + load.copies * perCopy + working;
        };
        double heaviest = common.heaviest.empty() ? 0 : std::numeric_limits<double>::infinity();
        for (const RankLoad& load : common.heaviest) {
            heaviest = std::min(heaviest, with(load));
        }
        return std::max({stage.mean + kept, with({meanLayers, common.inFlight * meanLayers}), heaviest});
    };
    const double whole = memoryIn(states[static_cast<std::size_t>(common.zeroStage)]);
    return common.gathers ? std::min(whole, memoryIn(states.back())) : whole;
}

double FastModel::buffersOf(const Layout& layout)
{
    const Layout own = std::exchange(m_scenario.layout, layout);
    const double bytes = stageMemory(m_scenario, {}, 1)[MemoryKind::CommunicationBuffers];
    m_scenario.layout = own;
    return bytes;
}

FastModel::StatesByZero FastModel::leastStates(const LayoutGroup& group, const Common& common)
{
    StatesByZero least = states(group.ways.front(), common);
    for (const Layout& way : group.ways) {
        const StatesByZero& other = states(way, common);
        for (std::size_t stage = 0; stage < least.size(); ++stage) {
            least[stage].mean = std::min(least[stage].mean, other[stage].mean);
            least[stage].noLayers = std::min(least[stage].noLayers, other[stage].noLayers);
            least[stage].perLayer = std::min(least[stage].perLayer, other[stage].perLayer);
        }
    }
    return least;
}

double FastModel::memoryFloor(Family family, const GroupFloors& group, const StatesByZero& states, const Layout& layout,
                              const Common& common)
{
    Common own = common; // of the family's ZeRO stages
    own.gathers = false;
    own.zeroStage = layout.zeroStage == 3 ? 3 : common.zeroStage;
    if (family == Family::Stages) {
        const PipelineLoad& load = m_shapes.load(layout);
        own.inFlight = load.inFlight;
        own.heaviest = {load.heaviest};
        moveToKernels(layout);
        return memoryOf(passes(), states, layout.pp, own) + group.buffers;
    }
    return memoryOf(group.sketches[static_cast<std::size_t>(layout.recompute)], states, layout.pp, own) + group.buffers;
}

double FastModel::memoryFloor(Family family, const Layout& layout, const Common& common)
{
    moveToKernels(layout);
    const double buffers = buffersOf(layout);
    const StatesByZero& known = states(layout, common);
    if (family == Family::Kernels) {
        double least = std::numeric_limits<double>::infinity();
        for (const auto& name : Names<Recompute>::table) {
            least = std::min(least, memoryOf(sketch(name.value), known, layout.pp, common));
        }
        return least + buffers;
    }
    Common own = common; // of the family's ZeRO stages
    own.gathers = false;
    own.zeroStage = layout.zeroStage == 3 ? 3 : common.zeroStage;
    return memoryOf(passes(), known, layout.pp, own) + buffers;
}

} // namespace partita
