// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/voices.h"

#include "core/base/format.h"
#include "core/layout/layout_text.h"
#include "core/scenario/split_limits.h"
#include "core/search/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace partita {

namespace {

/// Asks the questions of the tree one after the other; each answer is a step.
class Tree {
public:
    Tree(Advice& advice, LayoutCosts& costs, ReliefFinder& finder)
        : m_advice(advice)
        , m_costs(costs)
        , m_finder(finder)
        , m_scenario(costs.scenario())
    {
    }

    void climb(const std::function<bool()>& stop)
    {
        m_advice.pick = m_costs.of(m_finder.plainest());
        // Experts spread over devices need no tensor split of theirs: stages come before it.
        const bool experts = isMoe(m_scenario.model);
        const std::array questions{&Tree::shardStates,
                                   &Tree::spreadExperts,
                                   experts ? &Tree::crossDomains : &Tree::fillFastDomain,
                                   experts ? &Tree::fillFastDomain : &Tree::crossDomains,
                                   &Tree::cutSequence,
                                   &Tree::spreadOut,
                                   &Tree::interleave,
                                   &Tree::enlarge};
        for (const auto question : questions) {
            if (stop()) {
                return;
            }
            (this->*question)();
        }
    }

private:
    const LayoutCost& here() const { return m_advice.pick; }

    std::int64_t fastDomain() const
    {
        const std::vector<Level>& levels = m_scenario.cluster.levels;
        return levels.empty() || levels.front().domain < 1 ? m_scenario.cluster.devices() : levels.front().domain;
    }

    /// Writes the answer down and moves there. Reliefs keep their order: it is that of the question.
    void answer(std::string question, std::vector<Relief> reliefs, std::optional<std::size_t> chosen,
                std::string reason)
    {
        Binding binding = here().fits ? Binding{} : obstacle(here(), m_scenario);
        binding.text = std::move(question) + (binding.text.empty() ? "" : " " + binding.text);
        m_advice.steps.push_back({here(), std::move(binding), std::move(reliefs), chosen, std::move(reason)});
        m_advice.pick = m_advice.steps.back().after();
    }

    std::vector<Relief> degreesOnAxis(ReliefKind kind, Axis axis, std::int64_t most)
    {
        std::vector<Relief> reliefs;
        for (const std::int64_t stop : m_finder.stops(axis)) {
            Degrees degrees = degreesOf(here().layout);
            if (stop > most || stop <= degrees.of(axis)) {
                continue;
            }
            degrees.of(axis) = static_cast<int>(stop);
            if (const std::optional<Layout> layout = m_finder.layoutWith(degrees, here().layout)) {
                reliefs.push_back({kind, m_costs.of(*layout)});
            }
        }
        return reliefs;
    }

    /// The smallest degree that fits; where none does, the one that lacks least.
    std::optional<std::size_t> smallestThatFits(const std::vector<Relief>& reliefs) const
    {
        std::optional<std::size_t> best;
        for (std::size_t i = 0; i < reliefs.size(); ++i) {
            if (reliefs[i].cost.fits) {
                return i;
            }
            if (isBetter(reliefs[i].cost, best ? reliefs[*best].cost : here())) {
                best = i;
            }
        }
        return best;
    }

    std::optional<std::size_t> fastest(const std::vector<Relief>& reliefs) const
    {
        std::optional<std::size_t> best;
        for (std::size_t i = 0; i < reliefs.size(); ++i) {
            if (isBetter(reliefs[i].cost, best ? reliefs[*best].cost : here())) {
                best = i;
            }
        }
        return best;
    }

    void askSmallest(std::string question, std::vector<Relief> reliefs, std::string_view otherwise)
    {
        const std::optional<std::size_t> chosen = smallestThatFits(reliefs);
        std::string reason = !chosen     ? "No degree helps."
            : reliefs[*chosen].cost.fits ? "The smallest that fits."
                                         : std::string(otherwise);
        answer(std::move(question), std::move(reliefs), chosen, std::move(reason));
    }

    void shardStates()
    {
        const std::vector<int> stages = m_finder.settings().zeroStages(here().layout);
        const auto sharded = std::find_if(stages.begin(), stages.end(), [](int stage) { return stage > 0; });
        Layout layout = here().layout;
        layout.zeroStage = sharded == stages.end() ? layout.zeroStage : *sharded;
        std::vector<Relief> reliefs{{ReliefKind::Sharding, m_costs.of(layout)}};
        const bool fits = reliefs.front().cost.fits;
        const bool shards = layout.zeroStage > 0 && shardsStates(m_scenario.model, layout);
        const bool split = layout.tp > 1 || layout.cp > 1 || layout.pp > 1; // limits ask for it
        const std::string no = fmt::format("No: the model has to be split{}.{}", split ? " further" : "",
                                           shards ? " The states stay sharded." : "");
        answer(fmt::format("Does a replica fit on {}{}?", split ? "its devices" : "a device",
                           shards ? ", optimizer states sharded" : ""),
               std::move(reliefs), 0,
               !fits       ? no
                   : split ? "Yes: without a further split."
                           : "Yes: data parallelism alone.");
    }

    /// As far as leaves two experts a device, so that one busy expert does not set the pace alone, and no further than
    /// eight fast domains. Stages and batch are fitted to that afterwards.
    void spreadExperts()
    {
        constexpr std::int64_t expertsPerDevice = 2;
        constexpr std::int64_t mostDomains = 8;
        if (here().fits || !isMoe(m_scenario.model)) {
            return;
        }
        std::vector<Relief> reliefs;
        for (const std::int64_t stop : m_finder.stops(Axis::Ep)) {
            if (stop > 1 && stop <= mostDomains * fastDomain()
                && expertObjection(m_scenario.model, stop * expertsPerDevice).empty()) {
                Layout layout = here().layout;
                layout.ep = static_cast<int>(stop);
                reliefs.push_back({ReliefKind::Expert, m_costs.of(layout)});
            }
        }
        const std::optional<std::size_t> chosen = reliefs.empty() ? std::nullopt : std::optional(reliefs.size() - 1);
        answer(fmt::format("Over how many devices are the experts spread, at least {} a device?", expertsPerDevice),
               std::move(reliefs), chosen,
               chosen ? "As far as they go: what is not spread, each device holds." : "They are too few to spread.");
    }

    void fillFastDomain()
    {
        if (here().fits) {
            return;
        }
        const std::vector<Level>& levels = m_scenario.cluster.levels;
        const std::int64_t domain =
            levels.empty() || levels.front().domain < 1 ? m_scenario.cluster.devices() : levels.front().domain;
        std::vector<Relief> reliefs = degreesOnAxis(ReliefKind::Tensor, Axis::Tp, domain);
        if (reliefs.empty()) {
            takeLargestTensorDegree(domain);
            return;
        }
        const std::optional<std::size_t> chosen = smallestThatFits(reliefs);
        const std::string otherwise =
            chosen ? filledText(reliefs[*chosen].cost.layout.tp, domain) + "it does not suffice alone." : std::string();
        askSmallest(fmt::format("How far does tensor parallelism go inside the {} domain of {}?",
                                levels.empty() ? "one" : levels.front().name, domain),
                    std::move(reliefs), otherwise);
    }

    static std::string filledText(std::int64_t tp, std::int64_t domain)
    {
        return tp == domain ? std::string("The domain is filled; ")
                            : fmt::format("{} of the domain's {} devices is as far as helps; ", tp, domain);
    }

    /// The batch cannot feed what tensor parallelism alone leaves of the replicas; stages will take the rest.
    void takeLargestTensorDegree(std::int64_t domain)
    {
        Layout layout = here().layout;
        for (const std::int64_t stop : m_finder.stops(Axis::Tp)) {
            if (stop <= domain) {
                layout.tp = static_cast<int>(stop);
            }
        }
        layout.dp = static_cast<int>(m_scenario.cluster.devices() / layout.tp);
        answer("How far does tensor parallelism go inside the fast domain?", {{ReliefKind::Tensor, m_costs.of(layout)}},
               0, filledText(layout.tp, domain) + "the batch needs stages besides.");
    }

    /// Fewest stages without recomputation, else fewest with some, else with all of it.
    void crossDomains()
    {
        if (here().fits) {
            return;
        }
        std::vector<Relief> reliefs;
        for (const Recompute recompute : m_costs.limits().recompute) {
            for (const std::int64_t stages : m_finder.stops(Axis::Pp)) {
                Degrees degrees = degreesOf(here().layout);
                degrees.pp = static_cast<int>(stages);
                std::optional<Layout> layout = m_finder.layoutWith(degrees, here().layout);
                if (layout && stages >= here().layout.pp) {
                    layout->recompute = recompute;
                    if (*layout != here().layout) {
                        reliefs.push_back({ReliefKind::Pipeline, m_costs.of(*layout)});
                    }
                }
            }
            if (std::any_of(reliefs.begin(), reliefs.end(), [](const Relief& each) { return each.cost.fits; })) {
                break;
            }
        }
        askSmallest("How many pipeline stages, across domains, hold the rest; recomputing if they must?",
                    std::move(reliefs), "No number of stages fits alone.");
    }

    void cutSequence()
    {
        if (!here().fits && here().legal()) {
            askSmallest("Is the sequence too long for a device?",
                        degreesOnAxis(ReliefKind::Context, Axis::Cp, m_scenario.workload.sequenceLength),
                        "Context parallelism does not suffice.");
        }
    }

    /// What is left of memory may buy back the recomputation.
    void spreadOut()
    {
        if (here().fits) {
            answer(fmt::format("What do the remaining devices do? dp {} of {} devices.", here().layout.dp,
                               formatCount(m_scenario.cluster.devices())),
                   {}, std::nullopt,
                   here().layout.dp == 1 ? "None is left: one replica takes them all."
                       : here().layout.zeroStage > 0 && shardsStates(m_scenario.model, here().layout)
                       ? "They are replicas; optimizer states are sharded over them."
                       : "They are replicas.");
        }
    }

    void interleave()
    {
        const Layout& layout = here().layout;
        if (!here().fits || layout.pp == 1) {
            return;
        }
        const std::int64_t wanted = 4 * std::int64_t{layout.pp};
        std::vector<Relief> reliefs;
        for (const Layout& scheduled : m_finder.settings().schedules(layout)) {
            if (scheduled.schedule == ScheduleKind::Interleaved && m_costs.of(scheduled).legal()) {
                reliefs.push_back({ReliefKind::Schedule, m_costs.of(scheduled)});
            }
        }
        const std::optional<std::size_t> chosen = fastest(reliefs);
        std::string reason = whyFastest(reliefs, chosen, "Interleaving");
        answer(fmt::format("Is the bubble small? {} micro-batches for {} stages, m ≥ 4p asks for {}.",
                           formatCount(layout.microBatches()), layout.pp, wanted),
               std::move(reliefs), chosen, std::move(reason));
    }

    void enlarge()
    {
        if (!here().fits) {
            return;
        }
        std::vector<Relief> reliefs;
        Layout layout = here().layout;
        for (const std::int64_t microBatch : divisors(layout.globalBatch / layout.dp, 8)) {
            layout.microBatch = microBatch;
            if (microBatch > 1 && m_costs.of(layout).legal()) {
                reliefs.push_back({ReliefKind::MicroBatch, m_costs.of(layout)});
            }
        }
        const std::optional<std::size_t> chosen = fastest(reliefs);
        std::string reason = whyFastest(reliefs, chosen, "A larger micro-batch");
        answer("Do larger micro-batches pay?", std::move(reliefs), chosen, std::move(reason));
    }

    /// What the fastest saves and where, or why none was taken.
    std::string whyFastest(const std::vector<Relief>& reliefs, std::optional<std::size_t> chosen,
                           std::string_view subject) const
    {
        if (chosen) {
            return describe(difference(here().time, reliefs[*chosen].cost.time)) + '.';
        }
        const bool someFit =
            std::any_of(reliefs.begin(), reliefs.end(), [](const Relief& each) { return each.cost.fits; });
        return fmt::format("{} {}.", subject,
                           reliefs.empty() ? "is not possible"
                               : someFit   ? "does not pay"
                                           : "does not fit");
    }

    Advice& m_advice;
    LayoutCosts& m_costs;
    ReliefFinder& m_finder;
    const Scenario& m_scenario;
};

} // namespace

void adviseTopologyFirst(Advice& advice, LayoutCosts& costs, ReliefFinder& finder, const std::function<bool()>& stop)
{
    Tree(advice, costs, finder).climb(stop);
}

} // namespace partita
