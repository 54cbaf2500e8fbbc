// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/recovery.h"

#include "app/write_file.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QUuid>

#include <utility>

namespace partita::ui {

namespace {

constexpr qint64 mostBytes = 16 << 20;

QString lockOf(const QString& file)
{
    return file + QStringLiteral(".lock");
}

std::unique_ptr<QLockFile> makeLock(const QString& file)
{
    auto lock = std::make_unique<QLockFile>(lockOf(file));
    lock->setStaleLockTime(0); // only the death of its process frees a lock, never its age
    return lock;
}

} // namespace

Recovery::Recovery(QString folder)
    : m_folder(std::move(folder))
    , m_file(m_folder + QLatin1Char('/') + QUuid::createUuid().toString(QUuid::WithoutBraces)
             + QStringLiteral(".partita-recovery"))
{
}

Recovery::~Recovery() = default;

bool Recovery::keep(const QString& document, const QByteArray& scenario)
{
    if (!QDir().mkpath(m_folder)) {
        return false;
    }
    if (!m_lock) {
        m_lock = makeLock(m_file);
        if (!m_lock->tryLock(0)) {
            m_lock.reset();
            return false;
        }
    }
    const QJsonObject kept{{QStringLiteral("document"), document},
                           {QStringLiteral("scenario"), QString::fromUtf8(scenario)}};
    return writeFile(m_file, QJsonDocument(kept).toJson()).isEmpty();
}

void Recovery::forget()
{
    if (m_lock) {
        QFile::remove(m_file);
        m_lock.reset();
    }
}

std::vector<Recovery::Leftover> Recovery::leftovers() const
{
    std::vector<Leftover> found;
    const QFileInfoList files =
        QDir(m_folder).entryInfoList({QStringLiteral("*.partita-recovery")}, QDir::Files, QDir::Time);
    for (const QFileInfo& info : files) {
        const QString path = info.absoluteFilePath();
        if (QFileInfo(path) == QFileInfo(m_file) || info.size() > mostBytes || !makeLock(path)->tryLock(0)) {
            continue;
        }
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly)) {
            continue;
        }
        const QJsonObject kept = QJsonDocument::fromJson(file.readAll()).object();
        const QByteArray scenario = kept.value(QLatin1String("scenario")).toString().toUtf8();
        if (!scenario.isEmpty()) {
            found.push_back({path, kept.value(QLatin1String("document")).toString(), scenario, info.lastModified()});
        }
    }
    return found;
}

void Recovery::remove(const Leftover& leftover)
{
    QFile::remove(leftover.file);
    QFile::remove(lockOf(leftover.file));
}

} // namespace partita::ui
