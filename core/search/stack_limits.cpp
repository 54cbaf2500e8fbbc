// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/stack_limits.h"

#include "core/scenario/split_limits.h"
#include "core/scenario/stack_offer.h"
#include "core/search/layout_space.h"

#include <algorithm>
#include <array>

namespace partita {

namespace {

/// Fills a list that names nothing with what is known and offered.
template <class T> void fill(std::vector<T>& named, const std::vector<T>& known, const std::vector<T>& offered)
{
    if (named.empty()) {
        std::copy_if(known.begin(), known.end(), std::back_inserter(named),
                     [&](T value) { return offers(offered, value); });
    }
}

struct Dimension {
    Axis axis;
    Bounds SearchSpace::*bounds;
};

constexpr std::array dimensions{
    Dimension{Axis::Tp, &SearchSpace::tp}, Dimension{Axis::Tp, &SearchSpace::etp},
    Dimension{Axis::Cp, &SearchSpace::cp}, Dimension{Axis::Pp, &SearchSpace::pp},
    Dimension{Axis::Ep, &SearchSpace::ep},
};

} // namespace

SearchSpace withinStack(const SearchSpace& space, const Scenario& scenario)
{
    const Offer offer = space.beyondStack ? Offer() : scenario.stack.offer;
    SearchSpace full = space;
    for (const Dimension& dimension : dimensions) {
        Bounds& bounds = full.*dimension.bounds;
        if (bounds.least <= 1 && !offers(offer.dimensions, dimension.axis)) {
            bounds.most = 1;
        }
    }
    if (space.zeroStages.empty()) {
        full.pipelineZeroStage = std::min(space.pipelineZeroStage, offer.pipelineZeroStage);
    }
    fill(full.zeroStages, {0, 1, 2, 3}, offer.zeroStages);
    fill(full.recompute, everyValue<Recompute>(), offer.recompute);
    if (!isMoe(scenario.model)) {
        full.recompute.erase(std::remove(full.recompute.begin(), full.recompute.end(), Recompute::Experts),
                             full.recompute.end());
    }
    fill(full.schedules, everyValue<ScheduleKind>(), offer.schedules);
    if (full.sequenceParallel.empty()) {
        full.sequenceParallel = offer.sequenceParallel ? std::vector<bool>{true, false} : std::vector<bool>{false};
    }
    return full;
}

Scenario withHeadRoom(Scenario scenario, const SearchSpace& space)
{
    scenario.cluster.accelerator.memoryBytes *= 1 - space.headRoom;
    return scenario;
}

std::optional<std::int64_t> layoutsBeyondStack(const Scenario& scenario, const SearchSpace& space,
                                               const SearchCounts& counts, const std::function<bool()>& stop)
{
    if (space.beyondStack) {
        return 0;
    }
    if (!counts.counted) {
        return std::nullopt;
    }
    SearchSpace unlimited = space;
    unlimited.beyondStack = true;
    const LayoutCount all = LayoutSpace(scenario, unlimited).size(stop);
    return all.atLeast ? std::nullopt : std::optional(all.layouts - counts.enumerated);
}

} // namespace partita
