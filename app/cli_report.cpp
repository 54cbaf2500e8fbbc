// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli.h"
#include "app/cli_compare.h"
#include "app/cli_painting.h"
#include "app/cli_runs.h"
#include "app/default_scenario.h"
#include "app/report_html.h"
#include "app/report_pages.h"
#include "app/scenario_options.h"
#include "app/write_file.h"
#include "core/training/evaluate.h"

#include <QFileInfo>

#include <fmt/format.h>

namespace partita::cli {

namespace {

enum class ReportFormat { Html, Pdf };

struct Wanted {
    QString path;
    ReportFormat format = ReportFormat::Html;
    bool letter = false;
};

Result<Wanted> wantedBy(const Arguments& arguments)
{
    Problems problems;
    Wanted wanted;
    const std::string out = arguments.valueOf("--out").value_or("");
    wanted.path = QString::fromStdString(out);
    const QString suffix = QFileInfo(wanted.path).suffix().toLower();
    if (out.empty()) {
        problems.push_back({"--out", {}, "is missing", "--out FILE.html or --out FILE.pdf"});
    } else if (suffix == QStringLiteral("pdf")) {
        wanted.format = ReportFormat::Pdf;
    } else if (suffix != QStringLiteral("html") && suffix != QStringLiteral("htm")) {
        problems.push_back({"--out", out, "is neither HTML nor PDF", "a name that ends in .html or .pdf"});
    }
    const std::string paper = arguments.valueOf("--paper").value_or("a4");
    wanted.letter = paper == "letter";
    if (!wanted.letter && paper != "a4") {
        problems.push_back({"--paper", paper, "not known", "a4 or letter"});
    }
    return problems.empty() ? Result(wanted) : Result<Wanted>(problems);
}

} // namespace

int reportVerb(const Words& words)
{
    std::vector<Option> options = scenarioOptions();
    options.push_back({"--out", "FILE", "the report: .html or .pdf"});
    options.push_back({"--paper", "NAME", "pages of a PDF: a4 or letter; a4 when left out"});
    options.push_back(compareOption());
    options.push_back({"--help", "", "print this"});
    const Result<Arguments> arguments = parseArguments(words, options, 1);
    if (!arguments) {
        return usageError(arguments.problems, "report");
    }
    if (arguments->has("--help")) {
        fmt::print("usage: partita report [SCENARIO|-] --out FILE [options]\n\n"
                   "Scenario, headline, charts, tables, derivations, assumptions, limits and sources.\n\n{}",
                   describeOptions(options));
        return Done;
    }
    const Result<Wanted> wanted = wantedBy(*arguments);
    if (!wanted) {
        return usageError(wanted.problems, "report");
    }
    const Catalogue catalogue = loadPresets();
    printProblems(catalogue.problems);
    const ScenarioInput loaded = scenarioOf(*arguments, catalogue);
    if (!loaded.scenario) {
        printProblems(loaded.problems);
        return loaded.exitCode;
    }
    const Report report = evaluate(*loaded.scenario);
    if (!report.legal()) {
        printProblems(report.problems);
        return NotLegal;
    }
    const Compared compared = comparedWith(*arguments, *loaded.scenario, report, catalogue);
    if (compared.exitCode == Usage) {
        return usageError(compared.problems, "report");
    }
    if (compared.exitCode != Done) {
        printProblems(compared.problems);
        return compared.exitCode;
    }
    const Painting painting;
    const Explainer explainer(*loaded.scenario, report, loadComparableRuns(catalogue),
                              ui::reportScope(*loaded.scenario));
    const ui::ReportDocument document = ui::reportDocument(*loaded.scenario, report, catalogue, explainer, compared.layouts);
    const QByteArray bytes = wanted->format == ReportFormat::Html ? ui::reportHtml(document, explainer)
                                                                  : ui::reportPdf(document, wanted->letter);
    const QString failure = ui::writeFile(wanted->path, bytes);
    if (!failure.isEmpty()) {
        printProblems({{wanted->path.toStdString(), {}, failure.toStdString(), {}}});
        return FileTrouble;
    }
    fmt::print("{}\n", wanted->path.toStdString());
    return Done;
}

} // namespace partita::cli
