// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/layout_costs.h"

#include "core/training/evaluate.h"

#include <tuple>

namespace partita {

namespace {

auto fieldsOf(const Layout& l)
{
    return std::tie(l.tp, l.cp, l.pp, l.vpp, l.dp, l.ep, l.etp, l.sequenceParallel, l.zeroStage, l.shardGroup,
                    l.microBatch, l.globalBatch, l.recompute, l.schedule, l.rankOrder, l.layersPerStage);
}

int rankOf(const LayoutCost& cost)
{
    return !cost.legal() ? 2 : cost.fits ? 0 : 1;
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
    if (rankOf(a) != rankOf(b)) {
        return rankOf(a) < rankOf(b);
    }
    return a.fits ? a.stepTime < b.stepTime : a.legal() && a.lacks() < b.lacks();
}

bool LayoutCosts::Order::operator()(const Layout& a, const Layout& b) const
{
    return fieldsOf(a) < fieldsOf(b);
}

const LayoutCost& LayoutCosts::of(const Layout& layout)
{
    const auto known = m_known.find(layout);
    if (known != m_known.end()) {
        return known->second;
    }
    m_scenario.layout = layout;
    return m_known.emplace(layout, costOf(layout, evaluate(m_scenario))).first->second;
}

} // namespace partita
