// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/advise.h"

#include "core/advice/memory_floor.h"
#include "core/advice/voices.h"
#include "core/base/format.h"
#include "core/layout/layout_text.h"
#include "core/model/check_model.h"
#include "core/scenario/rules.h"
#include "core/scenario/split_limits.h"
#include "core/search/empty_space.h"
#include "core/search/layout_space.h"
#include "core/search/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace partita {

namespace {

constexpr int mostSteps = 32;
constexpr double leastGain = 0.002; ///< share of the step time below which a change is not worth its trouble

/// Step time, dearer the more memory is missing: by this a layout that does not fit is judged on the way to one that
/// does.
double harm(const LayoutCost& cost)
{
    const double excess = cost.memory.total() / cost.memoryLimit;
    return cost.stepTime * (excess > 1 ? excess * excess : 1);
}

/// The least harmful relief of those that leave less missing.
std::optional<std::size_t> leastHarmful(const std::vector<Relief>& reliefs, const LayoutCost& before)
{
    if (reliefs.empty() || !isBetter(reliefs.front().cost, before)) {
        return std::nullopt;
    }
    if (reliefs.front().cost.fits || !before.legal()) {
        return 0;
    }
    std::size_t best = 0;
    for (std::size_t i = 1; i < reliefs.size() && isBetter(reliefs[i].cost, before); ++i) {
        if (harm(reliefs[i].cost) < harm(reliefs[best].cost)) {
            best = i;
        }
    }
    return best;
}

bool pays(const std::vector<Relief>& reliefs, const LayoutCost& before)
{
    return !reliefs.empty() && reliefs.front().cost.fits
        && reliefs.front().cost.stepTime < before.stepTime * (1 - leastGain);
}

void append(std::vector<Relief>& reliefs, std::vector<Relief> more)
{
    reliefs.insert(reliefs.end(), more.begin(), more.end());
    reliefs = bestFirst(std::move(reliefs));
}

/// A step from a layout that cannot run.
AdviceStep relieve(const LayoutCost& current, ReliefFinder& finder, const Scenario& scenario)
{
    AdviceStep step{current, obstacle(current, scenario), {}, std::nullopt, {}};
    step.reliefs = current.legal() ? finder.singles(current) : finder.feedingSplits(current.layout);
    step.chosen = leastHarmful(step.reliefs, current);
    if (!step.chosen) {
        append(step.reliefs, finder.pairs(current));
        step.chosen = leastHarmful(step.reliefs, current);
    }
    bool again = false;
    if (!step.chosen) {
        append(step.reliefs, finder.restarts(current));
        step.chosen = leastHarmful(step.reliefs, current);
        again = true;
    }
    if (!step.chosen) {
        step.reason = "No change, no two together and no other degrees leave less missing: nothing fits.";
    } else if (again) {
        step.reason = step.after().fits
            ? "No change, and no two together, leave less missing; started again from the fastest degrees that fit."
            : "No change, and no two together, leave less missing; started again from the degrees that lack least.";
    } else if (step.after().fits) {
        step.reason = "The fastest of those that fit.";
    } else {
        step.reason = "Not enough alone; the least harm for what it relieves.";
    }
    return step;
}

/// Of a change found where no single one pays.
std::string howFound(const Relief& relief, const LayoutCost& before)
{
    const auto gathers = [](const Layout& layout) { return layout.zeroStage == 3 && layout.dp * layout.cp > 1; };
    switch (relief.kind) {
    case ReliefKind::Split:
        return gathers(before.layout) && !gathers(relief.cost.layout)
            ? "; no single change pays, but to start again from a split that needs no gathered weights."
            : "; no single change pays, but to start again from the least splits that hold the model.";
    case ReliefKind::Restart:
        return "; no change pays, and no two together, but to start again from other degrees: few are possible.";
    default:
        return "; no single change pays.";
    }
}

/// A step from a layout that runs.
AdviceStep improve(const LayoutCost& current, ReliefFinder& finder)
{
    AdviceStep step{current, {}, finder.singles(current), std::nullopt, {}};
    const bool alone = pays(step.reliefs, current);
    if (!alone) {
        append(step.reliefs, finder.splits(current));
    }
    if (!pays(step.reliefs, current)) {
        append(step.reliefs, finder.pairs(current));
    }
    if (!pays(step.reliefs, current)) {
        append(step.reliefs, finder.restartsOfFew(current));
    }
    if (!pays(step.reliefs, current)) {
        append(step.reliefs, finder.placed(current, step.reliefs));
    }
    if (pays(step.reliefs, current)) {
        step.chosen = 0;
        step.binding = brake(current, step.after());
        step.reason = describe(difference(current.time, step.after().time))
            + (alone ? "." : howFound(step.reliefs.front(), current));
    } else {
        step.binding = {Constraint::None,
                        fmt::format("Nothing binds that pays to relieve: no change saves {} of the step.",
                                    formatPercent(leastGain))};
        step.reason = step.reliefs.empty()
            ? std::string()
            : fmt::format("The nearest would be {}.", describe(step.reliefs.front(), current));
    }
    return step;
}

} // namespace

void adviseConstraintFirst(Advice& advice, LayoutCosts& costs, ReliefFinder& finder, const std::function<bool()>& stop)
{
    advice.pick = costs.of(finder.plainest());
    for (int i = 0; i < mostSteps && !stop(); ++i) {
        AdviceStep step =
            advice.pick.fits ? improve(advice.pick, finder) : relieve(advice.pick, finder, costs.scenario());
        if (stop()) {
            break; // its list is short
        }
        advice.steps.push_back(std::move(step));
        advice.pick = advice.steps.back().after();
        if (!advice.steps.back().chosen) {
            break;
        }
    }
}

Advice advise(const Scenario& scenario, Voice voice, const std::function<bool()>& stop)
{
    return advise(scenario, voice, {}, stop);
}

Advice advise(const Scenario& scenario, Voice voice, const SearchSpace& limits, const std::function<bool()>& stop)
{
    Advice advice;
    advice.voice = voice;
    if (trains(voice)) {
        advice.limits = limits;
    } else {
        advice.limits.beyondStack = true; // what stacks offer, and what is limited, is of training
    }
    advice.problems = searchProblems(scenario);
    if (!advice.problems.empty()) {
        return advice;
    }
    LayoutCosts costs(scenario, advice.limits);
    ReliefFinder finder(costs, stop);
    if (trains(voice) ? LayoutSpace(scenario, limits).empty() : finder.stuck()) {
        advice.problems.push_back(noLayout(scenario, advice.limits));
        return advice;
    }
    switch (voice) {
    case Voice::ConstraintFirst:
        adviseConstraintFirst(advice, costs, finder, stop);
        break;
    case Voice::TopologyFirst:
        adviseTopologyFirst(advice, costs, finder, stop);
        break;
    case Voice::ServingRecipe:
        adviseServingRecipe(advice, scenario);
        break;
    }
    advice.complete = !stop();
    if (!trains(voice)) {
        return advice;
    }
    advice.evaluated = costs.evaluated();
    if (!advice.pick.fits) {
        advice.notes.push_back(describe(memoryFloor(costs.scenario())));
    }
    Scenario picked = scenario;
    picked.layout = advice.pick.layout;
    for (std::string& warning : adviseLayout(picked)) {
        advice.notes.push_back(std::move(warning));
    }
    return advice;
}

} // namespace partita
