// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/optimum.h"

#include "core/base/format.h"
#include "core/layout/layout_text.h"
#include "core/search/stack_limits.h"
#include "core/training/evaluate.h"

#include <fmt/format.h>

namespace partita {

namespace {

constexpr double sameTime = 5e-4; // shares that one decimal of a per cent cannot tell from nothing

bool limited(const SearchSpace& limits, const Stack& stack)
{
    SearchSpace all = limits;
    all.beyondStack = false;
    return !(all == SearchSpace()) || (!limits.beyondStack && stack.offer != Offer());
}

Optimum beside(const Scenario& scenario, const Advice& advice, const SearchSpace& space)
{
    Optimum optimum;
    optimum.pick = advice.pick;
    optimum.limited = limited(advice.limits, scenario.stack);
    optimum.orders = space.rankOrders;
    optimum.balanced = space.stageSplit == StageSplit::Any;
    if (advice.pick.fits) {
        optimum.best = advice.pick;
    }
    return optimum;
}

Optimum with(Optimum optimum, const SearchResult& result, Scenario found)
{
    optimum.looked = result.counts.legal;
    optimum.space = result.counts.enumerated;
    optimum.complete = result.complete;
    if (!result.best.empty()) {
        found.layout = result.best.front().layout;
        const LayoutCost cost = costOf(found.layout, evaluate(found));
        if (!optimum.best || isBetter(cost, *optimum.best)) {
            optimum.best = cost;
        }
    }
    return optimum;
}

} // namespace

SearchSpace choicesWithin(const SearchSpace& limits)
{
    SearchSpace space = limits;
    space.rankOrders = limits.rankOrders || limits.orders.empty();
    if (limits.stageSplit != StageSplit::Even) {
        space.stageSplit = StageSplit::Any;
    }
    return space;
}

Optimum findOptimum(const Scenario& scenario, const Advice& advice, int threads, const std::function<bool()>& stop,
                    const std::function<void(const Optimum&)>& progress)
{
    const SearchSpace space = choicesWithin(advice.limits);
    const Scenario found = withHeadRoom(scenario, advice.limits);
    Optimum optimum = beside(scenario, advice, space);
    SearchOptions options;
    options.top = 1;
    options.threads = threads;
    options.countFitsUpTo = 0;
    if (advice.pick.fits) {
        options.enough = advice.pick.stepTime;
    }
    const Result<SearchResult> result = searchLayouts(
        scenario, space, options, stop, [&](const SearchResult& soFar) { progress(with(optimum, soFar, found)); });
    optimum.complete = true; // there is no layout to look at
    return result ? with(optimum, *result, found) : optimum;
}

std::string describe(const Optimum& optimum)
{
    const std::string ways = fmt::format(
        "{}{}{}", optimum.limited ? " within the limits" : "", optimum.orders ? ", in every rank order" : "",
        optimum.balanced ? ", stages as even as they can be or balanced by time and memory" : "");
    const std::string which = optimum.complete
        ? fmt::format("all {} legal layouts{}", formatCount(optimum.space), ways)
        : fmt::format("{} of {} legal layouts{}, so far", formatCount(optimum.looked), formatCount(optimum.space),
                      ways);
    if (!optimum.best) {
        return fmt::format("Of {} none fits.", which);
    }
    const std::string best = fmt::format("{}: {}", layoutText(optimum.best->layout), describe(*optimum.best));
    if (!optimum.pick.fits) {
        return fmt::format("Best of {}: {}.", which, best);
    }
    if (optimum.gap() < sameTime) {
        return fmt::format("Of {} none is faster than the advice.", which);
    }
    return fmt::format("Best of {}: {}; the advice takes {} longer.", which, best, formatPercent(optimum.gap()));
}

} // namespace partita
