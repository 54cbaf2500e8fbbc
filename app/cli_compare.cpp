// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli_compare.h"

#include "app/cli_input.h"
#include "app/comparison_charts.h"
#include "app/scenario_options.h"
#include "core/formats/files.h"
#include "core/training/evaluate.h"
#include "widgets/compare_chart.h"

#include <fmt/format.h>

namespace partita::cli {

namespace {

constexpr std::string_view compareName = "--compare";
constexpr std::size_t most = ui::CompareChart::mostPinned - 1;

} // namespace

Option compareOption()
{
    return {compareName, "FILE", "a scenario to show beside this one; may be given three times", Times::Often};
}

std::vector<EvaluatedScenario> readCompared(OptionReader& reader, const Catalogue& catalogue)
{
    std::vector<EvaluatedScenario> others;
    const std::vector<std::string> paths = reader.arguments().valuesOf(compareName);
    for (std::size_t i = 0; i < paths.size(); ++i) {
        if (i == most) {
            reader.refuse(Usage,
                          {std::string(compareName), paths[i], "is one scenario too many",
                           fmt::format("{} beside the first", most)});
            break;
        }
        const std::optional<Scenario> other = readScenarioFile(reader, paths[i], catalogue);
        if (!other) {
            continue;
        }
        auto report = std::make_shared<const Report>(evaluate(*other));
        reader.refuse(NotLegal, within(inputName(paths[i]), report->problems));
        others.emplace_back(*other, std::move(report));
    }
    return others;
}

std::vector<ComparedLayout> comparedWith(const Scenario& scenario, const Report& report,
                                         std::vector<EvaluatedScenario> others)
{
    if (others.empty()) {
        return {};
    }
    others.insert(others.begin(), EvaluatedScenario(scenario, std::make_shared<const Report>(report)));
    return ui::comparedLayouts(others);
}

} // namespace partita::cli
