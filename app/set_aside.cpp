// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/set_aside.h"

#include "app/workspace.h"

#include <utility>

namespace partita::ui {

SetAside::SetAside(Workspace& workspace, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
{
}

bool SetAside::showsLesson() const
{
    return m_own && (m_playing || m_workspace.scenario() == m_left);
}

const Scenario& SetAside::own() const
{
    return showsLesson() ? *m_own : m_workspace.scenario();
}

void SetAside::startLesson(const Scenario& scenario, const QString& title)
{
    if (!m_playing && !showsLesson()) { // from one lesson to the next it stays what it was
        m_own = m_workspace.scenario();
        m_saved = m_workspace.history().isClean();
    }
    m_playing = true;
    m_title = title;
    m_workspace.edit(scenario, tr("Start lesson %1").arg(title));
    Q_EMIT changed();
}

bool SetAside::endLesson()
{
    if (!m_playing) {
        return false;
    }
    m_playing = false;
    m_left = m_workspace.scenario();
    if (m_own == m_left) {
        m_own.reset();
    }
    Q_EMIT changed();
    return true;
}

void SetAside::takeBack()
{
    if (!m_own) {
        return;
    }
    const Scenario own = *std::exchange(m_own, std::nullopt);
    m_playing = false;
    m_workspace.edit(own, tr("Go back to my scenario"));
    if (m_saved) {
        m_workspace.history().setClean(); // as it is on disk
    }
    Q_EMIT changed();
}

void SetAside::forget()
{
    m_own.reset();
    m_left.reset();
    m_playing = false;
    Q_EMIT changed();
}

} // namespace partita::ui
