// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/fast_model_parts.h"

#include "core/training/gradient_exchange.h"
#include "core/training/memory.h"
#include "core/training/stage_times.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace partita {

namespace {

constexpr std::size_t mostPrices = 8192; // some 20 MB
constexpr std::size_t mostDense = std::size_t{1} << 15; // some 20 MB
constexpr std::size_t mostGrounds = 8192; // some 10 MB

bool sameGrid(const Layout& a, const Layout& b)
{
    return a.tp == b.tp && a.cp == b.cp && a.pp == b.pp && a.dp == b.dp && a.ep == b.ep && a.etp == b.etp
        && a.rankOrder == b.rankOrder && a.shardGroup == b.shardGroup;
}

std::array<int, 12> groundKey(const Layout& layout)
{
    std::array<int, 12> key{layout.tp, layout.cp, layout.pp, layout.dp, layout.ep, layout.etp, layout.shardGroup};
    std::transform(layout.rankOrder.begin(), layout.rankOrder.end(), key.begin() + 7,
                   [](Axis axis) { return static_cast<int>(axis); });
    return key;
}

bool sameKernels(const Layout& a, const Layout& b)
{
    return a.microBatch == b.microBatch && a.sequenceParallel == b.sequenceParallel && a.globalBatch == b.globalBatch;
}

std::vector<int> countKinds(const Model& model)
{
    std::vector<int> layers(model.kinds.size(), 0);
    for (const int kind : model.layers) {
        ++layers[static_cast<std::size_t>(kind)];
    }
    return layers;
}

/// What a rank of a row holds.
ChunkPlan planOf(const RowShape& row, const ChunkPlanner& planner)
{
    ChunkPlan plan = planner.chunk(row.whole.layersOfKind, row.whole.first, row.whole.last);
    if (row.headApart) {
        plan += planner.chunk(std::vector<int>(row.whole.layersOfKind.size(), 0), false, true);
    }
    return plan;
}

} // namespace

const Habits& habitsOf(ScheduleKind kind)
{
    static const std::array<Habits, Names<ScheduleKind>::table.size()> table = [] {
        std::array<Habits, Names<ScheduleKind>::table.size()> all{};
        for (const auto& name : Names<ScheduleKind>::table) {
            const ScheduleFacts facts = describe(name.value);
            all[static_cast<std::size_t>(name.value)] = {facts.splitsBackward, facts.pairsForwardBackward};
        }
        return all;
    }();
    return table[static_cast<std::size_t>(kind)];
}

LayerPrices withoutHost(LayerPrices prices)
{
    for (PricedLayer& kind : prices.kinds) {
        LayerCost& cost = kind.cost;
        for (TimeBreakdown* part : {&cost.forward, &cost.backwardInput, &cost.backwardWeight, &cost.experts}) {
            (*part)[TimeKind::Host] = 0;
        }
    }
    return prices;
}

FastModel::FastModel(const Scenario& scenario)
    : m_scenario(scenario)
    , m_shapes(scenario)
    , m_layersOfKind(countKinds(scenario.model))
    , m_products(m_scenario.cluster.accelerator)
    , m_run(std::make_unique<Run>())
{
}

FastModel::~FastModel() = default;

/// Keeps what the layout shares with the one before, from the outside in: grid, prices, planner, stages, run.
void FastModel::moveTo(const Layout& layout)
{
    moveToKernels(layout);
    m_set = &stages(planner());
    selectRun();
}

/// The part of moveTo() that does not depend on the schedule.
void FastModel::moveToKernels(const Layout& layout)
{
    Layout& current = m_scenario.layout;
    const bool moved = !m_known || !sameGrid(current, layout);
    const bool other = moved || !sameKernels(current, layout);
    if (moved) {
        if (m_grounds.size() >= mostGrounds) {
            m_grounds.clear();
        }
        const auto [at, isNew] = m_grounds.try_emplace(groundKey(layout));
        if (isNew) {
            at->second.grid.emplace(layout, m_scenario.cluster, &m_shares);
        }
        m_ground = &at->second;
    }
    if (other) {
        m_prices = nullptr;
    }
    if (other || current.recompute != layout.recompute) {
        m_planners.clear();
        m_run->set = nullptr;
    }
    current = layout;
    m_known = true;
}

FastModel::PlaceKey FastModel::placeKey(const std::array<int, 4>& degrees,
                                        std::initializer_list<GroupKind> groups) const
{
    PlaceKey key{degrees, {}};
    for (const GroupKind group : groups) {
        const std::vector<std::int64_t>& members = grid().span(group).members;
        key.second.insert(key.second.end(), members.begin(), members.end());
    }
    return key;
}

const RankGrid& FastModel::grid() const
{
    return *m_ground->grid;
}

FastModel::Place& FastModel::place()
{
    constexpr std::size_t most = 1 << 14;
    if (m_ground->place != nullptr) {
        return *m_ground->place;
    }
    const Layout& layout = m_scenario.layout;
    PlaceKey key = placeKey({layout.tp, layout.cp, layout.ep, layout.etp},
                            {GroupKind::Tensor, GroupKind::Context, GroupKind::Expert, GroupKind::ExpertTensor});
    if (m_places.size() >= most) {
        m_places.clear();
        m_priced = 0;
        m_passes = 0;
        for (auto& [other, ground] : m_grounds) {
            ground.place = nullptr;
        }
    }
    std::unique_ptr<Place>& known = m_places[std::move(key)];
    if (!known) {
        known = std::make_unique<Place>();
    }
    m_ground->place = known.get();
    return *known;
}

FastModel::Dense& FastModel::dense()
{
    const Layout& layout = m_scenario.layout;
    if (m_ground->dense == nullptr) {
        m_ground->dense = &m_dense[placeKey({layout.tp, layout.cp, 0, 0}, {GroupKind::Tensor, GroupKind::Context})];
    }
    const ShardKey key{layout.microBatch, layout.sequenceParallel};
    const auto at = m_ground->dense->find(key);
    if (at != m_ground->dense->end()) {
        return at->second;
    }
    if (m_denseKnown >= mostDense) {
        for (auto& [place, each] : m_dense) {
            each.clear();
        }
        m_denseKnown = 0;
        m_densePriced = 0;
    }
    ++m_denseKnown;
    Dense& dense = (*m_ground->dense)[key];
    dense.whole = StepFloor(withoutHost(densePrices(dense)), m_scenario.model).whole(m_layersOfKind);
    return dense;
}

const LayerPrices& FastModel::densePrices(Dense& dense)
{
    if (!dense.prices) {
        if (m_densePriced >= mostPrices) {
            for (auto& [place, shards] : m_dense) {
                for (auto& [key, each] : shards) {
                    each.prices.reset();
                }
            }
            m_densePriced = 0;
        }
        ++m_densePriced;
        dense.prices = priceWithoutExperts(m_scenario, grid(), &m_products);
    }
    return *dense.prices;
}

const LayerPrices& FastModel::prices()
{
    if (m_prices != nullptr) {
        return *m_prices;
    }
    if (m_priced >= mostPrices) {
        for (auto& [key, each] : m_places) {
            each->prices.clear();
        }
        m_priced = 0;
    }
    const Layout& layout = m_scenario.layout;
    std::map<ShardKey, LayerPrices>& known = place().prices;
    const ShardKey key{layout.microBatch, layout.sequenceParallel};
    auto at = known.find(key);
    if (at == known.end()) {
        at = known.emplace(key, densePrices(dense())).first;
        priceExperts(at->second, m_scenario, grid(), &m_products);
        ++m_priced;
    }
    m_prices = &at->second;
    return *m_prices;
}

FastModel::Planner& FastModel::planner()
{
    const Layout& layout = m_scenario.layout;
    const bool gathers = layout.zeroStage == 3;
    const bool splits = gathers && habitsOf(layout.schedule).splitsBackward;
    for (const std::unique_ptr<Planner>& planner : m_planners) {
        if (planner->gathers == gathers && planner->splits == splits) {
            return *planner;
        }
    }
    m_planners.push_back(std::make_unique<Planner>(Planner{gathers, splits, {}, {}, {}, {}, {}}));
    return *m_planners.back();
}

const ChunkPlanner& FastModel::chunks()
{
    std::optional<ChunkPlanner>& known = planner().chunks;
    return known ? *known : known.emplace(m_scenario, grid(), prices());
}

/// For what they hold: weights that are exchanged take time alone.
const ChunkPlanner& FastModel::chunksInMemory()
{
    const int zero = std::exchange(m_scenario.layout.zeroStage, 0);
    const ChunkPlanner& plain = chunks();
    m_scenario.layout.zeroStage = zero;
    return plain;
}

StepFloor& FastModel::stepFloor()
{
    std::optional<StepFloor>& known = planner().floor;
    return known ? *known : known.emplace(chunks(), m_layersOfKind.size());
}

FastModel::StageSet& FastModel::stages(Planner& planner)
{
    const Layout& layout = m_scenario.layout;
    const std::shared_ptr<const StageShape> shape = m_shapes.shapeOf(layout);
    const bool pairs = layout.ep > 1 && habitsOf(layout.schedule).pairs;
    const auto known =
        std::find_if(planner.sets.rbegin(), planner.sets.rend(),
                     [&](const std::unique_ptr<StageSet>& set) { return set->shape == shape && set->pairs == pairs; });
    if (known != planner.sets.rend()) {
        return **known;
    }
    auto set = std::make_unique<StageSet>();
    set->shape = shape;
    set->pairs = pairs;
    planner.sets.push_back(std::move(set));
    return *planner.sets.back();
}

const StageFloor& FastModel::stageFloor()
{
    if (!m_set->floor) {
        const Layout& layout = m_scenario.layout;
        const StageShape& shape = *m_set->shape;
        const PairedRanks paired = m_set->pairs ? m_shapes.paired(layout, shape.placement) : PairedRanks{};
        stepFloor().find(shape, static_cast<double>(layout.microBatches()), transferTime(m_scenario, grid()), paired,
                         m_set->floor.emplace());
    }
    return *m_set->floor;
}

const std::vector<StagePlan>& FastModel::plans()
{
    if (m_set->plans.empty()) {
        const ChunkPlanner& chunks = chunksInMemory();
        for (const RowShape& row : m_set->shape->rows) {
            m_set->plans.push_back({{planOf(row, chunks)}, m_set->shape->placement.weightCopies()});
        }
    }
    return m_set->plans;
}

const StageTimes& FastModel::times()
{
    if (!m_set->times) {
        std::vector<ChunkPlan> chunks;
        for (const ChunkShape& chunk : m_set->shape->chunks) {
            chunks.push_back(this->chunks().chunk(chunk.layersOfKind, chunk.first, chunk.last));
        }
        std::vector<StagePlan> stages;
        for (const RowShape& row : m_set->shape->rows) {
            stages.push_back({{}, m_set->shape->placement.weightCopies()});
            for (const int chunk : row.chunks) {
                stages.back().chunks.push_back(chunks[static_cast<std::size_t>(chunk)]);
            }
        }
        m_set->times = stageTimes(m_scenario, stages, grid());
    }
    return *m_set->times;
}

void FastModel::selectRun()
{
    const Layout& layout = m_scenario.layout;
    if (m_run->set != m_set || m_run->schedule != layout.schedule) {
        m_run->set = m_set;
        m_run->schedule = layout.schedule;
        m_run->inFlight = nullptr;
        m_run->ends.clear();
    }
}

const std::vector<double>& FastModel::ends()
{
    if (!m_run->ends.empty()) {
        return m_run->ends;
    }
    const bool neverIdle = m_scenario.layout.pp == 1 && !m_set->pairs;
    if (neverIdle) {
        m_run->ends = stageFloor().ends;
    } else {
        const Layout& layout = m_scenario.layout;
        m_shapes.drawn(layout, *m_set->shape).ends(times(), layout.microBatches(), m_run->ends, m_room);
    }
    return m_run->ends;
}

const std::vector<GradientExchange>& FastModel::exchanges()
{
    std::vector<GradientExchange>& known = m_set->exchanges[static_cast<std::size_t>(m_scenario.layout.zeroStage)];
    const std::vector<StagePlan>& stages = plans();
    for (std::size_t row = known.size(); row < stages.size(); ++row) {
        const PassTimes& work = stageFloor().rows[row];
        known.push_back(gradientExchange(m_scenario, stages[row], grid(), work.forward, work.backward));
    }
    return known;
}

/// As step_tail.h: the slowest stage reduces its gradients; then all stages update, and gather what they have updated.
double FastModel::stepWith(const std::vector<double>& ends)
{
    double reduced = 0;
    double update = 0;
    const std::vector<GradientExchange>& exchange = exchanges();
    for (std::size_t row = 0; row < ends.size(); ++row) {
        reduced = std::max(reduced, ends[row] + exchange[row].gradients());
        update = std::max(update, exchange[row].optimizer + exchange[row].gather);
    }
    return reduced + update + m_scenario.stack.stepOverhead;
}

double FastModel::peakMemory(const Layout& layout)
{
    moveTo(layout);
    if (m_run->inFlight == nullptr) {
        m_run->inFlight = &m_shapes.inFlight(layout, *m_set->shape);
    }
    double most = 0;
    const std::vector<StagePlan>& stages = plans();
    for (std::size_t row = 0; row < stages.size(); ++row) {
        most = std::max(most, stageMemory(m_scenario, stages[row], (*m_run->inFlight)[row]).total());
    }
    return most;
}

/// Whatever the layout's ZeRO stage is, unless that is 3.
double FastModel::pipelineFloor()
{
    const StageFloor& floor = stageFloor();
    const double fastest = *std::max_element(floor.ends.begin(), floor.ends.end());
    const bool whole = !habitsOf(m_scenario.layout.schedule).splitsBackward;
    return std::max(fastest, whole ? floor.returned : floor.through) + m_scenario.stack.stepOverhead;
}

double FastModel::stepTimeBound(const Layout& layout, double enough)
{
    moveTo(layout);
    const double quick = pipelineFloor();
    if (quick > enough) {
        return quick;
    }
    const StageFloor& floor = stageFloor();
    m_ends = floor.ends;
    const bool whole = !habitsOf(layout.schedule).splitsBackward;
    double& first = m_ends[static_cast<std::size_t>(m_set->shape->rowOf.front())];
    first = std::max(first, whole ? floor.returned : floor.through);
    return std::max(quick, stepWith(m_ends));
}

double FastModel::stepTime(const Layout& layout)
{
    moveTo(layout);
    return stepWith(ends());
}

} // namespace partita
