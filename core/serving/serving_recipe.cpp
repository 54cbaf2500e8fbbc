// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serving/serving_recipe.h"

#include "core/base/format.h"
#include "core/scenario/split_limits.h"
#include "core/serving/serve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace partita {

namespace {

/// Whole requests that make a replica worth running: fewer leave the weights' reading to too few tokens.
constexpr double healthyRequests = 8;

class Recipe {
public:
    explicit Recipe(const Scenario& scenario)
        : m_scenario(scenario)
    {
        Layout& layout = m_scenario.layout;
        layout.tp = layout.pp = layout.cp = layout.ep = layout.etp = 1;
        layout.layersPerStage.clear();
        solve();
    }

    ServingRecipe run()
    {
        const bool held = splitTensors() || splitLayers();
        if (held) {
            placeExperts();
            shortenTokens();
            shortenPrompts();
            replicate();
        }
        m_recipe.pick = bestBatch(m_scenario);
        m_recipe.optimum = bestOfAll();
        if (m_recipe.pick.batch > 0 && m_recipe.optimum.batch > 0) {
            m_recipe.gap =
                std::max(0.0, m_recipe.optimum.tokensPerSecondPerDevice / m_recipe.pick.tokensPerSecondPerDevice - 1);
        }
        return m_recipe;
    }

private:
    /// The best layout at its best batch, not only at those of the search's ladder.
    ServingPoint bestOfAll() const
    {
        ServingPoint best;
        best.batch = 0;
        Scenario each = m_scenario;
        const ServingSearch search = searchServing(m_scenario);
        for (const ServingPoint& point : search.points) {
            if (point.batch == 1 && point.meets) {
                each.layout = point.layout;
                const ServingPoint found = bestBatch(each);
                best = found.tokensPerSecondPerDevice > best.tokensPerSecondPerDevice ? found : best;
            }
        }
        return best;
    }

    std::int64_t devices() const { return m_scenario.cluster.devices(); }

    /// Tensor ranks that one fast domain holds.
    std::int64_t domain() const
    {
        const std::vector<Level>& levels = m_scenario.cluster.levels;
        const std::int64_t joined = levels.empty() || levels.front().domain <= 0 ? devices() : levels.front().domain;
        return std::min(joined, devices());
    }

    void solve()
    {
        m_scenario.layout.dp = static_cast<int>(std::min(solvedDp(m_scenario.layout, devices()), mostDevices));
    }

    bool legal() const { return m_scenario.layout.devices() == devices() && checkServing(m_scenario).empty(); }

    void note(std::string decision, std::string reason, bool settled)
    {
        m_recipe.steps.push_back({std::move(decision), std::move(reason), m_scenario.layout, settled});
    }

    ServingReport at(std::int64_t batch)
    {
        const std::int64_t asked = m_scenario.serving.batch;
        m_scenario.serving.batch = batch;
        const ServingReport report = serve(m_scenario);
        m_scenario.serving.batch = asked;
        return report;
    }

    static bool isHealthy(const ServingReport& report)
    {
        return report.legal() && report.cache.requests >= healthyRequests;
    }

    std::string roomText(const ServingReport& report) const
    {
        if (!report.fits) {
            return fmt::format("{} of weights leave no room for a request in {}",
                               formatBytes(report.weightBytesPerDevice),
                               formatBytes(m_scenario.cluster.accelerator.memoryBytes));
        }
        return std::isfinite(report.cache.requests)
            ? fmt::format("room for {} requests a replica", formatCount(std::llround(report.cache.requests)))
            : std::string("requests take no room");
    }

    bool splitTensors()
    {
        for (const std::int64_t tp : divisors(domain(), domain())) {
            m_scenario.layout.tp = static_cast<int>(tp);
            solve();
            if (!legal()) {
                continue;
            }
            const ServingReport report = at(1);
            const bool healthy = isHealthy(report);
            note(fmt::format("TP {}", tp), roomText(report) + (healthy || !report.fits ? "" : ", too few"), healthy);
            if (healthy) {
                return true;
            }
        }
        return false;
    }

    /// Between domains the slow links carry one hop a stage instead of two all-reduces a layer.
    bool splitLayers()
    {
        m_scenario.layout.tp = 1;
        for (const std::int64_t tp : divisors(domain(), domain())) {
            m_scenario.layout.tp = static_cast<int>(tp);
            solve();
            m_scenario.layout.tp = legal() ? m_scenario.layout.tp
                : m_recipe.steps.empty()   ? 1
                                           : m_recipe.steps.back().layout.tp;
        }
        for (const std::int64_t pp : divisors(devices() / m_scenario.layout.tp, m_scenario.model.layerCount())) {
            m_scenario.layout.pp = static_cast<int>(pp);
            solve();
            if (pp == 1 || !legal()) {
                continue;
            }
            const ServingReport report = at(1);
            const bool healthy = isHealthy(report);
            note(fmt::format("PP {}", pp), "one domain is too small: " + roomText(report), healthy);
            if (healthy) {
                return true;
            }
        }
        return false;
    }

    void placeExperts()
    {
        if (!isMoe(m_scenario.model) || m_scenario.layout.tp == 1) {
            return;
        }
        const std::int64_t batch = m_scenario.serving.batch;
        const double sliced = at(batch).tpot;
        const int tp = m_scenario.layout.tp;
        m_scenario.layout.ep = tp;
        const bool possible = legal();
        const double placed = possible ? at(batch).tpot : sliced;
        if (!possible || placed >= sliced) {
            m_scenario.layout.ep = 1;
            note("EP 1",
                 possible ? fmt::format("slices of every expert take {} a token at batch {}, whole experts {}",
                                        formatSeconds(sliced), batch, formatSeconds(placed))
                          : fmt::format("{} ranks do not divide the experts", tp),
                 true);
            return;
        }
        note(fmt::format("EP {}", tp),
             fmt::format("whole experts take {} a token at batch {}, slices of them {}", formatSeconds(placed), batch,
                         formatSeconds(sliced)),
             true);
    }

    void shortenTokens()
    {
        const double limit = m_scenario.serving.tpotLimit;
        double tpot = at(1).tpot;
        while (limit > 0 && tpot > limit) {
            const Layout before = m_scenario.layout;
            m_scenario.layout.tp *= 2;
            m_scenario.layout.ep = before.ep > 1 ? m_scenario.layout.tp : 1;
            solve();
            const bool possible = m_scenario.layout.tp <= domain() && legal();
            const double faster = possible ? at(1).tpot : tpot;
            if (!possible || faster >= tpot) {
                m_scenario.layout = before;
                note(fmt::format("TP {}", before.tp),
                     fmt::format("{} a token for a single request, limit {}: more tensor ranks do not help",
                                 formatSeconds(tpot), formatSeconds(limit)),
                     false);
                return;
            }
            note(fmt::format("TP {}", m_scenario.layout.tp),
                 fmt::format("{} a token for a single request, limit {}: now {}", formatSeconds(tpot),
                             formatSeconds(limit), formatSeconds(faster)),
                 faster <= limit);
            tpot = faster;
        }
    }

    void shortenPrompts()
    {
        const double limit = m_scenario.serving.ttftLimit;
        double ttft = at(1).ttft;
        while (limit > 0 && ttft > limit) {
            const Layout before = m_scenario.layout;
            m_scenario.layout.cp *= 2;
            solve();
            const bool possible = legal();
            const double sooner = possible ? at(1).ttft : ttft;
            if (!possible || sooner >= ttft) {
                m_scenario.layout = before;
                return;
            }
            note(fmt::format("CP {}", m_scenario.layout.cp),
                 fmt::format("first token after {}, limit {}: now {}", formatSeconds(ttft), formatSeconds(limit),
                             formatSeconds(sooner)),
                 sooner <= limit);
            ttft = sooner;
        }
    }

    void replicate()
    {
        if (m_scenario.layout.dp > 1) {
            note(fmt::format("DP {}", m_scenario.layout.dp),
                 "what is left serves other requests: replicas multiply the rate and fail alone", true);
        }
    }

    Scenario m_scenario;
    ServingRecipe m_recipe;
};

} // namespace

ServingRecipe serveByRecipe(const Scenario& scenario)
{
    return Recipe(scenario).run();
}

} // namespace partita
