// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/pipeline/schedule.h"
#include "core/scenario/scenario.h"
#include "core/search/rank_orders.h"
#include "core/search/search_space.h"

#include <array>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

namespace partita {

/// Degrees whose product is the devices.
struct DeviceSplit {
    int tp = 1;
    int cp = 1;
    int pp = 1;
    int dp = 1;

    bool operator==(const DeviceSplit&) const = default;
};

/// What layouts that are visited one after the other share, from the outside in.
enum class Family {
    Kernels, ///< all but recomputation, ZeRO, schedule and chunks: what runs on a device for a layer
    Passes, ///< also what is recomputed, and whether ZeRO shards weights: what a layer's passes take
    Stages ///< all but the ZeRO stage: what the ranks of a pipeline do, and when
};

/// A schedule with so many chunks a rank.
struct Pipeline {
    ScheduleKind schedule = ScheduleKind::OneFOneB;
    int vpp = 1;
};
using Pipelines = std::vector<Pipeline>;

/// Layouts that differ in experts, rank order, recomputation, ZeRO, schedule and chunks.
struct LayoutGroup {
    const std::vector<Layout>& withoutExperts; ///< one of every rank order, if not legal ones
    const std::vector<Layout>& ways; ///< how experts may be split and ranks numbered; their micro-batch may be another
    const Pipelines& pipelines; ///< the same object for as many stages and micro-batches
    const std::vector<int>& zeroStages; ///< to choose from, where there is something to shard
    std::int64_t members = 0;
};

struct LayoutCount {
    std::int64_t layouts = 0;
    bool atLeast = false; ///< there may be more
};

/// Who is shown the layouts of a space.
struct LayoutVisitor {
    /// Asked before the families of a group; false skips it.
    std::function<bool(const LayoutGroup&)> enterGroup;
    /// Asked before each family with one of its layouts and its size; false skips it.
    std::function<bool(Family, const Layout&, std::int64_t)> enter;
    std::function<void(const Layout&)> take;
};

/// Every legal layout of a search space: devices, batch, heads and experts are divided by their divisors, so that
/// nothing illegal is generated. What changes nothing is not varied: sequence parallelism without tensor parallelism,
/// ZeRO where there is nothing to shard over, the schedule and the chunks of a single stage.
class LayoutSpace {
public:
    /// The scenario, whose model has no problems, gives model, devices, workload, global batch and, where it divides,
    /// the shard group.
    LayoutSpace(const Scenario& scenario, const SearchSpace& space);

    const SearchSpace& limits() const { return m_space; } ///< in full, see withinStack()
    /// The promising ones first.
    const std::vector<DeviceSplit>& deviceSplits() const { return m_splits; }
    /// Number of layouts of all splits, counted without making them.
    std::int64_t size();
    /// The same, or once `stop` says so, a least number: rank orders not looked at yet count once.
    LayoutCount size(const std::function<bool()>& stop);
    bool empty(); ///< cheaper than its size
    /// Whether the layout is one of those visited.
    bool holds(const Layout& layout);
    /// Shows every layout of a split, always in the same order: ZeRO innermost, then the schedule, then recomputation,
    /// then rank order and experts, then what else moves the kernels.
    void visit(const DeviceSplit& split, const LayoutVisitor& visitor);
    void visit(const DeviceSplit& split, const std::function<void(const Layout&)>& take);
    /// One of the layouts that differ in no more than experts, recomputation, ZeRO and schedule, if not a legal one.
    void visitWithoutExperts(const DeviceSplit& split, const std::function<void(const Layout&)>& take);

private:
    using RankOrder = RankOrders::Order;
    /// A way to place layouts, and to shard them.
    struct Way {
        std::vector<int> whole; ///< ZeRO stages
        std::vector<int> gathered; ///< those that exchange weights every micro-batch
        std::size_t choices = 0; ///< layouts of a pipeline
    };

    std::int64_t sizeOf(const DeviceSplit& split, const std::function<bool()>& stop);
    void findSplits();
    const std::vector<std::array<int, 2>>& expertSplits(const DeviceSplit& split);
    std::vector<std::int64_t> microBatches(const DeviceSplit& split) const;
    std::vector<bool> sequenceParallel(const DeviceSplit& split) const;
    std::vector<int> zeroStagesOf(int pp) const;
    std::vector<int> zeroStages(const Layout& layout) const;
    const std::vector<RankOrder>& places(const Layout& layout);
    const Pipelines& pipelines(int pp, std::int64_t microBatches);
    Pipelines singleStage(int microBatches) const;
    Pipelines findPipelines(int pp, int microBatches) const;
    std::vector<int> chunkCounts(const ScheduleFacts& facts, int pp) const;
    Layout layoutOf(const DeviceSplit& split) const;
    std::vector<Layout> layoutsWithoutExperts(const DeviceSplit& split);
    Way wayOf(std::vector<int> zeroStages) const;
    void visitGroup(const std::vector<Layout>& layouts, const std::vector<const Way*>& ways, const Layout& group,
                    const Pipelines& pipelines, const LayoutVisitor& visitor);
    void visitPasses(Layout layout, const Pipelines& pipelines, const std::vector<int>& zeroStages,
                     const LayoutVisitor& visitor) const;

    const Scenario& m_scenario;
    SearchSpace m_space;
    std::vector<DeviceSplit> m_splits;
    std::map<std::pair<int, std::int64_t>, Pipelines> m_pipelines; ///< by pp and micro-batches
    std::map<std::int64_t, std::vector<std::array<int, 2>>> m_expertSplits; ///< by ranks of a stage
    std::vector<RankOrder> m_orders; ///< to try where not all are
    std::map<std::array<int, 6>, std::vector<RankOrder>> m_places; ///< by tp, cp, pp, dp, ep, etp
    RankOrders m_rankOrders;
};

} // namespace partita
