// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli_compare.h"

#include "app/cli.h"
#include "app/cli_input.h"
#include "app/comparison_charts.h"
#include "core/formats/scenario_file.h"
#include "core/training/evaluate.h"
#include "widgets/compare_chart.h"

#include <fmt/format.h>

namespace partita::cli {

namespace {

constexpr std::string_view compareName = "--compare";

/// Problems of a file say which one.
Problems of(const std::string& path, Problems problems)
{
    for (Problem& problem : problems) {
        problem.field = problem.field.empty() || problem.field == path ? path : path + ": " + problem.field;
    }
    return problems;
}

} // namespace

Option compareOption()
{
    return {compareName, "FILE", "a scenario to show beside this one; may be given three times"};
}

Compared comparedWith(const Arguments& arguments, const Scenario& scenario, const Report& report,
                      const Catalogue& catalogue)
{
    std::vector<std::pair<Scenario, std::shared_ptr<const Report>>> all;
    all.emplace_back(scenario, std::make_shared<const Report>(report));
    for (const auto& [name, path] : arguments.options) {
        if (name != compareName) {
            continue;
        }
        if (all.size() == ui::CompareChart::mostPinned) {
            return {{},
                    {{name, path, "is one scenario too many",
                      fmt::format("{} beside the first", ui::CompareChart::mostPinned - 1)}},
                    Usage};
        }
        const Input input = readInput(path);
        if (input.exitCode != Done) {
            return {{}, input.problems, input.exitCode};
        }
        const Result<Scenario> other = readScenario(input.text, catalogue);
        if (!other) {
            return {{}, of(path, other.problems), NotLegal};
        }
        auto evaluated = std::make_shared<const Report>(evaluate(*other));
        if (!evaluated->legal()) {
            return {{}, of(path, evaluated->problems), NotLegal};
        }
        all.emplace_back(*other, std::move(evaluated));
    }
    return all.size() == 1 ? Compared{} : Compared{ui::comparedLayouts(all), {}, Done};
}

} // namespace partita::cli
