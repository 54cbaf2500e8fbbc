// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/reliefs.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace partita {

namespace {

constexpr std::size_t mostRoads = 3;
constexpr std::size_t mostSplits = 16; ///< of those with plain settings that are given their best
constexpr int mostTurns = 16; ///< of a road; single changes that pay come to an end long before
constexpr int mostKeptStage = 2; ///< of ZeRO: up to it a device keeps its weights whole
constexpr double unbounded = std::numeric_limits<double>::infinity();

void sortBest(std::vector<LayoutEstimate>& estimates)
{
    std::stable_sort(estimates.begin(), estimates.end(),
                     [](const LayoutEstimate& a, const LayoutEstimate& b) { return isBetter(a, b); });
}

bool divides(const Degrees& least, const Degrees& degrees)
{
    return degrees.tp % least.tp == 0 && degrees.cp % least.cp == 0 && degrees.pp % least.pp == 0
        && degrees.ep % least.ep == 0 && degrees.etp % least.etp == 0;
}

} // namespace

/// Ascending: what divides others comes before them.
void ReliefFinder::everyDegrees(const std::function<void(const Degrees&)>& consider) const
{
    const auto degree = [](std::int64_t stop) { return static_cast<int>(stop); };
    for (const std::int64_t tp : stops(Axis::Tp)) {
        for (const std::int64_t cp : stops(Axis::Cp)) {
            for (const std::int64_t pp : stops(Axis::Pp)) {
                for (const std::int64_t ep : stops(Axis::Ep)) {
                    for (const std::int64_t etp : m_expertTensorStops) {
                        consider({degree(tp), degree(cp), degree(pp), degree(ep), degree(etp)});
                    }
                }
            }
        }
    }
}

/// Splits that fit with whole weights and no more than so much recomputed, of which no smaller one does; with plain
/// settings, the fastest first.
std::vector<LayoutEstimate> ReliefFinder::leastSplits(Recompute recompute) const
{
    Layout plain = plainest();
    plain.recompute = recompute;
    std::vector<LayoutEstimate> least;
    const auto consider = [&](const Degrees& degrees) {
        if (m_stop()) {
            return;
        }
        const bool known = std::any_of(least.begin(), least.end(), [&](const LayoutEstimate& each) {
            return divides(degreesOf(each.layout), degrees);
        });
        std::optional<Layout> layout = known ? std::nullopt : layoutWith(degrees, plain);
        if (!layout || layout->ep != degrees.ep) {
            return;
        }
        for (const int stage : m_settings.zeroStages(*layout)) {
            layout->zeroStage = stage <= mostKeptStage ? std::max(stage, layout->zeroStage) : layout->zeroStage;
        }
        if (layout->zeroStage > mostKeptStage) {
            return;
        }
        if (LayoutEstimate estimate = m_costs.estimate(*layout, unbounded); estimate.fits) {
            least.push_back(std::move(estimate));
        }
    };
    everyDegrees(consider);
    sortBest(least);
    return least;
}

/// Where changes of one degree at a time, the best each time, come to an end.
LayoutEstimate ReliefFinder::downhill(LayoutEstimate at)
{
    for (int i = 0; i < mostTurns && !m_stop(); ++i) {
        LayoutEstimate best = at;
        for (const Turn& turn : turns(degreesOf(at.layout))) {
            const std::optional<Layout> start = layoutWith(turn.degrees, at.layout);
            if (!start) {
                continue;
            }
            const double enough = best.fits ? best.stepTime : unbounded;
            if (LayoutEstimate estimate = m_settings.best(*start, enough); isBetter(estimate, best)) {
                best = std::move(estimate);
            }
        }
        if (best.layout == at.layout) {
            break;
        }
        at = std::move(best);
    }
    return at;
}

const std::vector<LayoutEstimate>& ReliefFinder::roads()
{
    if (m_roads) {
        return *m_roads;
    }
    std::vector<LayoutEstimate> least; // some recomputation is allowed where few splits hold without
    for (const Recompute recompute : m_costs.limits().recompute) { // from none to full
        if (least.size() >= mostSplits) {
            break;
        }
        for (LayoutEstimate& split : leastSplits(recompute)) {
            const bool needed = std::none_of(least.begin(), least.end(), [&](const LayoutEstimate& known) {
                return divides(degreesOf(known.layout), degreesOf(split.layout));
            });
            if (needed) {
                least.push_back(std::move(split));
            }
        }
    }
    least.resize(std::min(least.size(), mostSplits));
    std::vector<LayoutEstimate> fastest;
    for (const LayoutEstimate& split : least) {
        if (m_stop()) {
            break;
        }
        const bool enough = fastest.size() == mostRoads;
        fastest.push_back(m_settings.best(split.layout, enough ? fastest.back().stepTime : unbounded));
        sortBest(fastest);
        fastest.resize(std::min(fastest.size(), mostRoads));
    }
    for (LayoutEstimate& road : fastest) {
        road = downhill(road);
    }
    m_roads = std::move(fastest);
    return *m_roads;
}

} // namespace partita
