// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/sections/scenario_section.h"
#include "widgets/stop_track.h"

#include <QScrollArea>

namespace partita::ui {

class ClusterSection;
class LayoutSection;
class ModelSection;
class ServingSection;
class ToneLabel;
class WorkloadSection;

/// The scenario dock: every choice of a scenario. Shows what it is given; tells what the user wants instead.
class ScenarioPanel : public QScrollArea {
    Q_OBJECT

public:
    explicit ScenarioPanel(QWidget* parent = nullptr);

    void setCatalogue(const PresetChoices& choices);
    /// Every problem of the report is shown beside the field it names.
    void setScenario(const Scenario& scenario, const Report& report);
    void setStopMarks(LayoutField field, const std::vector<StopMark>& marks);
    /// The degree that follows from the others: Tp, Cp, Pp or Dp.
    void setSolved(LayoutField field);
    LayoutField solved() const { return m_state.solved; }
    /// Opens the section of a field ("layout.tp"), scrolls to it and gives it the focus.
    void focusField(const QString& field);
    /// What its control is called; empty where it has none.
    QString wordsOf(const QString& field) const;

    ModelSection* model() const { return m_model; }
    ClusterSection* cluster() const { return m_cluster; }
    LayoutSection* layoutSection() const { return m_layout; }
    WorkloadSection* workload() const { return m_workload; }
    ServingSection* serving() const { return m_serving; }

    QSize sizeHint() const override;

Q_SIGNALS:
    /// what: for the undo history, "Set tensor parallel to 8". merge: continues the drag of the edit before it.
    void edited(const partita::Scenario& scenario, const QString& what, bool merge);
    /// Where what a field would cost at a value is from.
    void stopExplained(partita::LayoutField field, std::int64_t value);

protected:
    void changeEvent(QEvent* event) override;

private:
    ScenarioSection* sectionOf(const QString& field) const; ///< null when no section knows the field
    void take(const Scenario& scenario, const QString& what, bool merge);
    void showState();
    void showProblems();
    void paintAsCard();

    PanelState m_state;
    ToneLabel* m_loose; ///< problems that belong to no section
    ModelSection* m_model;
    ClusterSection* m_cluster;
    LayoutSection* m_layout;
    WorkloadSection* m_workload;
    ServingSection* m_serving;
    std::vector<ScenarioSection*> m_sections;
    bool m_hasScenario = false;
    bool m_painting = false;
};

} // namespace partita::ui
