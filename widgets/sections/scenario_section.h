// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/report.h"
#include "widgets/collapsible_section.h"
#include "widgets/field_editor.h"
#include "widgets/preset_choices.h"
#include "widgets/scenario_edit.h"

#include <vector>

namespace partita::ui {

/// What the sections show and edit.
struct PanelState {
    Scenario scenario;
    Report report;
    LayoutField solved = LayoutField::Dp;
};

/// "does not divide 64 heads (try 2 or 4)".
QString problemText(const Problem& problem);
/// "Tensor parallel" -> "tensor parallel" for the middle of a sentence; "ZeRO" stays.
QString inSentence(const QString& label);

/// A section of the scenario panel: shows its part of the state, emits an edited scenario.
class ScenarioSection : public CollapsibleSection {
    Q_OBJECT

public:
    /// prefix: the fields of the scenario that belong here, "cluster".
    ScenarioSection(const QString& title, QString prefix, QWidget* parent = nullptr);

    void setState(const PanelState& state);
    virtual void setChoices(const PresetChoices& choices);
    /// How many characters of a field's path this section recognises; 0 = the field is not its own.
    int matchLength(const QString& field) const;
    /// The problems that are this section's.
    void setProblems(const Problems& problems);
    /// The editor nearest to a field; null when the field is only known by its prefix.
    FieldEditor* editorOf(const QString& field) const;
    const std::vector<FieldEditor*>& editors() const { return m_editors; }

Q_SIGNALS:
    void edited(const partita::Scenario& scenario, const QString& what, bool merge);
    /// Where what a field would cost at a value is from.
    void stopExplained(partita::LayoutField field, std::int64_t value);

protected:
    virtual void showState() = 0; ///< what controls signal meanwhile is not taken for an edit
    const PanelState& state() const { return m_state; }
    const Scenario& scenario() const { return m_state.scenario; }
    /// What an edit starts from: within a drag the scenario it began with, so that a value passed over leaves no trace.
    const Scenario& editBase() const { return m_dragging ? m_dragStart : m_state.scenario; }
    void enlist(FieldEditor* editor);
    /// A part that starts folded and, while it is, tells the problems of the editors inside.
    CollapsibleSection* addFold(const QString& title);
    void commit(const Scenario& scenario, const QString& what);
    void beginDrag();
    void endDrag();

private:
    QString m_prefix;
    PanelState m_state;
    std::vector<FieldEditor*> m_editors;
    std::vector<CollapsibleSection*> m_folds;
    Scenario m_dragStart;
    bool m_showing = false;
    bool m_dragging = false;
    bool m_merge = false;
};

} // namespace partita::ui
