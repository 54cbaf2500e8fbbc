// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.h"
#include "core/training/report.h"

#include <QObject>
#include <QUndoStack>

#include <memory>

namespace partita::ui {

/// The current scenario, what it costs, and every scenario before it. The only place that state changes.
class Workspace final : public QObject {
    Q_OBJECT

public:
    explicit Workspace(Scenario scenario, QObject* parent = nullptr);

    const Scenario& scenario() const { return m_scenario; }
    /// Of the current scenario; holds its problems when it is illegal.
    const Report& report() const { return *m_report; }
    /// Of the last legal scenario: what charts keep showing while the current one is illegal. Null when there was none.
    const std::shared_ptr<const Report>& lastLegal() const { return m_lastLegal; }
    /// The scenario of that report; the current one when there was none.
    const Scenario& lastLegalScenario() const { return m_lastLegal ? m_lastLegalScenario : m_scenario; }
    QUndoStack& history() { return m_history; }

    /// Makes a scenario current as an undo step called `what`, in the imperative. A merged edit joins the step before
    /// it, as those of a drag do; a drag that ends where it began leaves no step.
    void edit(const Scenario& scenario, const QString& what, bool merge = false);
    /// Starts over from a scenario: no history, nothing to undo.
    void reset(const Scenario& scenario);

Q_SIGNALS:
    /// The report is the current scenario's, problems included.
    void changed(const partita::Scenario& scenario, const partita::Report& report);

private:
    class Edit;
    void show(const Scenario& scenario);

    Scenario m_scenario;
    std::shared_ptr<const Report> m_report;
    std::shared_ptr<const Report> m_lastLegal;
    Scenario m_lastLegalScenario;
    QUndoStack m_history;
    int m_drag = 0;
};

} // namespace partita::ui
