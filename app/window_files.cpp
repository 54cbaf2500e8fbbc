// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/main_window.h"

#include "app/chart_board.h"
#include "app/chart_file.h"
#include "app/charts.h"
#include "app/notice_bar.h"
#include "app/write_file.h"
#include "core/formats/files.h"
#include "core/formats/scenario_file.h"
#include "widgets/chart_export.h"
#include "widgets/pipeline_view.h"
#include "widgets/scenario_panel.h"
#include "widgets/text.h"

#include <QClipboard>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLocale>
#include <QMessageBox>
#include <QMimeData>

namespace partita::ui {

namespace {

const QString scenarioSuffix = QStringLiteral(".partita");

QStringList toLines(const Problems& problems)
{
    QStringList lines;
    for (const Problem& problem : problems) {
        lines += QString::fromStdString(describe(problem));
    }
    return lines;
}

/// The one local file of a drop; empty when it holds something else.
QString droppedFile(const QMimeData& data)
{
    const QList<QUrl> urls = data.urls();
    return urls.size() == 1 ? urls.front().toLocalFile() : QString();
}

} // namespace

void MainWindow::tellProblems(const QString& text, const Problems& problems)
{
    m_notices->tell(text, toLines(problems));
}

void MainWindow::askToOpen()
{
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Open a scenario or import a model"), m_settings.lastFolder(),
                                     tr("Scenarios, configurations, charts and reports (*.partita *.json *.svg *.png "
                                        "*.pdf *.html *.csv);;All files (*)"));
    if (!path.isEmpty()) {
        m_settings.setLastFolder(QFileInfo(path).absolutePath());
        openFile(path);
    }
}

void MainWindow::askForTrace()
{
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Import a trace of a measured step"), m_settings.lastFolder(),
                                     tr("Chrome traces (*.json);;All files (*)"));
    if (!path.isEmpty()) {
        m_settings.setLastFolder(QFileInfo(path).absolutePath());
        m_measured.read(path);
    }
}

void MainWindow::showMeasured(const QString& path, const std::shared_ptr<const MeasuredTimeline>& measured)
{
    const QString name = QFileInfo(path).fileName();
    m_charts->pipeline().setMeasured({measured, &measured->timeline}, name);
    QStringList lines;
    if (const std::shared_ptr<const Report>& report = m_workspace.lastLegal()) {
        lines = QString::fromStdString(traceText(compareWithTrace(report->timeline, *measured)))
                    .split(u'\n', Qt::SkipEmptyParts);
    }
    m_notices->tell(tr("%1 is shown below the prediction.").arg(name), lines);
}

bool MainWindow::saveFile(const QString& path)
{
    const QString failure = m_document.save(path);
    if (!failure.isEmpty()) {
        m_notices->tell(tr("%1 could not be saved: %2. The file is as it was.").arg(path, failure));
    }
    return failure.isEmpty();
}

bool MainWindow::saveOrAsk()
{
    // A lesson's scenario asks for a name of its own: the open file is the user's.
    return m_document.path().isEmpty() || m_aside.showsLesson() ? askToSave() : saveFile(m_document.path());
}

bool MainWindow::askToSave()
{
    const QString known = m_document.path();
    QString name = m_document.title();
    name.replace(u'/', u'-');
    const QString suggested = known.isEmpty() ? m_settings.lastFolder() + u'/' + name + scenarioSuffix : known;
    QString path = QFileDialog::getSaveFileName(this, tr("Save scenario"), suggested, tr("Scenarios (*.partita)"));
    if (path.isEmpty()) {
        return false;
    }
    if (QFileInfo(path).suffix().isEmpty()) {
        path += scenarioSuffix;
    }
    m_settings.setLastFolder(QFileInfo(path).absolutePath());
    return saveFile(path);
}

bool MainWindow::mayReplace()
{
    if (m_aside.showsLesson()) {
        goBackToOwn(); // what is asked about is the user's
    }
    if (!m_document.isModified()) {
        return true;
    }
    switch (QMessageBox::question(this, tr("Unsaved changes"), tr("Save the changes to %1?").arg(m_document.title()),
                                  QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Save)) {
    case QMessageBox::Save:
        return saveOrAsk();
    case QMessageBox::Discard:
        return true;
    default:
        return false;
    }
}

void MainWindow::startFrom(const QString& path)
{
    const Result<std::string> text = readFile(path.toStdString());
    const Result<Scenario> scenario = text ? readScenario(*text, m_catalogue) : Result<Scenario>(text.problems);
    if (!scenario) {
        tellProblems(tr("%1 cannot be used:").arg(path), scenario.problems);
    } else if (mayReplace()) {
        m_document.startNew(*scenario);
    }
}

void MainWindow::goToFirstProblem()
{
    if (!m_workspace.report().legal()) {
        m_panel->focusField(QString::fromStdString(m_workspace.report().problems.front().field));
    }
}

void MainWindow::offerRecovery()
{
    const std::vector<Recovery::Leftover> leftovers = m_document.leftovers();
    if (leftovers.empty()) {
        return;
    }
    const Recovery::Leftover latest = leftovers.front();
    const QString what = latest.document.isEmpty() ? tr("a scenario that was never saved") : latest.document;
    const auto offerNext = [this] { offerRecovery(); };
    m_notices->tell(
        tr("Unsaved work was found: %1, %2.").arg(what, QLocale().toString(latest.when, QLocale::ShortFormat)), {},
        {{tr("Restore"),
          [this, latest, offerNext] {
              const Problems problems = m_document.restore(latest);
              problems.empty() ? offerNext() : tellProblems(tr("It cannot be restored:"), problems);
          }},
         {tr("Discard"), [latest, offerNext] {
              Recovery::remove(latest);
              offerNext();
          }}});
}

const Chart* MainWindow::chartToCopy(const ChartDock& dock)
{
    if (dock.isReady()) {
        return dock.chart();
    }
    m_notices->tell(tr("%1 shows nothing of this scenario yet.").arg(dock.windowTitle()));
    return nullptr;
}

void MainWindow::copyChart(const ChartDock& dock)
{
    if (const Chart* chart = chartToCopy(dock)) {
        QGuiApplication::clipboard()->setMimeData(
            toMimeData(*chart, pageFor(dock, PageFormat::Chart, Palette::Paper)).release());
    }
}

void MainWindow::exportChart(const ChartDock& dock)
{
    const Chart* chart = chartToCopy(dock);
    if (chart == nullptr) {
        return;
    }
    QStringList filters;
    for (const auto& name : Names<ChartFormat>::table) {
        filters += QStringLiteral("%1 (*.%2)").arg(toText(name.label), toText(name.key));
    }
    const QString suggested = QStringLiteral("%1/%2.svg").arg(m_settings.lastFolder(), chart->id());
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Export chart"), suggested, filters.join(QStringLiteral(";;")));
    if (path.isEmpty()) {
        return;
    }
    m_settings.setLastFolder(QFileInfo(path).absolutePath());
    const std::optional<ChartFormat> format = fromKey<ChartFormat>(QFileInfo(path).suffix().toLower().toStdString());
    if (!format) {
        m_notices->tell(
            tr("Charts are written as .svg, .pdf, .png or .csv; %1 is none of these.").arg(QFileInfo(path).fileName()));
        return;
    }
    chart = dock.chart(); // a newer one may have come while the name was chosen
    const QString failure =
        writeFile(path, chartBytes(*chart, *format, pageFor(dock, PageFormat::Chart, Palette::Paper)));
    m_notices->tell(failure.isEmpty() ? tr("Exported to %1.").arg(path)
                                      : tr("%1 could not be written: %2.").arg(path, failure));
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (!droppedFile(*event->mimeData()).isEmpty()) {
        event->acceptProposedAction();
    }
}

void MainWindow::dropEvent(QDropEvent* event)
{
    event->acceptProposedAction();
    openFile(droppedFile(*event->mimeData()));
}

} // namespace partita::ui
