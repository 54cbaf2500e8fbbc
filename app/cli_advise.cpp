// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli.h"
#include "app/default_scenario.h"
#include "app/scenario_options.h"
#include "app/search_limits.h"
#include "core/advice/advise.h"
#include "core/advice/optimum.h"
#include "core/advice/why_not.h"
#include "core/base/format.h"
#include "core/formats/advice_json.h"
#include "core/formats/layout_changes.h"
#include "core/formats/report_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace partita::cli {

namespace {

const std::vector<Option>& adviseOptions()
{
    static const std::vector<Option> options = [] {
        std::vector<Option> all = scenarioOptions();
        all.push_back({"--voice", "constraint-first|topology-first|serving-recipe", "the rule to advise by"});
        all.push_back({"--why-not", "tp=4,pp=2,...", "also say what speaks against this change of the advice"});
        all.insert(all.end(), limitOptions().begin(), limitOptions().end());
        all.push_back({"--no-search", "", "do not look at all layouts for the best one to compare with"});
        all.push_back({"--json", "", "print every step as JSON"});
        all.push_back({"--help", "", "print this"});
        return all;
    }();
    return options;
}

int refuse(const Problems& problems, int exitCode, bool asJson)
{
    printProblems(problems);
    if (asJson) {
        fmt::print("{}", writeProblems(problems));
    }
    return exitCode;
}

Result<Voice> voiceOf(const Arguments& arguments)
{
    const std::optional<std::string> text = arguments.valueOf("--voice");
    if (!text) {
        return Voice::ConstraintFirst;
    }
    if (const std::optional<Voice> voice = fromKey<Voice>(*text)) {
        return *voice;
    }
    return Problem{"--voice", *text, "not known", "one of constraint-first, topology-first, serving-recipe"};
}

std::string heading(const Scenario& scenario, Voice voice)
{
    const std::string load = trains(voice)
        ? fmt::format("{} sequences of {} tokens a step", formatCount(scenario.layout.globalBatch),
                      formatCount(scenario.workload.sequenceLength))
        : fmt::format("prompts of {} tokens, answers of {}, {} at once in a replica",
                      formatCount(scenario.serving.prompt), formatCount(scenario.serving.output),
                      formatCount(scenario.serving.batch));
    return fmt::format("{} on {} × {}, {}, {}\n\n", scenario.model.name, formatCount(scenario.cluster.devices()),
                       scenario.cluster.accelerator.name, load, scenario.stack.name);
}

} // namespace

int adviseVerb(const Words& words)
{
    const Result<Arguments> arguments = parseArguments(words, adviseOptions(), 1);
    if (!arguments) {
        return usageError(arguments.problems, "advise");
    }
    if (arguments->has("--help")) {
        fmt::print(
            "usage: partita advise [SCENARIO|-] [options]\n\n"
            "Starts from data parallelism alone, says what binds and what could be done about it, does what\n"
            "harms least and repeats until nothing pays. Model, devices, batch and workload are the scenario's;\n"
            "its own split does not count. --fix, --min, --max and what the stack offers limit it as they limit\n"
            "`search`. The best of all layouts within the limits is shown beside it. Exit code 0 also when nothing\n"
            "fits.\n\n{}",
            describeOptions(adviseOptions()));
        return Done;
    }
    const Result<Voice> voice = voiceOf(*arguments);
    if (!voice) {
        return usageError(voice.problems, "advise");
    }
    if (!trains(*voice) && arguments->has("--why-not")) {
        return usageError({{"--why-not", {}, "answers for training layouts", "leave it out, or choose another voice"}},
                          "advise");
    }
    Problems problems;
    const SearchSpace limits = readLimits(*arguments, problems);
    if (!problems.empty()) {
        return usageError(problems, "advise");
    }
    if (!trains(*voice) && !(limits == SearchSpace())) {
        return usageError({{"--voice", std::string(keyOf(*voice)), "takes no limits of training layouts", {}}},
                          "advise");
    }
    const bool asJson = arguments->has("--json");
    const Catalogue catalogue = loadPresets();
    printProblems(catalogue.problems);
    const ScenarioInput input = scenarioOf(*arguments, catalogue);
    if (!input.scenario) {
        return input.exitCode == Usage ? usageError(input.problems, "advise")
                                       : refuse(input.problems, input.exitCode, asJson);
    }
    Scenario scenario = *input.scenario;
    const Advice advice = advise(scenario, *voice, limits);
    if (!advice.problems.empty()) {
        return refuse(advice.problems, NotLegal, asJson);
    }
    std::optional<Optimum> optimum;
    if (trains(*voice) && !arguments->has("--no-search")) {
        const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
        optimum = findOptimum(scenario, advice, threads, [] { return false; });
    }
    std::optional<WhyNot> answer;
    if (const std::optional<std::string> changes = arguments->valueOf("--why-not")) {
        const Result<Layout> wanted = readLayoutChanges(*changes, advice.pick.layout, scenario.cluster.devices());
        if (!wanted) {
            return usageError(wanted.problems, "advise");
        }
        scenario.layout = advice.pick.layout;
        answer = whyNot(scenario, *wanted);
    }
    if (asJson) {
        fmt::print("{}", writeAdvice(advice, optimum, answer));
        return Done;
    }
    fmt::print("{}{}", heading(scenario, *voice), adviceText(advice));
    if (optimum) {
        fmt::print("{}\n", describe(*optimum));
    }
    if (answer) {
        fmt::print("\nwhy not {}?\n{}", *arguments->valueOf("--why-not"), answer->text);
    }
    return Done;
}

} // namespace partita::cli
