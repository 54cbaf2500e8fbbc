// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/recovery.h"
#include "app/workspace.h"
#include "core/base/problem.h"
#include "core/formats/catalogue.h"
#include "core/formats/hf_config.h"

#include <QObject>
#include <QTimer>

#include <functional>

namespace partita::ui {

/// The file behind the workspace: opened, saved, and kept safe while it is edited.
class Document final : public QObject {
    Q_OBJECT

public:
    Document(Workspace& workspace, const Catalogue& catalogue, const QString& recoveryFolder,
             QObject* parent = nullptr);

    /// Asked before a scenario takes the place of the document; no answer means yes.
    std::function<bool()> mayReplace;
    /// What a crash must not lose where that is not what the workspace shows.
    std::function<const Scenario&()> toKeep;

    const QString& path() const { return m_path; } ///< empty until it is saved
    QString title() const; ///< file name, or the scenario's own name
    bool isModified() const;

    /// A scenario replaces the document; anything else that is understood is imported into it as a step that can be
    /// undone. The problems are empty when it worked; when it did not, nothing has changed.
    Problems open(const QString& path);
    /// The same from text, under a name to remember it by.
    Problems openText(const QByteArray& text, const QString& path);
    /// Why it failed; empty when it did not.
    QString save(const QString& path);
    void startNew(const Scenario& scenario);

    std::vector<Recovery::Leftover> leftovers() const { return m_recovery.leftovers(); }
    /// Makes a leftover the document, unsaved, and removes it.
    Problems restore(const Recovery::Leftover& leftover);

    /// Writes unsaved work to the recovery file now rather than in two seconds.
    void keepNow();

Q_SIGNALS:
    void titleChanged(); ///< or isModified()
    void opened(const QString& path); ///< or saved: worth remembering
    /// The file held scenarios that are compared: the document's own is among them.
    void comparisonOpened(const std::vector<partita::Scenario>& scenarios);
    void imported(const QString& what, const QStringList& remarks); ///< what was assumed and what was ignored

private:
    void adopt(const ImportedModel& imported);
    void setPath(const QString& path);
    void followEdits();

    Workspace& m_workspace;
    const Catalogue& m_catalogue;
    Recovery m_recovery;
    QTimer m_autosave;
    QString m_path;
};

} // namespace partita::ui
