// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/stage_shapes.h"

#include "core/pipeline/live_activations.h"
#include "core/training/stage_plan.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>

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

/// Where statedActivations() is exact: an interleaved schedule must not end in part of a group.
bool countedByFormula(const Layout& layout)
{
    switch (layout.schedule) {
    case ScheduleKind::GPipe:
    case ScheduleKind::BreadthFirst:
    case ScheduleKind::OneFOneB:
        return true;
    case ScheduleKind::Interleaved:
        return layout.microBatches() % layout.pp == 0;
    default:
        return false;
    }
}

int indexOf(const ChunkShape& shape, std::map<ChunkShape, int>& known, std::vector<ChunkShape>& distinct)
{
    const auto [at, isNew] = known.try_emplace(shape, static_cast<int>(distinct.size()));
    if (isNew) {
        distinct.push_back(shape);
    }
    return at->second;
}

PairedPasses pairedPasses(const std::vector<ScheduleOp>& program, int slots)
{
    PairedPasses passes{std::vector<double>(static_cast<std::size_t>(slots), 0),
                        std::vector<double>(static_cast<std::size_t>(slots), 0)};
    for (const ScheduleOp& op : program) {
        if (op.kind == OpKind::ForwardBackward) {
            ++passes.forwards[static_cast<std::size_t>(op.chunk)];
            ++passes.backwards[static_cast<std::size_t>(op.partnerChunk)];
        }
    }
    return passes;
}

RowShape rowOf(const std::vector<int>& chunks, const std::vector<ChunkShape>& shapes)
{
    RowShape row{chunks, {std::vector<int>(shapes.front().layersOfKind.size(), 0), false, false}, false};
    bool head = false;
    bool together = false;
    for (const int chunk : chunks) {
        const ChunkShape& shape = shapes[static_cast<std::size_t>(chunk)];
        std::transform(shape.layersOfKind.begin(), shape.layersOfKind.end(), row.whole.layersOfKind.begin(),
                       row.whole.layersOfKind.begin(), std::plus<>());
        row.whole.first = row.whole.first || shape.first;
        head = head || shape.last;
        together = together || (shape.first && shape.last);
    }
    row.headApart = head && row.whole.first && !together;
    row.whole.last = head && !row.headApart;
    return row;
}

/// Every rank's first place in each chain, with what comes before it.
void findReaches(StageShape& shape, const std::vector<int>& chunkOf)
{
    const Placement& placement = shape.placement;
    std::vector<RankReach>& reaches = shape.reaches;
    reaches.resize(shape.rowOf.size());
    for (std::size_t rank = 0; rank < reaches.size(); ++rank) {
        reaches[rank].rank = static_cast<int>(rank);
        reaches[rank].row = shape.rowOf[rank];
    }
    std::size_t chains = 0;
    for (std::size_t start = 0; start < placement.links.size(); ++start) {
        if (placement.links[start].previous) {
            continue;
        }
        ++chains;
        const auto slots = static_cast<std::size_t>(placement.chunks);
        ChunkSite site{static_cast<std::int32_t>(start / slots), static_cast<std::int16_t>(start % slots)};
        Approach approach{std::vector<int>(shape.chunks.size(), 0), 0};
        while (site) {
            std::vector<Approach>& known = reaches[static_cast<std::size_t>(site.rank)].approaches;
            if (known.size() < chains) {
                known.push_back(approach);
            }
            const ChunkLink& link = placement.link(site.rank, site.chunk);
            ++approach.chunks[static_cast<std::size_t>(chunkOf[static_cast<std::size_t>(link.modelChunk)])];
            approach.wires += link.next && link.next.rank != site.rank ? 1 : 0;
            site = link.next;
        }
        shape.whole = approach; // the same down every chain
    }
    if (chains == 1) { // of a row the rank that is reached last meets all that the others meet, and more
        std::stable_sort(reaches.begin(), reaches.end(), [](const RankReach& a, const RankReach& b) {
            return std::tuple(a.row, -a.approaches.front().wires) < std::tuple(b.row, -b.approaches.front().wires);
        });
        reaches.erase(std::unique(reaches.begin(), reaches.end(),
                                  [](const RankReach& a, const RankReach& b) { return a.row == b.row; }),
                      reaches.end());
    }
}

} // namespace

StageShapes::StageShapes(const Scenario& scenario)
    : m_scenario(scenario)
{
    m_scenario.layout.layersPerStage.clear();
    std::vector<int> layers(scenario.model.kinds.size(), 0);
    for (const int kind : scenario.model.layers) {
        ++layers[static_cast<std::size_t>(kind)];
    }
    m_commonest = static_cast<std::size_t>(std::max_element(layers.begin(), layers.end()) - layers.begin());
}

std::shared_ptr<const StageShape> StageShapes::shapeOf(const Layout& layout)
{
    return layout.layersPerStage.empty() ? evenShape(layout) : statedShape(layout);
}

std::shared_ptr<const StageShape> StageShapes::statedShape(const Layout& layout)
{
    constexpr std::size_t most = 1024; // splits seldom come again once the kernels are others
    if (m_stated.size() >= most) {
        m_stated.clear();
    }
    const auto [at, isNew] =
        m_stated.try_emplace({PipelineKey{layout.schedule, layout.pp, layout.vpp}, layout.layersPerStage});
    if (isNew) {
        const std::shared_ptr<StageShape> even = evenShape(layout);
        m_scenario.layout.pp = layout.pp;
        m_scenario.layout.vpp = layout.vpp;
        m_scenario.layout.layersPerStage = layout.layersPerStage;
        at->second = makeShape(even->placement);
        m_scenario.layout.layersPerStage.clear();
    }
    return at->second;
}

const std::shared_ptr<StageShape>& StageShapes::evenShape(const Layout& layout)
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
            m_distinct.push_back(makeShape(std::move(placement)));
            at->second = m_distinct.back();
        } else {
            at->second = *same;
        }
    }
    return at->second;
}

/// The model's chunks, as the layout that is asked about splits it.
std::vector<ChunkShape> StageShapes::modelChunks() const
{
    const std::vector<int> layers = layersPerChunk(m_scenario);
    std::vector<ChunkShape> chunks;
    auto layer = m_scenario.model.layers.begin();
    for (std::size_t i = 0; i < layers.size(); ++i) {
        ChunkShape chunk{std::vector<int>(m_scenario.model.kinds.size(), 0), i == 0, i + 1 == layers.size()};
        for (const auto end = layer + layers[i]; layer != end; ++layer) {
            ++chunk.layersOfKind[static_cast<std::size_t>(*layer)];
        }
        chunks.push_back(std::move(chunk));
    }
    return chunks;
}

std::shared_ptr<StageShape> StageShapes::makeShape(Placement placement) const
{
    auto shape = std::make_shared<StageShape>();
    shape->placement = std::move(placement);
    std::map<ChunkShape, int> known;
    std::vector<int> chunkOf; // [model chunk]
    for (const ChunkShape& chunk : modelChunks()) {
        chunkOf.push_back(indexOf(chunk, known, shape->chunks));
    }
    const bool alike = m_scenario.layout.layersPerStage.empty();
    std::map<std::vector<int>, int> knownRows;
    for (int rank = 0; rank < shape->placement.stages; ++rank) {
        std::vector<int> row;
        for (int slot = 0; slot < shape->placement.chunks; ++slot) {
            row.push_back(chunkOf[static_cast<std::size_t>(shape->placement.link(rank, slot).modelChunk)]);
        }
        const auto next = static_cast<int>(shape->rows.size());
        const int place = alike ? knownRows.try_emplace(row, next).first->second : next;
        if (place == next) {
            shape->rows.push_back(rowOf(row, shape->chunks));
        }
        shape->rowOf.push_back(place);
    }
    findReaches(*shape, chunkOf);
    return shape;
}

StageShapes::ScheduleKey StageShapes::inFlightKey(const Layout& layout)
{
    return {layout.schedule, layout.pp, layout.vpp,
            countedByFormula(layout) ? layout.microBatches() : enoughToFill(layout)};
}

const std::vector<double>& StageShapes::inFlight(const Layout& layout, const StageShape& shape)
{
    if (shape.rows.size() == shape.rowOf.size()) { // in the order of ranks
        return inFlightOfRanks(layout, shape.placement);
    }
    const auto [at, isNew] = m_inFlight.try_emplace(inFlightKey(layout));
    if (isNew) {
        const std::vector<double>& ranks = inFlightOfRanks(layout, shape.placement);
        at->second.assign(shape.rows.size(), 0);
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            double& row = at->second[static_cast<std::size_t>(shape.rowOf[rank])];
            row = std::max(row, ranks[rank]);
        }
    }
    return at->second;
}

const PipelineLoad& StageShapes::load(const Layout& layout)
{
    const auto [at, isNew] =
        m_loads.try_emplace(ScheduleKey{layout.schedule, layout.pp, layout.vpp, layout.microBatches()});
    PipelineLoad& load = at->second;
    if (!isNew) {
        return load;
    }
    const std::shared_ptr<const StageShape> shape = shapeOf(layout);
    const std::vector<double>& held = inFlight(layout, *shape);
    const double weightCopies = shape->placement.weightCopies();
    load.inFlight = std::numeric_limits<double>::infinity();
    for (std::size_t kind = 0; kind < m_scenario.model.kinds.size(); ++kind) {
        double layers = 0;
        double copies = 0;
        for (const int row : shape->rowOf) {
            const int count = shape->rows[static_cast<std::size_t>(row)].whole.layersOfKind[kind];
            const double activations = count * held[static_cast<std::size_t>(row)];
            layers += count;
            copies += activations;
            if (kind == m_commonest && activations / weightCopies > load.heaviest.copies) {
                load.heaviest = {count / weightCopies, activations / weightCopies};
            }
        }
        load.inFlight = layers > 0 ? std::min(load.inFlight, copies / layers) : load.inFlight;
    }
    load.paired = pairedShare(layout, *shape);
    return load;
}

PairedRanks StageShapes::paired(const Layout& layout, const Placement& placement)
{
    if (countedByFormula(layout)) {
        return {};
    }
    const RankCounts& known = counts(layout, placement);
    if (known.paired.empty()) {
        return {};
    }
    const auto others = static_cast<double>(layout.microBatches() - enoughToFill(layout));
    return {&known.paired, others / placement.weightCopies()};
}

/// Layers of prediction modules, which the last chunk holds, are of the last kind.
double StageShapes::pairedShare(const Layout& layout, const StageShape& shape)
{
    const PairedRanks pairs = paired(layout, shape.placement);
    if (pairs.drawn == nullptr) {
        return 0;
    }
    const auto lastKind = static_cast<std::size_t>(m_scenario.model.layers.back());
    const auto microBatches = static_cast<double>(layout.microBatches()) / shape.placement.weightCopies();
    double share = 0;
    for (std::size_t kind = 0; kind < m_scenario.model.kinds.size(); ++kind) {
        double forwards = 0;
        double backwards = 0;
        double all = 0;
        for (std::size_t rank = 0; rank < shape.rowOf.size(); ++rank) {
            const PairedPasses& passes = (*pairs.drawn)[rank];
            const RowShape& row = shape.rows[static_cast<std::size_t>(shape.rowOf[rank])];
            for (std::size_t slot = 0; slot < row.chunks.size(); ++slot) {
                const ChunkShape& chunk = shape.chunks[static_cast<std::size_t>(row.chunks[slot])];
                const double layers = chunk.layersOfKind[kind]
                    + (chunk.last && kind == lastKind ? m_scenario.model.multiTokenPrediction : 0);
                forwards += layers * (passes.forwards[slot] + pairs.more);
                backwards += layers * (passes.backwards[slot] + pairs.more);
                all += layers * microBatches;
            }
        }
        share = all > 0 ? std::max(share, std::max(forwards, backwards) / all) : share;
    }
    return std::min(1.0, share);
}

const std::vector<double>& StageShapes::inFlightOfRanks(const Layout& layout, const Placement& placement)
{
    return counts(layout, placement).inFlight;
}

const StageShapes::RankCounts& StageShapes::counts(const Layout& layout, const Placement& placement)
{
    const auto [at, isNew] = m_counts.try_emplace(inFlightKey(layout));
    if (isNew) {
        at->second = count(layout, placement);
    }
    return at->second;
}

StageShapes::RankCounts StageShapes::count(const Layout& layout, const Placement& placement) const
{
    RankCounts counts;
    std::vector<double>& held = counts.inFlight;
    if (countedByFormula(layout)) {
        const auto microBatches = static_cast<int>(layout.microBatches());
        for (int rank = 0; rank < placement.stages; ++rank) {
            held.push_back(statedActivations(layout.schedule, layout.pp, microBatches, layout.vpp, rank));
        }
        return counts;
    }
    const Result<Schedule> schedule =
        makeSchedule(layout.schedule, layout.pp, static_cast<int>(enoughToFill(layout)), layout.vpp);
    for (std::size_t rank = 0; schedule && rank < schedule->order.size(); ++rank) {
        held.push_back(peakActivations(schedule->order[rank], placement.stageShare()));
    }
    held.resize(static_cast<std::size_t>(placement.stages), 0);
    if (schedule && describe(layout.schedule).pairsForwardBackward) {
        std::transform(schedule->order.begin(), schedule->order.end(), std::back_inserter(counts.paired),
                       [&](const std::vector<ScheduleOp>& program) { return pairedPasses(program, placement.chunks); });
    }
    return counts;
}

DrawnSchedule& StageShapes::drawn(const Layout& layout, const StageShape& shape)
{
    constexpr std::size_t mostOps = std::size_t{1} << 23; // about 140 MB
    const DrawnKey key{{layout.schedule, layout.pp, layout.vpp}, !layout.layersPerStage.empty()};
    std::vector<std::unique_ptr<DrawnSchedule>>& known = m_drawn[key];
    const auto at =
        std::find_if(known.begin(), known.end(), [&](const auto& each) { return each->runs(layout.microBatches()); });
    if (at != known.end()) {
        return **at;
    }
    auto drawn = std::make_unique<DrawnSchedule>(layout.schedule, layout.pp, static_cast<int>(layout.microBatches()),
                                                 layout.vpp, shape.rowOf);
    if (m_drawnOps > mostOps) {
        m_drawn.clear();
        m_drawnOps = 0;
    }
    m_drawnOps += drawn->ops();
    return *m_drawn[key].emplace_back(std::move(drawn));
}

} // namespace partita
