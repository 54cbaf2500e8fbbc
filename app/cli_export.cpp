// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/axis_words.h"
#include "app/chart_file.h"
#include "app/cli.h"
#include "app/cli_compare.h"
#include "app/cli_painting.h"
#include "app/comparison_charts.h"
#include "app/scenario_options.h"
#include "app/search_limits.h"
#include "app/serving_data.h"
#include "app/serving_options.h"
#include "app/study_charts.h"
#include "app/write_file.h"
#include "core/formats/files.h"
#include "core/training/evaluate.h"

#include <QDir>

#include <fmt/format.h>

#include <algorithm>

namespace partita::cli {

namespace {

constexpr const char* comparison = "compare"; ///< all charts of --compare
constexpr const char* basic = "basic"; ///< the quick ones

struct Wanted {
    std::vector<std::string> charts;
    bool everything = false; ///< that the scenario has: what it has not is left out
    bool serving = false; ///< charts of serving were asked for
    std::vector<ui::ChartFormat> formats;
    ui::PageFormat size = ui::PageFormat::Chart;
    ui::Palette palette = ui::Palette::Paper;
    double scale = 2;
    ui::HeatmapChoice heatmap;
    ui::StudyAxes study;

    bool has(std::string_view chart) const { return std::find(charts.begin(), charts.end(), chart) != charts.end(); }
    bool writes(ui::ChartFormat format) const
    {
        return std::find(formats.begin(), formats.end(), format) != formats.end();
    }
};

const std::vector<Option>& heatmapOptions()
{
    static const std::string rows = fmt::format("of the heatmap: {}; tp when left out", knownWords<PlaneAxis>());
    static const std::vector<Option> options{
        {"--rows", "AXIS", rows},
        {"--columns", "AXIS", "the same; pp when left out"},
        {"--quantity", "NAME",
         "of heatmap and scaling: mfu, step-time, peak-memory, bubble, tokens-per-device, exposed, cost; mfu when left "
         "out"},
        {"--rest", "kept|searched", "degrees off the axes: the scenario's when left out, or the best within limits"},
    };
    return options;
}

/// The words of a comma-separated option; the first `usual` of those known when it is left out, or says all.
std::vector<std::string> listed(OptionReader& reader, std::string_view option,
                                const std::vector<std::string_view>& known, std::size_t usual)
{
    const std::string text = reader.arguments().valueOf(option).value_or("all");
    if (text == "all") {
        return {known.begin(), known.begin() + static_cast<std::ptrdiff_t>(usual)};
    }
    std::vector<std::string> words;
    for (const std::string_view word : splitAt(text, ",")) {
        reader.isOneOf(option, word, known);
        words.emplace_back(word);
    }
    return words;
}

/// "all" is all that the scenario has, "basic" what takes neither a search nor a sweep.
void readCharts(OptionReader& reader, Wanted& wanted)
{
    const std::vector<std::string> ofServing = ui::servingChartIds();
    const std::vector<std::string> ofStep = ui::chartIds();
    const std::vector<std::string> ofStudies = ui::studyChartIds();
    std::vector<std::string_view> known(ofStep.begin(), ofStep.end());
    known.insert(known.end(), ofServing.begin(), ofServing.end());
    known.emplace_back(comparison);
    const std::size_t quick = known.size();
    known.insert(known.end(), ofStudies.begin(), ofStudies.end());
    const std::string text = reader.arguments().valueOf("--chart").value_or("all");
    wanted.everything = text == "all" || text == basic;
    wanted.charts = text == basic
        ? std::vector<std::string>(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(quick))
        : listed(reader, "--chart", known, known.size());
    const auto names = [&](const std::vector<std::string>& ids) {
        return !wanted.everything
            && std::find_first_of(wanted.charts.begin(), wanted.charts.end(), ids.begin(), ids.end())
            != wanted.charts.end();
    };
    if (!wanted.everything && wanted.has(comparison) && !reader.arguments().has("--compare")) {
        reader.refuse(Usage, {"--chart", comparison, "has nothing to compare with", "--compare FILE"});
    }
    wanted.serving = reader.arguments().has(serveOption({}).name) || names(ofServing);
}

void readFormats(OptionReader& reader, Wanted& wanted)
{
    std::vector<std::string_view> keys;
    for (const auto& name : Names<ui::ChartFormat>::table) {
        keys.push_back(name.key);
    }
    for (const std::string& word : listed(reader, "--format", keys, keys.size())) {
        if (const std::optional<ui::ChartFormat> format = fromKey<ui::ChartFormat>(word)) {
            wanted.formats.push_back(*format);
        }
    }
    if (!wanted.writes(ui::ChartFormat::Png)) {
        reader.idle("--scale", "has no effect without PNG among the formats");
    }
}

void readHeatmap(OptionReader& reader, Wanted& wanted)
{
    ui::HeatmapChoice& view = wanted.heatmap;
    const bool rowsKnown = reader.choice("--rows", view.rows);
    const bool columnsKnown = reader.choice("--columns", view.columns);
    reader.choice("--quantity", view.quantity);
    reader.choice("--rest", view.rest);
    if (rowsKnown && columnsKnown && view.rows == view.columns) {
        reader.refuse(
            Usage,
            {"--columns", std::string(keyOf(view.columns)), "is the axis of the rows, too", "two different axes"});
    }
    const bool searched = view.rest == PlaneRest::Searched || wanted.has("search");
    if (searched) {
        view.limits = readLimits(reader);
        wanted.study.limits = view.limits;
    }
    for (const Option& option : heatmapOptions()) {
        if (!wanted.has("heatmap") && !(option.name == "--quantity" && wanted.has("scaling"))) {
            reader.idle(option.name, "has no effect without the heatmap among the charts");
        }
    }
    for (const Option& option : limitOptions()) {
        if (!searched) {
            reader.idle(option.name, "has no effect without --rest searched, or search among the charts");
        }
    }
}

void readStudies(OptionReader& reader, Wanted& wanted)
{
    reader.choice("--axis", wanted.study.axis);
    if (!wanted.has("scaling")) {
        return reader.idle("--axis", "has no effect without scaling among the charts");
    }
    wanted.study.quantity = wanted.heatmap.quantity;
    if (std::find(scalingQuantities.begin(), scalingQuantities.end(), wanted.study.quantity)
        == scalingQuantities.end()) {
        reader.refuse(Usage,
                      {"--quantity", std::string(keyOf(wanted.study.quantity)), "has no scaling curve",
                       "another quantity, or the heatmap alone"});
    }
}

/// As the card of published runs filters them.
void readRuns(OptionReader& reader, Wanted& wanted)
{
    for (const ui::RunWord& word : ui::runWords) {
        const std::string option = std::string("--") + word.key;
        wanted.study.runs.*word.wanted = QString::fromStdString(reader.arguments().valueOf(option).value_or(""));
        if (!wanted.has("published-runs")) {
            reader.idle(option, "has no effect without published-runs among the charts");
        }
    }
}

Wanted wantedBy(OptionReader& reader)
{
    Wanted wanted;
    readCharts(reader, wanted);
    readFormats(reader, wanted);
    readHeatmap(reader, wanted);
    readStudies(reader, wanted);
    readRuns(reader, wanted);
    reader.choice("--size", wanted.size);
    reader.choice("--palette", wanted.palette);
    reader.number("--scale", wanted.scale, 1, 4);
    reader.require("--out", "--out DIR");
    return wanted;
}

using Charts = std::vector<std::shared_ptr<const ui::Chart>>;

bool isOfComparison(const ui::Chart& chart)
{
    return chart.id().startsWith(QStringLiteral("compare-"));
}

bool isWanted(const ui::Chart& chart, const Wanted& wanted)
{
    return wanted.has(isOfComparison(chart) ? comparison : chart.id().toStdString());
}

/// Those of the step; those of --compare; studies that were asked for; those of serving when the scenario or the
/// options ask for them.
Result<Charts> paintedCharts(const Scenario& scenario, const Report& report, const Wanted& wanted,
                             const std::vector<ComparedLayout>& compared, const Catalogue& catalogue)
{
    Charts charts;
    for (auto& chart : ui::chartsOf(scenario, report, wanted.heatmap)) {
        charts.push_back(std::move(chart));
    }
    if (compared.size() > 1) {
        charts.push_back(ui::differenceChart(compared, catalogue));
    }
    for (auto& chart : ui::comparisonCharts(compared)) {
        charts.push_back(std::move(chart));
    }
    const bool serves = wanted.serving || ui::asksToServe(scenario);
    for (const std::string& id : ui::studyChartIds()) {
        if (!wanted.has(id) || (wanted.everything && !serves && ui::isOfServing(id))) {
            continue;
        }
        Result<std::shared_ptr<const ui::Chart>> chart = ui::studyChart(id, scenario, report, catalogue, wanted.study);
        if (chart) {
            charts.push_back(*std::move(chart));
        } else if (wanted.everything) {
            printProblems(within(id, chart.problems));
        } else {
            return chart.problems;
        }
    }
    if (serves) {
        const std::shared_ptr<const ui::ServingData> served = ui::servingData(scenario);
        if (!served->report.legal()) {
            return served->report.problems;
        }
        for (auto& chart : ui::servingChartsOf(served)) {
            charts.push_back(std::move(chart));
        }
    }
    return charts;
}

/// page: of the scenario; charts of a comparison are on one that holds all that are compared.
int writeCharts(const Arguments& arguments, const Charts& charts, const ui::ChartPage& page, const Wanted& wanted,
                const std::vector<std::string>& compared)
{
    const QString folder = QString::fromStdString(*arguments.valueOf("--out"));
    if (const QString failure = ui::makeFolder(folder); !failure.isEmpty()) {
        return refuse(arguments,
                      {{"--out", folder.toStdString(), "the folder cannot be made: " + failure.toStdString(), {}}},
                      FileTrouble);
    }
    ui::ChartPage beside = page;
    beside.provenance = compared;
    int code = Done;
    for (const auto& chart : charts) {
        if (!isWanted(*chart, wanted)) {
            continue;
        }
        for (std::size_t i = 0; i < wanted.formats.size() && code == Done; ++i) {
            const ui::ChartFormat format = wanted.formats[i];
            const QString path =
                QStringLiteral("%1/%2.%3").arg(folder, chart->id(), QString::fromStdString(std::string(keyOf(format))));
            code = writeDrawn(arguments, path,
                              ui::chartBytes(*chart, format, isOfComparison(*chart) ? beside : page, wanted.scale));
        }
    }
    return code;
}

int run(const Arguments& arguments)
{
    const Painting painting;
    OptionReader reader(arguments);
    const Wanted wanted = wantedBy(reader);
    const Catalogue catalogue = loadPresets();
    printProblems(catalogue.problems);
    std::optional<Scenario> scenario = givenScenario(reader, catalogue);
    refuseMisplaced(reader, arguments.has(serveOption({}).name));
    Serving serving = scenario ? scenario->serving : Serving();
    applyServingOptions(reader, serving);
    if (scenario && !wanted.has("serving-layouts")) { // which shows other splits
        refuseIdleInFlight(reader, scenario->layout.pp, serving.inFlight);
    }
    std::vector<EvaluatedScenario> others = readCompared(reader, catalogue);
    if (!scenario || !reader.fine()) {
        return reader.refusal();
    }
    scenario->serving = serving;
    const Report report = evaluate(*scenario);
    if (!report.legal()) {
        return refuse(arguments, report.problems, NotLegal);
    }
    const std::vector<ComparedLayout> compared = comparedWith(*scenario, report, std::move(others));
    const Result<Charts> charts = paintedCharts(*scenario, report, wanted, compared, catalogue);
    if (!charts) {
        return refuse(arguments, charts.problems, NotLegal);
    }
    return writeCharts(arguments, *charts, ui::pageOf(*scenario, catalogue, wanted.size, wanted.palette), wanted,
                       ui::provenanceOf(compared, catalogue));
}

} // namespace

Verb exportVerb()
{
    static const std::string axes = fmt::format("of scaling: {}; devices when left out", knownWords<ScalingAxis>());
    std::vector<Option> options{{"--out", "DIR", "folder to write into, made if it does not exist"},
                                {"--chart", "NAME,...",
                                 "memory, step-time, gantt, heatmap, search, scaling, sensitivity, published-runs, "
                                 "placement; serving-room, serving-token, serving-curve, serving-layouts, "
                                 "serving-widths where it is served; compare. Left out, or all: all that the scenario "
                                 "has. basic: those of it that neither search nor sweep"},
                                {"--format", "NAME,...", "svg, pdf, png, csv; all when left out"},
                                {"--size", "NAME", "chart, slide (16:9), column (85 mm) or page (170 mm wide)"},
                                {"--palette", "NAME", "paper, screen or dark; paper when left out"},
                                {"--scale", "N", "pixels of a PNG for each 1/96 inch, 1 to 4; 2 when left out"},
                                {"--axis", "AXIS", axes},
                                compareOption(),
                                {"--source", "NAME", "of published-runs: only those of one source"},
                                {"--model", "NAME", "of published-runs: only those of one model"},
                                {"--accelerator", "NAME", "of published-runs: only those on one accelerator"},
                                {"--stack", "NAME", "of published-runs: only those of one stack"}};
    options.insert(options.end(), heatmapOptions().begin(), heatmapOptions().end());
    options.insert(options.end(), limitOptions().begin(), limitOptions().end());
    options.push_back(serveOption("charts of serving, too, with the options below"));
    options.insert(options.end(), servingOptions().begin(), servingOptions().end());
    return {"partita export [SCENARIO|-] --out DIR [options]", std::move(options), 1, run};
}

} // namespace partita::cli
