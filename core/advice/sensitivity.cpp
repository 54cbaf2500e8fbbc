// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/sensitivity.h"

#include "core/advice/advise.h"
#include "core/search/search.h"
#include "core/training/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

namespace partita {

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr double leastLead = 0.001; ///< share of the step time by which a layout has to be faster to count as another
constexpr int mostFound = 24; ///< contenders from a search
constexpr double near = 0.1; ///< share of the step time by which what advice has met is still a contender

/// A number a prediction rests on. Some are several fields that come from one measurement.
struct Constant {
    std::string label;
    std::function<std::vector<double*>(Scenario&)> fields;
    double least = 0;
    double most = unbounded;
};

using Fields = std::vector<double*>;

std::vector<Constant> deviceConstants()
{
    return {
        {"matrix peak",
         [](Scenario& s) {
             Peaks& peak = s.cluster.accelerator.peak;
             return Fields{&peak.bf16, &peak.fp16, &peak.fp8, &peak.fp4, &peak.tf32};
         }},
        {"vector peak", [](Scenario& s) { return Fields{&s.cluster.accelerator.peak.vector}; }},
        {"memory bandwidth", [](Scenario& s) { return Fields{&s.cluster.accelerator.memoryBandwidth}; }},
        {"memory of a device", [](Scenario& s) { return Fields{&s.cluster.accelerator.memoryBytes}; }},
        {"GEMM efficiency",
         [](Scenario& s) {
             KernelConstants& kernels = s.cluster.accelerator.kernels;
             return Fields{&kernels.gemmEfficiency, &kernels.fp8Efficiency, &kernels.fp4Efficiency};
         },
         0, 1},
        {"GEMM depth ramp",
         [](Scenario& s) {
             KernelConstants& kernels = s.cluster.accelerator.kernels;
             return Fields{&kernels.gemmKHalf, &kernels.fp4KHalf};
         }},
        {"attention efficiency",
         [](Scenario& s) {
             KernelConstants& kernels = s.cluster.accelerator.kernels;
             return Fields{&kernels.attentionForward, &kernels.attentionBackward};
         },
         0, 1},
        {"scan efficiency", [](Scenario& s) { return Fields{&s.cluster.accelerator.kernels.scanEfficiency}; }, 0, 1},
        {"memory efficiency", [](Scenario& s) { return Fields{&s.cluster.accelerator.kernels.memoryEfficiency}; }, 0,
         1},
        {"kernel launch", [](Scenario& s) { return Fields{&s.cluster.accelerator.kernels.launch}; }},
        {"sustained clock", [](Scenario& s) { return Fields{&s.cluster.accelerator.kernels.sustained}; }, 0, 1},
    };
}

std::vector<Constant> linkConstants(const Cluster& cluster)
{
    std::vector<Constant> constants;
    for (std::size_t i = 0; i < cluster.levels.size(); ++i) {
        const std::string& name = cluster.levels[i].name;
        constants.push_back({fmt::format("bandwidth of {}", name),
                             [i](Scenario& s) { return Fields{&s.cluster.levels[i].bandwidth}; }});
        constants.push_back({fmt::format("latency of {}", name), [i](Scenario& s) {
                                 Level& level = s.cluster.levels[i];
                                 return Fields{&level.latency, &level.baseLatency};
                             }});
    }
    return constants;
}

std::vector<Constant> stackConstants()
{
    return {
        {"host time per kernel", [](Scenario& s) { return Fields{&s.stack.hostPerKernel}; }},
        {"step overhead", [](Scenario& s) { return Fields{&s.stack.stepOverhead}; }},
        {"attention kernel of the stack", [](Scenario& s) { return Fields{&s.stack.attentionEfficiency}; }, 0, 1},
        {"fused element-wise passes", [](Scenario& s) { return Fields{&s.stack.fusedElementwise}; }, 0, 1},
        {"hidden TP exchange", [](Scenario& s) { return Fields{&s.stack.tpOverlap}; }, 0, 1},
        {"hidden EP exchange", [](Scenario& s) { return Fields{&s.stack.epOverlap}; }, 0, 1},
        {"expert imbalance", [](Scenario& s) { return Fields{&s.stack.expertImbalance}; }, 1, unbounded},
        {"compute factor of the stack", [](Scenario& s) { return Fields{&s.stack.efficiency}; }},
        {"framework memory", [](Scenario& s) { return Fields{&s.stack.frameworkBytes}; }},
        {"fragmentation", [](Scenario& s) { return Fields{&s.stack.fragmentation}; }, 0, 1},
        {"communication buffers", [](Scenario& s) { return Fields{&s.stack.commBufferBytes}; }},
    };
}

std::vector<Constant> constantsOf(const Scenario& scenario)
{
    std::vector<Constant> constants = deviceConstants();
    for (std::vector<Constant> more : {linkConstants(scenario.cluster), stackConstants()}) {
        constants.insert(constants.end(), more.begin(), more.end());
    }
    return constants;
}

LayoutCosts costsOf(const Scenario& scenario)
{
    SearchSpace any; // the candidates are chosen already, and the scenario's own layout is one of them
    any.beyondStack = true;
    return LayoutCosts(scenario, any);
}

/// The fastest layout that fits of all that the stack offers.
std::optional<Layout> fastest(const Scenario& scenario, const TornadoOptions& options)
{
    SearchOptions search;
    search.top = 1;
    search.threads = options.threads;
    const Result<SearchResult> found = searchLayouts(scenario, {}, search, options.stop, [](const SearchResult&) {});
    return found && !found->best.empty() ? std::optional(found->best.front().layout) : std::nullopt;
}

/// The scenario's layout in other circumstances, and who is then the fastest. `winner` stays it unless it is beaten by
/// more than a lead worth speaking of.
SensitivityEnd judge(LayoutCosts& costs, const Layout& own, const Layout& winner, const std::vector<Layout>& candidates)
{
    const LayoutCost& cost = costs.of(own);
    SensitivityEnd end;
    end.fits = cost.fits;
    end.stepTime = cost.stepTime;
    end.best = own;
    const LayoutCost* best = cost.fits ? &cost : nullptr;
    const auto consider = [&](const Layout& layout, double lead) {
        const LayoutCost& other = costs.of(layout);
        if (other.fits && (best == nullptr || other.stepTime * (1 + lead) < best->stepTime)) {
            best = &other;
        }
    };
    for (const Layout& layout : candidates) {
        consider(layout, 0);
    }
    if (const LayoutCost& holder = costs.of(winner);
        best != nullptr && holder.fits && holder.stepTime < best->stepTime * (1 + leastLead)) {
        best = &holder;
    }
    if (best != nullptr) {
        end.best = best->layout;
        end.bestStepTime = best->stepTime;
    }
    return end;
}

/// Whether a bound of the constant kept it from what the factor asks for.
bool multiply(Scenario& scenario, const Constant& constant, double factor)
{
    bool clamped = false;
    for (double* field : constant.fields(scenario)) {
        const double wanted = *field * factor;
        *field = std::clamp(wanted, constant.least, constant.most);
        clamped = clamped || *field != wanted;
    }
    return clamped;
}

/// The ends of bars of one scenario.
class Ends {
public:
    Ends(const Scenario& scenario, const std::vector<Layout>& candidates, const TornadoOptions& options)
        : m_scenario(scenario)
        , m_candidates(candidates)
        , m_options(options)
    {
        LayoutCosts costs = costsOf(scenario);
        m_unchanged = judge(costs, scenario.layout, scenario.layout, candidates);
        m_spare = spare(costs);
    }

    const SensitivityEnd& unchanged() const { return m_unchanged; }

    SensitivityEnd at(const Constant& constant, double factor) const
    {
        Scenario changed = m_scenario;
        const bool clamped = multiply(changed, constant, factor);
        LayoutCosts costs = costsOf(changed);
        SensitivityEnd end = judge(costs, changed.layout, m_unchanged.best, m_candidates);
        const bool fitted = m_unchanged.bestStepTime > 0;
        if (fitted ? !costs.of(m_unchanged.best).fits : spare(costs) > m_spare) {
            if (const std::optional<Layout> found = fastest(changed, m_options)) {
                std::vector<Layout> candidates = m_candidates;
                candidates.push_back(*found);
                end = judge(costs, changed.layout, m_unchanged.best, candidates);
            }
        }
        end.value = *constant.fields(changed).front();
        end.clamped = clamped;
        return end;
    }

private:
    /// bytes beside the scenario's layout; what lacks is less than none
    double spare(LayoutCosts& costs) const
    {
        const LayoutCost& cost = costs.of(m_scenario.layout);
        return cost.memoryLimit - cost.memory.total();
    }

    const Scenario& m_scenario;
    const std::vector<Layout>& m_candidates;
    const TornadoOptions& m_options;
    SensitivityEnd m_unchanged;
    double m_spare = 0;
};

} // namespace

bool sameWinner(const SensitivityEnd& a, const SensitivityEnd& b)
{
    const bool any = a.bestStepTime > 0;
    return any == (b.bestStepTime > 0) && (!any || a.best == b.best);
}

Tornado tornado(const Scenario& scenario, const std::vector<Layout>& candidates, const TornadoOptions& options)
{
    Tornado result;
    result.share = options.share;
    const Report report = evaluate(scenario);
    if (!report.legal()) {
        return result;
    }
    const Ends ends(scenario, candidates, options);
    result.stepTime = report.stepTime;
    result.unchanged = ends.unchanged();
    Scenario copy = scenario;
    for (const Constant& constant : constantsOf(scenario)) {
        if (options.stop()) {
            break;
        }
        Sensitivity bar{constant.label, *constant.fields(copy).front(), ends.at(constant, 1 - options.share),
                        ends.at(constant, 1 + options.share)};
        const bool matters = bar.low.stepTime != report.stepTime || bar.high.stepTime != report.stepTime
            || bar.low.fits != report.fits || bar.high.fits != report.fits || bar.changesRanking(result.unchanged);
        if (matters) {
            result.bars.push_back(std::move(bar));
        }
    }
    std::stable_sort(result.bars.begin(), result.bars.end(), [&](const Sensitivity& a, const Sensitivity& b) {
        const bool turnsA = a.changesRanking(result.unchanged);
        const bool turnsB = b.changesRanking(result.unchanged);
        return turnsA != turnsB ? turnsA : a.swing() > b.swing();
    });
    return result;
}

Scenario withConstant(const Scenario& scenario, const std::string& label, double factor)
{
    Scenario changed = scenario;
    for (const Constant& constant : constantsOf(scenario)) {
        if (constant.label == label) {
            multiply(changed, constant, factor);
            break;
        }
    }
    return changed;
}

std::vector<Layout> contenders(const Scenario& scenario, const TornadoOptions& options)
{
    std::vector<Layout> layouts{scenario.layout};
    const auto add = [&](const Layout& layout) {
        if (std::find(layouts.begin(), layouts.end(), layout) == layouts.end()) {
            layouts.push_back(layout);
        }
    };
    SearchOptions search;
    search.top = mostFound;
    search.threads = options.threads;
    if (const Result<SearchResult> found =
            searchLayouts(scenario, {}, search, options.stop, [](const SearchResult&) {})) {
        for (const FoundLayout& each : found->best) {
            add(each.layout);
        }
    }
    const Advice advice = advise(scenario, Voice::ConstraintFirst, options.stop);
    for (const AdviceStep& step : advice.steps) {
        for (const Relief& relief : step.reliefs) {
            if (relief.cost.fits && relief.cost.stepTime <= advice.pick.stepTime * (1 + near)) {
                add(relief.cost.layout);
            }
        }
    }
    return layouts;
}

} // namespace partita
