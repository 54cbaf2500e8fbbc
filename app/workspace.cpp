// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workspace.h"

#include "app/edit_description.h"
#include "core/training/evaluate.h"

#include <QUndoCommand>

#include <utility>

namespace partita::ui {

/// A step from one scenario to another.
class Workspace::Edit final : public QUndoCommand {
public:
    Edit(Workspace& workspace, Scenario after)
        : m_workspace(workspace)
        , m_before(workspace.m_scenario)
        , m_after(std::move(after))
        , m_field(changedField(m_before, m_after))
        , m_gesture(workspace.m_gesture)
    {
        setText(describeEdit(m_before, m_after));
    }

    int id() const override { return 1; }
    void undo() override { m_workspace.show(m_before); }
    void redo() override { m_workspace.show(m_after); }

    bool mergeWith(const QUndoCommand* other) override
    {
        const auto& next = static_cast<const Edit&>(*other);
        if (next.m_gesture != m_gesture || next.m_field != m_field) {
            return false;
        }
        m_after = next.m_after;
        setText(describeEdit(m_before, m_after));
        setObsolete(m_before == m_after);
        return true;
    }

private:
    Workspace& m_workspace;
    Scenario m_before;
    Scenario m_after;
    EditedField m_field;
    int m_gesture;
};

Workspace::Workspace(Scenario scenario, QObject* parent)
    : QObject(parent)
    , m_scenario(std::move(scenario))
    , m_report(evaluate(m_scenario))
    , m_lastLegalScenario(m_scenario)
    , m_lastLegal(m_report)
{
    m_history.setUndoLimit(1000);
}

void Workspace::edit(const Scenario& scenario)
{
    if (scenario != m_scenario) {
        m_history.push(new Edit(*this, scenario));
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
    m_report = evaluate(m_scenario);
    if (m_report.legal()) {
        m_lastLegalScenario = m_scenario;
        m_lastLegal = m_report;
    }
    Q_EMIT changed(m_scenario, m_report);
}

} // namespace partita::ui
