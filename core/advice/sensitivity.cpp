// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/sensitivity.h"

#include "core/advice/advise.h"
#include "core/training/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

namespace partita {

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

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

SensitivityEnd judge(const Scenario& changed, const std::vector<Layout>& candidates)
{
    SearchSpace any; // the candidates are chosen already, and the scenario's own layout is one of them
    any.beyondStack = true;
    LayoutCosts costs(changed, any);
    LayoutCost best = costs.of(changed.layout);
    SensitivityEnd end{0, best.fits, best.stepTime, best.layout, best.fits ? best.stepTime : 0};
    for (const Layout& layout : candidates) {
        if (const LayoutCost& cost = costs.of(layout); cost.fits && isBetter(cost, best)) {
            best = cost;
            end.best = layout;
            end.bestStepTime = cost.stepTime;
        }
    }
    return end;
}

SensitivityEnd endOf(const Scenario& scenario, const Constant& constant, double factor,
                     const std::vector<Layout>& candidates)
{
    Scenario changed = scenario;
    const Fields fields = constant.fields(changed);
    for (double* field : fields) {
        *field = std::clamp(*field * factor, constant.least, constant.most);
    }
    SensitivityEnd end = judge(changed, candidates);
    end.value = *fields.front();
    return end;
}

} // namespace

Tornado tornado(const Scenario& scenario, const std::vector<Layout>& candidates, double share)
{
    Tornado result;
    result.share = share;
    const Report report = evaluate(scenario);
    if (!report.legal()) {
        return result;
    }
    result.stepTime = report.stepTime;
    result.unchanged = judge(scenario, candidates);
    Scenario copy = scenario;
    for (const Constant& constant : constantsOf(scenario)) {
        Sensitivity bar{constant.label, *constant.fields(copy).front(),
                        endOf(scenario, constant, 1 - share, candidates),
                        endOf(scenario, constant, 1 + share, candidates)};
        const bool matters = bar.low.stepTime != report.stepTime || bar.high.stepTime != report.stepTime
            || bar.low.fits != report.fits || bar.high.fits != report.fits;
        if (matters) {
            result.bars.push_back(std::move(bar));
        }
    }
    std::stable_sort(result.bars.begin(), result.bars.end(),
                     [](const Sensitivity& a, const Sensitivity& b) { return a.swing() > b.swing(); });
    return result;
}

std::vector<Layout> contenders(const Scenario& scenario, const std::function<bool()>& stop, double within)
{
    const Advice advice = advise(scenario, Voice::ConstraintFirst, stop);
    std::vector<Layout> layouts{scenario.layout};
    for (const AdviceStep& step : advice.steps) {
        for (const Relief& relief : step.reliefs) {
            const bool near = relief.cost.fits && relief.cost.stepTime <= advice.pick.stepTime * (1 + within);
            if (near && std::find(layouts.begin(), layouts.end(), relief.cost.layout) == layouts.end()) {
                layouts.push_back(relief.cost.layout);
            }
        }
    }
    return layouts;
}

} // namespace partita
