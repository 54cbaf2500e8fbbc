// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/stage_shapes.h"

#include "core/pipeline/live_activations.h"
#include "core/training/stage_plan.h"

#include <algorithm>

namespace partita {

namespace {

/// Micro-batches after which no rank holds more, however many follow: warm-ups take fewer than four per rank. Keeps the
/// remainder that groups of ranks and the two ends of a pipeline see.
std::int64_t enoughToFill(const Layout& layout)
{
    const std::int64_t period = 2 * std::int64_t{layout.pp};
    const std::int64_t filled = 2 * period;
    const std::int64_t microBatches = layout.microBatches();
    return microBatches < filled + period ? microBatches : filled + (microBatches - filled) % period;
}

bool holdsEveryForward(ScheduleKind kind)
{
    return kind == ScheduleKind::GPipe || kind == ScheduleKind::BreadthFirst;
}

} // namespace

StageShapes::StageShapes(const Scenario& scenario)
    : m_scenario(scenario)
{
    m_scenario.layout.layersPerStage.clear();
}

const StageShape& StageShapes::shapeOf(const Layout& layout)
{
    const auto [at, isNew] = m_shapes.try_emplace(PipelineKey{layout.schedule, layout.pp, layout.vpp});
    if (isNew) {
        Placement placement = placementOf(layout.schedule, layout.pp, layout.vpp);
        const auto same =
            std::find_if(m_distinct.begin(), m_distinct.end(),
                         [&](const std::shared_ptr<StageShape>& shape) { return shape->placement == placement; });
        if (same == m_distinct.end()) {
            m_scenario.layout.pp = layout.pp;
            m_scenario.layout.vpp = layout.vpp;
            m_distinct.push_back(makeShape(layout, std::move(placement)));
            at->second = m_distinct.back();
        } else {
            at->second = *same;
        }
    }
    return *at->second;
}

std::shared_ptr<StageShape> StageShapes::makeShape(const Layout& layout, Placement placement) const
{
    auto shape = std::make_shared<StageShape>();
    shape->placement = std::move(placement);
    const std::vector<int>& kinds = m_scenario.model.layers;
    const std::vector<int> layers = layersPerChunk(m_scenario);
    std::map<std::vector<int>, int> knownChunks; // by kinds of layers, and whether at an end
    std::vector<int> chunkOf;
    int firstLayer = 0;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const ChunkShape chunk{firstLayer, layers[i], i == 0, i + 1 == layers.size()};
        std::vector<int> key(kinds.begin() + firstLayer, kinds.begin() + firstLayer + layers[i]);
        key.push_back(-1 - (chunk.first ? 1 : 0) - (chunk.last ? 2 : 0));
        const auto [known, isNew] = knownChunks.try_emplace(key, static_cast<int>(shape->chunks.size()));
        if (isNew) {
            shape->chunks.push_back(chunk);
        }
        chunkOf.push_back(known->second);
        firstLayer += layers[i];
    }
    std::map<std::vector<int>, int> knownRows;
    for (int rank = 0; rank < layout.pp; ++rank) {
        std::vector<int> row;
        for (int slot = 0; slot < shape->placement.chunks; ++slot) {
            row.push_back(chunkOf[static_cast<std::size_t>(shape->placement.link(rank, slot).modelChunk)]);
        }
        const auto [known, isNew] = knownRows.try_emplace(row, static_cast<int>(shape->rows.size()));
        if (isNew) {
            shape->rows.push_back(std::move(row));
        }
        shape->rowOf.push_back(known->second);
    }
    return shape;
}

const std::vector<double>& StageShapes::inFlight(const Layout& layout, const StageShape& shape)
{
    const std::int64_t count = holdsEveryForward(layout.schedule) ? layout.microBatches() : enoughToFill(layout);
    const auto [at, isNew] = m_inFlight.try_emplace(ScheduleKey{layout.schedule, layout.pp, layout.vpp, count});
    if (isNew) {
        at->second = countInFlight(layout, shape);
    }
    return at->second;
}

std::vector<double> StageShapes::countInFlight(const Layout& layout, const StageShape& shape) const
{
    if (holdsEveryForward(layout.schedule)) {
        const double all = static_cast<double>(layout.microBatches()) * shape.placement.chunks;
        return std::vector<double>(shape.rows.size(), all * shape.placement.stageShare());
    }
    std::vector<double> most(shape.rows.size(), 0);
    const Result<Schedule> schedule =
        makeSchedule(layout.schedule, layout.pp, static_cast<int>(enoughToFill(layout)), layout.vpp);
    for (std::size_t rank = 0; schedule && rank < shape.rowOf.size(); ++rank) {
        double& row = most[static_cast<std::size_t>(shape.rowOf[rank])];
        row = std::max(row, peakActivations(schedule->order[rank], shape.placement.stageShare()));
    }
    return most;
}

DrawnSchedule& StageShapes::drawn(const Layout& layout, const StageShape& shape)
{
    constexpr std::size_t mostOps = std::size_t{1} << 22; // about 120 MB
    const ScheduleKey key{layout.schedule, layout.pp, layout.vpp, layout.microBatches()};
    const auto known = m_drawn.find(key);
    if (known != m_drawn.end()) {
        return *known->second;
    }
    if (m_drawnOps > mostOps) {
        m_drawn.clear();
        m_drawnOps = 0;
    }
    const Result<Schedule> schedule =
        makeSchedule(layout.schedule, layout.pp, static_cast<int>(layout.microBatches()), layout.vpp);
    auto drawn = std::make_unique<DrawnSchedule>(schedule ? *schedule : Schedule{}, shape.rowOf);
    m_drawnOps += drawn->ops();
    return *m_drawn.emplace(key, std::move(drawn)).first->second;
}

} // namespace partita
