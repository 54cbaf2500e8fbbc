// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/step_floor.h"

#include <algorithm>
#include <limits>

namespace partita {

void PassTimes::add(const PassTimes& other, double count)
{
    forward += count * other.forward;
    backward += count * other.backward;
    input += count * other.input;
    beside.exchange += count * other.beside.exchange;
    beside.compute += count * other.beside.compute;
    besideBackward.exchange += count * other.besideBackward.exchange;
    besideBackward.compute += count * other.besideBackward.compute;
}

PassTimes passTimesOf(const LayerCost& cost)
{
    TimeBreakdown backward = cost.backwardInput;
    backward += cost.backwardWeight;
    return {cost.forward.total(), backward.total(), cost.backwardInput.total(), overlapOf(cost.forward),
            overlapOf(backward)};
}

StepFloor::StepFloor(const ChunkPlanner& planner, std::size_t kinds)
{
    std::vector<int> none(kinds, 0);
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        std::vector<int> one = none;
        one[kind] = 1;
        m_kinds.push_back(passTimesOf(planner.chunk(one, false, false).cost));
    }
    m_embedding = passTimesOf(planner.chunk(none, true, false).cost);
    m_head = passTimesOf(planner.chunk(none, false, true).cost);
}

StepFloor::StepFloor(const LayerPrices& prices, const Model& model)
    : m_embedding(passTimesOf(prices.embedding.cost))
    , m_head(passTimesOf(prices.head.cost))
{
    for (const PricedLayer& kind : prices.kinds) {
        m_kinds.push_back(passTimesOf(kind.cost));
    }
    if (model.multiTokenPrediction > 0) { // as ChunkPlanner has it: a layer and the head again
        PassTimes module = m_kinds[static_cast<std::size_t>(model.layers.back())];
        module.add(m_head, 1);
        module.add(passTimesOf(prices.prediction.cost), 1);
        m_head.add(module, model.multiTokenPrediction);
    }
}

PassTimes StepFloor::timesOf(const ChunkShape& chunk) const
{
    PassTimes times;
    for (std::size_t kind = 0; kind < m_kinds.size(); ++kind) {
        times.add(m_kinds[kind], chunk.layersOfKind[kind]);
    }
    times.add(m_embedding, chunk.first ? 1 : 0);
    times.add(m_head, chunk.last ? 1 : 0);
    return times;
}

/// s of a step that a rank's pairs take less than their halves, at most.
double StepFloor::hiddenOn(const RankReach& reach, const StageShape& shape, const PairedRanks& paired) const
{
    if (paired.drawn == nullptr) {
        return 0;
    }
    const PairedPasses& passes = (*paired.drawn)[static_cast<std::size_t>(reach.rank)];
    const std::vector<int>& chunks = shape.rows[static_cast<std::size_t>(reach.row)].chunks;
    PassOverlap forwards;
    PassOverlap backwards;
    for (std::size_t slot = 0; slot < chunks.size(); ++slot) {
        const PassTimes& chunk = m_chunks[static_cast<std::size_t>(chunks[slot])];
        const double forward = passes.forwards[slot] + paired.more;
        const double backward = passes.backwards[slot] + paired.more;
        forwards.exchange += forward * chunk.beside.exchange;
        forwards.compute += forward * chunk.beside.compute;
        backwards.exchange += backward * chunk.besideBackward.exchange;
        backwards.compute += backward * chunk.besideBackward.compute;
    }
    return hiddenInPair(forwards, backwards);
}

void StepFloor::find(const StageShape& shape, double microBatches, double transfer, const PairedRanks& paired,
                     StageFloor& floor)
{
    m_chunks.clear();
    for (const ChunkShape& chunk : shape.chunks) {
        m_chunks.push_back(timesOf(chunk));
    }
    floor.rows.assign(shape.rows.size(), {});
    const double share = 1.0 / shape.placement.weightCopies();
    for (std::size_t row = 0; row < shape.rows.size(); ++row) {
        floor.rows[row].add(timesOf(shape.rows[row].whole), share);
        floor.rows[row].add(m_head, shape.rows[row].headApart ? share : 0);
    }
    floor.ends.assign(shape.rows.size(), 0);
    PassTimes whole; // a micro-batch goes all the way and back: a pair takes no less than either half
    for (std::size_t chunk = 0; chunk < m_chunks.size(); ++chunk) {
        whole.add(m_chunks[chunk], shape.whole.chunks[chunk]);
    }
    const double wires = 2 * shape.whole.wires * transfer;
    floor.through = whole.forward + whole.input + wires;
    floor.returned = whole.forward + whole.backward + wires;
    for (const RankReach& reach : shape.reaches) {
        // Other ranks work before the rank's first op, and after its last where backwards are whole.
        double before = std::numeric_limits<double>::infinity();
        double after = before;
        for (const Approach& approach : reach.approaches) {
            PassTimes way;
            for (std::size_t chunk = 0; chunk < m_chunks.size(); ++chunk) {
                way.add(m_chunks[chunk], approach.chunks[chunk]);
            }
            before = std::min(before, way.forward + approach.wires * transfer);
            after = std::min(after, way.backward + approach.wires * transfer);
        }
        const auto row = static_cast<std::size_t>(reach.row);
        const PassTimes& work = floor.rows[row];
        const double end = before + microBatches * work.total() - hiddenOn(reach, shape, paired);
        floor.ends[row] = std::max(floor.ends[row], end);
        floor.returned = std::max(floor.returned, end + after);
    }
}

} // namespace partita
