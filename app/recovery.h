// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QDateTime>
#include <QLockFile>
#include <QString>

#include <memory>
#include <vector>

namespace partita::ui {

/// Unsaved work on disk: one file per running window, locked while it runs. A file nobody holds was left by a crash.
class Recovery {
public:
    /// What a crashed window left behind.
    struct Leftover {
        QString file; ///< the recovery file
        QString document; ///< path of the document that was open; empty when it had never been saved
        QByteArray scenario; ///< scenario file text
        QDateTime when;
    };

    explicit Recovery(QString folder);
    ~Recovery();
    Recovery(const Recovery&) = delete;
    Recovery& operator=(const Recovery&) = delete;

    /// Replaces what is kept for this window; false when it cannot be written.
    bool keep(const QString& document, const QByteArray& scenario);
    /// Nothing of this window is unsaved any more.
    void forget();

    /// Newest first. Files of running windows and unreadable ones are left out.
    std::vector<Leftover> leftovers() const;
    /// Removes a leftover once it is restored or discarded.
    static void remove(const Leftover& leftover);

private:
    QString m_folder;
    QString m_file;
    std::unique_ptr<QLockFile> m_lock;
};

} // namespace partita::ui
