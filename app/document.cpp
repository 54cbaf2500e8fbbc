// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/document.h"

#include "app/write_file.h"
#include "core/formats/embedded_scenario.h"
#include "core/formats/files.h"
#include "core/formats/import_file.h"
#include "core/formats/scenario_file.h"
#include "core/scenario/scenario_title.h"
#include "widgets/compare_chart.h"

#include <QDir>
#include <QFileInfo>

namespace partita::ui {

namespace {

constexpr int autosaveMilliseconds = 2000;

QStringList toLines(const std::vector<std::string>& texts)
{
    QStringList lines;
    for (const std::string& text : texts) {
        lines += QString::fromStdString(text);
    }
    return lines;
}

} // namespace

Document::Document(Workspace& workspace, const Catalogue& catalogue, const QString& recoveryFolder, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_catalogue(catalogue)
    , m_recovery(recoveryFolder)
{
    m_autosave.setSingleShot(true);
    m_autosave.setInterval(autosaveMilliseconds);
    connect(&m_autosave, &QTimer::timeout, this, &Document::keepNow);
    connect(&workspace, &Workspace::changed, this, &Document::followEdits);
    connect(&workspace.history(), &QUndoStack::cleanChanged, this, [this](bool clean) {
        if (clean) {
            m_autosave.stop();
            m_recovery.forget();
        }
        Q_EMIT titleChanged();
    });
}

QString Document::title() const
{
    if (!m_path.isEmpty()) {
        return QFileInfo(m_path).fileName();
    }
    return QString::fromStdString(titleOf(m_workspace.scenario()));
}

bool Document::isModified() const
{
    return !m_workspace.history().isClean();
}

namespace {

/// A table that other programs made, or made smaller, has no scenario; earlier exports had one beside.
Problems whyNoScenario(const QString& path)
{
    const QFileInfo file(path);
    QString suggestion = Document::tr("the SVG, PNG, PDF, HTML or CSV that it was exported as");
    for (const QString& name : {file.completeBaseName(), QStringLiteral("scenario")}) {
        const QString beside = file.dir().filePath(name + QStringLiteral(".partita"));
        if (QFileInfo::exists(beside)) {
            suggestion = Document::tr("open %1 beside it").arg(QFileInfo(beside).fileName());
            break;
        }
    }
    return {{{}, file.fileName().toStdString(), "holds numbers but no scenario", suggestion.toStdString()}};
}

} // namespace

Problems Document::open(const QString& path)
{
    const Result<std::string> text = readFile(path.toStdString());
    if (!text) {
        return text.problems;
    }
    const bool isTable = QFileInfo(path).suffix().toLower() == QStringLiteral("csv");
    return isTable && !isCarrier(*text) ? whyNoScenario(path) : openText(QByteArray::fromStdString(*text), path);
}

Problems Document::openText(const QByteArray& text, const QString& path)
{
    const Result<ImportedFile> read =
        readAnyFile(text.toStdString(), QFileInfo(path).completeBaseName().toStdString(), m_catalogue);
    if (!read) {
        return read.problems;
    }
    if (const auto* scenario = std::get_if<Scenario>(&*read)) {
        const Result<std::vector<Scenario>> compared = readCarried(text.toStdString(), m_catalogue);
        if (!compared) {
            return compared.problems;
        }
        if (mayReplace && !mayReplace()) {
            return {};
        }
        // Beside as many as can be pinned, the last is the one that was worked on.
        startNew(compared->size() > CompareChart::mostPinned ? compared->back() : *scenario);
        if (!isCarrier(text.toStdString())) { // saving must not put a scenario in the place of a picture
            setPath(path);
        }
        if (compared->size() > 1) {
            Q_EMIT comparisonOpened(*compared);
        }
        Q_EMIT opened(path);
    } else {
        adopt(std::get<ImportedModel>(*read));
    }
    return {};
}

void Document::adopt(const ImportedModel& imported)
{
    Scenario scenario = m_workspace.scenario();
    scenario.model = imported.model;
    scenario.layout.layersPerStage.clear();
    const QString name = QString::fromStdString(imported.model.name);
    m_workspace.edit(scenario, tr("Import %1").arg(name));
    Q_EMIT this->imported(name, toLines(imported.assumed) + toLines(imported.ignored));
}

QString Document::save(const QString& path)
{
    const std::string text = writeScenario(m_workspace.scenario(), m_catalogue);
    const QString failure = writeFile(path, QByteArray::fromStdString(text));
    if (failure.isEmpty()) {
        setPath(path);
        m_workspace.history().setClean();
        Q_EMIT opened(path);
    }
    return failure;
}

void Document::startNew(const Scenario& scenario)
{
    m_workspace.reset(scenario);
    m_workspace.history().setClean();
    m_recovery.forget();
    setPath({});
}

Problems Document::restore(const Recovery::Leftover& leftover)
{
    const Result<Scenario> scenario = readScenario(leftover.scenario.toStdString(), m_catalogue);
    if (!scenario) {
        return scenario.problems;
    }
    m_workspace.reset(*scenario);
    m_workspace.history().resetClean();
    setPath(leftover.document);
    keepNow();
    Recovery::remove(leftover);
    return {};
}

void Document::keepNow()
{
    if (isModified()) {
        const Scenario& kept = toKeep ? toKeep() : m_workspace.scenario();
        m_recovery.keep(m_path, QByteArray::fromStdString(writeScenario(kept, m_catalogue)));
    }
}

void Document::setPath(const QString& path)
{
    m_path = path;
    Q_EMIT titleChanged();
}

void Document::followEdits()
{
    Q_EMIT titleChanged(); // it may name the model and the devices
    if (isModified()) {
        m_autosave.start();
    }
}

} // namespace partita::ui
