// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

namespace partita::ui {

/// Writes the whole file or leaves the old one as it was. Returns why it failed, empty when it did not.
QString writeFile(const QString& path, const QByteArray& bytes);

} // namespace partita::ui
