// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibration/engine_fit.h"

#include "core/calibration/constant_search.h"
#include "core/runs/serving_scenario.h"
#include "core/serving/serve.h"

#include <array>
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

} // namespace

Fit fitEngines(const std::vector<RunFile>& runs, const Catalogue& catalogue, const Log& log)
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
            for (const Constant& each : constants) {
                fit.add(ofStack(engine, each.key, each.low, each.high, each.scale,
                                [member = each.member](Stack& stack) { return &(stack.engine.*member); }));
            }
        }
    }
    constexpr int rounds = 12;
    return fit.fit(rounds, log);
}

} // namespace partita::calibration
