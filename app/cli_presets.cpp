// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli.h"
#include "app/default_scenario.h"
#include "app/option_reader.h"
#include "core/base/format.h"
#include "core/formats/catalogue_json.h"
#include "core/model/parameters.h"

#include <fmt/format.h>

#include <array>

namespace partita::cli {

namespace {

constexpr std::array kinds{std::string_view("models"), std::string_view("accelerators"), std::string_view("clusters"),
                           std::string_view("stacks")};

void printModels(const Catalogue& catalogue)
{
    for (const Model& model : catalogue.models) {
        const ModelParameters count = parameters(model);
        fmt::print("  {:<32}{:>20} parameters{:>20} active  {}\n", model.id, formatCount(count.total()),
                   formatCount(count.active), model.name);
    }
}

void printAccelerators(const Catalogue& catalogue)
{
    for (const Accelerator& accelerator : catalogue.accelerators) {
        fmt::print("  {:<32}{:>12}{:>16} TB/s{:>16} TFLOP/s bf16  {}\n", accelerator.id,
                   formatBytes(accelerator.memoryBytes), formatSignificant(accelerator.memoryBandwidth / 1e12),
                   formatSignificant(accelerator.peak.bf16 / 1e12), accelerator.name);
    }
}

void printClusters(const Catalogue& catalogue)
{
    for (const Cluster& cluster : catalogue.clusters) {
        fmt::print("  {:<32}{:>4} × {:<4}{:<24}{}\n", cluster.id, cluster.nodes, cluster.devicesPerNode,
                   cluster.accelerator.id, cluster.name);
    }
}

void printStacks(const Catalogue& catalogue)
{
    for (const Stack& stack : catalogue.stacks) {
        fmt::print("  {:<32}{}\n", stack.id, stack.name);
    }
}

int run(const Arguments& arguments)
{
    OptionReader reader(arguments);
    const std::string asked = arguments.positional.empty() ? std::string() : arguments.positional.front();
    if (!asked.empty()) {
        reader.isOneOf("KIND", asked, {kinds.begin(), kinds.end()});
    }
    if (!reader.fine()) {
        return reader.refusal();
    }
    const Catalogue catalogue = loadPresets();
    printProblems(catalogue.problems);
    if (arguments.has("--json")) {
        fmt::print("{}", writeCatalogue(catalogue, asked));
        return Done;
    }
    constexpr std::array print{printModels, printAccelerators, printClusters, printStacks};
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        if (asked.empty() || asked == kinds[i]) {
            fmt::print("{}\n", kinds[i]);
            print[i](catalogue);
        }
    }
    return Done;
}

} // namespace

Verb presetsVerb()
{
    return {
        "partita presets [models|accelerators|clusters|stacks] [--json]", {{"--json", "", "print as JSON"}}, 1, run};
}

} // namespace partita::cli
