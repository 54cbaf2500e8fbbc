// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/best_with.h"

#include "core/advice/advise.h"
#include "core/advice/optimum.h"
#include "core/base/format.h"
#include "core/layout/layout_text.h"
#include "core/search/difference.h"
#include "core/search/search.h"
#include "core/search/stack_limits.h"
#include "core/training/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace partita {

namespace {

double perSequence(const LayoutCost& cost)
{
    return cost.stepTime / static_cast<double>(cost.layout.globalBatch);
}

} // namespace

std::optional<BestWith> findBestWith(const Scenario& scenario, const LayoutCost& asked, const LayoutCost& reference,
                                     const SearchSpace& limits, const std::string& kept, int threads,
                                     const std::function<bool()>& stop)
{
    SearchSpace keeps;
    SearchSpace space = choicesWithin(limits);
    if (!narrow(keeps, Limit::Fix, kept).empty()) {
        return std::nullopt;
    }
    for (const NamedLimit& limit : namedLimits(keeps)) {
        space = without(space, limit.key);
    }
    BestWith best;
    best.kept = describe(keeps);
    if (best.kept.empty() || !narrow(space, Limit::Fix, kept).empty()) {
        return std::nullopt;
    }
    // Of a single stage there is no schedule to keep; 1F1B is also what that is called.
    const bool ofStages = !keeps.schedules.empty()
        && std::find(keeps.schedules.begin(), keeps.schedules.end(), ScheduleKind::OneFOneB) == keeps.schedules.end();
    if (ofStages && !(keeps.pp.fixed() && keeps.pp.most == 1)) {
        space.pp.least = std::max<std::int64_t>(space.pp.least, 2);
    }
    Scenario wanted = scenario;
    wanted.layout = asked.layout;
    SearchOptions options;
    options.top = 1;
    options.threads = threads;
    const Result<SearchResult> found = searchLayouts(wanted, space, options, stop, nullptr);
    best.someLegal = static_cast<bool>(found);
    if (found && !found->best.empty()) {
        wanted = withHeadRoom(wanted, limits);
        wanted.layout = found->best.front().layout;
        best.cost = costOf(wanted.layout, evaluate(wanted));
    }
    best.complete = !found || found->complete;
    // The asked layout may have a rank order or a split of layers that no search tries.
    const bool faster =
        best.cost && best.cost->stepTime < asked.stepTime && !sameButForRounding(best.cost->stepTime, asked.stepTime);
    if (asked.fits && !faster) {
        best.cost = asked;
        best.isAsked = true;
        best.someLegal = true;
    }
    if (best.cost && reference.fits) {
        best.gap = perSequence(*best.cost) / perSequence(reference) - 1;
    }
    return best;
}

std::string describe(const BestWith& best)
{
    const std::string_view soFar = best.complete ? "" : " so far";
    if (!best.someLegal) {
        return fmt::format("No layout with {} is legal.", best.kept);
    }
    if (!best.cost) {
        return fmt::format("No layout with {} fits{}.", best.kept, soFar);
    }
    if (best.isAsked) {
        return fmt::format("No layout with {} is faster{}.", best.kept, soFar);
    }
    std::string text =
        fmt::format("Best with {}{}: {}: {}", best.kept, soFar, layoutText(best.cost->layout), describe(*best.cost));
    if (best.gap) {
        const std::string share = formatPercent(std::abs(*best.gap));
        const std::string change = share == formatPercent(0) ? "as fast as"
            : *best.gap > 0                                  ? share + " slower than"
                                                             : share + " faster than";
        text += fmt::format("; {} the advice", change);
    }
    return text + '.';
}

} // namespace partita
