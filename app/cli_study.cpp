// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli.h"
#include "app/default_scenario.h"
#include "app/scenario_options.h"
#include "app/study_text.h"
#include "core/formats/report_json.h"
#include "core/formats/study_json.h"
#include "core/training/evaluate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace partita::cli {

namespace {

const std::vector<Option>& studyOptions()
{
    static const std::vector<Option> options = [] {
        std::vector<Option> all = scenarioOptions();
        all.push_back({"--placement", "", "rank orders: which groups cross a link, and what that costs"});
        all.push_back({"--scaling", "AXIS", "step time and MFU along an axis; may be given several times"});
        all.push_back({"--advised", "", "for --scaling: also with the layout advised anew at every point"});
        all.push_back({"--sensitivity", "", "what 20 % more or less of each constant does to time and ranking"});
        all.push_back({"--json", "", "print as JSON"});
        all.push_back({"--help", "", "print this"});
        return all;
    }();
    return options;
}

std::vector<std::string_view> axisKeys()
{
    std::vector<std::string_view> keys;
    for (const Name<ScalingAxis>& axis : Names<ScalingAxis>::table) {
        keys.push_back(axis.key);
    }
    return keys;
}

int refuse(const Problems& problems, int exitCode, bool asJson)
{
    printProblems(problems);
    if (asJson) {
        fmt::print("{}", writeProblems(problems));
    }
    return exitCode;
}

Result<std::vector<ScalingAxis>> axesOf(const Arguments& arguments)
{
    std::vector<ScalingAxis> axes;
    Problems problems;
    for (const auto& [name, text] : arguments.options) {
        if (name != "--scaling") {
            continue;
        }
        if (const std::optional<ScalingAxis> axis = fromKey<ScalingAxis>(text)) {
            axes.push_back(*axis);
        } else {
            problems.push_back({name, text, "not known", fmt::format("one of {}", fmt::join(axisKeys(), ", "))});
        }
    }
    if (!problems.empty()) {
        return problems;
    }
    return axes;
}

Study studyOf(const Scenario& scenario, const Arguments& arguments, const std::vector<ScalingAxis>& axes)
{
    Study study;
    if (arguments.has("--placement")) {
        study.placements = rankPlacements(scenario);
    }
    for (const ScalingAxis axis : axes) {
        study.scaling.push_back(scalingCurve(scenario, axis, ScalingMode::Held));
        if (arguments.has("--advised")) {
            study.scaling.push_back(scalingCurve(scenario, axis, ScalingMode::Advised));
        }
    }
    if (arguments.has("--sensitivity")) {
        study.tornado = tornado(scenario, contenders(scenario));
    }
    return study;
}

} // namespace

int studyVerb(const Words& words)
{
    const Result<Arguments> arguments = parseArguments(words, studyOptions(), 1);
    if (!arguments) {
        return usageError(arguments.problems, "study");
    }
    if (arguments->has("--help")) {
        fmt::print("usage: partita study [SCENARIO|-] [options] --placement | --scaling AXIS | --sensitivity\n\n"
                   "Questions about a scenario's own layout; several may be asked at once.\naxes: {}\n\n{}",
                   fmt::join(axisKeys(), " "), describeOptions(studyOptions()));
        return Done;
    }
    const Result<std::vector<ScalingAxis>> axes = axesOf(*arguments);
    if (!axes) {
        return usageError(axes.problems, "study");
    }
    if (axes->empty() && !arguments->has("--placement") && !arguments->has("--sensitivity")) {
        return usageError({{"study", {}, "nothing is asked", "--placement, --scaling AXIS or --sensitivity"}}, "study");
    }
    const bool asJson = arguments->has("--json");
    const Catalogue catalogue = loadPresets();
    printProblems(catalogue.problems);
    const ScenarioInput input = scenarioOf(*arguments, catalogue);
    if (!input.scenario) {
        return input.exitCode == Usage ? usageError(input.problems, "study")
                                       : refuse(input.problems, input.exitCode, asJson);
    }
    const Report report = evaluate(*input.scenario);
    if (!report.legal()) {
        return refuse(report.problems, NotLegal, asJson);
    }
    const Study study = studyOf(*input.scenario, *arguments, *axes);
    fmt::print("{}", asJson ? writeStudy(study) : studyText(study));
    return Done;
}

} // namespace partita::cli
