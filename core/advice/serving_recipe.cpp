// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/voices.h"

#include "core/base/format.h"
#include "core/scenario/split_limits.h"
#include "core/serving/serve.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {

namespace {

std::string figuresOf(const ServingReport& report)
{
    const std::string waiting =
        report.waiting > 0 ? fmt::format(", {} requests wait", formatSignificant(report.waiting)) : std::string();
    return fmt::format("{} a token, first after {}, {} tokens/s, room for {} requests{}", formatSeconds(report.tpot),
                       formatSeconds(report.ttft), formatSignificant(report.tokensPerSecond),
                       formatSignificant(report.maxConcurrency), waiting);
}

/// Follows the recipe: the smallest TP with room for keys and values, PP across nodes if it must, replicas with the
/// rest, then experts and long prompts.
class Recipe {
public:
    Recipe(Advice& advice, const Scenario& scenario, const ReliefFinder& finder)
        : m_advice(advice)
        , m_scenario(scenario)
        , m_finder(finder)
        , m_devices(scenario.cluster.devices())
    {
    }

    void follow(const std::function<bool()>& stop)
    {
        Layout alone;
        alone.globalBatch = m_scenario.layout.globalBatch;
        alone.dp = static_cast<int>(m_devices);
        m_advice.pick = costOf(alone);
        const std::array steps{&Recipe::smallestTensorDegree, &Recipe::stagesAcrossNodes, &Recipe::engineOrReplicas,
                               &Recipe::spreadExperts, &Recipe::cutPrompts};
        for (const auto step : steps) {
            if (stop()) {
                return;
            }
            (this->*step)();
        }
        const ServingReport report = reportOf(m_advice.pick.layout);
        m_advice.notes = report.warnings;
    }

    std::size_t served() const { return m_served; }

private:
    ServingReport reportOf(const Layout& layout)
    {
        ++m_served;
        Scenario scenario = m_scenario;
        scenario.layout = layout;
        return serve(scenario);
    }

    /// Time stands for time a token.
    LayoutCost costOf(const Layout& layout)
    {
        const ServingReport report = reportOf(layout);
        LayoutCost cost;
        cost.layout = layout;
        if (!report.legal()) {
            cost.objection = describe(report.problems.front());
            return cost;
        }
        cost.memoryLimit = m_scenario.cluster.accelerator.memoryBytes;
        cost.memory[MemoryKind::Weights] = report.weightBytesPerDevice;
        cost.peakStage = report.cache.stage;
        cost.fits = report.fits;
        cost.stepTime = report.tpot;
        cost.time = report.time;
        cost.figures = report.fits
            ? figuresOf(report)
            : fmt::format("weights take {} of {}: no room for a request", formatBytes(report.weightBytesPerDevice),
                          formatBytes(cost.memoryLimit));
        return cost;
    }

    /// Room for the sequences asked for, within the limits asked for.
    bool isHealthy(const LayoutCost& cost)
    {
        if (!cost.fits) {
            return false;
        }
        const ServingReport report = reportOf(cost.layout);
        return report.waiting <= 0 && report.meetsTtft && report.meetsTpot;
    }

    double throughput(const LayoutCost& cost) { return cost.fits ? reportOf(cost.layout).tokensPerSecond : 0; }

    std::vector<Relief> optionsOn(ReliefKind kind, Axis axis, std::int64_t least, std::int64_t most)
    {
        std::vector<Relief> options;
        for (const std::int64_t degree : m_finder.stops(axis)) {
            Degrees degrees = degreesOf(m_advice.pick.layout);
            degrees.of(axis) = static_cast<int>(degree);
            const std::int64_t split = boundedProduct(boundedProduct(degrees.tp, degrees.cp), degrees.pp);
            if (degree < least || degree > most || m_devices % split != 0) {
                continue;
            }
            Layout layout = m_advice.pick.layout;
            layout.tp = degrees.tp;
            layout.cp = degrees.cp;
            layout.pp = degrees.pp;
            layout.ep = degrees.ep;
            layout.dp = static_cast<int>(m_devices / split);
            if (LayoutCost cost = costOf(layout); cost.legal()) {
                options.push_back({kind, std::move(cost)});
            }
        }
        return options;
    }

    void decide(Constraint kind, std::string question, std::vector<Relief> options, std::optional<std::size_t> chosen,
                std::string reason)
    {
        m_advice.steps.push_back(
            {m_advice.pick, {kind, std::move(question)}, std::move(options), chosen, std::move(reason)});
        m_advice.pick = m_advice.steps.back().after();
    }

    /// The first that is healthy, else the last that fits, else the last.
    std::optional<std::size_t> smallestHealthy(const std::vector<Relief>& options)
    {
        std::optional<std::size_t> best;
        for (std::size_t i = 0; i < options.size(); ++i) {
            if (isHealthy(options[i].cost)) {
                return i;
            }
            if (options[i].cost.fits || !best || !options[*best].cost.fits) {
                best = i;
            }
        }
        return best;
    }

    std::string verdict(const std::optional<std::size_t>& chosen, const std::vector<Relief>& options)
    {
        return !chosen                         ? "None can be had."
            : isHealthy(options[*chosen].cost) ? "The smallest with room for what is asked, within its limits."
            : options[*chosen].cost.fits       ? "It fits, but some requests wait or a limit is missed."
                                               : "None fits alone.";
    }

    void smallestTensorDegree()
    {
        const std::vector<Level>& levels = m_scenario.cluster.levels;
        const std::int64_t domain = levels.empty() || levels.front().domain < 1 ? m_devices : levels.front().domain;
        std::vector<Relief> options = optionsOn(ReliefKind::Tensor, Axis::Tp, 1, domain);
        const std::optional<std::size_t> chosen = smallestHealthy(options);
        std::string reason = verdict(chosen, options);
        decide(Constraint::ModelStates, "What is the smallest tensor parallel engine inside a node?",
               std::move(options), chosen, std::move(reason));
    }

    void stagesAcrossNodes()
    {
        if (m_advice.pick.fits) {
            return;
        }
        std::vector<Relief> options = optionsOn(ReliefKind::Pipeline, Axis::Pp, 2, m_scenario.model.layerCount());
        const std::optional<std::size_t> chosen = smallestHealthy(options);
        std::string reason = verdict(chosen, options);
        decide(Constraint::ModelStates, "How many stages across nodes hold the weights?", std::move(options), chosen,
               std::move(reason));
    }

    /// One engine of twice the ranks against two replicas: latency against throughput.
    void engineOrReplicas()
    {
        const Layout& layout = m_advice.pick.layout;
        const std::int64_t wider = 2 * std::int64_t{layout.tp};
        std::vector<Relief> options = optionsOn(ReliefKind::Tensor, Axis::Tp, wider, wider);
        if (!m_advice.pick.fits || options.empty() || !options.front().cost.fits) {
            return;
        }
        const LayoutCost& one = options.front().cost;
        const bool pays = !isHealthy(m_advice.pick) ? isHealthy(one) : throughput(one) > throughput(m_advice.pick);
        std::string reason = pays
            ? fmt::format("One: {}, against {} from two.", one.figures, m_advice.pick.figures)
            : fmt::format("Two replicas: {}, against {} from one.", m_advice.pick.figures, one.figures);
        decide(Constraint::ServiceTarget,
               fmt::format("One engine of TP {} or two replicas of TP {}?", wider, layout.tp), std::move(options),
               pays ? std::optional<std::size_t>(0) : std::nullopt, std::move(reason));
    }

    void spreadExperts()
    {
        if (!m_advice.pick.fits || !isMoe(m_scenario.model)) {
            return;
        }
        std::vector<Relief> options = optionsOn(ReliefKind::Expert, Axis::Ep, 2, m_devices);
        std::optional<std::size_t> chosen;
        for (std::size_t i = 0; i < options.size(); ++i) {
            const LayoutCost& best = chosen ? options[*chosen].cost : m_advice.pick;
            const bool healthy = isHealthy(options[i].cost) || !isHealthy(best);
            if (healthy && throughput(options[i].cost) > throughput(best)) {
                chosen = i;
            }
        }
        decide(Constraint::ServiceTarget, "Over how many devices are the experts of an engine spread?",
               std::move(options), chosen,
               chosen ? "Where most tokens are generated." : "As they are: spreading them further generates fewer.");
    }

    void cutPrompts()
    {
        if (!m_advice.pick.fits || reportOf(m_advice.pick.layout).meetsTtft) {
            return;
        }
        std::vector<Relief> options = optionsOn(ReliefKind::Context, Axis::Cp, 2, m_devices);
        std::optional<std::size_t> chosen;
        for (std::size_t i = 0; i < options.size() && !chosen; ++i) {
            if (options[i].cost.fits && reportOf(options[i].cost.layout).meetsTtft) {
                chosen = i;
            }
        }
        decide(Constraint::ServiceTarget, "Over how many ranks is a prompt cut to meet the limit of the first token?",
               std::move(options), chosen, chosen ? "The fewest that meet it." : "None meets it.");
    }

    Advice& m_advice;
    const Scenario& m_scenario;
    const ReliefFinder& m_finder;
    std::int64_t m_devices;
    std::size_t m_served = 0;
};

} // namespace

void adviseServingRecipe(Advice& advice, const Scenario& scenario, const ReliefFinder& finder,
                         const std::function<bool()>& stop)
{
    Recipe recipe(advice, scenario, finder);
    recipe.follow(stop);
    advice.evaluated = recipe.served();
}

} // namespace partita
