// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/reliefs.h"

#include "core/scenario/split_limits.h"
#include "core/search/balance_stages.h"
#include "core/search/rank_orders.h"

#include <algorithm>
#include <limits>
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

/// The best layout offered of each kind.
class ReliefFinder::Choices {
public:
    Choices(LayoutCosts& costs, const Layout& from)
        : m_costs(costs)
        , m_from(from)
    {
    }

    /// Step time from which on another layout of the kind is of no interest.
    double enough(ReliefKind kind) const
    {
        const auto known = find(kind);
        return known != m_best.end() && known->second.fits ? known->second.stepTime
                                                           : std::numeric_limits<double>::infinity();
    }

    void offer(ReliefKind kind, const Layout& layout)
    {
        if (layout != m_from) {
            offer(kind, m_costs.estimate(layout, enough(kind)));
        }
    }

    void offer(ReliefKind kind, LayoutEstimate estimate)
    {
        if (!estimate.legal || estimate.layout == m_from) {
            return;
        }
        const auto known = find(kind);
        if (known == m_best.end()) {
            m_best.emplace_back(kind, std::move(estimate));
        } else if (isBetter(estimate, known->second)) {
            m_best[static_cast<std::size_t>(known - m_best.begin())].second = std::move(estimate);
        }
    }

    /// Best first.
    std::vector<Relief> reliefs() const
    {
        std::vector<Relief> reliefs;
        for (const auto& [kind, estimate] : m_best) {
            reliefs.push_back({kind, m_costs.of(estimate.layout)});
        }
        std::stable_sort(reliefs.begin(), reliefs.end(),
                         [](const Relief& a, const Relief& b) { return isBetter(a.cost, b.cost); });
        return reliefs;
    }

private:
    using Best = std::vector<std::pair<ReliefKind, LayoutEstimate>>;

    Best::const_iterator find(ReliefKind kind) const
    {
        return std::find_if(m_best.begin(), m_best.end(), [kind](const auto& each) { return each.first == kind; });
    }

    LayoutCosts& m_costs;
    const Layout& m_from;
    Best m_best; ///< in the order in which kinds were first offered
};

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

void ReliefFinder::offerSettled(Choices& choices, ReliefKind kind, const Degrees& degrees, const Layout& like)
{
    if (m_stop()) {
        return;
    }
    if (const std::optional<Layout> start = layoutWith(degrees, like)) {
        choices.offer(kind, m_settings.best(*start, choices.enough(kind)));
    }
}

void ReliefFinder::offerSettings(Choices& choices, const Layout& from)
{
    Layout layout = from;
    for (layout.zeroStage = 0; layout.zeroStage <= 3 && layout.dp * layout.cp > 1; ++layout.zeroStage) {
        choices.offer(ReliefKind::Sharding, layout);
    }
    layout = from;
    for (const Name<Recompute>& recompute : Names<Recompute>::table) {
        layout.recompute = recompute.value;
        choices.offer(ReliefKind::Recompute, layout);
    }
    layout = from;
    if (layout.globalBatch % layout.dp == 0) {
        for (const std::int64_t microBatch : SettingsChoice::microBatches(layout)) {
            layout.microBatch = microBatch;
            choices.offer(ReliefKind::MicroBatch, layout);
        }
    }
    layout = from;
    layout.sequenceParallel = layout.tp > 1 ? !layout.sequenceParallel : layout.sequenceParallel;
    choices.offer(ReliefKind::SequenceParallel, layout);
    if (from.pp > 1) {
        for (const Layout& scheduled : m_settings.schedules(from)) {
            choices.offer(ReliefKind::Schedule, scheduled);
        }
    }
}

void ReliefFinder::offerPlacements(Choices& choices, const LayoutCost& from)
{
    if (!from.legal() || m_stop()) {
        return;
    }
    for (const Layout& layout : distinctRankOrders(from.layout, m_costs.scenario().cluster)) {
        choices.offer(ReliefKind::RankOrder, layout);
    }
    if (from.layout.pp > 1) {
        Scenario even = m_costs.scenario();
        even.layout = from.layout;
        even.layout.layersPerStage.clear();
        for (const Name<BalanceBy>& by : Names<BalanceBy>::table) {
            Layout layout = even.layout;
            layout.layersPerStage = balanceStages(even, by.value);
            choices.offer(ReliefKind::StageSplit, layout);
        }
    }
}

std::vector<Relief> ReliefFinder::singles(const LayoutCost& from)
{
    Choices choices(m_costs, from.layout);
    offerSettings(choices, from.layout);
    offerSettled(choices, ReliefKind::Settings, degreesOf(from.layout), from.layout);
    for (const Single& single : singleDegrees) {
        for (const std::int64_t stop : stops(single.axis)) {
            Degrees degrees = degreesOf(from.layout);
            if (std::exchange(degrees.of(single.axis), static_cast<int>(stop)) != stop) {
                offerSettled(choices, single.kind, degrees, from.layout);
            }
        }
    }
    for (const std::int64_t stop : m_expertTensorStops) {
        Degrees degrees = degreesOf(from.layout);
        if (std::exchange(degrees.etp, static_cast<int>(stop)) != stop) {
            offerSettled(choices, ReliefKind::ExpertTensor, degrees, from.layout);
        }
    }
    offerPlacements(choices, from);
    return choices.reliefs();
}

std::vector<Relief> ReliefFinder::pairs(const LayoutCost& from)
{
    constexpr std::ptrdiff_t reach = 2;
    Choices choices(m_costs, from.layout);
    for (const DegreePair& pair : degreePairs) {
        Degrees start = degreesOf(from.layout);
        for (const std::int64_t first : around(stops(pair.first), start.of(pair.first), reach)) {
            for (const std::int64_t second : around(stops(pair.second), start.of(pair.second), reach)) {
                Degrees degrees = start;
                degrees.of(pair.first) = static_cast<int>(first);
                degrees.of(pair.second) = static_cast<int>(second);
                offerSettled(choices, pair.kind, degrees, from.layout);
            }
        }
    }
    return choices.reliefs();
}

std::vector<Relief> ReliefFinder::feedingSplits(const Layout& like)
{
    const std::vector<std::int64_t>& all = stops(Axis::Dp);
    const auto feeds = [&](std::int64_t split) { return like.globalBatch % (m_devices / split) == 0; };
    const std::int64_t least = *std::find_if(all.begin(), all.end(), feeds); // all devices in one replica always do
    Choices choices(m_costs, like);
    for (const std::int64_t tp : stops(Axis::Tp)) {
        for (const std::int64_t cp : stops(Axis::Cp)) {
            for (const std::int64_t pp : stops(Axis::Pp)) {
                const std::int64_t split = boundedProduct(boundedProduct(tp, cp), pp);
                if (split >= least && split <= 2 * least) {
                    offerSettled(choices, kindOf(tp > 1, cp > 1, pp > 1),
                                 {static_cast<int>(tp), static_cast<int>(cp), static_cast<int>(pp), like.ep, like.etp},
                                 like);
                }
            }
        }
    }
    return choices.reliefs();
}

std::vector<Relief> ReliefFinder::plainChanges(const LayoutCost& from)
{
    Choices choices(m_costs, from.layout);
    offerSettings(choices, from.layout);
    for (const Single& single : singleDegrees) {
        for (const std::int64_t stop : stops(single.axis)) {
            Degrees degrees = degreesOf(from.layout);
            degrees.of(single.axis) = static_cast<int>(stop);
            if (const std::optional<Layout> layout = layoutWith(degrees, from.layout)) {
                choices.offer(single.kind, *layout);
            }
        }
    }
    return choices.reliefs();
}

} // namespace partita
