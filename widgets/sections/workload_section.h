// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/sections/scenario_section.h"
#include "widgets/stop_track.h"

class QComboBox;
class QDoubleSpinBox;
class QSpinBox;

namespace partita::ui {

class StopSlider;

class WorkloadSection : public ScenarioSection {
    Q_OBJECT

public:
    explicit WorkloadSection(QWidget* parent = nullptr);

    void setStopMarks(LayoutField field, const std::vector<StopMark>& marks);
    StopSlider* slider(LayoutField field) const; ///< null for fields of other sections
    StopSlider* sequenceLength() const { return m_sequence; }

protected:
    void showState() override;

private:
    void addSlider(StopSlider* slider);
    void setBatch(LayoutField field, std::int64_t value);
    /// A combo box edits one member of the workload.
    template <class E> void bind(QComboBox* combo, E Workload::*member, const QString& what);
    void commitWorkload(const Workload& workload, const QString& what);

    StopSlider* m_microBatch;
    StopSlider* m_globalBatch;
    StopSlider* m_sequence;
    QComboBox* m_precision;
    QComboBox* m_weights;
    QComboBox* m_gradients;
    QComboBox* m_optimizer;
    QComboBox* m_training;
    QSpinBox* m_adapterRank;
    QDoubleSpinBox* m_tokens;
};

} // namespace partita::ui
