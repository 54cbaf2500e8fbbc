// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli.h"
#include "app/default_scenario.h"
#include "app/serving_options.h"
#include "app/serving_text.h"
#include "core/formats/serving_report_json.h"
#include "core/serving/serve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace partita::cli {

namespace {

std::vector<ServingReport> sweep(const Scenario& scenario, const ServingReport& report)
{
    const double most = report.fits && std::isfinite(report.cache.steadyRequests)
        ? std::min(report.cache.steadyRequests, static_cast<double>(scenario.stack.engine.mostSequences))
        : static_cast<double>(scenario.stack.engine.mostSequences);
    return sweepBatch(scenario, batchLadder(static_cast<std::int64_t>(most / report.layout.inFlight)));
}

ServingExtras extrasFor(const Arguments& arguments, const Scenario& scenario, const ServingReport& report)
{
    ServingExtras extras;
    if (sweepsBatch(arguments)) {
        extras.sweep = sweep(scenario, report);
    }
    if (arguments.has("--layouts")) {
        extras.search = searchServing(scenario);
    }
    if (arguments.has("--compare")) {
        extras.widths = replicasOrWider(scenario);
    }
    if (arguments.has("--advise")) {
        extras.recipe = serveByRecipe(scenario);
    }
    return extras;
}

std::string extrasText(const ServingExtras& extras)
{
    std::string text = extras.sweep.empty() ? std::string() : '\n' + sweepText(extras.sweep);
    text += extras.search ? '\n' + searchText(*extras.search) : std::string();
    text += extras.widths.empty() ? std::string() : '\n' + widthsText(extras.widths);
    return text + (extras.recipe ? '\n' + recipeText(*extras.recipe) : std::string());
}

int run(const Arguments& arguments)
{
    const Catalogue catalogue = loadPresets();
    printProblems(catalogue.problems);
    OptionReader reader(arguments);
    const std::optional<Scenario> scenario = servedScenarioOf(reader, catalogue);
    if (!scenario) {
        return reader.refusal();
    }
    const ServingReport report = serve(*scenario);
    printProblems(report.problems);
    const ServingExtras extras = report.legal() ? extrasFor(arguments, *scenario, report) : ServingExtras();
    if (arguments.has("--json")) {
        fmt::print("{}", writeServingReport(report, extras));
    } else if (report.legal()) {
        fmt::print("{}{}", servingText(*scenario, report), extrasText(extras));
    }
    return report.legal() ? Done : NotLegal;
}

} // namespace

Verb serveVerb()
{
    std::vector<Option> options = servingOptions();
    const std::vector<Option> scenarioWide = scenarioOptions(Purpose::Serving);
    options.insert(options.end(), scenarioWide.begin(), scenarioWide.end());
    options.push_back({"--layouts", "", "all splits of the devices: those no other beats"});
    options.push_back({"--compare", "", "one engine of all tensor ranks beside replicas of fewer"});
    options.push_back({"--advise", "", "a layout by the rule of thumb, with the way there"});
    options.push_back({"--json", "", "print the whole report as JSON"});
    return {"partita serve [SCENARIO|-] [options]\n\n"
            "What a model's latency, throughput and room for requests are when it is served. Options override\n"
            "the file. Without one: Llama 3.1 70B on eight H100 under vLLM.",
            std::move(options), 1, run};
}

} // namespace partita::cli
