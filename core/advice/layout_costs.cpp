// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/layout_costs.h"

#include "core/pipeline/schedule.h"
#include "core/scenario/rules.h"
#include "core/search/stack_limits.h"
#include "core/training/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

namespace partita {

namespace {

auto fieldsOf(const Layout& l)
{
    return std::tie(l.tp, l.cp, l.pp, l.vpp, l.dp, l.ep, l.etp, l.sequenceParallel, l.zeroStage, l.shardGroup,
                    l.microBatch, l.globalBatch, l.recompute, l.schedule, l.rankOrder, l.layersPerStage);
}

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Of what fits, does not fit, is illegal.
int rankOf(bool legal, bool fits)
{
    return !legal ? 2 : fits ? 0 : 1;
}

} // namespace

LayoutCost costOf(const Layout& layout, const Report& report)
{
    LayoutCost cost;
    cost.layout = layout;
    if (!report.legal()) {
        cost.objection = describe(report.problems.front());
        return cost;
    }
    const StageReport& fullest = report.stages[static_cast<std::size_t>(report.peakStage)];
    cost.fits = report.fits;
    cost.stepTime = report.stepTime;
    cost.mfu = report.mfu.causal;
    cost.memoryLimit = report.memoryLimit;
    cost.memory = fullest.memory;
    cost.peakStage = report.peakStage;
    cost.inFlight = fullest.inFlight;
    cost.time = report.time;
    return cost;
}

bool isBetter(const LayoutCost& a, const LayoutCost& b)
{
    const int rankA = rankOf(a.legal(), a.fits);
    const int rankB = rankOf(b.legal(), b.fits);
    if (rankA != rankB) {
        return rankA < rankB;
    }
    return a.fits ? a.stepTime < b.stepTime : a.legal() && a.lacks() < b.lacks();
}

bool isBetter(const LayoutEstimate& a, const LayoutEstimate& b)
{
    const int rankA = rankOf(a.legal, a.fits);
    const int rankB = rankOf(b.legal, b.fits);
    if (rankA != rankB) {
        return rankA < rankB;
    }
    return a.fits ? a.stepTime < b.stepTime : a.legal && a.lacks < b.lacks;
}

bool LayoutCosts::Order::operator()(const Layout& a, const Layout& b) const
{
    return fieldsOf(a) < fieldsOf(b);
}

LayoutCosts::LayoutCosts(const Scenario& scenario, const SearchSpace& limits)
    : m_scenario(withHeadRoom(scenario, limits))
    , m_limits(withinStack(limits, scenario))
    , m_fast(m_scenario)
{
}

const LayoutCost& LayoutCosts::of(const Layout& layout)
{
    const auto known = m_known.find(layout);
    if (known != m_known.end()) {
        return known->second;
    }
    m_scenario.layout = layout;
    LayoutCost cost = costOf(layout, evaluate(m_scenario));
    if (cost.legal()) {
        const std::string_view broken = brokenLimit(m_limits, layout, m_scenario);
        if (!broken.empty()) {
            cost = {};
            cost.layout = layout;
            cost.objection = fmt::format("its {} is outside the limits", broken);
        }
    }
    return m_known.emplace(layout, std::move(cost)).first->second;
}

LayoutEstimate LayoutCosts::estimate(const Layout& layout, double enough)
{
    LayoutEstimate estimate{layout, false, false, 0, 0};
    ++m_estimated;
    m_scenario.layout = layout;
    estimate.legal = checkLayout(m_scenario).empty()
        && checkSchedule(layout.schedule, layout.pp, static_cast<int>(layout.microBatches()), layout.vpp).empty()
        && brokenLimit(m_limits, layout, m_scenario).empty();
    if (!estimate.legal) {
        return estimate;
    }
    estimate.lacks = std::max(0.0, m_fast.peakMemory(layout) - m_scenario.cluster.accelerator.memoryBytes);
    estimate.fits = estimate.lacks == 0;
    if (estimate.fits) {
        const bool hopeless = enough < unlimited && m_fast.stepTimeBound(layout, enough) >= enough;
        estimate.stepTime = hopeless ? unlimited : m_fast.stepTime(layout);
    }
    return estimate;
}

LayoutEstimate LayoutCosts::estimateBestSplit(const Layout& layout, double enough)
{
    Layout moved = layout;
    moved.layersPerStage.clear();
    LayoutEstimate best = estimate(moved, enough);
    if (!best.legal || layout.pp == 1 || m_limits.stageSplit == StageSplit::Even
        || (enough < unlimited && m_fast.anySplitFloor(moved) >= enough)) {
        return best;
    }
    for (std::vector<int>& split : m_fast.balancedSplits(m_scenario.cluster.accelerator.memoryBytes, moved)) {
        moved.layersPerStage = std::move(split);
        LayoutEstimate other = estimate(moved, best.fits ? std::min(enough, best.stepTime) : enough);
        if (isBetter(other, best)) {
            best = std::move(other);
        }
    }
    return best;
}

bool LayoutCosts::mayFit(const Layout& layout)
{
    m_scenario.layout = layout;
    return checkLayout(m_scenario).empty()
        && m_fast.memoryFloor(Family::Kernels, layout, {}) <= m_scenario.cluster.accelerator.memoryBytes;
}

} // namespace partita
