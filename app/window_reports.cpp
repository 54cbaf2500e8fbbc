// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/main_window.h"

#include "app/advice_card.h"
#include "app/chart_board.h"
#include "app/charts.h"
#include "app/compare_card.h"
#include "app/comparison_charts.h"
#include "app/export_dialog.h"
#include "app/notice_bar.h"
#include "app/report_html.h"
#include "app/report_pages.h"
#include "app/serving_data.h"
#include "app/study_cards.h"
#include "app/study_export.h"
#include "app/write_file.h"
#include "widgets/chart_export.h"
#include "widgets/search_view.h"
#include "widgets/text.h"

#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMimeData>
#include <QPrintDialog>
#include <QPrintPreviewDialog>
#include <QPrinter>

#include <algorithm>
#include <map>

namespace partita::ui {

namespace {

bool isStudy(const std::string& id)
{
    const std::vector<std::string> ids = studyChartIds();
    return std::find(ids.begin(), ids.end(), id) != ids.end();
}

} // namespace

void MainWindow::exportCharts()
{
    if (asksToServe(m_workspace.scenario()) && !m_charts->showsServing()) {
        m_charts->showServing(m_workspace.scenario(),
                              servingData(m_workspace.scenario())); // closed cards are not worked out otherwise
    }
    ExportDialog dialog(exportOffers(), this);
    if (dialog.exec() != QDialog::Accepted) {
        return;
    }
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Export into a folder"), m_settings.lastFolder());
    if (folder.isEmpty()) {
        return;
    }
    m_settings.setLastFolder(folder);
    writeCharts(dialog.choice(), folder);
}

/// A chart of a card, or those that stand for it.
struct MainWindow::Exported {
    ExportOffer offer;
    std::vector<std::shared_ptr<const Chart>> made; ///< for this
    std::vector<const Chart*> charts;
    const ChartDock* dock;
};

ChartPage MainWindow::pageFor(const ChartDock& dock, PageFormat size, Palette palette) const
{
    ChartPage page = pageOf(m_workspace.lastLegalScenario(), m_catalogue, size, palette);
    if (&dock == m_charts->compare().dock() && m_charts->compare().shown().size() > 1) {
        page.provenance = provenanceOf(m_charts->compare().shown(), m_catalogue);
    } else if (&dock == m_charts->advice().dock() && !m_charts->advice().compared().empty()) {
        page.provenance = provenanceOf(m_charts->advice().compared(), m_catalogue);
    }
    return page;
}

std::vector<MainWindow::Exported> MainWindow::exported() const
{
    std::vector<Exported> all;
    for (const ChartDock* dock : m_board->docks()) {
        const Chart* chart = dock->chart();
        const bool ready = dock->isReady();
        const std::string id = dock->objectName().toStdString();
        if (!ready && isStudy(id)) {
            if (m_workspace.lastLegal() != nullptr
                && (!isOfServing(id) || asksToServe(m_workspace.lastLegalScenario()))) {
                all.push_back({{dock->objectName(), dock->windowTitle(), false, true}, {}, {}, dock});
            }
            continue;
        }
        if (chart == nullptr) {
            continue;
        }
        Exported each{{chart->id(), ready ? chart->title() : dock->windowTitle(), ready}, {}, {chart}, dock};
        if (dock == m_charts->compare().dock()) { // shows one quantity and pair of all that are compared
            each.made = m_charts->compare().charts();
            if (each.made.empty()) {
                continue;
            }
            each.offer.id = dock->objectName();
            each.offer.title = tr("Compare: %1 charts").arg(each.made.size());
            each.charts.clear();
            std::transform(each.made.begin(), each.made.end(), std::back_inserter(each.charts),
                           [](const auto& made) { return made.get(); });
        }
        all.push_back(std::move(each));
    }
    return all;
}

std::vector<ExportOffer> MainWindow::exportOffers() const
{
    std::vector<ExportOffer> offers;
    for (const Exported& each : exported()) {
        offers.push_back(each.offer);
    }
    return offers;
}

namespace {

/// Files of charts in a folder, all alike.
class ChartWriter {
public:
    ChartWriter(const ExportChoice& choice, const QString& folder)
        : m_choice(choice)
        , m_folder(folder)
    {
    }

    void write(const Chart& chart, const ChartPage& page)
    {
        for (const ChartFormat format : m_choice.formats) {
            const QString path = QStringLiteral("%1/%2.%3").arg(m_folder, chart.id(), toText(keyOf(format)));
            const QString failure = writeFile(path, chartBytes(chart, format, page, m_choice.scale));
            failures += failure.isEmpty() ? QStringList() : QStringList(path + QStringLiteral(": ") + failure);
        }
    }

    QStringList failures;

private:
    ExportChoice m_choice;
    QString m_folder;
};

} // namespace

void MainWindow::writeCharts(const ExportChoice& choice, const QString& folder)
{
    auto writer = std::make_shared<ChartWriter>(choice, folder);
    std::vector<std::string> studies;
    std::map<std::string, ChartPage> pages;
    QStringList titles;
    for (const Exported& each : exported()) {
        if (!choice.charts.contains(each.offer.id)) {
            continue;
        }
        ChartPage page = pageFor(*each.dock, choice.size, choice.palette);
        if (each.offer.ready) {
            for (const Chart* chart : each.charts) {
                writer->write(*chart, page);
            }
        } else if (each.offer.isStudy) {
            studies.push_back(each.offer.id.toStdString());
            pages.emplace(studies.back(), std::move(page));
            titles << each.offer.title;
        }
    }
    auto* job = findChild<StudyExport*>();
    if (job == nullptr) {
        job = new StudyExport(this);
    }
    // One export at a time.
    const QString before = job->running() ? tr("The export before was stopped.") + u' ' : QString();
    job->cancel();
    const auto tellEnd = [this, writer, folder, before] {
        m_notices->tell(before
                            + (writer->failures.isEmpty() ? tr("The charts were exported to %1.").arg(folder)
                                                          : tr("Some charts could not be written:")),
                        writer->failures);
    };
    if (studies.empty()) {
        return tellEnd();
    }
    m_notices->tell(before + tr("Working out before they are exported: %1").arg(titles.join(QStringLiteral(", "))), {},
                    {{tr("Stop"), [this, job, writer, folder] {
                          job->cancel();
                          m_notices->tell(tr("The export was stopped; what was ready is in %1.").arg(folder),
                                          writer->failures);
                      }}});
    const ScalingCard& scaling = m_charts->scaling();
    const StudyAxes axes{scaling.axis(), scaling.quantity(), m_charts->search().space(), {}};
    job->start(
        std::move(studies), m_workspace.lastLegalScenario(), m_catalogue, axes,
        [writer, pages = std::move(pages)](const std::string& id, const StudyExport::Made& chart) {
            if (chart && !(*chart)->isEmpty()) {
                writer->write(**chart, pages.at(id));
                return;
            }
            for (const Problem& problem : chart.problems) {
                writer->failures << toText(id) + QStringLiteral(": ") + toText(describe(problem));
            }
            if (chart) {
                writer->failures << tr("%1: there is nothing to show").arg(toText(id));
            }
        },
        tellEnd);
}

void MainWindow::copyTable(const ChartDock& dock)
{
    if (const Chart* chart = chartToCopy(dock)) {
        const QByteArray table = chart->table().toTsv();
        auto* copied = new QMimeData;
        copied->setData(QStringLiteral("text/tab-separated-values"), table);
        copied->setText(QString::fromUtf8(table));
        QGuiApplication::clipboard()->setMimeData(copied);
    }
}

void MainWindow::withReport(const std::function<void(const ReportDocument&, const Explainer&)>& use)
{
    if (!m_workspace.report().legal()) {
        tellProblems(tr("A report needs a legal layout:"), m_workspace.report().problems);
        return;
    }
    const Explainer explainer(m_workspace.scenario(), m_workspace.report(), m_published.runs(),
                              reportScope(m_workspace.scenario()));
    use(reportDocument(m_workspace.scenario(), m_workspace.report(), m_catalogue, explainer,
                       m_charts->compare().besideCurrent()),
        explainer);
}

void MainWindow::saveReport()
{
    withReport([this](const ReportDocument& document, const Explainer& explainer) {
        const QString letter = tr("PDF, Letter (*.pdf)");
        QString kind;
        const QString path = QFileDialog::getSaveFileName(
            this, tr("Save report"), m_settings.lastFolder() + QStringLiteral("/report.html"),
            QStringList({tr("Web page (*.html)"), tr("PDF, A4 (*.pdf)"), letter}).join(QStringLiteral(";;")), &kind);
        if (path.isEmpty()) {
            return;
        }
        m_settings.setLastFolder(QFileInfo(path).absolutePath());
        const bool pdf = QFileInfo(path).suffix().toLower() == QStringLiteral("pdf");
        const QString failure =
            writeFile(path, pdf ? reportPdf(document, kind == letter) : reportHtml(document, explainer));
        m_notices->tell(failure.isEmpty() ? tr("The report was saved to %1.").arg(path)
                                          : tr("%1 could not be written: %2.").arg(path, failure));
    });
}

void MainWindow::printPreview()
{
    withReport([this](const ReportDocument& document, const Explainer&) {
        QPrinter printer(QPrinter::HighResolution);
        printer.setPageMargins({15, 15, 15, 15}, QPageLayout::Millimeter);
        QPrintPreviewDialog dialog(&printer, this);
        connect(&dialog, &QPrintPreviewDialog::paintRequested, this,
                [&document](QPrinter* pages) { printReport(document, *pages, pages->resolution()); });
        dialog.exec();
    });
}

void MainWindow::print()
{
    withReport([this](const ReportDocument& document, const Explainer&) {
        QPrinter printer(QPrinter::HighResolution);
        printer.setPageMargins({15, 15, 15, 15}, QPageLayout::Millimeter);
        if (QPrintDialog(&printer, this).exec() == QDialog::Accepted) {
            printReport(document, printer, printer.resolution());
        }
    });
}

} // namespace partita::ui
