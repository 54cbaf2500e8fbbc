// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workspace.h"

#include "core/training/evaluate.h"

#include <QUndoCommand>

#include <utility>

namespace partita::ui {

/// A step from one scenario to another.
class Workspace::Edit final : public QUndoCommand {
public:
    Edit(Workspace& workspace, Scenario after, const QString& what)
        : m_workspace(workspace)
        , m_before(workspace.m_scenario)
        , m_after(std::move(after))
        , m_drag(workspace.m_drag)
    {
        setText(what);
    }

    int id() const override { return 1; }
    void undo() override { m_workspace.show(m_before); }
    void redo() override { m_workspace.show(m_after); }

    bool mergeWith(const QUndoCommand* other) override
    {
        const auto& next = static_cast<const Edit&>(*other);
        if (next.m_drag != m_drag) {
            return false;
        }
        m_after = next.m_after;
        setText(next.text());
        setObsolete(m_before == m_after);
        return true;
    }

private:
    Workspace& m_workspace;
    Scenario m_before;
    Scenario m_after;
    int m_drag;
};

Workspace::Workspace(Scenario scenario, QObject* parent)
    : QObject(parent)
    , m_scenario(std::move(scenario))
    , m_report(std::make_shared<const Report>(evaluate(m_scenario)))
    , m_lastLegal(m_report->legal() ? m_report : nullptr)
    , m_lastLegalScenario(m_scenario)
{
    m_history.setUndoLimit(1000);
}

void Workspace::edit(const Scenario& scenario, const QString& what, bool merge)
{
    // Numbered, not merged with whatever is on top: the step of a drag that came back to its start is gone from the
    // history.
    m_drag += merge ? 0 : 1;
    if (scenario != m_scenario) {
        m_history.push(new Edit(*this, scenario, what));
    }
}

void Workspace::reset(const Scenario& scenario)
{
    m_history.clear();
    show(scenario);
}

void Workspace::show(const Scenario& scenario)
{
    m_scenario = scenario;
    m_report = std::make_shared<const Report>(evaluate(m_scenario));
    if (m_report->legal()) {
        m_lastLegal = m_report;
        m_lastLegalScenario = m_scenario;
    }
    Q_EMIT changed(m_scenario, *m_report);
}

} // namespace partita::ui
