// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/settings.h"

#include <QDir>
#include <QFileInfo>

namespace partita::ui {

namespace {

constexpr int mostRecentFiles = 10;
const QString recentKey = QStringLiteral("files/recent");
const QString folderKey = QStringLiteral("files/folder");
const QString appearanceKey = QStringLiteral("window/appearance");

} // namespace

Settings::Settings() = default;

Settings::Settings(const QString& file)
    : m_store(file, QSettings::IniFormat)
{
}

QStringList Settings::recentFiles() const
{
    return m_store.value(recentKey).toStringList().mid(0, mostRecentFiles);
}

void Settings::addRecentFile(const QString& path)
{
    QStringList files = recentFiles();
    const QString absolute = QFileInfo(path).absoluteFilePath();
    files.removeAll(absolute);
    files.prepend(absolute);
    m_store.setValue(recentKey, files.mid(0, mostRecentFiles));
}

void Settings::clearRecentFiles()
{
    m_store.remove(recentKey);
}

Appearance Settings::appearance() const
{
    const std::string key = m_store.value(appearanceKey).toString().toStdString();
    return fromKey<Appearance>(key).value_or(Appearance::System);
}

void Settings::setAppearance(Appearance appearance)
{
    m_store.setValue(appearanceKey, QString::fromStdString(std::string(keyOf(appearance))));
}

void Settings::setWindow(const QByteArray& geometry, const QByteArray& layout, const QByteArray& board)
{
    m_store.setValue(QStringLiteral("window/geometry"), geometry);
    m_store.setValue(QStringLiteral("window/layout"), layout);
    m_store.setValue(QStringLiteral("window/board"), board);
}

QString Settings::lastFolder() const
{
    return m_store.value(folderKey, QDir::homePath()).toString();
}

void Settings::setLastFolder(const QString& folder)
{
    m_store.setValue(folderKey, folder);
}

QByteArray Settings::bytes(const char* key) const
{
    return m_store.value(QString::fromLatin1(key)).toByteArray();
}

} // namespace partita::ui
