// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibration/stack_fit.h"

#include "core/formats/files.h"
#include "core/runs/run_scenario.h"
#include "core/training/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

namespace partita::calibration {

namespace {

struct Row {
    std::string source;
    Scenario scenario;
    double measured = 0;
    double log = 0; ///< ln(predicted / measured)
};

/// A constant to fit: where it is, within what bounds, and the value that stands for "unknown", to which it is drawn.
struct Parameter {
    std::string owner; ///< preset id, or accelerator family
    std::string key; ///< as in the preset file
    double low = 0;
    double high = 1;
    double scale = 1; ///< file unit over base unit
    std::function<double*(Scenario&)> place; ///< nullptr where the scenario has another owner
    std::vector<std::size_t> rows;
    double value = 0;
    double before = 0;
};

/// Products of one chip share a power limit and clocks.
std::string family(const std::string& accelerator)
{
    return accelerator.substr(0, accelerator.find('-'));
}

double predictionLog(const Row& row)
{
    const Report report = evaluate(row.scenario);
    return std::log(report.tokensPerSecondPerDevice / row.measured);
}

class Fit {
public:
    explicit Fit(std::vector<Row> rows)
        : m_rows(std::move(rows))
    {
        for (Row& row : m_rows) {
            row.log = predictionLog(row);
            ++m_sourceSize[row.source];
        }
    }

    void add(Parameter parameter)
    {
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            if (double* place = parameter.place(m_rows[i].scenario)) {
                parameter.value = *place;
                parameter.rows.push_back(i);
            }
        }
        parameter.before = parameter.value;
        // Fewer rows would be a constant for a run.
        constexpr std::size_t fewest = 5;
        if (parameter.rows.size() >= fewest) {
            m_parameters.push_back(std::move(parameter));
        }
    }

    /// Coordinate search with shrinking steps: the parameters are few and nearly independent.
    void run(int rounds)
    {
        double step = 0.25;
        for (int round = 0; round < rounds; ++round, step *= 0.7) {
            for (Parameter& parameter : m_parameters) {
                search(parameter, step);
            }
        }
    }

    void printErrors(const char* when, const Log& log) const
    {
        log(fmt::format("{}:\n", when));
        double mean = 0;
        for (const auto& [source, size] : m_sourceSize) {
            double mape = 0;
            double bias = 0;
            double within = 0;
            for (const Row& row : m_rows) {
                if (row.source == source) {
                    const double error = std::exp(row.log) - 1;
                    mape += std::abs(error) / size;
                    bias += error / size;
                    within += (std::abs(error) <= 0.2 ? 1.0 : 0.0) / size;
                }
            }
            mean += mape / static_cast<double>(m_sourceSize.size());
            log(fmt::format("  {:20} {:4.0f} rows  MAPE {:6.1f} %  bias {:+6.1f} %  within 20 % {:4.0f} %\n", source,
                            size, 100 * mape, 100 * bias, 100 * within));
        }
        log(fmt::format("  mean over sources: {:.1f} %\n", 100 * mean));
    }

    const std::vector<Parameter>& parameters() const { return m_parameters; }

private:
    void set(const Parameter& parameter, double value, std::vector<double>& logs)
    {
        logs.clear();
        for (std::size_t i : parameter.rows) {
            *parameter.place(m_rows[i].scenario) = value;
            logs.push_back(predictionLog(m_rows[i]));
        }
    }

    double cost(const Parameter& parameter, const std::vector<double>& logs) const
    {
        double sum = 0;
        for (std::size_t j = 0; j < logs.size(); ++j) {
            const double absolute = std::abs(logs[j]);
            sum += std::min(absolute, 0.7) / m_sourceSize.at(m_rows[parameter.rows[j]].source);
        }
        return sum;
    }

    void search(Parameter& parameter, double step)
    {
        std::vector<double> best;
        set(parameter, parameter.value, best);
        double bestCost = cost(parameter, best);
        double bestValue = parameter.value;
        const double width = parameter.high - parameter.low;
        for (double direction : {-1.0, 1.0}) {
            for (double stride = step; stride > step / 5; stride /= 2) {
                const double value =
                    std::clamp(parameter.value + direction * stride * width, parameter.low, parameter.high);
                std::vector<double> logs;
                set(parameter, value, logs);
                const double now = cost(parameter, logs);
                if (now < bestCost - 1e-9) {
                    bestCost = now;
                    bestValue = value;
                    best = logs;
                }
            }
        }
        parameter.value = bestValue;
        set(parameter, bestValue, best);
        for (std::size_t j = 0; j < best.size(); ++j) {
            m_rows[parameter.rows[j]].log = best[j];
        }
    }

    std::vector<Row> m_rows;
    std::map<std::string, double> m_sourceSize;
    std::vector<Parameter> m_parameters;
};

std::vector<Row> rowsOf(const std::vector<RunFile>& files, const Catalogue& catalogue)
{
    std::vector<Row> rows;
    for (const RunFile& file : files) {
        for (const PublishedRun& run : file.runs) {
            Result<RunScenario> scenario = scenarioOf(run, catalogue);
            if (scenario && run.measured.tokensPerSecondPerDevice && evaluate(scenario->scenario).legal()) {
                rows.push_back({file.source, scenario->scenario, *run.measured.tokensPerSecondPerDevice});
            }
        }
    }
    return rows;
}

void addParameters(Fit& fit, const Catalogue& catalogue)
{
    std::set<std::string> families;
    for (const Accelerator& accelerator : catalogue.accelerators) {
        families.insert(family(accelerator.id));
    }
    for (const std::string& name : families) {
        Parameter sustained;
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
        Parameter parameter;
        parameter.owner = id;
        parameter.key = key;
        parameter.low = low;
        parameter.high = high;
        parameter.scale = scale;
        parameter.place = [id, member](Scenario& s) { return s.stack.id == id ? &(s.stack.*member) : nullptr; };
        fit.add(std::move(parameter));
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
    Fit fit(rowsOf(runs, catalogue));
    addParameters(fit, catalogue);
    fit.printErrors("before", log);
    constexpr int rounds = 10;
    fit.run(rounds);
    fit.printErrors("after", log);
    std::vector<FittedNumber> numbers;
    for (const Parameter& parameter : fit.parameters()) {
        log(fmt::format("{:20} {:20} {:8.3f} -> {:8.3f}  ({} rows)\n", parameter.owner, parameter.key,
                        parameter.before * parameter.scale, parameter.value * parameter.scale, parameter.rows.size()));
        const bool isStack = parameter.key != "sustained";
        numbers.push_back(
            {isStack, parameter.owner, parameter.key, std::round(parameter.value * parameter.scale * 1000) / 1000});
    }
    return numbers;
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
