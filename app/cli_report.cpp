// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli.h"
#include "app/cli_compare.h"
#include "app/cli_painting.h"
#include "app/cli_runs.h"
#include "app/default_scenario.h"
#include "app/report_html.h"
#include "app/report_pages.h"
#include "app/serving_options.h"
#include "core/training/evaluate.h"

#include <QFileInfo>

#include <fmt/format.h>

namespace partita::cli {

namespace {

struct Wanted {
    QString path;
    bool pdf = false;
    bool letter = false;
};

Wanted wantedBy(OptionReader& reader)
{
    Wanted wanted;
    reader.require("--out", "--out FILE.html or --out FILE.pdf");
    const std::string out = reader.arguments().valueOf("--out").value_or("");
    wanted.path = QString::fromStdString(out);
    const QString suffix = QFileInfo(wanted.path).suffix().toLower();
    wanted.pdf = suffix == QStringLiteral("pdf");
    const bool html = suffix == QStringLiteral("html") || suffix == QStringLiteral("htm");
    if (!wanted.pdf && !html && reader.arguments().has("--out")) {
        reader.refuse(Usage, {"--out", out, "is neither HTML nor PDF", "a name that ends in .html or .pdf"});
    }
    const std::string paper = reader.arguments().valueOf("--paper").value_or("a4");
    wanted.letter = reader.isOneOf("--paper", paper, {"a4", "letter"}) && paper == "letter";
    if (html) {
        reader.idle("--paper", "has no effect on HTML, which has no pages");
    }
    return wanted;
}

int run(const Arguments& arguments)
{
    OptionReader reader(arguments);
    const Wanted wanted = wantedBy(reader);
    const Catalogue catalogue = loadPresets();
    printProblems(catalogue.problems);
    std::vector<EvaluatedScenario> others = readCompared(reader, catalogue);
    const bool serves = arguments.has(serveOption({}).name);
    refuseMisplaced(reader, serves);
    const std::optional<Scenario> scenario =
        serves ? servedScenarioOf(reader, catalogue) : scenarioOf(reader, catalogue);
    if (!scenario) {
        return reader.refusal();
    }
    const Report report = evaluate(*scenario);
    if (!report.legal()) {
        return refuse(arguments, report.problems, NotLegal);
    }
    const Painting painting;
    const Explainer explainer(*scenario, report, loadComparableRuns(catalogue),
                              serves ? Explainer::Scope::TrainingAndServing : ui::reportScope(*scenario));
    const ui::ReportDocument document =
        ui::reportDocument(*scenario, report, catalogue, explainer, comparedWith(*scenario, report, std::move(others)));
    const QByteArray bytes = wanted.pdf ? ui::reportPdf(document, wanted.letter) : ui::reportHtml(document, explainer);
    return writeDrawn(arguments, wanted.path, bytes);
}

} // namespace

Verb reportVerb()
{
    std::vector<Option> options = scenarioOptions(Purpose::Step);
    options.push_back({"--out", "FILE", "the report: .html or .pdf"});
    options.push_back({"--paper", "NAME", "pages of a PDF: a4 or letter; a4 when left out"});
    options.push_back(compareOption());
    options.push_back(serveOption("report serving, too, with the options below"));
    options.insert(options.end(), servingOptions().begin(), servingOptions().end());
    return {"partita report [SCENARIO|-] --out FILE [options]\n\n"
            "Scenario, headline, charts, tables, derivations, assumptions, limits and sources.",
            std::move(options), 1, run};
}

} // namespace partita::cli
