// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli_explain.h"

#include "app/cli.h"
#include "app/cli_compare.h"
#include "app/cli_runs.h"
#include "app/default_scenario.h"
#include "app/report_document.h"
#include "app/serving_options.h"
#include "core/compare/comparison_values.h"
#include "core/explain/derivation_text.h"
#include "core/explain/explainer.h"
#include "core/serving/serve.h"
#include "core/training/evaluate.h"

#include <fmt/format.h>

namespace partita::cli {

namespace {

constexpr std::string_view served = "serving.";
constexpr std::string_view valueName = "--value";
constexpr std::string_view depthName = "--depth";

Option depthOption()
{
    return {depthName, "N", "levels of terms to unfold, 0 to 12; 2 when left out"};
}

bool isServed(std::string_view path)
{
    return path.substr(0, served.size()) == served;
}

/// Of serving alone where that is what was asked about.
void printValues(const ExplainedValues& explainer, bool all, bool ofServing, bool asJson)
{
    std::vector<std::string> paths = all ? explainer.allValues() : explainer.reportedValues();
    std::erase_if(paths, [ofServing](const std::string& path) { return ofServing && !isServed(path); });
    if (asJson) {
        fmt::print("{}", writeValues(explainer, paths));
        return;
    }
    for (const std::string& path : paths) {
        if (const Result<Derivation> derivation = explainer.explain(path)) {
            fmt::print("{:<42}  {:<14}  {}\n", path, derivation->valueText(), derivation->name);
        }
    }
}

/// `serve --json` names its values without what tells them from those of the step: these come first where serving was
/// asked for, and last where the file says how it is served, too.
std::string pathFor(const std::string& asked, const ExplainedValues& values, bool servingFirst)
{
    const std::string ofServing = std::string(served) + asked;
    const bool known = values.find(ofServing) != nullptr;
    return known && (servingFirst || values.find(asked) == nullptr) ? ofServing : asked;
}

int run(const Arguments& arguments)
{
    OptionReader reader(arguments);
    std::optional<ExplainRequest> request = readExplain(reader, valueName);
    reader.notWith("--all", valueName);
    reader.notWith(serveOption({}).name, compareOption().name);
    const Catalogue catalogue = loadPresets();
    printProblems(catalogue.problems);
    const bool ofServing = arguments.has(serveOption({}).name) || (request && isServed(request->path));
    refuseMisplaced(reader, ofServing);
    const std::vector<EvaluatedScenario> others = readCompared(reader, catalogue);
    const std::optional<Scenario> scenario =
        ofServing ? servedScenarioOf(reader, catalogue) : scenarioOf(reader, catalogue);
    if (!scenario) {
        return reader.refusal();
    }
    const Report report = evaluate(*scenario);
    const std::vector<ComparableRun> runs = loadComparableRuns(catalogue);
    std::unique_ptr<const ExplainedValues> values;
    Problems problems = report.problems;
    if (!others.empty()) {
        if (!report.legal()) {
            return refuse(arguments, problems, NotLegal);
        }
        const std::vector<ComparedLayout> layouts = comparedWith(*scenario, report, others);
        values = explainComparison(layouts, differingRows(layouts, catalogue), runs);
    } else if (ofServing) {
        problems = checkServing(*scenario);
        values = std::make_unique<Explainer>(*scenario, report, runs, Explainer::Scope::TrainingAndServing);
    } else {
        values = std::make_unique<Explainer>(*scenario, report, runs, ui::reportScope(*scenario));
    }
    if (!request) {
        printProblems(problems);
        printValues(*values, arguments.has("--all"), ofServing, arguments.has("--json"));
        return problems.empty() ? Done : NotLegal;
    }
    if (others.empty()) {
        request->path = pathFor(request->path, *values, ofServing);
    }
    return printDerivation(arguments, *values, *request, problems.empty() ? Usage : NotLegal);
}

} // namespace

std::vector<Option> explainOptions(std::string_view help)
{
    return {{"--explain", "NAME", help}, depthOption()};
}

std::optional<ExplainRequest> readExplain(OptionReader& reader, std::string_view option)
{
    constexpr int deepest = 12;
    ExplainRequest request{option, {}, 2};
    reader.integer(depthName, request.depth, 0, deepest);
    reader.onlyWith(depthName, option);
    const std::optional<std::string> path = reader.arguments().valueOf(option);
    request.path = path.value_or("");
    return path ? std::optional(request) : std::nullopt;
}

int printDerivation(const Arguments& arguments, const ExplainedValues& values, const ExplainRequest& request,
                    int unknown)
{
    const Result<Derivation> derivation = values.explain(request.path);
    if (!derivation) {
        Problems problems = derivation.problems;
        for (Problem& problem : problems) {
            problem.field = problem.value == request.path ? std::string(request.option) : problem.field;
        }
        return refuse(arguments, problems, unknown);
    }
    fmt::print("{}",
               arguments.has("--json") ? writeDerivation(values, *derivation, request.depth)
                                       : derivationText(values, *derivation, request.depth));
    return Done;
}

Verb explainVerb()
{
    std::vector<Option> options = scenarioOptions(Purpose::Step);
    options.push_back(
        {valueName, "NAME",
         "the value to derive, as evaluate --json names it: memory.peak_bytes; with --serve as "
         "serve --json does: tpot_s, or serving.tpot_s without; of a comparison: b.step_time_s, ab.step_time_s"});
    options.push_back(compareOption());
    options.push_back(serveOption("explain serving, with the options below"));
    options.push_back(depthOption());
    options.push_back({"--all", "", "list intermediate values, too"});
    options.push_back({"--json", "", "print JSON"});
    options.insert(options.end(), servingOptions().begin(), servingOptions().end());
    return {"partita explain [SCENARIO|-] [--value NAME] [options]\n\n"
            "Derives a value of the report: formula, numbers, terms down to the presets, sources.\n"
            "Without --value: lists what can be explained. With --compare: the first scenario is a, those beside it\n"
            "b, c and d; ab.waterfall.step_time.steps[0].change is a bar of the way from a to b.",
            std::move(options), 1, run};
}

} // namespace partita::cli
