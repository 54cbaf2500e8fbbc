// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli.h"
#include "app/cli_explain.h"
#include "app/cli_runs.h"
#include "app/default_scenario.h"
#include "app/scenario_options.h"
#include "app/search_limits.h"
#include "app/serving_options.h"
#include "core/advice/advise.h"
#include "core/advice/optimum.h"
#include "core/base/format.h"
#include "core/explain/layout_values.h"
#include "core/formats/advice_json.h"
#include "core/formats/files.h"
#include "core/formats/typed_layout.h"
#include "core/scenario/scenario_title.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace partita::cli {

namespace {

std::string heading(const Scenario& scenario, Voice voice)
{
    const std::string load = trains(voice)
        ? fmt::format("{} sequences of {} tokens a step", formatCount(scenario.layout.globalBatch),
                      formatCount(scenario.workload.sequenceLength))
        : fmt::format("prompts of {} tokens, answers of {}, {} at once in a replica",
                      formatCount(scenario.serving.prompt), formatCount(scenario.serving.output),
                      formatCount(scenario.serving.batch));
    return fmt::format("{}, {}, {}\n\n", modelOnDevices(scenario), load, scenario.stack.name);
}

/// Options of training say nothing to a voice of serving.
void refuseTraining(OptionReader& reader)
{
    for (const Option& option : scenarioOptions(Purpose::Serving)) {
        if (!option.refused.empty()) {
            reader.idle(option.name, "changes nothing when a model is served");
        }
    }
    for (const Option& option : limitOptions()) {
        reader.idle(option.name, "limits training layouts");
    }
    reader.idle("--why-not", "answers for training layouts");
    reader.idle("--no-search", "has no effect: only training layouts are searched");
}

int run(const Arguments& arguments)
{
    OptionReader reader(arguments);
    Voice voice = Voice::ConstraintFirst;
    reader.choice("--voice", voice);
    const SearchSpace limits = readLimits(reader);
    if (!trains(voice)) {
        refuseTraining(reader);
    }
    const std::optional<ExplainRequest> explained = readExplain(reader);
    const Catalogue catalogue = loadPresets();
    printProblems(catalogue.problems);
    std::optional<Scenario> scenario =
        trains(voice) ? scenarioOf(reader, catalogue) : servedScenarioOf(reader, catalogue);
    if (!scenario) {
        return reader.refusal();
    }
    const Advice advice = advise(*scenario, voice, limits);
    if (!advice.problems.empty()) {
        return refuse(arguments, advice.problems, NotLegal);
    }
    Scenario advised = *scenario;
    advised.layout = advice.pick.layout;
    if (const int code = advice.pick.fits ? saveAsked(arguments, advised, catalogue) : Done; code != Done) {
        return code;
    }
    const auto never = [] { return false; };
    const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    std::optional<WhyNot> answer;
    if (const std::optional<std::string> changes = arguments.valueOf("--why-not")) {
        const Result<WhyNot> typed = whyNotTyped(*scenario, advice.pick.layout, limits, *changes, threads, never);
        if (!typed) {
            return refuse(arguments, within("--why-not", typed.problems), Usage);
        }
        answer = *typed;
    }
    std::optional<Optimum> optimum;
    if (trains(voice) && !arguments.has("--no-search")) {
        optimum = findOptimum(*scenario, advice, threads, never);
    }
    if (explained) {
        const std::vector<ComparableRun> runs = loadComparableRuns(catalogue);
        return printDerivation(arguments, *explainAdvice(*scenario, advice, optimum, answer, runs), *explained, Usage);
    }
    if (arguments.has("--json")) {
        fmt::print("{}", writeAdvice(advice, optimum, answer));
        return endOf(arguments, advice.pick.fits);
    }
    fmt::print("{}{}", heading(*scenario, voice), adviceText(advice));
    if (optimum) {
        fmt::print("{}\n", describe(*optimum));
    }
    if (answer) {
        fmt::print("\nwhy not {}?\n{}", *arguments.valueOf("--why-not"), answer->text);
    }
    return endOf(arguments, advice.pick.fits);
}

} // namespace

Verb adviseVerb()
{
    std::vector<Option> options = scenarioOptions(Purpose::Choice);
    options.push_back({"--voice", "constraint-first|topology-first|serving-recipe", "the rule to advise by"});
    options.push_back(
        {"--why-not", "tp=4,pp=2,...", "also say what speaks against this layout, held against the advice"});
    options.insert(options.end(), limitOptions().begin(), limitOptions().end());
    options.push_back({"--no-search", "", "do not look at all layouts for the best one to compare with"});
    for (Option& option :
         explainOptions("derive a value of --json instead: optimum.gap, steps[0].reliefs[1].step_time_s")) {
        options.push_back(std::move(option));
    }
    options.push_back(saveOption("write the scenario with the advised layout to a .partita file"));
    options.push_back({"--json", "", "print every step as JSON"});
    return {"partita advise [SCENARIO|-] [options]\n\n"
            "Starts from data parallelism alone, says what binds and what could be done about it, does what\n"
            "harms least and repeats until nothing pays. Model, devices, batch and workload are the scenario's;\n"
            "its own split does not count. --fix, --min, --max and what the stack offers limit it as they limit\n"
            "`search`. The best of all layouts within the limits is shown beside it. Exit code 0 also when nothing\n"
            "fits.\n\n"
            "--why-not takes keys as scenario files spell them (zero, sp for short), or a line as the program prints\n"
            "it: \"tp 8 · pp 4 · dp 2\". Where two or more of tp, cp, pp, dp, ep, etp are named, the others and vpp\n"
            "are 1; where one is, the others are the advice's. dp follows from the devices, vpp from the schedule\n"
            "that is named. All else is the advice's. The answer says how the question was read, and,\n"
            "unless that is a whole layout, which is the best that keeps what was named.",
            std::move(options), 1, run};
}

} // namespace partita::cli
