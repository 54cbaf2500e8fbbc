// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/axis_words.h"
#include "app/cli.h"
#include "app/default_scenario.h"
#include "app/scenario_options.h"
#include "app/study_text.h"
#include "core/formats/study_json.h"
#include "core/training/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace partita::cli {

namespace {

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
        TornadoOptions options;
        options.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
        study.tornado = tornado(scenario, contenders(scenario, options), options);
    }
    return study;
}

int run(const Arguments& arguments)
{
    OptionReader reader(arguments);
    const std::vector<ScalingAxis> axes = reader.choices<ScalingAxis>("--scaling", arguments.valuesOf("--scaling"));
    if (!arguments.has("--scaling") && !arguments.has("--placement") && !arguments.has("--sensitivity")) {
        reader.refuse(Usage, {"study", {}, "nothing is asked", "--placement, --scaling AXIS or --sensitivity"});
    }
    reader.onlyWith("--advised", "--scaling");
    const Catalogue catalogue = loadPresets();
    printProblems(catalogue.problems);
    const std::optional<Scenario> scenario = scenarioOf(reader, catalogue);
    if (!scenario) {
        return reader.refusal();
    }
    const Report report = evaluate(*scenario);
    if (!report.legal()) {
        return refuse(arguments, report.problems, NotLegal);
    }
    const Study study = studyOf(*scenario, arguments, axes);
    fmt::print("{}", arguments.has("--json") ? writeStudy(study) : studyText(study));
    return Done;
}

} // namespace

Verb studyVerb()
{
    std::vector<Option> options = scenarioOptions(Purpose::Step);
    options.push_back({"--placement", "", "rank orders: which groups cross a link, and what that costs"});
    options.push_back(
        {"--scaling", "AXIS", "step time and MFU along an axis; may be given several times", Times::Often});
    options.push_back({"--advised", "", "for --scaling: also with the layout advised anew at every point"});
    options.push_back({"--sensitivity", "", "what 20 % more or less of each constant does to time and ranking"});
    options.push_back({"--json", "", "print as JSON"});
    return {fmt::format("partita study [SCENARIO|-] [options] --placement | --scaling AXIS | --sensitivity\n\n"
                        "Questions about a scenario's own layout; several may be asked at once.\naxes: {}",
                        knownWords<ScalingAxis>()),
            std::move(options), 1, run};
}

} // namespace partita::cli
