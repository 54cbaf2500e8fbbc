// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/fast_model.h"

#include "core/training/gradient_exchange.h"
#include "core/training/memory.h"
#include "core/training/stage_times.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace partita {

/// What one device holds of the whole model, as ChunkPlan has it.
struct FastModel::Held {
    DeviceParameters parameters;
    DeviceParameters layerWeights;
    DeviceParameters trained;
    double kept = 0;
};

/// The whole model with one way of recomputing, if ZeRO does not shard weights.
struct FastModel::Passes {
    PassTimes whole; ///< a micro-batch
    Held held;
    double keptOfLayers = 0; ///< bytes of a micro-batch
};

/// Kernels that work on the same shards for groups that lie alike.
struct FastModel::Place {
    std::map<ShardKey, LayerPrices> prices;
    std::map<ShardKey, PassTimes> whole; ///< a micro-batch on the whole model
    std::map<std::pair<ShardKey, Recompute>, Passes> passes;
};

/// Layers with no more than what experts take in any split.
struct FastModel::Dense {
    LayerPrices prices;
    PassTimes whole; ///< a micro-batch on the whole model
};

/// Where ranks lie, and what is known of layouts with such a grid.
struct FastModel::Ground {
    std::optional<RankGrid> grid;
    Place* place = nullptr; ///< once asked for
    DensePlace* dense = nullptr;
    std::optional<Held> states;
};

/// Stages of one shape with their costs, one of each sort; "row" as in StageShape.
struct FastModel::StageSet {
    const StageShape* shape = nullptr;
    bool pairs = false; ///< the schedule runs forwards beside backwards
    StageFloor floor;
    std::vector<StagePlan> plans; ///< [row] all chunks in one; empty until asked for
    std::optional<StageTimes> times; ///< [row][slot]
    std::array<std::vector<GradientExchange>, 4> exchanges; ///< [ZeRO stage][row]; empty until asked for
};

/// Chunks with the costs of one way of recomputing and sharding, and the stages made of them so far.
struct FastModel::Planner {
    bool gathers = false; ///< ZeRO-3 exchanges weights every micro-batch
    bool splits = false; ///< and then it matters whether the schedule splits backwards
    ChunkPlanner chunks;
    StepFloor floor;
    std::vector<std::unique_ptr<StageSet>> sets;
};

/// One schedule on a set of stages.
struct FastModel::Run {
    StageSet* set = nullptr;
    ScheduleKind schedule = ScheduleKind::OneFOneB;
    const std::vector<double>* inFlight = nullptr; ///< once asked for
    std::vector<double> ends; ///< [row] of the last rank; empty until asked for
};

namespace {

constexpr std::size_t mostPrices = 8192; // some 20 MB
constexpr std::size_t mostPasses = std::size_t{1} << 16; // some 20 MB
constexpr std::size_t mostGrounds = 8192; // some 10 MB

/// Facts of a schedule without the sentences that describe() makes every time.
struct Habits {
    bool splitsBackward = false;
    bool pairs = false;
};

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

const FastModel::Dense& FastModel::dense()
{
    const Layout& layout = m_scenario.layout;
    if (m_densePriced >= mostPrices) {
        for (auto& [key, each] : m_dense) {
            each.clear();
        }
        m_densePriced = 0;
    }
    if (m_ground->dense == nullptr) {
        m_ground->dense = &m_dense[placeKey({layout.tp, layout.cp, 0, 0}, {GroupKind::Tensor, GroupKind::Context})];
    }
    const auto [at, isNew] = m_ground->dense->try_emplace({layout.microBatch, layout.sequenceParallel});
    if (isNew) {
        ++m_densePriced;
        at->second.prices = priceWithoutExperts(m_scenario, grid(), &m_products);
        LayerPrices device = at->second.prices; // a schedule that pairs passes may hide what a host-bound one waits for
        for (PricedLayer& kind : device.kinds) {
            kind.cost.forward[TimeKind::Host] = 0;
            kind.cost.backwardInput[TimeKind::Host] = 0;
            kind.cost.backwardWeight[TimeKind::Host] = 0;
        }
        at->second.whole = StepFloor(device).whole(m_layersOfKind);
    }
    return at->second;
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
        at = known.emplace(key, dense().prices).first;
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
    const ChunkPlanner chunks(m_scenario, grid(), prices());
    m_planners.push_back(
        std::make_unique<Planner>(Planner{gathers, splits, chunks, StepFloor(chunks, m_layersOfKind.size()), {}}));
    return *m_planners.back();
}

FastModel::StageSet& FastModel::stages(Planner& planner)
{
    const Layout& layout = m_scenario.layout;
    const StageShape& shape = m_shapes.shapeOf(layout);
    const bool pairs = layout.ep > 1 && habitsOf(layout.schedule).pairs;
    const auto known =
        std::find_if(planner.sets.rbegin(), planner.sets.rend(),
                     [&](const std::unique_ptr<StageSet>& set) { return set->shape == &shape && set->pairs == pairs; });
    if (known != planner.sets.rend()) {
        return **known;
    }
    auto set = std::make_unique<StageSet>();
    set->shape = &shape;
    set->pairs = pairs;
    planner.floor.find(shape, static_cast<double>(layout.microBatches()), transferTime(m_scenario, grid()), pairs,
                       set->floor);
    planner.sets.push_back(std::move(set));
    return *planner.sets.back();
}

const std::vector<StagePlan>& FastModel::plans()
{
    if (m_set->plans.empty()) {
        const ChunkPlanner& chunks = planner().chunks;
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
            chunks.push_back(planner().chunks.chunk(chunk.layersOfKind, chunk.first, chunk.last));
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
        m_run->ends = m_set->floor.ends;
    } else {
        const Layout& layout = m_scenario.layout;
        m_shapes.drawn(layout, *m_set->shape).ends(times(), layout.microBatches(), m_run->ends);
    }
    return m_run->ends;
}

const std::vector<GradientExchange>& FastModel::exchanges()
{
    std::vector<GradientExchange>& known = m_set->exchanges[static_cast<std::size_t>(m_scenario.layout.zeroStage)];
    const std::vector<StagePlan>& stages = plans();
    for (std::size_t row = known.size(); row < stages.size(); ++row) {
        const PassTimes& work = m_set->floor.rows[row];
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
double FastModel::pipelineFloor() const
{
    const StageFloor& floor = m_set->floor;
    const double fastest = *std::max_element(floor.ends.begin(), floor.ends.end());
    const bool whole = !habitsOf(m_scenario.layout.schedule).splitsBackward;
    return (whole ? std::max(fastest, floor.returned) : fastest) + m_scenario.stack.stepOverhead;
}

double FastModel::stepTimeBound(const Layout& layout, double enough)
{
    moveTo(layout);
    const double quick = pipelineFloor();
    if (quick > enough) {
        return quick;
    }
    m_ends = m_set->floor.ends;
    if (!habitsOf(layout.schedule).splitsBackward) {
        double& first = m_ends[static_cast<std::size_t>(m_set->shape->rowOf.front())];
        first = std::max(first, m_set->floor.returned);
    }
    return std::max(quick, stepWith(m_ends));
}

double FastModel::stepTime(const Layout& layout)
{
    moveTo(layout);
    return stepWith(ends());
}

FastModel::Common FastModel::common(const LayoutGroup& group)
{
    Common common{true, true, 1};
    for (const Pipeline& pipeline : group.pipelines) {
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
