// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/appearance.h"

#include <QByteArray>
#include <QSettings>
#include <QStringList>

namespace partita::ui {

/// What is remembered between runs, typed. Passed by reference; nothing else reads or writes it.
class Settings {
public:
    Settings();
    /// In a file of its own, for tests.
    explicit Settings(const QString& file);

    QStringList recentFiles() const; ///< newest first, at most ten
    void addRecentFile(const QString& path);
    void clearRecentFiles();

    Appearance appearance() const;
    void setAppearance(Appearance appearance);

    QByteArray windowGeometry() const { return bytes("window/geometry"); }
    QByteArray windowLayout() const { return bytes("window/layout"); }
    QByteArray boardLayout() const { return bytes("window/board"); }
    void setWindow(const QByteArray& geometry, const QByteArray& layout, const QByteArray& board);

    QString lastFolder() const;
    void setLastFolder(const QString& folder);

private:
    QByteArray bytes(const char* key) const;

    QSettings m_store;
};

} // namespace partita::ui
