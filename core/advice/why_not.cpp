// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/why_not.h"

#include "core/advice/advise.h"
#include "core/base/format.h"
#include "core/layout/layout_text.h"
#include "core/model/check_model.h"
#include "core/scenario/rules.h"
#include "core/scenario/split_limits.h"
#include "core/scenario/stack_offer.h"
#include "core/training/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace partita {

namespace {

/// How much of a layout another changes: an octave of a degree counts one, another setting counts one, dp follows the
/// degrees and is free, the batch is the last to be touched.
double distance(const Layout& a, const Layout& b)
{
    constexpr double batchOctave = 4;
    const auto octaves = [](std::int64_t x, std::int64_t y) {
        return std::abs(std::log2(static_cast<double>(std::max<std::int64_t>(1, x)))
                        - std::log2(static_cast<double>(std::max<std::int64_t>(1, y))));
    };
    double sum = octaves(a.tp, b.tp) + octaves(a.cp, b.cp) + octaves(a.pp, b.pp) + octaves(a.vpp, b.vpp)
        + octaves(a.ep, b.ep) + octaves(a.etp, b.etp) + octaves(a.microBatch, b.microBatch)
        + batchOctave * octaves(a.globalBatch, b.globalBatch);
    for (const bool differs : {a.schedule != b.schedule, a.recompute != b.recompute, a.zeroStage != b.zeroStage,
                               a.sequenceParallel != b.sequenceParallel, a.shardGroup != b.shardGroup,
                               a.rankOrder != b.rankOrder, a.layersPerStage != b.layersPerStage}) {
        sum += differs ? 1 : 0;
    }
    return sum;
}

/// Remembers the legal layout nearest to the one wanted.
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
        if (m_best && away >= m_distance) {
            return;
        }
        if (const LayoutCost& cost = m_costs.of(layout); cost.legal()) {
            m_best = cost;
            m_distance = away;
        }
    }

    std::optional<LayoutCost> best() const { return m_best; }

private:
    LayoutCosts& m_costs;
    const Layout& m_wanted;
    std::optional<LayoutCost> m_best;
    double m_distance = 0;
};

std::optional<LayoutCost> nearestLegal(LayoutCosts& costs, ReliefFinder& finder, const Scenario& scenario,
                                       const Layout& wanted)
{
    Nearest nearest(costs, wanted);
    std::vector<Layout> starts;
    for (const Axis axis : {Axis::Tp, Axis::Cp, Axis::Pp, Axis::Ep}) {
        for (const std::int64_t stop : finder.stops(axis)) {
            Degrees degrees = degreesOf(wanted);
            degrees.of(axis) = static_cast<int>(stop);
            if (const std::optional<Layout> layout = finder.layoutWith(degrees, wanted)) {
                starts.push_back(*layout);
            }
        }
    }
    Scenario moved = scenario;
    moved.layout = wanted;
    for (const auto& [field, value] :
         {std::pair{LayoutField::Tp, wanted.tp}, std::pair{LayoutField::Pp, wanted.pp},
          std::pair{LayoutField::Cp, wanted.cp}, std::pair{LayoutField::Ep, wanted.ep},
          std::pair{LayoutField::Dp, wanted.dp}, std::pair{LayoutField::Vpp, wanted.vpp}}) {
        starts.push_back(withField(moved, field, value));
    }
    for (const Layout& start : starts) {
        nearest.offer(start);
        if (start.pp > 1) {
            for (const Layout& scheduled : finder.settings().schedules(start)) {
                nearest.offer(scheduled);
            }
        }
    }
    return nearest.best();
}

MemoryKind largestCategory(const MemoryBreakdown& memory)
{
    const auto largest = std::max_element(
        Names<MemoryKind>::table.begin(), Names<MemoryKind>::table.end(),
        [&](const Name<MemoryKind>& a, const Name<MemoryKind>& b) { return memory[a.value] < memory[b.value]; });
    return largest->value;
}

std::string changesTo(const LayoutCost& from, const LayoutCost& to)
{
    return describe(layoutChanges(from.layout, to.layout));
}

void explainIllegal(WhyNot& answer)
{
    for (const Problem& problem : answer.problems) {
        answer.text += fmt::format("Illegal: {}.\n", describe(problem));
    }
    if (answer.nearestLegal) {
        answer.text += fmt::format("Nearest legal: {} ({}): {}.\n", layoutText(answer.nearestLegal->layout),
                                   changesTo(answer.wanted, *answer.nearestLegal), describe(*answer.nearestLegal));
    }
}

void explainMemory(WhyNot& answer, const Scenario& scenario)
{
    answer.text = fmt::format("Out of memory: stage {} lacks {}. {} Largest there: {}, {}.\n", answer.wanted.peakStage,
                              formatBytes(answer.wanted.lacks()), obstacle(answer.wanted, scenario).text,
                              labelOf(answer.category), formatBytes(answer.wanted.memory[answer.category]));
    if (answer.cheapestFix) {
        answer.text +=
            fmt::format("Cheapest single change that fits: {}: {}.\n",
                        changesTo(answer.wanted, answer.cheapestFix->cost), describe(answer.cheapestFix->cost));
    } else {
        answer.text += "No single change makes it fit.\n";
    }
}

void explainTime(WhyNot& answer)
{
    answer.text = fmt::format("{}: {}, {}.\n", answer.verdict == Verdict::Slower ? "Slower" : "It is not slower",
                              describe(answer.wanted), describe(answer.time, answer.time.terms.size()));
}

Verdict verdictOn(const LayoutCost& wanted, const LayoutCost& reference)
{
    if (!wanted.legal()) {
        return Verdict::Illegal;
    }
    if (!wanted.fits) {
        return Verdict::OutOfMemory;
    }
    if (!reference.fits || wanted.stepTime < reference.stepTime) {
        return Verdict::Faster;
    }
    return wanted.stepTime > reference.stepTime ? Verdict::Slower : Verdict::Same;
}

} // namespace

WhyNot whyNot(const Scenario& scenario, const Layout& wanted)
{
    WhyNot answer;
    // A layout that is there already, or asked for, is not turned away for what the stack offers; what is proposed is
    // what it offers where they are.
    SearchSpace limits;
    Scenario asked = scenario;
    limits.beyondStack = !beyondOffer(asked).empty();
    asked.layout = wanted;
    limits.beyondStack = limits.beyondStack || !beyondOffer(asked).empty();
    LayoutCosts costs(scenario, limits);
    answer.reference = costs.of(scenario.layout);
    answer.wanted = costs.of(wanted);
    answer.verdict = verdictOn(answer.wanted, answer.reference);
    if (answer.reference.legal() && answer.wanted.legal()) {
        answer.time = difference(answer.reference.time, answer.wanted.time);
    }
    const bool searchable = checkModel(scenario.model).empty() && deviceCount(scenario.cluster) > 0
        && deviceCount(scenario.cluster) <= mostDevices && wanted.globalBatch > 0 && wanted.microBatch > 0
        && std::min({wanted.tp, wanted.cp, wanted.pp, wanted.ep, wanted.etp, wanted.vpp}) > 0;
    ReliefFinder finder(costs, [] { return false; });
    switch (answer.verdict) {
    case Verdict::Illegal: {
        Scenario illegal = scenario;
        illegal.layout = wanted;
        answer.problems = evaluate(illegal).problems;
        if (searchable) {
            answer.nearestLegal = nearestLegal(costs, finder, scenario, wanted);
        }
        explainIllegal(answer);
        break;
    }
    case Verdict::OutOfMemory: {
        answer.category = largestCategory(answer.wanted.memory);
        const std::vector<Relief> changes = finder.plainChanges(answer.wanted);
        if (!changes.empty() && changes.front().cost.fits) {
            answer.cheapestFix = changes.front();
        }
        explainMemory(answer, scenario);
        break;
    }
    case Verdict::Slower:
    case Verdict::Same:
    case Verdict::Faster:
        explainTime(answer);
        break;
    }
    return answer;
}

} // namespace partita
