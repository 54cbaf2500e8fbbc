// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/write_file.h"

#include <QFileInfo>
#include <QSaveFile>

namespace partita::ui {

QString writeFile(const QString& path, const QByteArray& bytes)
{
    // QSaveFile renames over whatever a link leads to, devices and pipes too.
    const QFileInfo target(path);
    if (target.exists() && !target.isFile()) {
        return QStringLiteral("is not a regular file");
    }
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly)) {
        return file.errorString();
    }
    // commit() reports success after a short write on a full disk (Qt 6.4) and replaces the old file by a torn one.
    if (file.write(bytes) != bytes.size() || !file.flush()) {
        const QString reason = file.errorString();
        file.cancelWriting();
        file.commit();
        return reason;
    }
    return file.commit() ? QString() : file.errorString();
}

} // namespace partita::ui
