// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

namespace partita::ui {

/// Writes the whole file or leaves the old one as it was. Returns why it failed and what to do, empty when it did not.
QString writeFile(const QString& path, const QByteArray& bytes);

/// Makes a folder and those around it that are missing; the same is returned.
QString makeFolder(const QString& path);

} // namespace partita::ui
