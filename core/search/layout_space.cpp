// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/layout_space.h"

#include "core/scenario/split_limits.h"
#include "core/search/stack_limits.h"
#include "core/training/stage_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace partita {

namespace {

bool never()
{
    return false;
}

int asInt(std::int64_t value)
{
    return static_cast<int>(std::min<std::int64_t>(value, std::numeric_limits<int>::max()));
}

std::vector<std::int64_t> divisorsWithin(std::int64_t n, const Bounds& bounds)
{
    std::vector<std::int64_t> within = divisors(n, bounds.most);
    within.erase(within.begin(), std::lower_bound(within.begin(), within.end(), bounds.least));
    return within;
}

/// How far a split is from what is usually fast: little context parallelism, tensor ranks inside a node, and a
/// pipeline no longer than it must be. Only the order of work depends on it.
double strangeness(const DeviceSplit& split, std::int64_t devicesPerNode)
{
    const double overNode = std::log2(static_cast<double>(split.tp) / static_cast<double>(devicesPerNode));
    return 3 * std::log2(split.cp) + 4 * std::max(0.0, overNode) + 0.5 * std::abs(overNode)
        + std::abs(std::log2(split.pp) - 3);
}

/// Where there is nothing to shard, all stages are the same.
std::vector<int> firstOf(std::vector<int> zeroStages)
{
    zeroStages.resize(std::min<std::size_t>(zeroStages.size(), 1));
    return zeroStages;
}

} // namespace

LayoutSpace::LayoutSpace(const Scenario& scenario, const SearchSpace& space)
    : m_scenario(scenario)
    , m_space(withinStack(space, scenario))
    , m_orders(m_space.orders.empty() ? std::vector<RankOrder>{scenario.layout.rankOrder} : m_space.orders)
    , m_rankOrders(scenario.cluster, scenario.layout.rankOrder)
{
    findSplits();
}

void LayoutSpace::findSplits()
{
    const std::int64_t devices = deviceCount(m_scenario.cluster);
    const std::int64_t batch = m_scenario.layout.globalBatch;
    const std::int64_t node = m_scenario.cluster.devicesPerNode;
    if (devices < 1 || devices > mostDevices || batch < 1 || m_scenario.workload.sequenceLength < 1) {
        return;
    }
    for (const std::int64_t tp : divisorsWithin(devices, m_space.tp)) {
        if (!tensorObjection(m_scenario.model, tp).empty() || (m_space.tensorInsideNode && node % tp != 0)) {
            continue;
        }
        for (const std::int64_t cp : divisorsWithin(devices / tp, m_space.cp)) {
            if (!contextObjection(m_scenario, cp, tp).empty()) {
                continue;
            }
            for (const std::int64_t pp : divisorsWithin(devices / tp / cp, m_space.pp)) {
                const std::int64_t dp = devices / tp / cp / pp;
                if (pp <= m_scenario.model.layerCount() && m_space.dp.hold(dp) && batch % dp == 0) {
                    m_splits.push_back({asInt(tp), asInt(cp), asInt(pp), asInt(dp)});
                }
            }
        }
    }
    std::stable_sort(m_splits.begin(), m_splits.end(), [node](const DeviceSplit& a, const DeviceSplit& b) {
        return strangeness(a, node) < strangeness(b, node);
    });
}

Layout LayoutSpace::layoutOf(const DeviceSplit& split) const
{
    Layout layout = m_scenario.layout;
    layout.layersPerStage.clear();
    layout.tp = split.tp;
    layout.cp = split.cp;
    layout.pp = split.pp;
    layout.dp = split.dp;
    if (layout.shardGroup < 0 || (layout.shardGroup > 0 && (split.dp * split.cp) % layout.shardGroup != 0)) {
        layout.shardGroup = 0;
    }
    return layout;
}

const std::vector<std::array<int, 2>>& LayoutSpace::expertSplits(const DeviceSplit& split)
{
    const std::int64_t ranks = std::int64_t{split.tp} * split.cp * split.dp;
    const auto [at, isNew] = m_expertSplits.try_emplace(ranks);
    std::vector<std::array<int, 2>>& splits = at->second;
    if (!isNew) {
        return splits;
    }
    for (const std::int64_t ep : divisorsWithin(ranks, m_space.ep)) {
        if (!expertObjection(m_scenario.model, ep).empty()) {
            continue;
        }
        for (const std::int64_t etp : divisorsWithin(ranks / ep, m_space.etp)) {
            if (expertTensorObjection(m_scenario.model, etp).empty()) {
                splits.push_back({asInt(ep), asInt(etp)});
            }
        }
    }
    return splits;
}

std::vector<std::int64_t> LayoutSpace::microBatches(const DeviceSplit& split) const
{
    const std::int64_t batch = m_scenario.layout.globalBatch / split.dp;
    std::vector<std::int64_t> sizes = divisorsWithin(batch, m_space.microBatch);
    sizes.erase(std::remove_if(sizes.begin(), sizes.end(),
                               [&](std::int64_t size) { return !m_space.microBatches.hold(batch / size); }),
                sizes.end());
    return sizes;
}

std::vector<bool> LayoutSpace::sequenceParallel(const DeviceSplit& split) const
{
    std::vector<bool> possible;
    for (const bool on : m_space.sequenceParallel) {
        const bool divides = m_scenario.workload.sequenceLength / split.cp % split.tp == 0;
        if (!on || divides) {
            possible.push_back(on);
        }
    }
    if (split.tp == 1 && possible.size() > 1) {
        possible.resize(1);
    }
    return possible;
}

std::vector<int> LayoutSpace::zeroStagesOf(int pp) const
{
    std::vector<int> stages;
    std::copy_if(m_space.zeroStages.begin(), m_space.zeroStages.end(), std::back_inserter(stages),
                 [&](int stage) { return pp == 1 || stage <= m_space.pipelineZeroStage; });
    return stages;
}

std::vector<int> LayoutSpace::zeroStages(const Layout& layout) const
{
    std::vector<int> stages = zeroStagesOf(layout.pp);
    return shardsStates(m_scenario.model, layout) ? stages : firstOf(std::move(stages));
}

/// The layout under every rank order to try.
const std::vector<LayoutSpace::RankOrder>& LayoutSpace::places(const Layout& layout)
{
    if (!m_space.rankOrders) {
        return m_orders;
    }
    std::vector<RankOrder>& known = m_places[{layout.tp, layout.cp, layout.pp, layout.dp, layout.ep, layout.etp}];
    if (known.empty()) {
        known = m_rankOrders.of(layout);
    }
    return known;
}

/// The numbers of chunks a rank that a schedule may have, ascending.
std::vector<int> LayoutSpace::chunkCounts(const ScheduleFacts& facts, int pp) const
{
    const int most = mostChunks(m_scenario.model.layerCount(), pp);
    std::vector<int> possible;
    if (facts.chunks > 0) {
        possible.push_back(facts.chunks);
    } else {
        for (int vpp = facts.minChunks; vpp <= most; ++vpp) {
            possible.push_back(vpp);
        }
    }
    possible.erase(
        std::remove_if(possible.begin(), possible.end(), [&](int vpp) { return vpp > most || !m_space.vpp.hold(vpp); }),
        possible.end());
    if (m_space.stageSplit == StageSplit::Any) {
        return possible;
    }
    std::vector<int> even;
    std::copy_if(possible.begin(), possible.end(), std::back_inserter(even),
                 [&](int vpp) { return splitsEvenly(m_scenario.model.layerCount(), pp, vpp); });
    return even.empty() && m_space.stageSplit == StageSplit::UnevenWhereNeeded ? possible : even;
}

/// What stands for all pipelines of one stage: a schedule that is plain there, and one chunk.
Pipelines LayoutSpace::singleStage(int microBatches) const
{
    if (!m_space.vpp.hold(1) || !checkSchedule(ScheduleKind::OneFOneB, 1, microBatches, 1).empty()) {
        return {};
    }
    const auto among = [&](ScheduleKind kind) {
        return std::find(m_space.schedules.begin(), m_space.schedules.end(), kind) != m_space.schedules.end();
    };
    if (!among(ScheduleKind::OneFOneB)) {
        for (const ScheduleKind kind : m_space.schedules) {
            if (checkSchedule(kind, 1, microBatches, 1).empty()) {
                return {{kind, 1}};
            }
        }
    }
    return {{ScheduleKind::OneFOneB, 1}};
}

Pipelines LayoutSpace::findPipelines(int pp, int microBatches) const
{
    if (pp == 1) {
        return singleStage(microBatches);
    }
    struct Ranked {
        Pipeline pipeline;
        bool splitsBackward = false;
    };
    std::vector<Ranked> found;
    const auto allowed = [&](ScheduleKind kind) {
        return std::find(m_space.schedules.begin(), m_space.schedules.end(), kind) != m_space.schedules.end();
    };
    for (const ScheduleKind kind : m_space.schedules) {
        const ScheduleFacts facts = describe(kind);
        for (const int vpp : chunkCounts(facts, pp)) {
            const bool twin = kind == ScheduleKind::BreadthFirst && vpp == 1 && allowed(ScheduleKind::GPipe);
            if (!twin && checkSchedule(kind, pp, microBatches, vpp).empty()) {
                found.push_back({{kind, vpp}, facts.splitsBackward});
            }
        }
    }
    // Stages that hold the same chunks follow each other.
    std::stable_sort(found.begin(), found.end(), [](const Ranked& a, const Ranked& b) {
        return std::tie(a.splitsBackward, a.pipeline.vpp) < std::tie(b.splitsBackward, b.pipeline.vpp);
    });
    Pipelines pipelines;
    for (const Ranked& each : found) {
        pipelines.push_back(each.pipeline);
    }
    return pipelines;
}

const Pipelines& LayoutSpace::pipelines(int pp, std::int64_t microBatches)
{
    const auto [at, isNew] = m_pipelines.try_emplace({pp, microBatches});
    if (isNew) {
        at->second = findPipelines(pp, asInt(microBatches));
    }
    return at->second;
}

/// With one rank order in place of those not known yet, if `stop` says so.
std::int64_t LayoutSpace::sizeOf(const DeviceSplit& split, const std::function<bool()>& stop)
{
    Layout layout = layoutOf(split);
    std::int64_t ways = 0; // to place and shard
    for (const auto& [ep, etp] : expertSplits(split)) {
        layout.ep = ep;
        layout.etp = etp;
        const std::size_t orders = stop() ? 1 : places(layout).size();
        ways += static_cast<std::int64_t>(orders * zeroStages(layout).size());
    }
    ways *= static_cast<std::int64_t>(sequenceParallel(split).size() * m_space.recompute.size());
    std::int64_t count = 0;
    for (const std::int64_t microBatch : microBatches(split)) {
        layout.microBatch = microBatch;
        count += ways * static_cast<std::int64_t>(pipelines(split.pp, layout.microBatches()).size());
    }
    return count;
}

std::int64_t LayoutSpace::size()
{
    return size(never).layouts;
}

LayoutCount LayoutSpace::size(const std::function<bool()>& stop)
{
    LayoutCount count;
    const auto stopped = [&] {
        count.atLeast = count.atLeast || (m_space.rankOrders && stop());
        return count.atLeast;
    };
    for (const DeviceSplit& split : m_splits) {
        count.layouts += sizeOf(split, stopped);
    }
    return count;
}

bool LayoutSpace::empty()
{
    return std::none_of(m_splits.begin(), m_splits.end(),
                        [this](const DeviceSplit& split) { return sizeOf(split, never) > 0; });
}

bool LayoutSpace::holds(const Layout& layout)
{
    const auto among = [](const auto& values, const auto& value) {
        return std::find(values.begin(), values.end(), value) != values.end();
    };
    const DeviceSplit split{layout.tp, layout.cp, layout.pp, layout.dp};
    if (!among(m_splits, split) || layout.globalBatch != m_scenario.layout.globalBatch) {
        return false;
    }
    Layout own = layoutOf(split); // with what is not varied
    own.ep = layout.ep;
    own.etp = layout.etp;
    if (!among(places(own), layout.rankOrder) || layout.layersPerStage != own.layersPerStage
        || layout.shardGroup != own.shardGroup) {
        return false;
    }
    const std::array<int, 2> experts{layout.ep, layout.etp};
    if (!among(expertSplits(split), experts) || !among(microBatches(split), layout.microBatch)
        || !among(sequenceParallel(split), layout.sequenceParallel) || !among(zeroStages(layout), layout.zeroStage)
        || !among(m_space.recompute, layout.recompute)) {
        return false;
    }
    const Pipelines& possible = pipelines(split.pp, layout.microBatches());
    return std::any_of(possible.begin(), possible.end(), [&](const Pipeline& pipeline) {
        return pipeline.schedule == layout.schedule && pipeline.vpp == layout.vpp;
    });
}

void LayoutSpace::visit(const DeviceSplit& split, const std::function<void(const Layout&)>& take)
{
    visit(split, {nullptr, [](Family, const Layout&, std::int64_t) { return true; }, take});
}

std::vector<Layout> LayoutSpace::layoutsWithoutExperts(const DeviceSplit& split)
{
    Layout layout = layoutOf(split);
    layout.ep = 1;
    layout.etp = 1;
    std::vector<Layout> layouts;
    for (const RankOrder& order : places(layout)) {
        layouts.push_back(layout);
        layouts.back().rankOrder = order;
    }
    return layouts;
}

void LayoutSpace::visitWithoutExperts(const DeviceSplit& split, const std::function<void(const Layout&)>& take)
{
    for (Layout& layout : layoutsWithoutExperts(split)) {
        for (const std::int64_t microBatch : microBatches(split)) {
            layout.microBatch = microBatch;
            for (const bool exchange : sequenceParallel(split)) {
                layout.sequenceParallel = exchange;
                take(layout);
            }
        }
    }
}

void LayoutSpace::visit(const DeviceSplit& split, const LayoutVisitor& visitor)
{
    Layout layout = layoutOf(split);
    std::vector<Layout> layouts;
    std::vector<const Way*> ways;
    const std::vector<int> stages = zeroStagesOf(split.pp);
    const Way sharding = wayOf(stages);
    const Way unsharded = wayOf(firstOf(stages));
    std::size_t choices = 0;
    for (const auto& [ep, etp] : expertSplits(split)) {
        layout.ep = ep;
        layout.etp = etp;
        const Way* way = shardsStates(m_scenario.model, layout) ? &sharding : &unsharded;
        for (const RankOrder& order : places(layout)) {
            layout.rankOrder = order;
            layouts.push_back(layout);
            ways.push_back(way);
            choices += way->choices;
        }
    }
    std::vector<Layout> withoutExperts = layoutsWithoutExperts(split);
    for (const std::int64_t microBatch : microBatches(split)) {
        layout.microBatch = microBatch;
        const Pipelines& pipelinesToTry = pipelines(split.pp, layout.microBatches());
        const auto members = static_cast<std::int64_t>(choices * pipelinesToTry.size());
        for (const bool exchange : sequenceParallel(split)) {
            layout.sequenceParallel = exchange;
            for (Layout& each : withoutExperts) {
                each.microBatch = microBatch;
                each.sequenceParallel = exchange;
            }
            if (members > 0
                && (!visitor.enterGroup
                    || visitor.enterGroup({withoutExperts, layouts, pipelinesToTry, stages, members}))) {
                visitGroup(layouts, ways, layout, pipelinesToTry, visitor);
            }
        }
    }
}

/// Stage 3 exchanges weights every micro-batch: its times are others than those of the stages before.
LayoutSpace::Way LayoutSpace::wayOf(std::vector<int> zeroStages) const
{
    Way way{std::move(zeroStages), {}, 0};
    const auto sharded = std::stable_partition(way.whole.begin(), way.whole.end(), [](int stage) { return stage < 3; });
    way.gathered.assign(sharded, way.whole.end());
    way.whole.erase(sharded, way.whole.end());
    way.choices = m_space.recompute.size() * (way.whole.size() + way.gathered.size());
    return way;
}

void LayoutSpace::visitGroup(const std::vector<Layout>& layouts, const std::vector<const Way*>& ways,
                             const Layout& group, const Pipelines& pipelines, const LayoutVisitor& visitor)
{
    Layout layout = group;
    for (std::size_t i = 0; i < ways.size(); ++i) {
        layout.ep = layouts[i].ep;
        layout.etp = layouts[i].etp;
        layout.rankOrder = layouts[i].rankOrder;
        const Way& way = *ways[i];
        const auto members = static_cast<std::int64_t>(way.choices * pipelines.size());
        if (members == 0 || !visitor.enter(Family::Kernels, layout, members)) {
            continue;
        }
        for (const Recompute recompute : m_space.recompute) {
            layout.recompute = recompute;
            visitPasses(layout, pipelines, way.whole, visitor);
            visitPasses(layout, pipelines, way.gathered, visitor);
        }
    }
}

void LayoutSpace::visitPasses(Layout layout, const Pipelines& pipelines, const std::vector<int>& zeroStages,
                              const LayoutVisitor& visitor) const
{
    const auto move = [&](const Pipeline& pipeline) {
        layout.schedule = pipeline.schedule;
        layout.vpp = pipeline.vpp;
        layout.zeroStage = zeroStages.front();
    };
    if (zeroStages.empty()) {
        return;
    }
    move(pipelines.front());
    const auto stages = static_cast<std::int64_t>(zeroStages.size());
    if (!visitor.enter(Family::Passes, layout, stages * static_cast<std::int64_t>(pipelines.size()))) {
        return;
    }
    for (const Pipeline& pipeline : pipelines) {
        move(pipeline);
        if (!visitor.enter(Family::Stages, layout, stages)) {
            continue;
        }
        for (const int stage : zeroStages) {
            layout.zeroStage = stage;
            visitor.take(layout);
        }
    }
}

} // namespace partita
