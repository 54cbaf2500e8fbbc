// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/chart_file.h"
#include "app/default_scenario.h"
#include "app/report_html.h"
#include "app/report_pages.h"
#include "core/training/evaluate.h"

#include <QApplication>
#include <QElapsedTimer>

#include <fmt/format.h>

using namespace partita;
using namespace partita::ui;

namespace {

template <class Work> void measure(const char* what, Work work)
{
    QElapsedTimer timer;
    timer.start();
    const qsizetype bytes = work();
    fmt::print("{:<40}{:>8} ms {:>10} bytes\n", what, timer.elapsed(), bytes);
}

} // namespace

/// All charts of the default scenario in every format stay below 3 s.
int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application(argc, argv);
    loadFonts();
    const Catalogue catalogue = loadPresets();
    const Result<Scenario> scenario = defaultScenario(catalogue);
    if (!scenario) {
        return 1;
    }
    const Report report = evaluate(*scenario);
    measure("all charts, all formats", [&] {
        const ChartPage page = pageOf(*scenario, catalogue);
        qsizetype bytes = 0;
        for (const auto& chart : chartsOf(*scenario, report)) {
            for (const auto& format : Names<ChartFormat>::table) {
                bytes += chartBytes(*chart, format.value, page).size();
            }
        }
        return bytes;
    });
    measure("explainer", [&] { return static_cast<qsizetype>(Explainer(*scenario, report).allValues().size()); });
    const Explainer explainer(*scenario, report);
    const ReportDocument document = reportDocument(*scenario, report, catalogue, explainer);
    measure("report, HTML", [&] { return reportHtml(document, explainer).size(); });
    measure("report, PDF", [&] { return reportPdf(document, false).size(); });
    return 0;
}
