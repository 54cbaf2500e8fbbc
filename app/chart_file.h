// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/names.h"
#include "core/formats/catalogue.h"
#include "core/scenario/scenario.h"
#include "core/search/plane.h"
#include "widgets/chart_export.h"

#include <memory>
#include <vector>

namespace partita::ui {

struct ServingData;

enum class ChartFormat { Svg, Pdf, Png, Csv };

/// How a chart of a scenario goes into a document: with a caption, and the scenario itself as metadata.
ChartPage pageOf(const Scenario& scenario, const Catalogue& catalogue, PageFormat format = PageFormat::Chart,
                 Palette palette = Palette::Paper);

/// pixelRatio: of PNG, 1 to 4.
QByteArray chartBytes(const Chart& chart, ChartFormat format, const ChartPage& page, double pixelRatio = 2);

/// What a heatmap shows.
struct HeatmapChoice {
    PlaneAxis rows = PlaneAxis::Tp;
    PlaneAxis columns = PlaneAxis::Pp; ///< not that of the rows
    PlaneQuantity quantity = PlaneQuantity::Mfu;
    PlaneRest rest = PlaneRest::Kept;
    SearchSpace limits; ///< where the rest is searched
};

/// The charts of the window for a legal scenario, painted by the same code: memory, step time, pipeline, heatmap.
std::vector<std::unique_ptr<Chart>> chartsOf(const Scenario& scenario, const Report& report,
                                             const HeatmapChoice& heatmap = {});

/// "Pipeline — Interleaved 1F1B, p 4, v 2, m 64".
QString pipelineTitle(const Layout& layout);

/// The charts of serving: KV room, time between tokens, latency and throughput.
std::vector<std::unique_ptr<Chart>> servingChartsOf(const std::shared_ptr<const ServingData>& served);

/// The scenario says how it is served: its file has an object `serving`.
bool asksToServe(const Scenario& scenario);

/// Ids of chartsOf(), and of servingChartsOf(), for the command line.
std::vector<std::string> chartIds();
std::vector<std::string> servingChartIds();

} // namespace partita::ui

namespace partita {

template <> struct Names<ui::ChartFormat> {
    static constexpr std::array table{
        Name<ui::ChartFormat>{ui::ChartFormat::Svg, "svg", "SVG"},
        Name<ui::ChartFormat>{ui::ChartFormat::Pdf, "pdf", "PDF"},
        Name<ui::ChartFormat>{ui::ChartFormat::Png, "png", "PNG"},
        Name<ui::ChartFormat>{ui::ChartFormat::Csv, "csv", "CSV"},
    };
};

} // namespace partita
