// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/reliefs.h"

#include "core/scenario/split_limits.h"
#include "core/search/balance_stages.h"
#include "core/search/rank_orders.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace partita {

namespace {

struct DegreePair {
    ReliefKind kind;
    Axis first;
    Axis second;
};

constexpr std::array degreePairs{
    DegreePair{ReliefKind::TensorPipeline, Axis::Tp, Axis::Pp},
    DegreePair{ReliefKind::TensorContext, Axis::Tp, Axis::Cp},
    DegreePair{ReliefKind::ContextPipeline, Axis::Cp, Axis::Pp},
    DegreePair{ReliefKind::TensorExpert, Axis::Tp, Axis::Ep},
    DegreePair{ReliefKind::ContextExpert, Axis::Cp, Axis::Ep},
    DegreePair{ReliefKind::PipelineExpert, Axis::Pp, Axis::Ep},
};

struct Single {
    ReliefKind kind;
    Axis axis;
};

constexpr std::array singleDegrees{
    Single{ReliefKind::Tensor, Axis::Tp},
    Single{ReliefKind::Context, Axis::Cp},
    Single{ReliefKind::Pipeline, Axis::Pp},
    Single{ReliefKind::Expert, Axis::Ep},
};

/// The relief that moves tp, cp and pp away from 1.
ReliefKind kindOf(bool tp, bool cp, bool pp)
{
    if (tp && cp && pp) {
        return ReliefKind::Degrees;
    }
    if (tp) {
        return cp ? ReliefKind::TensorContext : pp ? ReliefKind::TensorPipeline : ReliefKind::Tensor;
    }
    return cp && pp ? ReliefKind::ContextPipeline : cp ? ReliefKind::Context : ReliefKind::Pipeline;
}

void sortBest(std::vector<Relief>& reliefs)
{
    std::stable_sort(reliefs.begin(), reliefs.end(),
                     [](const Relief& a, const Relief& b) { return isBetter(a.cost, b.cost); });
}

/// Stops at most `reach` places from a value, without it.
std::vector<std::int64_t> around(const std::vector<std::int64_t>& stops, std::int64_t value, std::ptrdiff_t reach)
{
    const auto at = std::lower_bound(stops.begin(), stops.end(), value) - stops.begin();
    std::vector<std::int64_t> result;
    for (std::ptrdiff_t i = std::max<std::ptrdiff_t>(0, at - reach);
         i < std::min<std::ptrdiff_t>(at + reach + 1, static_cast<std::ptrdiff_t>(stops.size())); ++i) {
        if (stops[static_cast<std::size_t>(i)] != value) {
            result.push_back(stops[static_cast<std::size_t>(i)]);
        }
    }
    return result;
}

} // namespace

int& Degrees::of(Axis axis)
{
    switch (axis) {
    case Axis::Tp:
        return tp;
    case Axis::Cp:
        return cp;
    case Axis::Pp:
        return pp;
    case Axis::Ep:
    case Axis::Dp:
        break;
    }
    return ep;
}

Degrees degreesOf(const Layout& layout)
{
    return {layout.tp, layout.cp, layout.pp, layout.ep, layout.etp};
}

ReliefFinder::ReliefFinder(LayoutCosts& costs, Stop stop)
    : m_costs(costs)
    , m_settings(costs)
    , m_stop(std::move(stop))
    , m_devices(std::max<std::int64_t>(1, deviceCount(costs.scenario().cluster)))
{
    const Scenario& scenario = costs.scenario();
    const Model& model = scenario.model;
    for (const std::int64_t degree : divisors(m_devices, mostDevices)) {
        const auto add = [&](Axis axis, bool allowed) {
            if (allowed) {
                m_stops[static_cast<std::size_t>(axis)].push_back(degree);
            }
        };
        add(Axis::Tp, tensorObjection(model, degree).empty());
        add(Axis::Cp, contextObjection(scenario, degree, 1).empty());
        add(Axis::Pp, degree <= std::max(1, model.layerCount()));
        add(Axis::Ep, degree == 1 || expertObjection(model, degree).empty());
        add(Axis::Dp, true);
        if (degree == 1 || expertTensorObjection(model, degree).empty()) {
            m_expertTensorStops.push_back(degree);
        }
    }
}

std::optional<Layout> ReliefFinder::layoutWith(const Degrees& degrees, const Layout& like) const
{
    const Scenario& scenario = m_costs.scenario();
    const std::int64_t split = boundedProduct(boundedProduct(degrees.tp, degrees.cp), degrees.pp);
    if (m_devices % split != 0 || like.globalBatch % (m_devices / split) != 0
        || !contextObjection(scenario, degrees.cp, degrees.tp).empty()) {
        return std::nullopt;
    }
    Layout layout = like;
    layout.tp = degrees.tp;
    layout.cp = degrees.cp;
    layout.pp = degrees.pp;
    layout.dp = static_cast<int>(m_devices / split);
    layout.etp = degrees.etp;
    layout.ep = degrees.ep;
    const std::int64_t stageRanks = m_devices / degrees.pp;
    while (layout.ep > 1 && (stageRanks % (std::int64_t{layout.ep} * layout.etp) != 0)) {
        const std::vector<std::int64_t>& experts = stops(Axis::Ep);
        layout.ep = static_cast<int>(*(std::lower_bound(experts.begin(), experts.end(), layout.ep) - 1));
    }
    if (stageRanks % (std::int64_t{layout.ep} * layout.etp) != 0) {
        return std::nullopt;
    }
    layout.shardGroup = 0;
    layout.sequenceParallel = scenario.workload.sequenceLength / layout.cp % layout.tp == 0;
    layout.microBatch = divisors(layout.globalBatch / layout.dp, layout.microBatch).back();
    if (layout.pp != like.pp) {
        layout.vpp = 1;
        layout.schedule = ScheduleKind::OneFOneB;
        layout.layersPerStage.clear();
    }
    return layout;
}

std::optional<LayoutCost> ReliefFinder::settle(const Degrees& degrees, const Layout& like)
{
    const std::optional<Layout> start = layoutWith(degrees, like);
    return start ? std::optional(m_costs.of(m_settings.best(*start))) : std::nullopt;
}

void ReliefFinder::keepBest(std::vector<Relief>& reliefs, ReliefKind kind, const LayoutCost& cost)
{
    if (!cost.legal()) {
        return;
    }
    const auto known =
        std::find_if(reliefs.begin(), reliefs.end(), [kind](const Relief& relief) { return relief.kind == kind; });
    if (known == reliefs.end()) {
        reliefs.push_back({kind, cost});
    } else if (isBetter(cost, known->cost)) {
        known->cost = cost;
    }
}

std::vector<Relief> ReliefFinder::settingChanges(const LayoutCost& from)
{
    std::vector<Relief> all;
    const auto add = [&](ReliefKind kind, const Layout& layout) {
        if (layout != from.layout && !m_stop() && m_costs.of(layout).legal()) {
            all.push_back({kind, m_costs.of(layout)});
        }
    };
    Layout layout = from.layout;
    for (layout.zeroStage = 0; layout.zeroStage <= 3 && layout.dp * layout.cp > 1; ++layout.zeroStage) {
        add(ReliefKind::Sharding, layout);
    }
    layout = from.layout;
    for (const Name<Recompute>& recompute : Names<Recompute>::table) {
        layout.recompute = recompute.value;
        add(ReliefKind::Recompute, layout);
    }
    layout = from.layout;
    if (layout.globalBatch % layout.dp == 0) {
        for (const std::int64_t microBatch : SettingsChoice::microBatches(layout)) {
            layout.microBatch = microBatch;
            add(ReliefKind::MicroBatch, layout);
        }
    }
    if (from.layout.pp > 1) {
        for (const Layout& scheduled : m_settings.schedules(from.layout)) {
            add(ReliefKind::Schedule, scheduled);
        }
    }
    return all;
}

std::vector<Relief> ReliefFinder::singles(const LayoutCost& from)
{
    std::vector<Relief> reliefs;
    for (const Relief& relief : settingChanges(from)) {
        keepBest(reliefs, relief.kind, relief.cost);
    }
    const auto settleWith = [&](ReliefKind kind, const Degrees& degrees) {
        if (m_stop()) {
            return;
        }
        if (const std::optional<LayoutCost> cost = settle(degrees, from.layout); cost && cost->layout != from.layout) {
            keepBest(reliefs, kind, *cost);
        }
    };
    settleWith(ReliefKind::Settings, degreesOf(from.layout));
    for (const Single& single : singleDegrees) {
        for (const std::int64_t stop : stops(single.axis)) {
            Degrees degrees = degreesOf(from.layout);
            if (std::exchange(degrees.of(single.axis), static_cast<int>(stop)) != stop) {
                settleWith(single.kind, degrees);
            }
        }
    }
    for (const std::int64_t stop : m_expertTensorStops) {
        Degrees degrees = degreesOf(from.layout);
        if (std::exchange(degrees.etp, static_cast<int>(stop)) != stop) {
            settleWith(ReliefKind::ExpertTensor, degrees);
        }
    }
    addPlacements(reliefs, from);
    sortBest(reliefs);
    return reliefs;
}

void ReliefFinder::addPlacements(std::vector<Relief>& reliefs, const LayoutCost& from)
{
    if (!from.legal() || m_stop()) {
        return;
    }
    for (const Layout& layout : distinctRankOrders(from.layout, m_costs.scenario().cluster)) {
        if (layout != from.layout) {
            keepBest(reliefs, ReliefKind::RankOrder, m_costs.of(layout));
        }
    }
    if (from.layout.pp > 1) {
        Scenario even = m_costs.scenario();
        even.layout = from.layout;
        even.layout.layersPerStage.clear();
        for (const Name<BalanceBy>& by : Names<BalanceBy>::table) {
            Layout layout = even.layout;
            layout.layersPerStage = balanceStages(even, by.value);
            if (layout != from.layout) {
                keepBest(reliefs, ReliefKind::StageSplit, m_costs.of(layout));
            }
        }
    }
}

std::vector<Relief> ReliefFinder::pairs(const LayoutCost& from)
{
    constexpr std::ptrdiff_t reach = 2;
    std::vector<Relief> reliefs;
    for (const DegreePair& pair : degreePairs) {
        Degrees start = degreesOf(from.layout);
        for (const std::int64_t first : around(stops(pair.first), start.of(pair.first), reach)) {
            for (const std::int64_t second : around(stops(pair.second), start.of(pair.second), reach)) {
                if (m_stop()) {
                    break;
                }
                Degrees degrees = start;
                degrees.of(pair.first) = static_cast<int>(first);
                degrees.of(pair.second) = static_cast<int>(second);
                if (const std::optional<LayoutCost> cost = settle(degrees, from.layout)) {
                    keepBest(reliefs, pair.kind, *cost);
                }
            }
        }
    }
    sortBest(reliefs);
    return reliefs;
}

std::vector<Relief> ReliefFinder::feedingSplits(const Layout& like)
{
    std::vector<Relief> reliefs;
    std::int64_t least = 0;
    for (const std::int64_t split : stops(Axis::Dp)) {
        if (like.globalBatch % (m_devices / split) == 0) {
            least = split;
            break;
        }
    }
    for (const std::int64_t tp : stops(Axis::Tp)) {
        for (const std::int64_t cp : stops(Axis::Cp)) {
            for (const std::int64_t pp : stops(Axis::Pp)) {
                const std::int64_t split = boundedProduct(boundedProduct(tp, cp), pp);
                if (m_stop() || split < least || split > 2 * least) {
                    continue;
                }
                const Degrees degrees{static_cast<int>(tp), static_cast<int>(cp), static_cast<int>(pp), like.ep,
                                      like.etp};
                if (const std::optional<LayoutCost> cost = settle(degrees, like)) {
                    keepBest(reliefs, kindOf(tp > 1, cp > 1, pp > 1), *cost);
                }
            }
        }
    }
    sortBest(reliefs);
    return reliefs;
}

std::vector<Relief> ReliefFinder::plainChanges(const LayoutCost& from)
{
    std::vector<Relief> reliefs = settingChanges(from);
    for (const Single& single : singleDegrees) {
        for (const std::int64_t stop : stops(single.axis)) {
            Degrees degrees = degreesOf(from.layout);
            degrees.of(single.axis) = static_cast<int>(stop);
            const std::optional<Layout> layout = layoutWith(degrees, from.layout);
            if (layout && *layout != from.layout && !m_stop() && m_costs.of(*layout).legal()) {
                reliefs.push_back({single.kind, m_costs.of(*layout)});
            }
        }
    }
    sortBest(reliefs);
    return reliefs;
}

} // namespace partita
