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

Optimum optimumOf(const Scenario& scenario, const Advice& advice, const SearchResult& result)
{
    const SearchSpace& limits = advice.limits;
    Optimum optimum;
    optimum.pick = advice.pick;
    optimum.limited = limited(limits, scenario.stack);
    optimum.looked = result.counts.legal;
    optimum.space = result.counts.enumerated;
    optimum.complete = result.complete;
    if (!result.best.empty()) {
        Scenario found = withHeadRoom(scenario, limits);
        found.layout = result.best.front().layout;
        optimum.best = costOf(found.layout, evaluate(found));
    }
    return optimum;
}

} // namespace

Optimum findOptimum(const Scenario& scenario, const Advice& advice, int threads, const std::function<bool()>& stop,
                    const std::function<void(const Optimum&)>& progress)
{
    SearchOptions options;
    options.top = 1;
    options.threads = threads;
    const Result<SearchResult> result =
        searchLayouts(scenario, advice.limits, options, stop,
                      [&](const SearchResult& soFar) { progress(optimumOf(scenario, advice, soFar)); });
    Optimum none;
    none.pick = advice.pick;
    none.limited = limited(advice.limits, scenario.stack);
    none.complete = true; // there is no layout to look at
    return result ? optimumOf(scenario, advice, *result) : none;
}

std::string describe(const Optimum& optimum)
{
    const std::string_view within = optimum.limited ? " within the limits" : "";
    const std::string which = optimum.complete
        ? fmt::format("all {} legal layouts{}", formatCount(optimum.space), within)
        : fmt::format("{} of {} legal layouts{} so far", formatCount(optimum.looked), formatCount(optimum.space),
                      within);
    if (!optimum.best) {
        return fmt::format("Of {} none fits.", which);
    }
    const std::string best = fmt::format("{}: {}", layoutText(optimum.best->layout), describe(*optimum.best));
    if (!optimum.pick.fits) {
        return fmt::format("Best of {}: {}.", which, best);
    }
    if (optimum.gap() < -sameTime) {
        return fmt::format("Best of {} with the usual rank order and layers as even as they can be: {}; the advice is "
                           "{} faster.",
                           which, best, formatPercent(-optimum.gap()));
    }
    if (optimum.gap() < sameTime) {
        return fmt::format("Of {} none is faster than the advice.", which);
    }
    return fmt::format("Best of {}: {}; the advice takes {} longer.", which, best, formatPercent(optimum.gap()));
}

} // namespace partita
