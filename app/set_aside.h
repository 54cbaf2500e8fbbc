// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.h"

#include <QObject>
#include <QString>

#include <optional>

namespace partita::ui {

class Workspace;

/// The user's own scenario while a lesson shows another, until it is taken back or the lesson's is worked on.
class SetAside final : public QObject {
    Q_OBJECT

public:
    explicit SetAside(Workspace& workspace, QObject* parent = nullptr);

    /// A lesson makes its scenario current, in one undo step; also when it starts over.
    void startLesson(const Scenario& scenario, const QString& title);
    /// What the lesson shows stays until something else is wanted.
    bool endLesson(); ///< false: none was played
    /// Makes the own scenario current again, in one undo step.
    void takeBack();
    /// The lesson's scenario is the user's from now on.
    void forget();

    bool holds() const { return m_own.has_value(); }
    /// What is current is a lesson's: one is played, or it is as it was left.
    bool showsLesson() const;
    const QString& lessonTitle() const { return m_title; } ///< of the last one
    /// What is the user's: set aside, or else what is current.
    const Scenario& own() const;

Q_SIGNALS:
    void changed();

private:
    Workspace& m_workspace;
    std::optional<Scenario> m_own;
    std::optional<Scenario> m_left; ///< what a lesson left behind
    QString m_title;
    bool m_playing = false;
    bool m_saved = false; ///< as it was set aside
};

} // namespace partita::ui
