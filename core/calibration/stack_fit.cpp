// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibration/stack_fit.h"

#include "core/formats/files.h"
#include "core/runs/run_scenario.h"
#include "core/training/evaluate.h"

#include <algorithm>
#include <map>
#include <set>

namespace partita::calibration {

namespace {

/// Products of one chip share a power limit and clocks.
std::string family(const std::string& accelerator)
{
    return accelerator.substr(0, accelerator.find('-'));
}

double trainedTokens(const Scenario& scenario)
{
    return evaluate(scenario).tokensPerSecondPerDevice;
}

std::vector<Row> rowsOf(const std::vector<RunFile>& files, const Catalogue& catalogue)
{
    std::vector<Row> rows;
    for (const RunFile& file : files) {
        for (const PublishedRun& run : file.runs) {
            Result<RunScenario> scenario = scenarioOf(run, catalogue);
            if (scenario && run.measured.tokensPerSecondPerDevice && evaluate(scenario->scenario).legal()) {
                rows.push_back(
                    {file.source, scenario->scenario, *run.measured.tokensPerSecondPerDevice, trainedTokens});
            }
        }
    }
    return rows;
}

bool hasScans(const Scenario& scenario)
{
    return std::any_of(scenario.model.kinds.begin(), scenario.model.kinds.end(), [](const LayerKind& kind) {
        return std::holds_alternative<Mamba1>(kind.mixer) || std::holds_alternative<Mamba2>(kind.mixer)
            || std::holds_alternative<GatedDelta>(kind.mixer);
    });
}

void addParameters(ConstantSearch& fit, const Catalogue& catalogue)
{
    std::set<std::string> families;
    std::set<std::string> slowerFlash2; // the others' preset has no such constant
    for (const Accelerator& accelerator : catalogue.accelerators) {
        families.insert(family(accelerator.id));
        if (accelerator.kernels.flash2Speed < 1) {
            slowerFlash2.insert(family(accelerator.id));
        }
    }
    for (const std::string& name : families) {
        const auto addFamily = [&](const char* key, double KernelConstants::*member, double low,
                                   std::function<bool(const Scenario&)> uses) {
            Parameter constant;
            constant.isStack = false;
            constant.owner = name;
            constant.key = key;
            constant.low = low;
            constant.place = [name, member, uses = std::move(uses)](Scenario& s) {
                Accelerator& accelerator = s.cluster.accelerator;
                return family(accelerator.id) == name && uses(s) ? &(accelerator.kernels.*member) : nullptr;
            };
            fit.add(std::move(constant));
        };
        addFamily("sustained", &KernelConstants::sustained, 0.4, [](const Scenario&) { return true; });
        addFamily("scan_efficiency", &KernelConstants::scanEfficiency, 0.005, hasScans);
        if (slowerFlash2.count(name) > 0) {
            addFamily("flash_2_speed", &KernelConstants::flash2Speed, 0.3,
                      [](const Scenario& s) { return s.stack.attention == AttentionKernel::Flash2; });
        }
    }
    const auto addStack = [&](const std::string& id, const char* key, double Stack::*member, double low, double high,
                              double scale) {
        fit.add(ofStack(id, key, low, high, scale, [member](Stack& stack) { return &(stack.*member); }));
    };
    for (const Stack& stack : catalogue.stacks) {
        addStack(stack.id, "host_per_kernel_us", &Stack::hostPerKernel, 0, 200e-6, 1e6);
        addStack(stack.id, "step_overhead_ms", &Stack::stepOverhead, 0, 0.1, 1e3);
        addStack(stack.id, "fused_elementwise", &Stack::fusedElementwise, 0, 1, 1);
        addStack(stack.id, "tp_overlap", &Stack::tpOverlap, 0, 0.9, 1);
        addStack(stack.id, "attention_efficiency", &Stack::attentionEfficiency, 0.4, 1, 1);
        addStack(stack.id, "efficiency", &Stack::efficiency, 0.7, 1, 1);
        if (stack.expertHost > 0) {
            addStack(stack.id, "expert_host_us", &Stack::expertHost, 0, 2e-3, 1e6);
        }
        if (stack.epOverlap > 0) {
            addStack(stack.id, "ep_overlap", &Stack::epOverlap, 0, 0.95, 1);
        }
    }
}

} // namespace

Fit fitStacks(const std::vector<RunFile>& runs, const Catalogue& catalogue, const Log& log)
{
    ConstantSearch fit(rowsOf(runs, catalogue));
    addParameters(fit, catalogue);
    constexpr int rounds = 10;
    return fit.fit(rounds, log);
}

Result<std::vector<PresetChange>> changedPresets(const std::vector<FittedNumber>& numbers,
                                                 const std::filesystem::path& presets)
{
    std::map<std::filesystem::path, std::string> texts;
    Problems problems;
    for (const FittedNumber& number : numbers) {
        const std::filesystem::path folder = presets / (number.isStack ? "stacks" : "accelerators");
        std::error_code error;
        for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
            const std::string stem = at->path().stem().string();
            if ((number.isStack ? stem : family(stem)) != number.owner) {
                continue;
            }
            const auto known = texts.find(at->path());
            const Result<std::string> text =
                known != texts.end() ? Result<std::string>(known->second) : readFile(at->path());
            const Result<std::string> changed = text ? withNumber(*text, number.key, number.value) : text;
            if (!changed) {
                problems.push_back({at->path().string(), number.key, changed.problems.front().message, ""});
            } else if (known != texts.end() || *changed != *text) {
                texts.insert_or_assign(at->path(), *changed);
            }
        }
        if (error) {
            problems.push_back({folder.string(), "", "cannot be read", "a folder of presets"});
        }
    }
    if (!problems.empty()) {
        return problems;
    }
    std::vector<PresetChange> changes;
    for (auto& [file, text] : texts) {
        changes.push_back({file, std::move(text)});
    }
    return changes;
}

} // namespace partita::calibration
