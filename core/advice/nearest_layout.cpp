// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/nearest_layout.h"

#include "core/pipeline/schedule.h"
#include "core/scenario/rules.h"

#include <algorithm>
#include <cmath>

namespace partita {

namespace {

/// How much of a layout another changes: an octave of a degree counts one, another setting counts one, chunks,
/// which schedules prescribe, half, dp follows the degrees and is free, the batch is the last to be touched.
double distance(const Layout& a, const Layout& b)
{
    constexpr double batchOctave = 4;
    const auto octaves = [](std::int64_t x, std::int64_t y) {
        return std::abs(std::log2(static_cast<double>(std::max<std::int64_t>(1, x)))
                        - std::log2(static_cast<double>(std::max<std::int64_t>(1, y))));
    };
    double sum = octaves(a.tp, b.tp) + octaves(a.cp, b.cp) + octaves(a.pp, b.pp) + octaves(a.vpp, b.vpp) / 2
        + octaves(a.ep, b.ep) + octaves(a.etp, b.etp) + octaves(a.microBatch, b.microBatch)
        + batchOctave * octaves(a.globalBatch, b.globalBatch);
    for (const bool differs : {a.schedule != b.schedule, a.recompute != b.recompute, a.zeroStage != b.zeroStage,
                               a.sequenceParallel != b.sequenceParallel, a.shardGroup != b.shardGroup,
                               a.rankOrder != b.rankOrder, a.layersPerStage != b.layersPerStage}) {
        sum += differs ? 1 : 0;
    }
    return sum;
}

/// Remembers the nearest of the layouts offered to the one wanted.
class Nearest {
public:
    Nearest(LayoutCosts& costs, const Layout& wanted)
        : m_costs(costs)
        , m_wanted(wanted)
    {
    }

    void offer(const Layout& layout)
    {
        const double away = distance(m_wanted, layout);
        if (m_best && m_best->fits && away >= m_distance) {
            return;
        }
        const LayoutCost& cost = m_costs.of(layout);
        if (cost.legal() && (!m_best || cost.fits > m_best->fits || (cost.fits == m_best->fits && away < m_distance))) {
            m_best = cost;
            m_distance = away;
        }
    }

    const std::optional<LayoutCost>& best() const { return m_best; }

private:
    LayoutCosts& m_costs;
    const Layout& m_wanted;
    std::optional<LayoutCost> m_best;
    double m_distance = 0;
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

/// The layout with one degree moved to each of its stops, or all of them to their nearest, dp re-solved.
std::vector<Layout> otherDegrees(const ReliefFinder& finder, const Layout& layout)
{
    constexpr std::array axes{Axis::Tp, Axis::Cp, Axis::Pp, Axis::Ep};
    std::vector<Layout> layouts;
    const auto add = [&](const Degrees& degrees) {
        if (const std::optional<Layout> moved = finder.layoutWith(degrees, layout)) {
            layouts.push_back(*moved);
        }
    };
    Degrees all = degreesOf(layout);
    for (const Axis axis : axes) {
        all.of(axis) = static_cast<int>(nearestOf<std::int64_t>(finder.stops(axis), all.of(axis)));
    }
    add(all);
    for (const Degrees& start : {degreesOf(layout), all}) {
        for (const Axis axis : axes) {
            for (const std::int64_t stop : finder.stops(axis)) {
                Degrees degrees = start;
                degrees.of(axis) = static_cast<int>(stop);
                add(degrees);
            }
        }
    }
    return layouts;
}

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

std::optional<LayoutCost> nearestLayout(LayoutCosts& costs, ReliefFinder& finder, const Layout& wanted)
{
    if (finder.stuck()) {
        return std::nullopt;
    }
    Nearest nearest(costs, wanted);
    for (const Layout& from : {wanted, settled(wanted, costs.limits(), finder)}) {
        nearest.offer(from);
        std::vector<Layout> starts = otherDegrees(finder, from);
        const std::vector<Layout> more = repaired(costs.scenario(), from);
        starts.insert(starts.end(), more.begin(), more.end());
        for (const Layout& start : starts) {
            nearest.offer(start);
            if (start.pp > 1) {
                for (const Layout& scheduled : finder.settings().schedules(start)) {
                    nearest.offer(scheduled);
                }
            }
        }
    }
    if (const std::optional<LayoutCost> tight = nearest.best(); tight && !tight->fits) {
        for (const Relief& relief : finder.plainChanges(*tight)) {
            nearest.offer(relief.cost.layout);
        }
    }
    return nearest.best();
}

} // namespace partita
