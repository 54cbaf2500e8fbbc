// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/chart_file.h"

#include "app/heatmap_data.h"
#include "app/report_text.h"
#include "core/formats/scenario_file.h"
#include "widgets/gantt_chart.h"
#include "widgets/heatmap_chart.h"
#include "widgets/labels.h"
#include "widgets/memory_chart.h"
#include "widgets/serving_charts.h"
#include "widgets/step_time_chart.h"

#include <algorithm>
#include <thread>

namespace partita::ui {

namespace {

Plane sweptPlane(const Scenario& scenario, const HeatmapChoice& view)
{
    Plane plane = planeAround(scenario, view.rows, view.columns, view.rest, view.limits);
    const unsigned threads = view.rest == PlaneRest::Searched ? std::max(1U, std::thread::hardware_concurrency()) : 1;
    sweep(
        scenario, plane, [] { return false; },
        [&plane](std::size_t index, PlaneCell cell) { plane.cells[index] = std::move(cell); },
        static_cast<int>(threads));
    return plane;
}

} // namespace

ChartPage pageOf(const Scenario& scenario, const Catalogue& catalogue, PageFormat format, Palette palette)
{
    ChartPage page = chartPage(format, palette);
    page.caption = QStringLiteral("%1 · %2 × %3 · %4 · partita " PARTITA_VERSION)
                       .arg(QString::fromStdString(scenario.model.name))
                       .arg(scenario.cluster.devices())
                       .arg(QString::fromStdString(scenario.cluster.accelerator.name),
                            QString::fromStdString(productLine(scenario.layout)));
    page.provenance = {writeScenario(scenario, catalogue)};
    return page;
}

QByteArray chartBytes(const Chart& chart, ChartFormat format, const ChartPage& page, double pixelRatio)
{
    switch (format) {
    case ChartFormat::Svg:
        return toSvg(chart, page);
    case ChartFormat::Pdf:
        return toPdf(chart, page);
    case ChartFormat::Png:
        return toPng(chart, page, pixelRatio);
    case ChartFormat::Csv:
        return toCsv(chart, page);
    }
    return {};
}

std::vector<std::unique_ptr<Chart>> chartsOf(const Scenario& scenario, const Report& report,
                                             const HeatmapChoice& heatmap)
{
    std::vector<std::unique_ptr<Chart>> charts;
    charts.push_back(std::make_unique<MemoryChart>(report));
    charts.push_back(std::make_unique<StepTimeChart>(report));
    charts.push_back(std::make_unique<GanttChart>(std::make_shared<const Timeline>(report.timeline),
                                                  pipelineTitle(scenario.layout)));
    charts.push_back(
        std::make_unique<HeatmapChart>(heatmapData(sweptPlane(scenario, heatmap), scenario, heatmap.quantity)));
    return charts;
}

std::vector<std::unique_ptr<Chart>> servingChartsOf(const std::shared_ptr<const ServingData>& served)
{
    std::vector<std::unique_ptr<Chart>> charts;
    charts.push_back(std::make_unique<RoomChart>(served));
    charts.push_back(std::make_unique<TokenTimeChart>(served));
    charts.push_back(std::make_unique<ServingCurveChart>(served));
    return charts;
}

bool asksToServe(const Scenario& scenario)
{
    return scenario.serving != Serving();
}

std::vector<std::string> chartIds()
{
    std::vector<std::string> ids;
    for (const QString& id : {MemoryChart().id(), StepTimeChart().id(), GanttChart().id(), HeatmapChart().id()}) {
        ids.push_back(id.toStdString());
    }
    return ids;
}

std::vector<std::string> servingChartIds()
{
    std::vector<std::string> ids;
    for (const auto& chart : servingChartsOf(nullptr)) {
        ids.push_back(chart->id().toStdString());
    }
    return ids;
}

QString pipelineTitle(const Layout& layout)
{
    QString title = QCoreApplication::translate("partita::ui", "Pipeline — %1, p %2")
                        .arg(labelText(layout.schedule))
                        .arg(layout.pp);
    if (layout.vpp > 1) {
        title += QCoreApplication::translate("partita::ui", ", v %1").arg(layout.vpp);
    }
    return title + QCoreApplication::translate("partita::ui", ", m %1").arg(layout.microBatches());
}

} // namespace partita::ui
