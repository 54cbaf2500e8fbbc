// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli.h"
#include "app/cli_runs.h"
#include "app/default_scenario.h"
#include "app/serving_options.h"
#include "core/explain/derivation_text.h"
#include "core/formats/report_json.h"
#include "core/serving/serve.h"
#include "core/training/evaluate.h"

#include <fmt/format.h>

#include <charconv>

namespace partita::cli {

namespace {

constexpr int deepest = 12;

int refuse(const Problems& problems, int exitCode, bool asJson)
{
    if (exitCode == Usage) {
        return usageError(problems, "explain");
    }
    printProblems(problems);
    if (asJson) {
        fmt::print("{}", writeProblems(problems));
    }
    return exitCode;
}

Result<int> depthOf(const Arguments& arguments)
{
    const std::optional<std::string> text = arguments.valueOf("--depth");
    if (!text) {
        return 2;
    }
    int depth = 0;
    const auto read = std::from_chars(text->data(), text->data() + text->size(), depth);
    if (read.ec != std::errc() || read.ptr != text->data() + text->size() || depth < 0 || depth > deepest) {
        return Problem{"--depth", *text, "is not a depth", fmt::format("0 to {}", deepest)};
    }
    return depth;
}

constexpr std::string_view served = "serving.";

bool isServed(std::string_view path)
{
    return path.substr(0, served.size()) == served;
}

/// Of serving alone where that is what was asked about.
void printValues(const Explainer& explainer, bool all, bool ofServing, bool asJson)
{
    std::vector<std::string> paths = all ? explainer.allValues() : explainer.reportedValues();
    std::erase_if(paths, [ofServing](const std::string& path) { return ofServing && !isServed(path); });
    if (asJson) {
        fmt::print("{}", writeValues(explainer, paths));
        return;
    }
    for (const std::string& path : paths) {
        if (const Result<Derivation> derivation = explainer.explain(path)) {
            fmt::print("{:<44}{:<16} {}\n", path, derivation->valueText(), derivation->name);
        }
    }
}

/// Options of serving ask for nothing where serving is not explained.
Problems misplaced(const Arguments& arguments, bool ofServing)
{
    Problems problems;
    for (const Option& option : servingOptions()) {
        if (!ofServing && arguments.has(option.name)) {
            problems.push_back({std::string(option.name), {}, "is an option of serving", "--serve"});
        }
    }
    if (sweepsBatch(arguments)) {
        problems.push_back({"--batch", "sweep", "one batch is explained at a time", "a number"});
    }
    return problems;
}

} // namespace

int explainVerb(const Words& words)
{
    std::vector<Option> options = scenarioOptions();
    options.push_back({"--value", "NAME", "the value to derive, as evaluate --json names it: memory.peak_bytes; of "
                                          "serve --json: serving.tpot_s"});
    options.push_back({"--serve", "", "explain serving, with the options of partita serve"});
    options.push_back({"--depth", "N", "levels of terms to unfold, 0 to 12; 2 when left out"});
    options.push_back({"--all", "", "list intermediate values, too"});
    options.push_back({"--json", "", "print JSON"});
    options.push_back({"--help", "", "print this"});
    std::vector<Option> known = options;
    known.insert(known.end(), servingOptions().begin(), servingOptions().end());
    const Result<Arguments> arguments = parseArguments(words, known, 1);
    if (!arguments) {
        return usageError(arguments.problems, "explain");
    }
    if (arguments->has("--help")) {
        fmt::print("usage: partita explain [SCENARIO|-] [--value NAME] [options]\n\n"
                   "Derives a value of the report: formula, numbers, terms down to the presets, sources.\n"
                   "Without --value: lists what can be explained.\n\n{}",
                   describeOptions(options));
        return Done;
    }
    const bool asJson = arguments->has("--json");
    const Result<int> depth = depthOf(*arguments);
    if (!depth) {
        return usageError(depth.problems, "explain");
    }
    const std::optional<std::string> value = arguments->valueOf("--value");
    const bool ofServing = arguments->has("--serve") || (value && isServed(*value));
    if (const Problems problems = misplaced(*arguments, ofServing); !problems.empty()) {
        return usageError(problems, "explain");
    }
    const Catalogue catalogue = loadPresets();
    printProblems(catalogue.problems);
    const ScenarioInput loaded =
        ofServing ? servedScenarioOf(*arguments, catalogue) : scenarioOf(*arguments, catalogue);
    if (!loaded.scenario) {
        return refuse(loaded.problems, loaded.exitCode, asJson);
    }
    const Report report = evaluate(*loaded.scenario);
    const Explainer explainer(*loaded.scenario, report, loadComparableRuns(catalogue),
                              ofServing ? Explainer::Scope::TrainingAndServing : Explainer::Scope::Training);
    const Problems problems = ofServing ? checkServing(*loaded.scenario) : report.problems;
    if (!value) {
        printProblems(problems);
        printValues(explainer, arguments->has("--all"), ofServing, asJson);
        return problems.empty() ? Done : NotLegal;
    }
    const Result<Derivation> derivation = explainer.explain(*value);
    if (!derivation) {
        return refuse(derivation.problems, problems.empty() ? Usage : NotLegal, asJson);
    }
    fmt::print("{}",
               asJson ? writeDerivation(explainer, *derivation, *depth)
                      : derivationText(explainer, *derivation, *depth));
    return Done;
}

} // namespace partita::cli
