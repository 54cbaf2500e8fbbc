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
                rows.push_back({file.source, scenario->scenario, *run.measured.tokensPerSecondPerDevice, trainedTokens});
            }
        }
    }
    return rows;
}

void addParameters(ConstantSearch& fit, const Catalogue& catalogue)
{
    std::set<std::string> families;
    for (const Accelerator& accelerator : catalogue.accelerators) {
        families.insert(family(accelerator.id));
    }
    for (const std::string& name : families) {
        Parameter sustained;
        sustained.isStack = false;
        sustained.owner = name;
        sustained.key = "sustained";
        sustained.low = 0.4;
        sustained.place = [name](Scenario& s) {
            return family(s.cluster.accelerator.id) == name ? &s.cluster.accelerator.kernels.sustained : nullptr;
        };
        fit.add(std::move(sustained));
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
    }
}

} // namespace

std::vector<FittedNumber> fitStacks(const std::vector<RunFile>& runs, const Catalogue& catalogue, const Log& log)
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
