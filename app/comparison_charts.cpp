// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/comparison_charts.h"

#include "app/chart_file.h"
#include "widgets/compare_chart.h"
#include "widgets/gantt_pair.h"
#include "widgets/text.h"

#include <QCoreApplication>

#include <algorithm>

namespace partita::ui {

namespace {

std::shared_ptr<const Chart> pipelinesOf(const std::vector<ComparedLayout>& layouts, std::size_t other)
{
    const auto pipeline = [](const ComparedLayout& layout) {
        return std::make_shared<GanttChart>(std::shared_ptr<const Timeline>(layout.report, &layout.report->timeline),
                                            pipelineTitle(layout.scenario.layout));
    };
    const auto name = [&](std::size_t i) {
        return QStringLiteral("%1  %2").arg(QChar(letterOf(i))).arg(toText(labelOf(layouts[i].scenario.layout.schedule)));
    };
    auto pair = std::make_shared<GanttPair>(pipeline(layouts.front()), pipeline(layouts[other]), name(0), name(other));
    pair->setName(QStringLiteral("compare-pipelines-a%1").arg(QChar(letterOf(other)).toLower()),
                  QCoreApplication::translate("partita::ui", "Pipelines of A and %1").arg(QChar(letterOf(other))));
    return pair;
}

} // namespace

std::vector<ComparedLayout> comparedLayouts(const std::vector<std::pair<Scenario, std::shared_ptr<const Report>>>& all)
{
    const bool oneModel = std::all_of(all.begin(), all.end(), [&](const auto& each) {
        return each.first.model.name == all.front().first.model.name;
    });
    std::vector<ComparedLayout> layouts;
    for (const auto& [scenario, report] : all) {
        const std::string name = layoutName(scenario.layout);
        layouts.push_back({oneModel ? name : scenario.model.name + " · " + name, scenario, report});
    }
    return layouts;
}

std::vector<std::shared_ptr<const Chart>> comparisonCharts(const std::vector<ComparedLayout>& layouts,
                                                           const Catalogue& catalogue)
{
    std::vector<std::shared_ptr<const Chart>> charts;
    const std::vector<ComparisonRow> rows = differingRows(layouts, catalogue);
    for (std::size_t other = 1; other < layouts.size(); ++other) {
        for (const Name<ComparedQuantity>& quantity : Names<ComparedQuantity>::table) {
            charts.push_back(std::make_shared<const CompareChart>(layouts, rows, quantity.value, 0, other));
        }
        charts.push_back(pipelinesOf(layouts, other));
    }
    return charts;
}

ChartTable differenceTable(const std::vector<ComparedLayout>& layouts, const Catalogue& catalogue)
{
    ChartTable table =
        CompareChart(layouts, differingRows(layouts, catalogue), ComparedQuantity::StepTime, 0, 0).table();
    for (std::size_t i = 0; i < layouts.size(); ++i) {
        table.header[static_cast<qsizetype>(i) + 1] = QString(QChar(letterOf(i)));
    }
    return table;
}

} // namespace partita::ui
