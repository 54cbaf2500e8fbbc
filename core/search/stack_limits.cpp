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

/// Layouts with no more than one thing each that the limits name; what a stack offers of each is asked by itself.
std::vector<Layout> asLimited(const SearchSpace& space, const SearchSpace& full)
{
    std::vector<Layout> layouts;
    Layout plain;
    plain.recompute = full.recompute.empty() ? plain.recompute : full.recompute.front();
    plain.schedule = full.schedules.empty() ? plain.schedule : full.schedules.front();
    plain.zeroStage = 0;
    plain.sequenceParallel = false;
    const auto add = [&](int Layout::*degree, const Bounds& bounds) {
        Layout layout = plain;
        layout.*degree = static_cast<int>(std::clamp<std::int64_t>(bounds.least, 1, mostDevices));
        layouts.push_back(layout);
    };
    add(&Layout::tp, space.tp);
    add(&Layout::cp, space.cp);
    add(&Layout::pp, space.pp);
    add(&Layout::ep, space.ep);
    const bool pipelines = full.pp.most > 1;
    for (const int stage : space.zeroStages) {
        for (const int stages : {1, 2}) {
            if (full.pp.hold(stages)) {
                Layout layout = plain;
                layout.dp = 2;
                layout.zeroStage = stage;
                layout.pp = stages;
                layouts.push_back(layout);
            }
        }
    }
    for (const Recompute recompute : space.recompute) {
        layouts.push_back(plain);
        layouts.back().recompute = recompute;
    }
    for (const ScheduleKind schedule : pipelines ? space.schedules : std::vector<ScheduleKind>()) {
        layouts.push_back(plain);
        layouts.back().pp = 2;
        layouts.back().schedule = schedule;
    }
    for (const bool exchanges : full.tp.most > 1 ? space.sequenceParallel : std::vector<bool>()) {
        layouts.push_back(plain);
        layouts.back().tp = 2;
        layouts.back().sequenceParallel = exchanges;
    }
    return layouts;
}

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

std::vector<std::string> searchWarnings(const Scenario& scenario, const SearchSpace& space)
{
    std::vector<std::string> warnings;
    if (std::string server = servesOnlyText(scenario.stack); !server.empty()) {
        warnings.push_back(std::move(server));
    }
    for (const Layout& layout : asLimited(space, withinStack(space, scenario))) {
        Scenario probe = scenario;
        probe.layout = layout;
        for (std::string& sentence : beyondOffer(probe)) {
            if (std::find(warnings.begin(), warnings.end(), sentence) == warnings.end()) {
                warnings.push_back(std::move(sentence));
            }
        }
    }
    if (!space.schedules.empty() && space.schedules.size() < everyValue<ScheduleKind>().size() && space.pp.hold(1)
        && space.vpp.hold(1)) {
        warnings.emplace_back("Layouts of one stage have no schedule: the limit on schedules lets them pass.");
    }
    return warnings;
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
