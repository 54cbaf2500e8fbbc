// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli.h"
#include "app/cli_runs.h"
#include "app/default_scenario.h"
#include "app/serving_options.h"
#include "core/explain/derivation_text.h"
#include "core/explain/explainer.h"
#include "core/serving/serve.h"
#include "core/training/evaluate.h"

#include <fmt/format.h>

namespace partita::cli {

namespace {

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
void refuseMisplaced(OptionReader& reader, bool ofServing)
{
    for (const Option& option : servingOptions()) {
        if (!ofServing) {
            reader.idle(option.name, "is an option of serving and has no effect without --serve");
        }
    }
    if (sweepsBatch(reader.arguments())) {
        reader.refuse(Usage, {"--batch", "sweep", "one batch is explained at a time", "a number"});
    }
}

int run(const Arguments& arguments)
{
    constexpr int deepest = 12;
    int depth = 2;
    OptionReader reader(arguments);
    reader.integer("--depth", depth, 0, deepest);
    reader.onlyWith("--depth", "--value");
    reader.notWith("--all", "--value");
    const Catalogue catalogue = loadPresets();
    printProblems(catalogue.problems);
    const std::optional<std::string> value = arguments.valueOf("--value");
    const bool ofServing = arguments.has("--serve") || (value && isServed(*value));
    refuseMisplaced(reader, ofServing);
    const std::optional<Scenario> scenario =
        ofServing ? servedScenarioOf(reader, catalogue) : scenarioOf(reader, catalogue);
    if (!scenario) {
        return reader.refusal();
    }
    const bool asJson = arguments.has("--json");
    const Report report = evaluate(*scenario);
    const Explainer explainer(*scenario, report, loadComparableRuns(catalogue),
                              ofServing ? Explainer::Scope::TrainingAndServing : Explainer::Scope::Training);
    const Problems problems = ofServing ? checkServing(*scenario) : report.problems;
    if (!value) {
        printProblems(problems);
        printValues(explainer, arguments.has("--all"), ofServing, asJson);
        return problems.empty() ? Done : NotLegal;
    }
    const Result<Derivation> derivation = explainer.explain(*value);
    if (!derivation) {
        return refuse(arguments, derivation.problems, problems.empty() ? Usage : NotLegal);
    }
    fmt::print("{}",
               asJson ? writeDerivation(explainer, *derivation, depth) : derivationText(explainer, *derivation, depth));
    return Done;
}

} // namespace

Verb explainVerb()
{
    std::vector<Option> options = scenarioOptions(Purpose::Step);
    options.push_back({"--value", "NAME",
                       "the value to derive, as evaluate --json names it: memory.peak_bytes; of "
                       "serve --json: serving.tpot_s"});
    options.push_back({"--serve", "", "explain serving, with the options below"});
    options.push_back({"--depth", "N", "levels of terms to unfold, 0 to 12; 2 when left out"});
    options.push_back({"--all", "", "list intermediate values, too"});
    options.push_back({"--json", "", "print JSON"});
    options.insert(options.end(), servingOptions().begin(), servingOptions().end());
    return {"partita explain [SCENARIO|-] [--value NAME] [options]\n\n"
            "Derives a value of the report: formula, numbers, terms down to the presets, sources.\n"
            "Without --value: lists what can be explained.",
            std::move(options), 1, run};
}

} // namespace partita::cli
