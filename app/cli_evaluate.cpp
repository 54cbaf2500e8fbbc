// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli.h"
#include "app/cli_runs.h"
#include "app/default_scenario.h"
#include "app/report_text.h"
#include "app/scenario_options.h"
#include "core/base/format.h"
#include "core/formats/report_json.h"
#include "core/training/evaluate.h"

#include <fmt/format.h>

#include <cstdio>

namespace partita::cli {

namespace {

std::optional<StepTimeBand> band(const Scenario& scenario, const Report& report, const Catalogue& catalogue)
{
    return stepTimeBand(scenario, report.stepTime, loadComparableRuns(catalogue));
}

/// A batch that is not the one Partita opens with, and that nobody named.
void sayBatch(const Arguments& arguments, const Scenario& scenario, const Catalogue& catalogue)
{
    const Result<Scenario> plain = defaultScenario(catalogue);
    const std::int64_t batch = scenario.layout.globalBatch;
    if (arguments.positional.empty() && !arguments.has("--global-batch") && plain
        && batch != plain->layout.globalBatch) {
        fmt::print(stderr,
                   "note: a step of {} sequences, as {} replicas share them evenly; --global-batch sets another\n",
                   formatCount(batch), formatCount(scenario.layout.dp));
    }
}

int run(const Arguments& arguments)
{
    const Catalogue catalogue = loadPresets();
    printProblems(catalogue.problems);
    OptionReader reader(arguments);
    const std::optional<Scenario> scenario = scenarioOf(reader, catalogue);
    if (!scenario) {
        return reader.refusal();
    }
    if (const int code = saveAsked(arguments, *scenario, catalogue); code != Done) {
        return code;
    }
    const Report report = evaluate(*scenario);
    printProblems(report.problems);
    if (report.legal()) {
        sayBatch(arguments, *scenario, catalogue);
    }
    if (arguments.has("--json")) {
        fmt::print("{}", writeReport(report, report.legal() ? band(*scenario, report, catalogue) : std::nullopt));
    } else if (report.legal()) {
        fmt::print("{}", reportText(*scenario, report));
    }
    return report.legal() ? Done : NotLegal;
}

} // namespace

Verb evaluateVerb()
{
    std::vector<Option> options = scenarioOptions(Purpose::Step);
    options.push_back({"--json", "", "print the whole report as JSON"});
    options.push_back(saveOption("write the scenario to a .partita file, to edit or to open in the window"));
    return {"partita evaluate [SCENARIO|-] [options]\n\n"
            "Options override the file. Without one: Llama 3.1 70B on 64 H100, not split\n"
            "as soon as an option names a model, devices or a degree.",
            std::move(options), 1, run};
}

} // namespace partita::cli
