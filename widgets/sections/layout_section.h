// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/sections/scenario_section.h"
#include "widgets/stop_track.h"

#include <map>

class QCheckBox;
class QComboBox;

namespace partita::ui {

class SearchCombo;
class StopSlider;
class ToneLabel;
class VerdictLabel;

/// "tp 8 × cp 1 × pp 4 × dp 2 = 64 ✓"
QString productText(const Layout& layout, std::int64_t devices);

class LayoutSection : public ScenarioSection {
    Q_OBJECT

public:
    explicit LayoutSection(QWidget* parent = nullptr);

    void setChoices(const PresetChoices& choices) override;
    void setStopMarks(LayoutField field, const std::vector<StopMark>& marks);
    StopSlider* slider(LayoutField field) const; ///< null for fields of other sections
    QString product() const;

Q_SIGNALS:
    void solvedChosen(partita::LayoutField field);

protected:
    void showState() override;

private:
    void addSlider(LayoutField field);
    void addChoices();
    void setField(LayoutField field, std::int64_t value);
    void showExperts();

    std::vector<Stack> m_stacks;
    std::map<LayoutField, StopSlider*> m_sliders;
    VerdictLabel* m_product;
    ToneLabel* m_moved; ///< what the last edit moved besides the field and the solved degree
    Layout m_movedIn; ///< the layout that edit led to
    QComboBox* m_solved;
    QComboBox* m_sharding;
    QComboBox* m_recompute;
    QComboBox* m_schedule;
    QCheckBox* m_sequenceParallel;
    SearchCombo* m_stack;
};

} // namespace partita::ui
