// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/reliefs.h"

#include "core/scenario/split_limits.h"
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
    std::ptrdiff_t reach = 2; ///< stops that each may move
};

constexpr std::size_t fewStarts = 500; ///< degrees that are given their best settings in a second or so
constexpr std::ptrdiff_t anywhere = 64; ///< no axis has more stops

constexpr std::array degreePairs{
    // What ZeRO-3 holds without stages, a stack that has no ZeRO-3 in pipelines holds with many of them only.
    DegreePair{ReliefKind::TensorPipeline, Axis::Tp, Axis::Pp, anywhere},
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

std::vector<Relief> bestFirst(std::vector<Relief> reliefs)
{
    std::vector<Relief> different;
    for (Relief& relief : reliefs) {
        const auto same = [&](const Relief& other) { return other.cost.layout == relief.cost.layout; };
        if (std::none_of(different.begin(), different.end(), same)) {
            different.push_back(std::move(relief));
        }
    }
    std::stable_sort(different.begin(), different.end(),
                     [](const Relief& a, const Relief& b) { return isBetter(a.cost, b.cost); });
    return different;
}

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

    std::vector<Relief> reliefs() const
    {
        std::vector<Relief> reliefs;
        for (const auto& [kind, estimate] : m_best) {
            reliefs.push_back({kind, m_costs.of(estimate.layout)});
        }
        return bestFirst(std::move(reliefs));
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
    const SearchSpace& limits = costs.limits();
    for (const std::int64_t degree : divisors(m_devices, mostDevices)) {
        const auto add = [&](Axis axis, const Bounds& bounds, bool allowed) {
            if (allowed && bounds.hold(degree)) {
                m_stops[static_cast<std::size_t>(axis)].push_back(degree);
            }
        };
        const bool insideNode = !limits.tensorInsideNode || scenario.cluster.devicesPerNode % degree == 0;
        add(Axis::Tp, limits.tp, insideNode && tensorObjection(model, degree).empty());
        add(Axis::Cp, limits.cp, contextObjection(scenario, degree, 1).empty());
        // A single stage has one chunk.
        add(Axis::Pp, limits.pp, degree == 1 ? limits.vpp.hold(1) : degree <= model.layerCount());
        add(Axis::Ep, limits.ep, degree == 1 || expertObjection(model, degree).empty());
        add(Axis::Dp, limits.dp, true);
        if (limits.etp.hold(degree) && (degree == 1 || expertTensorObjection(model, degree).empty())) {
            m_expertTensorStops.push_back(degree);
        }
    }
}

bool ReliefFinder::stuck() const
{
    const SearchSpace& limits = m_costs.limits();
    return m_expertTensorStops.empty() || limits.recompute.empty() || limits.zeroStages.empty()
        || limits.sequenceParallel.empty() || limits.schedules.empty()
        || std::any_of(m_stops.begin(), m_stops.end(), [](const auto& axis) { return axis.empty(); });
}

Layout ReliefFinder::plainest() const
{
    const SearchSpace& limits = m_costs.limits();
    const auto least = [this](Axis axis) { return static_cast<int>(stops(axis).front()); };
    Layout layout;
    layout.globalBatch = m_costs.scenario().layout.globalBatch;
    layout.tp = least(Axis::Tp);
    layout.cp = least(Axis::Cp);
    layout.pp = least(Axis::Pp);
    layout.ep = least(Axis::Ep);
    layout.etp = static_cast<int>(m_expertTensorStops.front());
    layout.dp = static_cast<int>(solvedDp(layout, m_devices));
    layout.sequenceParallel = limits.sequenceParallel.front();
    layout.zeroStage = *std::min_element(limits.zeroStages.begin(), limits.zeroStages.end());
    layout.recompute = *std::min_element(limits.recompute.begin(), limits.recompute.end());
    layout.microBatch = limits.microBatch.least;
    layout.rankOrder = limits.rankOrders || limits.orders.empty() ? layout.rankOrder : limits.orders.front();
    return m_settings.plainlyScheduled(layout);
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
        const auto at = std::lower_bound(experts.begin(), experts.end(), layout.ep);
        if (at == experts.begin()) {
            return std::nullopt;
        }
        layout.ep = static_cast<int>(*(at - 1));
    }
    if (stageRanks % (std::int64_t{layout.ep} * layout.etp) != 0) {
        return std::nullopt;
    }
    layout.shardGroup = 0;
    const std::vector<bool>& exchanges = m_costs.limits().sequenceParallel;
    layout.sequenceParallel = scenario.workload.sequenceLength / layout.cp % layout.tp == 0
        && std::find(exchanges.begin(), exchanges.end(), true) != exchanges.end();
    const std::vector<std::int64_t> sizes = m_settings.microBatches(layout);
    const auto larger = std::upper_bound(sizes.begin(), sizes.end(), layout.microBatch);
    layout.microBatch = sizes.empty() ? divisors(layout.globalBatch / layout.dp, layout.microBatch).back()
        : larger == sizes.begin()     ? sizes.front()
                                      : *(larger - 1);
    const std::vector<int> stages = m_settings.zeroStages(layout);
    if (!stages.empty() && std::find(stages.begin(), stages.end(), layout.zeroStage) == stages.end()) {
        layout.zeroStage = stages.back();
    }
    return layout.pp == like.pp ? layout : m_settings.plainlyScheduled(layout);
}

void ReliefFinder::offerSettled(Choices& choices, ReliefKind kind, const Degrees& degrees, const Layout& like)
{
    for (const Degrees& each : withExperts(degrees, like)) {
        if (const std::optional<Layout> start = m_stop() ? std::nullopt : layoutWith(each, like)) {
            choices.offer(kind, m_settings.best(*start, choices.enough(kind)));
        }
    }
}

std::vector<Degrees> ReliefFinder::withExperts(const Degrees& degrees, const Layout& like) const
{
    std::vector<Degrees> ways{degrees};
    if (degrees.pp >= like.pp || degrees.ep != like.ep || degrees.etp != like.etp) {
        return ways;
    }
    const std::int64_t most = std::int64_t{degrees.ep} * degrees.etp * like.pp / degrees.pp;
    for (const std::int64_t ep : stops(Axis::Ep)) {
        for (const std::int64_t etp : m_expertTensorStops) {
            const bool more = ep * etp > std::int64_t{degrees.ep} * degrees.etp && ep * etp <= most;
            if (more && ep >= degrees.ep && etp >= degrees.etp) {
                ways.push_back(degrees);
                ways.back().ep = static_cast<int>(ep);
                ways.back().etp = static_cast<int>(etp);
            }
        }
    }
    return ways;
}

void ReliefFinder::offerSettings(Choices& choices, const Layout& from)
{
    Layout layout = from;
    for (layout.zeroStage = 0; layout.zeroStage <= 3 && layout.dp * layout.cp > 1; ++layout.zeroStage) {
        choices.offer(ReliefKind::Sharding, layout);
    }
    layout = from;
    for (const Recompute recompute : m_costs.limits().recompute) {
        layout.recompute = recompute;
        choices.offer(ReliefKind::Recompute, layout);
    }
    layout = from;
    if (layout.globalBatch % layout.dp == 0) {
        for (const std::int64_t microBatch : m_settings.microBatches(layout)) {
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
        choices.offer(ReliefKind::StageSplit,
                      m_costs.estimateBestSplit(from.layout, std::numeric_limits<double>::infinity()));
    }
}

std::vector<ReliefFinder::Turn> ReliefFinder::turns(const Degrees& from) const
{
    std::vector<Turn> turns;
    for (const Single& single : singleDegrees) {
        for (const std::int64_t stop : stops(single.axis)) {
            Turn turn{single.kind, from};
            if (std::exchange(turn.degrees.of(single.axis), static_cast<int>(stop)) != stop) {
                turns.push_back(turn);
            }
        }
    }
    for (const std::int64_t stop : m_expertTensorStops) {
        Turn turn{ReliefKind::ExpertTensor, from};
        if (std::exchange(turn.degrees.etp, static_cast<int>(stop)) != stop) {
            turns.push_back(turn);
        }
    }
    return turns;
}

std::vector<Relief> ReliefFinder::singles(const LayoutCost& from)
{
    Choices choices(m_costs, from.layout);
    offerSettings(choices, from.layout);
    offerSettled(choices, ReliefKind::Settings, degreesOf(from.layout), from.layout);
    for (const Turn& turn : turns(degreesOf(from.layout))) {
        offerSettled(choices, turn.kind, turn.degrees, from.layout);
    }
    offerPlacements(choices, from);
    return choices.reliefs();
}

std::vector<Relief> ReliefFinder::pairs(const LayoutCost& from)
{
    Choices choices(m_costs, from.layout);
    for (const DegreePair& pair : degreePairs) {
        Degrees start = degreesOf(from.layout);
        for (const std::int64_t first : around(stops(pair.first), start.of(pair.first), pair.reach)) {
            for (const std::int64_t second : around(stops(pair.second), start.of(pair.second), pair.reach)) {
                Degrees degrees = start;
                degrees.of(pair.first) = static_cast<int>(first);
                degrees.of(pair.second) = static_cast<int>(second);
                offerSettled(choices, pair.kind, degrees, from.layout);
            }
        }
    }
    for (const std::int64_t ep : stops(Axis::Ep)) {
        for (const std::int64_t etp : m_expertTensorStops) {
            Degrees degrees = degreesOf(from.layout);
            if (std::exchange(degrees.ep, static_cast<int>(ep)) != ep
                && std::exchange(degrees.etp, static_cast<int>(etp)) != etp) {
                offerSettled(choices, ReliefKind::ExpertPair, degrees, from.layout);
            }
        }
    }
    return choices.reliefs();
}

std::vector<Relief> ReliefFinder::splits(const LayoutCost& from)
{
    Choices choices(m_costs, from.layout);
    for (const LayoutEstimate& end : roads()) {
        choices.offer(ReliefKind::Split, end);
    }
    return choices.reliefs();
}

std::vector<Relief> ReliefFinder::restarts(const LayoutCost& from)
{
    Choices choices(m_costs, from.layout);
    const double unbeaten = from.fits ? from.stepTime : std::numeric_limits<double>::infinity();
    for (const Layout& start : everyStart()) {
        if (m_stop() || !m_costs.mayFit(start)) {
            continue;
        }
        const double enough = std::min(unbeaten, choices.enough(ReliefKind::Restart));
        if (LayoutEstimate best = m_settings.best(start, enough); !from.fits || (best.fits && best.stepTime < enough)) {
            choices.offer(ReliefKind::Restart, std::move(best));
        }
    }
    return choices.reliefs();
}

std::vector<Relief> ReliefFinder::restartsOfFew(const LayoutCost& from)
{
    return everyStart().size() <= fewStarts ? restarts(from) : std::vector<Relief>();
}

const std::vector<Layout>& ReliefFinder::everyStart()
{
    if (!m_starts) {
        m_starts.emplace();
        const Layout plain = plainest();
        everyDegrees([&](const Degrees& degrees) {
            const std::optional<Layout> start = m_stop() ? std::nullopt : layoutWith(degrees, plain);
            if (start && start->ep == degrees.ep) {
                m_starts->push_back(*start);
            }
        });
    }
    return *m_starts;
}

std::vector<Relief> ReliefFinder::placed(const LayoutCost& from, const std::vector<Relief>& reliefs)
{
    Choices choices(m_costs, from.layout);
    for (const Relief& relief : reliefs) {
        if (!relief.cost.fits || relief.kind == ReliefKind::RankOrder) {
            continue;
        }
        for (const Layout& layout : distinctRankOrders(relief.cost.layout, m_costs.scenario().cluster)) {
            if (!m_stop() && layout != relief.cost.layout) {
                choices.offer(relief.kind, layout);
            }
        }
    }
    return choices.reliefs();
}

std::vector<Relief> ReliefFinder::feedingSplits(const Layout& like)
{
    std::vector<Degrees> splits;
    std::int64_t least = m_devices;
    for (const std::int64_t tp : stops(Axis::Tp)) {
        for (const std::int64_t cp : stops(Axis::Cp)) {
            for (const std::int64_t pp : stops(Axis::Pp)) {
                const std::int64_t split = boundedProduct(boundedProduct(tp, cp), pp);
                if (m_devices % split == 0 && like.globalBatch % (m_devices / split) == 0
                    && m_costs.limits().dp.hold(m_devices / split)) {
                    least = std::min(least, split);
                    splits.push_back(
                        {static_cast<int>(tp), static_cast<int>(cp), static_cast<int>(pp), like.ep, like.etp});
                }
            }
        }
    }
    Choices choices(m_costs, like);
    for (const Degrees& degrees : splits) {
        if (std::int64_t{degrees.tp} * degrees.cp * degrees.pp <= 2 * least) {
            offerSettled(choices, kindOf(degrees.tp > 1, degrees.cp > 1, degrees.pp > 1), degrees, like);
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
