// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/fast_model.h"

#include "core/training/gradient_exchange.h"
#include "core/training/memory.h"
#include "core/training/stage_times.h"

#include <algorithm>

namespace partita {

/// Stages of one shape with their costs, one of each sort; "row" as in StageShape.
struct FastModel::StageSet {
    const StageShape* shape = nullptr;
    bool pairs = false; ///< the schedule runs forwards beside backwards
    std::vector<StagePlan> plans; ///< [row]
    StageTimes times; ///< [row][slot]
    std::vector<double> forward; ///< [row] s of a micro-batch
    std::vector<double> backward;
    std::vector<double> leastEnd; ///< [row] no schedule ends the row's last rank before
    double leastReturn = 0; ///< and the first stage not before this, where backwards are whole
    std::array<std::vector<GradientExchange>, 4> exchanges; ///< [ZeRO stage][row]; empty until asked for
};

/// Chunks with the costs of one way of recomputing and sharding, and the stages made of them so far.
struct FastModel::Planner {
    Recompute recompute = Recompute::None;
    bool gathers = false; ///< ZeRO-3 exchanges weights every micro-batch
    bool splits = false; ///< and then it matters whether the schedule splits backwards
    ChunkPlanner chunks;
    std::vector<std::unique_ptr<StageSet>> sets;
};

/// One schedule on a set of stages.
struct FastModel::Run {
    StageSet* set = nullptr;
    ScheduleKind schedule = ScheduleKind::OneFOneB;
    const std::vector<double>* inFlight = nullptr;
    std::vector<double> ends; ///< [row] of the last rank; empty until asked for
};

namespace {

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

bool sameKernels(const Layout& a, const Layout& b)
{
    return a.microBatch == b.microBatch && a.sequenceParallel == b.sequenceParallel && a.globalBatch == b.globalBatch;
}

/// Seconds that must pass on other ranks: before a rank's first op, and after its last where backwards are whole.
struct Wait {
    double before = 0;
    double after = 0;
};

/// [rank], along the chain of chunks: the first micro-batch comes down it, the last goes back up.
std::vector<Wait> waitsOf(const StageShape& shape, const StageTimes& times)
{
    constexpr double unknown = -1;
    const Placement& placement = shape.placement;
    std::vector<Wait> waits(shape.rowOf.size(), {unknown, unknown});
    for (int rank = 0; rank < placement.stages; ++rank) {
        for (int slot = 0; slot < placement.chunks; ++slot) {
            if (placement.link(rank, slot).previous) {
                continue;
            }
            Wait wait;
            for (ChunkSite site{rank, static_cast<std::int16_t>(slot)}; site;) {
                const auto at = static_cast<std::size_t>(site.rank);
                const auto row = static_cast<std::size_t>(shape.rowOf[at]);
                const auto chunk = static_cast<std::size_t>(site.chunk);
                Wait& least = waits[at];
                least = least.before < 0 ? wait
                                         : Wait{std::min(least.before, wait.before), std::min(least.after, wait.after)};
                const ChunkSite next = placement.link(site.rank, site.chunk).next;
                const double wire = next && next.rank != site.rank ? times.transfer : 0;
                wait.before += times.forward[row][chunk] + wire;
                wait.after += times.backwardInput[row][chunk] + times.backwardWeight[row][chunk] + wire;
                site = next;
            }
        }
    }
    return waits;
}

/// s of a rank's work that pairs can hide at most, over the whole step.
double mostHidden(const StageTimes& times, std::size_t row, double forwards)
{
    const std::vector<std::vector<double>>& hidden = times.hiddenInPair;
    return hidden.empty() ? 0 : forwards * *std::max_element(hidden[row].begin(), hidden[row].end());
}

} // namespace

FastModel::FastModel(const Scenario& scenario)
    : m_scenario(scenario)
    , m_shapes(scenario)
    , m_run(std::make_unique<Run>())
{
}

FastModel::~FastModel() = default;

/// Keeps what the layout shares with the one before, from the outside in: grid, prices, planner, stages, run.
void FastModel::moveTo(const Layout& layout)
{
    const bool recomputesElse = m_scenario.layout.recompute != layout.recompute;
    moveToKernels(layout);
    if (recomputesElse) {
        m_planners.clear();
        m_run->set = nullptr;
    }
    m_set = &stages(planner());
    selectRun();
}

/// The part of moveTo() that all layouts with the same kernels share.
void FastModel::moveToKernels(const Layout& layout)
{
    Layout& current = m_scenario.layout;
    if (!m_known || !sameGrid(current, layout)) {
        m_grid.emplace(layout, m_scenario.cluster);
        m_current = nullptr;
    } else if (!sameKernels(current, layout)) {
        m_current = nullptr;
    }
    current = layout;
    m_known = true;
    if (m_current == nullptr) {
        m_planners.clear();
        m_run->set = nullptr;
        m_current = &prices();
    }
}

const LayerPrices& FastModel::prices()
{
    constexpr std::size_t most = 8192; // some 20 MB
    const Layout& layout = m_scenario.layout;
    PriceKey key{{layout.tp, layout.cp, layout.ep, layout.etp, layout.microBatch, layout.sequenceParallel ? 1 : 0}, {}};
    for (const GroupKind group : {GroupKind::Tensor, GroupKind::Context, GroupKind::Expert, GroupKind::ExpertTensor}) {
        const std::vector<std::int64_t>& members = m_grid->span(group).members;
        std::get<1>(key).insert(std::get<1>(key).end(), members.begin(), members.end());
    }
    const auto known = m_prices.find(key);
    if (known != m_prices.end()) {
        return known->second;
    }
    if (m_prices.size() >= most) {
        m_prices.clear();
    }
    return m_prices.emplace(std::move(key), priceLayers(m_scenario, *m_grid)).first->second;
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
    m_planners.push_back(std::make_unique<Planner>(
        Planner{layout.recompute, gathers, splits, ChunkPlanner(m_scenario, *m_grid, *m_current), {}}));
    return *m_planners.back();
}

FastModel::StageSet& FastModel::stages(Planner& planner)
{
    const Layout& layout = m_scenario.layout;
    const StageShape& shape = m_shapes.shapeOf(layout);
    const bool pairs = layout.ep > 1 && habitsOf(layout.schedule).pairs;
    for (const std::unique_ptr<StageSet>& set : planner.sets) {
        if (set->shape == &shape && set->pairs == pairs) {
            return *set;
        }
    }
    auto set = std::make_unique<StageSet>();
    set->shape = &shape;
    set->pairs = pairs;
    std::vector<ChunkPlan> chunks;
    for (const ChunkShape& chunk : shape.chunks) {
        chunks.push_back(planner.chunks.chunk(chunk.firstLayer, chunk.layers, chunk.first, chunk.last));
    }
    for (const std::vector<int>& row : shape.rows) {
        StagePlan plan;
        plan.copies = shape.placement.weightCopies();
        for (const int chunk : row) {
            plan.chunks.push_back(chunks[static_cast<std::size_t>(chunk)]);
        }
        set->forward.push_back(plan.forward().total());
        set->backward.push_back(plan.backwardInput().total() + plan.backwardWeight().total());
        set->plans.push_back(std::move(plan));
    }
    set->times = stageTimes(m_scenario, set->plans, *m_grid);
    planner.sets.push_back(std::move(set));
    boundEnds(*planner.sets.back());
    return *planner.sets.back();
}

void FastModel::boundEnds(StageSet& set) const
{
    const auto microBatches = static_cast<double>(m_scenario.layout.microBatches());
    const StageShape& shape = *set.shape;
    const std::vector<Wait> waits = waitsOf(shape, set.times);
    const double forwards = microBatches * shape.placement.chunks / shape.placement.weightCopies();
    std::vector<double> busy;
    for (std::size_t row = 0; row < set.plans.size(); ++row) {
        busy.push_back(microBatches * (set.forward[row] + set.backward[row]) - mostHidden(set.times, row, forwards));
    }
    set.leastEnd.assign(set.plans.size(), 0);
    for (std::size_t rank = 0; rank < waits.size(); ++rank) {
        const auto row = static_cast<std::size_t>(shape.rowOf[rank]);
        const double end = waits[rank].before + busy[row];
        set.leastEnd[row] = std::max(set.leastEnd[row], end);
        set.leastReturn = std::max(set.leastReturn, end + waits[rank].after);
    }
}

void FastModel::selectRun()
{
    const Layout& layout = m_scenario.layout;
    if (m_run->set != m_set || m_run->schedule != layout.schedule) {
        m_run->set = m_set;
        m_run->schedule = layout.schedule;
        m_run->inFlight = &m_shapes.inFlight(layout, *m_set->shape);
        m_run->ends.clear();
    }
}

const std::vector<double>& FastModel::ends()
{
    if (!m_run->ends.empty()) {
        return m_run->ends;
    }
    const bool neverIdle = m_scenario.layout.pp == 1 && m_set->times.hiddenInPair.empty();
    if (neverIdle) {
        m_run->ends = m_set->leastEnd;
    } else {
        m_shapes.drawn(m_scenario.layout, *m_set->shape).ends(m_set->times, m_run->ends);
    }
    return m_run->ends;
}

const std::vector<GradientExchange>& FastModel::exchanges()
{
    std::vector<GradientExchange>& known = m_set->exchanges[static_cast<std::size_t>(m_scenario.layout.zeroStage)];
    for (std::size_t row = known.size(); row < m_set->plans.size(); ++row) {
        known.push_back(
            gradientExchange(m_scenario, m_set->plans[row], *m_grid, m_set->forward[row], m_set->backward[row]));
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
    double most = 0;
    for (std::size_t row = 0; row < m_set->plans.size(); ++row) {
        most = std::max(most, stageMemory(m_scenario, m_set->plans[row], (*m_run->inFlight)[row]).total());
    }
    return most;
}

double FastModel::stepTimeBound(const Layout& layout, double enough)
{
    moveTo(layout);
    const double fastest = *std::max_element(m_set->leastEnd.begin(), m_set->leastEnd.end());
    const bool whole = !habitsOf(layout.schedule).splitsBackward;
    const double returned = whole ? std::max(fastest, m_set->leastReturn) : fastest;
    const double quick = returned + m_scenario.stack.stepOverhead;
    if (quick > enough) {
        return quick;
    }
    std::vector<double> ends = m_set->leastEnd;
    if (whole) {
        double& first = ends[static_cast<std::size_t>(m_set->shape->rowOf.front())];
        first = std::max(first, m_set->leastReturn);
    }
    return std::max(quick, stepWith(ends));
}

double FastModel::stepTime(const Layout& layout)
{
    moveTo(layout);
    return stepWith(ends());
}

double FastModel::groupBound(const Layout& layout)
{
    moveToKernels(layout);
    m_planners.clear(); // what they recompute is another layout's from here on
    m_run->set = nullptr;
    double work = 0;
    const auto add = [&](const LayerCost& cost) {
        for (const TimeBreakdown* pass : {&cost.forward, &cost.backwardInput, &cost.backwardWeight}) {
            work += pass->total() - (*pass)[TimeKind::EpExposed]; // which a pair of passes may hide
        }
    };
    const Model& model = m_scenario.model;
    for (const int kind : model.layers) {
        add(m_current->kinds[static_cast<std::size_t>(kind)].cost);
    }
    add(m_current->embedding.cost);
    add(m_current->head.cost);
    // The busiest stage is at least as busy as the mean.
    return static_cast<double>(layout.microBatches()) * work / layout.pp + m_scenario.stack.stepOverhead;
}

} // namespace partita
