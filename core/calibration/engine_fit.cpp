// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibration/engine_fit.h"

#include "core/calibration/constant_search.h"
#include "core/runs/serving_scenario.h"
#include "core/serving/serve.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>

namespace partita::calibration {

namespace {

double servedTokens(const Scenario& scenario)
{
    return serve(scenario).tokensPerSecond;
}

double firstToken(const Scenario& scenario)
{
    return serve(scenario).ttft;
}

std::vector<Row> rowsOf(const std::vector<RunFile>& files, const Catalogue& catalogue)
{
    std::vector<Row> rows;
    for (const RunFile& file : files) {
        for (const PublishedRun& run : file.runs) {
            // What a source calls work in progress is scored, but nothing is fitted to it.
            const bool settled = run.notes.find("WIP") == std::string::npos;
            const Result<RunScenario> scenario =
                run.serving && settled ? servingScenarioOf(run, catalogue) : Result<RunScenario>(Problems{});
            if (!scenario || !serve(scenario->scenario).legal()) {
                continue;
            }
            const ServingFigures measured = measuredFigures(run);
            if (measured.tokensPerSecond) {
                rows.push_back({run.sourceTitle, scenario->scenario, *measured.tokensPerSecond, servedTokens});
            } else if (measured.ttft) {
                rows.push_back({run.sourceTitle, scenario->scenario, *measured.ttft, firstToken});
            }
        }
    }
    return rows;
}

struct Constant {
    const char* key;
    double Engine::*member;
    double low;
    double high;
    double scale;
};

constexpr std::array constants{
    Constant{"graph_gap", &Engine::graphGap, 0.3, 3, 1},
    Constant{"kernel_gap", &Engine::kernelGap, 0.3, 3, 1},
    Constant{"host_per_kernel_us", &Engine::hostPerKernel, 0, 40e-6, 1e6},
    Constant{"host_per_step_ms", &Engine::hostPerStep, 0, 10e-3, 1e3},
    Constant{"host_per_sequence_us", &Engine::hostPerSequence, 0, 60e-6, 1e6},
    Constant{"host_per_prefill_ms", &Engine::hostPerPrefill, 0, 10e-3, 1e3},
    Constant{"weight_rate", &Engine::weightRate, 0.6, 1.1, 1},
    Constant{"int8_rate", &Engine::int8Rate, 0.4, 1.2, 1},
    Constant{"int4_rate", &Engine::int4Rate, 0.4, 1.2, 1},
    Constant{"key_value_rate", &Engine::keyValueRate, 0.3, 1.1, 1},
    Constant{"key_value_sharing", &Engine::keyValueSharing, 0, 1, 1},
    Constant{"narrow_sharing", &Engine::narrowSharing, 0, 1, 1},
    Constant{"efficiency", &Engine::efficiency, 0.4, 1.1, 1},
    Constant{"prefill_efficiency", &Engine::prefillEfficiency, 0.3, 1.1, 1},
    Constant{"communication", &Engine::communication, 0.3, 6, 1},
};

void addConstants(ConstantSearch& fit, const std::string& engine)
{
    for (const Constant& constant : constants) {
        Parameter parameter;
        parameter.owner = engine;
        parameter.key = constant.key;
        parameter.low = constant.low;
        parameter.high = constant.high;
        parameter.scale = constant.scale;
        parameter.place = [engine, member = constant.member](Scenario& s) {
            return s.stack.id == engine ? &(s.stack.engine.*member) : nullptr;
        };
        fit.add(std::move(parameter));
    }
}

} // namespace

std::vector<FittedNumber> fitEngines(const std::vector<RunFile>& runs, const Catalogue& catalogue, const Log& log)
{
    std::vector<Row> rows = rowsOf(runs, catalogue);
    std::map<std::string, int> sizes;
    for (const Row& row : rows) {
        ++sizes[row.scenario.stack.id];
    }
    ConstantSearch fit(std::move(rows));
    constexpr int fewest = 10;
    for (const auto& [engine, size] : sizes) {
        if (size >= fewest) {
            addConstants(fit, engine);
        }
    }
    fit.printErrors("before", log);
    constexpr int rounds = 12;
    fit.run(rounds);
    fit.printErrors("after", log);
    std::vector<FittedNumber> numbers;
    for (const Parameter& parameter : fit.parameters()) {
        log(fmt::format("{:20} {:22} {:8.3f} -> {:8.3f}  ({} rows)\n", parameter.owner, parameter.key,
                        parameter.before * parameter.scale, parameter.value * parameter.scale, parameter.rows.size()));
        numbers.push_back(
            {true, parameter.owner, parameter.key, std::round(parameter.value * parameter.scale * 1000) / 1000});
    }
    return numbers;
}

} // namespace partita::calibration
