// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli.h"
#include "app/cli_runs.h"
#include "app/default_scenario.h"
#include "app/report_text.h"
#include "app/scenario_options.h"
#include "core/formats/report_json.h"
#include "core/training/evaluate.h"

#include <fmt/format.h>

#include <cstdio>

namespace partita::cli {

namespace {

/// Prints why there is nothing to evaluate, for people and, when asked, for programs.
int refuse(const Problems& problems, int exitCode, bool asJson)
{
    printProblems(problems);
    if (asJson) {
        fmt::print("{}", writeProblems(problems));
    }
    return exitCode;
}

std::optional<StepTimeBand> band(const Scenario& scenario, const Report& report, const Catalogue& catalogue)
{
    return stepTimeBand(scenario, report.stepTime, loadComparableRuns(catalogue));
}

} // namespace

int evaluateVerb(const Words& words)
{
    std::vector<Option> options = scenarioOptions();
    options.push_back({"--json", "", "print the whole report as JSON"});
    options.push_back({"--help", "", "print this"});
    const Result<Arguments> arguments = parseArguments(words, options, 1);
    if (!arguments) {
        return usageError(arguments.problems, "evaluate");
    }
    if (arguments->has("--help")) {
        fmt::print("usage: partita evaluate [SCENARIO|-] [options]\n\n"
                   "Options override the file. Without one: Llama 3.1 70B on 64 H100, not split\n"
                   "as soon as an option names a model, devices or a degree.\n\n{}",
                   describeOptions(options));
        return Done;
    }
    const bool asJson = arguments->has("--json");
    const Catalogue catalogue = loadPresets();
    printProblems(catalogue.problems);

    const ScenarioInput input = scenarioOf(*arguments, catalogue);
    if (!input.scenario) {
        return input.exitCode == Usage ? usageError(input.problems, "evaluate")
                                       : refuse(input.problems, input.exitCode, asJson);
    }
    const Scenario& scenario = *input.scenario;
    const Report report = evaluate(scenario);
    printProblems(report.problems);
    if (asJson) {
        fmt::print("{}", writeReport(report, report.legal() ? band(scenario, report, catalogue) : std::nullopt));
    } else if (report.legal()) {
        fmt::print("{}", reportText(scenario, report));
    }
    return report.legal() ? Done : NotLegal;
}

} // namespace partita::cli
