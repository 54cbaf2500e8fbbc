// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/nearest_layout.h"

#include "core/pipeline/schedule.h"
#include "core/scenario/rules.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>

namespace partita {

namespace {

constexpr int mostFieldsBesideSchedule = 2; ///< that change, where every schedule is looked at

/// How much of a layout another changes; less is nearer.
struct Distance {
    bool batch = false; ///< of a step, the last to be touched
    int fields = 0;
    int named = 0; ///< of those
    double octaves = 0; ///< by which numbers change; another setting counts one

    auto order() const { return std::tie(batch, fields, named, octaves); }
};

/// Measures layouts against the one wanted.
class Ruler {
public:
    Ruler(const Layout& wanted, const std::vector<std::string>& named)
        : m_wanted(wanted)
        , m_named(named)
    {
    }

    /// What follows by itself from another change is free: dp unless it is named, chunks and layers from schedule and
    /// stages, and what has no effect.
    Distance to(const Layout& other) const
    {
        const Layout& wanted = m_wanted;
        Distance distance;
        distance.batch = wanted.globalBatch != other.globalBatch;
        number(distance, "tp", wanted.tp, other.tp);
        number(distance, "cp", wanted.cp, other.cp);
        number(distance, "pp", wanted.pp, other.pp);
        number(distance, "ep", wanted.ep, other.ep);
        number(distance, "etp", wanted.etp, other.etp);
        number(distance, "micro_batch", wanted.microBatch, other.microBatch);
        number(distance, "global_batch", wanted.globalBatch, other.globalBatch);
        if (isNamed("dp")) {
            number(distance, "dp", wanted.dp, other.dp);
        }
        const bool pipelined = other.pp > 1 || isNamed("schedule");
        const bool scheduled = pipelined && wanted.schedule != other.schedule;
        setting(distance, "schedule", scheduled);
        if (pipelined && (!scheduled || isNamed("vpp"))) {
            number(distance, "vpp", wanted.vpp, other.vpp);
        }
        setting(distance, "recompute", wanted.recompute != other.recompute);
        setting(distance, "zero_stage", wanted.zeroStage != other.zeroStage && other.dp * std::int64_t{other.cp} > 1);
        setting(distance, "sequence_parallel", wanted.sequenceParallel != other.sequenceParallel && other.tp > 1);
        setting(distance, "shard_group", wanted.shardGroup != other.shardGroup);
        setting(distance, "rank_order", wanted.rankOrder != other.rankOrder);
        setting(distance, "layers_per_stage",
                wanted.layersPerStage != other.layersPerStage && wanted.pp == other.pp && wanted.vpp == other.vpp);
        return distance;
    }

private:
    bool isNamed(std::string_view key) const { return std::find(m_named.begin(), m_named.end(), key) != m_named.end(); }

    void count(Distance& distance, std::string_view key, double octaves) const
    {
        ++distance.fields;
        distance.named += isNamed(key) ? 1 : 0;
        distance.octaves += octaves;
    }

    void number(Distance& distance, std::string_view key, std::int64_t before, std::int64_t after) const
    {
        if (before != after) {
            const double octaves =
                std::abs(std::log2(static_cast<double>(after)) - std::log2(static_cast<double>(before)));
            count(distance, key, key == "vpp" ? octaves / 2 : octaves); // which schedules prescribe
        }
    }

    void setting(Distance& distance, std::string_view key, bool differs) const
    {
        if (differs) {
            count(distance, key, 1);
        }
    }

    const Layout& m_wanted;
    const std::vector<std::string>& m_named;
};

template <class T> T nearestOf(const std::vector<T>& stops, T value)
{
    const auto above = std::upper_bound(stops.begin(), stops.end(), value);
    return above == stops.begin() ? stops.front() : *(above - 1);
}

template <class T> void settle(T& value, const std::vector<T>& allowed)
{
    if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), value) == allowed.end()) {
        value = allowed.front();
    }
}

/// Every setting that the limits do not allow replaced by one that they do, chunks by what the schedule needs.
Layout settled(Layout layout, const SearchSpace& limits, const ReliefFinder& finder)
{
    settle(layout.recompute, limits.recompute);
    settle(layout.zeroStage, layout.dp > 0 && layout.cp > 0 ? finder.settings().zeroStages(layout) : limits.zeroStages);
    settle(layout.schedule, limits.schedules);
    bool exchanges = layout.sequenceParallel;
    settle(exchanges, limits.sequenceParallel);
    layout.sequenceParallel = exchanges;
    if (!limits.rankOrders) {
        settle(layout.rankOrder, limits.orders);
    }
    ScheduleFacts facts = describe(layout.schedule);
    if (layout.pp == 1 && std::max(facts.chunks, facts.minChunks) > 1) {
        layout = finder.settings().plainlyScheduled(layout);
        facts = describe(layout.schedule);
    }
    layout.vpp = facts.chunks != 0 ? facts.chunks : std::max(facts.minChunks, layout.vpp);
    if (facts.chunks == 0 && !limits.vpp.hold(layout.vpp)) {
        layout.vpp = static_cast<int>(limits.vpp.least > layout.vpp ? limits.vpp.least : limits.vpp.most);
    }
    if (layout.dp > 0 && layout.globalBatch % layout.dp == 0) {
        if (const std::vector<std::int64_t> sizes = finder.settings().microBatches(layout); !sizes.empty()) {
            layout.microBatch = nearestOf(sizes, layout.microBatch);
        }
    }
    if (limits.stageSplit == StageSplit::Even) {
        layout.layersPerStage.clear();
    }
    return layout;
}

/// The layout with any degrees at their stops, dp re-solved.
std::vector<Layout> otherDegrees(const ReliefFinder& finder, const Layout& layout)
{
    std::vector<Layout> layouts;
    Degrees degrees = degreesOf(layout);
    const std::vector<std::int64_t>& expertTensor = finder.expertTensorStops();
    if (!expertTensor.empty()) {
        degrees.etp = static_cast<int>(nearestOf<std::int64_t>(expertTensor, degrees.etp));
    }
    for (const std::int64_t tp : finder.stops(Axis::Tp)) {
        degrees.tp = static_cast<int>(tp);
        for (const std::int64_t cp : finder.stops(Axis::Cp)) {
            degrees.cp = static_cast<int>(cp);
            for (const std::int64_t pp : finder.stops(Axis::Pp)) {
                degrees.pp = static_cast<int>(pp);
                for (const std::int64_t ep : finder.stops(Axis::Ep)) {
                    degrees.ep = static_cast<int>(ep);
                    if (std::optional<Layout> moved = finder.layoutWith(degrees, layout)) {
                        layouts.push_back(std::move(*moved));
                    }
                }
            }
        }
    }
    return layouts;
}

struct Candidate {
    Distance distance;
    Layout layout;
};

/// Each field of a layout set as a control would set it: what it makes illegal is moved.
std::vector<Layout> repaired(const Scenario& scenario, const Layout& layout)
{
    Scenario moved = scenario;
    moved.layout = layout;
    std::vector<Layout> layouts;
    for (const auto& [field, value] :
         {std::pair{LayoutField::Tp, layout.tp}, std::pair{LayoutField::Pp, layout.pp},
          std::pair{LayoutField::Cp, layout.cp}, std::pair{LayoutField::Ep, layout.ep},
          std::pair{LayoutField::Dp, layout.dp}, std::pair{LayoutField::Vpp, layout.vpp}}) {
        layouts.push_back(withField(moved, field, value));
    }
    return layouts;
}

} // namespace

NearestLayouts nearestLayouts(LayoutCosts& costs, ReliefFinder& finder, const Layout& wanted,
                              const std::vector<std::string>& named)
{
    NearestLayouts nearest;
    if (finder.stuck()) {
        return nearest;
    }
    const Ruler ruler(wanted, named);
    std::vector<Candidate> candidates;
    const auto add = [&](const Layout& layout) { candidates.push_back({ruler.to(layout), layout}); };
    const auto inOrder = [](const Candidate& a, const Candidate& b) { return a.distance.order() < b.distance.order(); };
    for (const Layout& from : {wanted, settled(wanted, costs.limits(), finder)}) {
        add(from);
        std::vector<Layout> starts = otherDegrees(finder, from);
        const std::vector<Layout> more = repaired(costs.scenario(), from);
        starts.insert(starts.end(), more.begin(), more.end());
        for (const Layout& start : starts) {
            add(start);
            if (start.pp > 1 && ruler.to(start).fields <= mostFieldsBesideSchedule) {
                for (const Layout& scheduled : finder.settings().schedules(start)) {
                    add(scheduled);
                }
            }
        }
    }
    std::stable_sort(candidates.begin(), candidates.end(), inOrder);
    const bool onlyFitting = costs.limits().headRoom > 0; // what leaves less memory is outside the limits
    std::optional<Candidate> first;
    std::optional<Candidate> fitting;
    for (const Candidate& candidate : candidates) {
        const LayoutEstimate estimate = costs.estimate(candidate.layout, 0);
        if (!estimate.legal || ((first || onlyFitting) && !estimate.fits) || !costs.of(candidate.layout).legal()) {
            continue;
        }
        first = first ? first : candidate;
        if (costs.of(candidate.layout).fits) {
            fitting = candidate;
            break;
        }
    }
    if (!first) {
        return nearest;
    }
    if (!fitting || inOrder(*first, *fitting)) {
        // Settings of the nearest may be less of a change than other degrees.
        for (const Relief& relief : finder.plainChanges(costs.of(first->layout))) {
            Candidate changed{ruler.to(relief.cost.layout), relief.cost.layout};
            if (relief.cost.fits && (!fitting || inOrder(changed, *fitting))) {
                fitting = std::move(changed);
            }
        }
    }
    const bool asNear = fitting && !inOrder(*first, *fitting);
    nearest.legal = costs.of(asNear ? fitting->layout : first->layout);
    if (fitting && !asNear) {
        nearest.fits = costs.of(fitting->layout);
    }
    return nearest;
}

} // namespace partita
