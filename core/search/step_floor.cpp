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

StepFloor::StepFloor(const LayerPrices& prices)
    : m_embedding(passTimesOf(prices.embedding.cost))
    , m_head(passTimesOf(prices.head.cost))
{
    for (const PricedLayer& kind : prices.kinds) {
        m_kinds.push_back(passTimesOf(kind.cost));
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

void StepFloor::find(const StageShape& shape, double microBatches, double transfer, bool pairs, StageFloor& floor)
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
    floor.returned = 0;
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
        const double end = before + microBatches * (work.total() - (pairs ? work.hidden() : 0));
        floor.ends[row] = std::max(floor.ends[row], end);
        floor.returned = std::max(floor.returned, end + after);
    }
}

} // namespace partita
