// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/chart_file.h"
#include "app/cli.h"
#include "app/cli_compare.h"
#include "app/cli_input.h"
#include "app/cli_painting.h"
#include "app/cli_options.h"
#include "app/comparison_charts.h"
#include "app/default_scenario.h"
#include "app/serving_data.h"
#include "app/write_file.h"
#include "core/formats/scenario_file.h"
#include "core/training/evaluate.h"

#include <QDir>

#include <fmt/format.h>

#include <algorithm>

namespace partita::cli {

namespace {

constexpr const char* comparison = "compare"; ///< all charts of --compare

struct Wanted {
    std::vector<std::string> charts;
    bool serving = false; ///< charts of serving were asked for by name
    std::vector<ui::ChartFormat> formats;
    ui::PageFormat size = ui::PageFormat::Chart;
    ui::Palette palette = ui::Palette::Paper;
    double scale = 2;
};

std::vector<std::string> splitAtCommas(const std::string& text)
{
    std::vector<std::string> words;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        words.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}

std::vector<std::string> formatKeys()
{
    std::vector<std::string> keys;
    for (const auto& name : Names<ui::ChartFormat>::table) {
        keys.emplace_back(name.key);
    }
    return keys;
}

/// The words of a comma-separated option, all of them known ones.
Result<std::vector<std::string>> listed(const Arguments& arguments, std::string_view option,
                                        const std::vector<std::string>& known)
{
    const std::optional<std::string> text = arguments.valueOf(option);
    if (!text || *text == "all") {
        return known;
    }
    std::vector<std::string> words = splitAtCommas(*text);
    Problems problems;
    for (const std::string& word : words) {
        if (std::find(known.begin(), known.end(), word) == known.end()) {
            const std::string meant = nearestWord(word, known);
            problems.push_back({std::string(option), word, "not known",
                                meant.empty() ? fmt::format("one of {}", fmt::join(known, ", "))
                                              : fmt::format("did you mean {}?", meant)});
        }
    }
    return problems.empty() ? Result(std::move(words)) : Result<std::vector<std::string>>(problems);
}

/// One of an enumeration's keys; the fallback when the option is left out.
template <class E> E chosen(const Arguments& arguments, std::string_view option, E fallback, Problems& problems)
{
    const std::optional<std::string> text = arguments.valueOf(option);
    const std::optional<E> value = text ? fromKey<E>(*text) : fallback;
    if (!value) {
        std::vector<std::string_view> keys;
        for (const Name<E>& name : Names<E>::table) {
            keys.push_back(name.key);
        }
        problems.push_back({std::string(option), *text, "not known", fmt::format("one of {}", fmt::join(keys, ", "))});
    }
    return value.value_or(fallback);
}

double pixelRatio(const Arguments& arguments, Problems& problems)
{
    const std::string text = arguments.valueOf("--scale").value_or("2");
    bool read = false;
    const double scale = QByteArray::fromStdString(text).toDouble(&read);
    if (!read || !(scale >= 1 && scale <= 4)) {
        problems.push_back({"--scale", text, "is not a scale of pixels", "1 to 4"});
        return 2;
    }
    return scale;
}

Result<Wanted> wantedBy(const Arguments& arguments)
{
    const std::vector<std::string> ofServing = ui::servingChartIds();
    std::vector<std::string> known = ui::chartIds();
    known.insert(known.end(), ofServing.begin(), ofServing.end());
    known.emplace_back(comparison);
    Result<std::vector<std::string>> charts = listed(arguments, "--chart", known);
    Result<std::vector<std::string>> formats = listed(arguments, "--format", formatKeys());
    Problems problems = charts.problems;
    problems.insert(problems.end(), formats.problems.begin(), formats.problems.end());
    Wanted wanted;
    wanted.size = chosen(arguments, "--size", wanted.size, problems);
    wanted.palette = chosen(arguments, "--palette", wanted.palette, problems);
    wanted.scale = pixelRatio(arguments, problems);
    if (arguments.positional.empty()) {
        problems.push_back({"SCENARIO", {}, "is missing", "a scenario file, or - for standard input"});
    }
    if (!arguments.has("--out")) {
        problems.push_back({"--out", {}, "is missing", "--out DIR"});
    }
    if (arguments.valueOf("--chart") == comparison && !arguments.has("--compare")) {
        problems.push_back({"--chart", comparison, "has nothing to compare with", "--compare FILE"});
    }
    if (!problems.empty()) {
        return problems;
    }
    wanted.charts = *std::move(charts);
    wanted.serving = wanted.charts != known
        && std::find_first_of(wanted.charts.begin(), wanted.charts.end(), ofServing.begin(), ofServing.end())
            != wanted.charts.end();
    for (const std::string& format : *formats) {
        wanted.formats.push_back(*fromKey<ui::ChartFormat>(format));
    }
    return wanted;
}

using Charts = std::vector<std::shared_ptr<const ui::Chart>>;

bool isWanted(const ui::Chart& chart, const Wanted& wanted)
{
    const std::string id = chart.id().toStdString();
    const std::string name = id.rfind("compare-", 0) == 0 ? comparison : id;
    return std::find(wanted.charts.begin(), wanted.charts.end(), name) != wanted.charts.end();
}

/// Those of the step; those of serving when the scenario or the options ask for them; those of --compare.
Result<Charts> paintedCharts(const Scenario& scenario, const Report& report, const Wanted& wanted,
                             const std::vector<ComparedLayout>& compared, const Catalogue& catalogue)
{
    Charts charts;
    for (auto& chart : ui::chartsOf(scenario, report)) {
        charts.push_back(std::move(chart));
    }
    for (auto& chart : ui::comparisonCharts(compared, catalogue)) {
        charts.push_back(std::move(chart));
    }
    if (wanted.serving || ui::asksToServe(scenario)) {
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

int writeCharts(const Scenario& scenario, const Charts& charts, const Catalogue& catalogue, const Wanted& wanted,
                const QString& folder)
{
    if (!QDir().mkpath(folder)) {
        printProblems({{"--out", folder.toStdString(), "the folder cannot be made", {}}});
        return FileTrouble;
    }
    const ui::ChartPage page = ui::pageOf(scenario, catalogue, wanted.size, wanted.palette);
    for (const auto& chart : charts) {
        if (!isWanted(*chart, wanted)) {
            continue;
        }
        for (const ui::ChartFormat format : wanted.formats) {
            const QString path =
                QStringLiteral("%1/%2.%3").arg(folder, chart->id(), QString::fromStdString(std::string(keyOf(format))));
            const QString failure = ui::writeFile(path, ui::chartBytes(*chart, format, page, wanted.scale));
            if (!failure.isEmpty()) {
                printProblems({{path.toStdString(), {}, failure.toStdString(), {}}});
                return FileTrouble;
            }
            fmt::print("{}\n", path.toStdString());
        }
    }
    if (std::find(wanted.formats.begin(), wanted.formats.end(), ui::ChartFormat::Csv) == wanted.formats.end()) {
        return Done;
    }
    // A table of numbers has no place for the scenario; it lies beside.
    const QString path = folder + QStringLiteral("/scenario.partita");
    const QString failure = ui::writeFile(path, page.provenance.toUtf8());
    if (!failure.isEmpty()) {
        printProblems({{path.toStdString(), {}, failure.toStdString(), {}}});
        return FileTrouble;
    }
    fmt::print("{}\n", path.toStdString());
    return Done;
}

} // namespace

int exportVerb(const Words& words)
{
    const std::vector<Option> options{
        {"--out", "DIR", "folder to write into, made if it does not exist"},
        {"--chart", "NAME,...", "memory, step-time, gantt, heatmap; serving-room, serving-token, serving-curve of a scenario that "
                                "says how it is served; compare; all when left out, or all"},
        {"--format", "NAME,...", "svg, pdf, png, csv; all when left out"},
        {"--size", "NAME", "chart, slide (16:9), column (85 mm) or page (170 mm wide)"},
        {"--palette", "NAME", "paper, screen or dark; paper when left out"},
        {"--scale", "N", "pixels of a PNG for each 1/96 inch, 1 to 4; 2 when left out"},
        compareOption(),
        {"--help", "", "print this"},
    };
    const Result<Arguments> arguments = parseArguments(words, options, 1);
    if (arguments && arguments->has("--help")) {
        fmt::print("usage: partita export SCENARIO --out DIR [options]\n\n{}", describeOptions(options));
        return Done;
    }
    if (!arguments) {
        return usageError(arguments.problems, "export");
    }
    const Painting painting;
    const Result<Wanted> wanted = wantedBy(*arguments);
    if (!wanted) {
        return usageError(wanted.problems, "export");
    }
    const Catalogue catalogue = loadPresets();
    printProblems(catalogue.problems);
    const Input input = readInput(arguments->positional.front());
    if (input.exitCode != Done) {
        printProblems(input.problems);
        return input.exitCode;
    }
    const Result<Scenario> scenario = readScenario(input.text, catalogue);
    const Report report = scenario ? evaluate(*scenario) : Report{};
    if (!scenario || !report.legal()) {
        printProblems(scenario ? report.problems : scenario.problems);
        return NotLegal;
    }
    const Compared compared = comparedWith(*arguments, *scenario, report, catalogue);
    if (compared.exitCode == Usage) {
        return usageError(compared.problems, "export");
    }
    if (compared.exitCode != Done) {
        printProblems(compared.problems);
        return compared.exitCode;
    }
    const Result<Charts> charts = paintedCharts(*scenario, report, *wanted, compared.layouts, catalogue);
    if (!charts) {
        printProblems(charts.problems);
        return NotLegal;
    }
    return writeCharts(*scenario, *charts, catalogue, *wanted, QString::fromStdString(*arguments->valueOf("--out")));
}

} // namespace partita::cli
