// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/comparison_charts.h"

#include "app/chart_file.h"
#include "core/formats/scenario_file.h"
#include "widgets/compare_chart.h"
#include "widgets/gantt_pair.h"
#include "widgets/table_chart.h"
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
        return QStringLiteral("%1  %2")
            .arg(QChar(letterOf(i)))
            .arg(toText(labelOf(layouts[i].scenario.layout.schedule)));
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

std::vector<std::shared_ptr<const Chart>> comparisonCharts(const std::vector<ComparedLayout>& layouts)
{
    std::vector<std::shared_ptr<const Chart>> charts;
    for (std::size_t other = 1; other < layouts.size(); ++other) {
        for (const Name<ComparedQuantity>& quantity : Names<ComparedQuantity>::table) {
            charts.push_back(std::make_shared<const CompareChart>(layouts, quantity.value, 0, other));
        }
        charts.push_back(pipelinesOf(layouts, other));
    }
    return charts;
}

std::vector<std::string> provenanceOf(const std::vector<ComparedLayout>& layouts, const Catalogue& catalogue)
{
    std::vector<std::string> texts;
    for (const ComparedLayout& layout : layouts) {
        texts.push_back(writeScenario(layout.scenario, catalogue));
    }
    return texts;
}

ChartTable differenceTable(const std::vector<ComparedLayout>& layouts, const Catalogue& catalogue)
{
    ChartTable table{{CompareChart::tr("what differs")}, {}};
    for (std::size_t i = 0; i < layouts.size(); ++i) {
        table.header << QString(QChar(letterOf(i)));
    }
    for (const ComparisonRow& row : differingRows(layouts, catalogue)) {
        QStringList cells{toText(row.label)};
        for (const std::string& value : row.values) {
            cells << (value.empty() ? QStringLiteral("–") : toText(value));
        }
        table.rows.push_back(std::move(cells));
    }
    return table;
}

std::shared_ptr<const Chart> differenceChart(const std::vector<ComparedLayout>& layouts, const Catalogue& catalogue)
{
    ChartTable exact{{CompareChart::tr("what differs"), CompareChart::tr("key"), CompareChart::tr("unit")}, {}};
    for (std::size_t i = 0; i < layouts.size(); ++i) {
        exact.header << QStringLiteral("%1  %2").arg(QChar(letterOf(i))).arg(toText(layouts[i].name));
    }
    for (const ComparisonRow& row : differingRows(layouts, catalogue)) {
        QStringList cells{toText(row.label), toText(row.key), toText(row.unit)};
        for (std::size_t i = 0; i < row.values.size(); ++i) {
            cells << (row.numbers[i] ? exactNumber(*row.numbers[i]) : toText(row.values[i]));
        }
        exact.rows.push_back(std::move(cells));
    }
    const QString title = QCoreApplication::translate("partita::ui", "What differs");
    return std::make_shared<const TableChart>(
        TableChart::Name{QStringLiteral("compare-differences"), title,
                         QCoreApplication::translate("partita::ui", "Settings and figures in which layouts differ")},
        differenceTable(layouts, catalogue), std::move(exact));
}

} // namespace partita::ui
