// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/sections/scenario_section.h"

class QPushButton;
class QSpinBox;

namespace partita::ui {

class SearchCombo;
class ToneLabel;

/// "80 layers · h 8192 · 64 q / 8 kv heads · ffn 28672", after the layer kind that most layers are of.
QString describeModel(const Model& model);

class ModelSection : public ScenarioSection {
    Q_OBJECT

public:
    explicit ModelSection(QWidget* parent = nullptr);

    void setChoices(const PresetChoices& choices) override;

protected:
    void showState() override;

private:
    struct SizeField;
    void buildSizes();
    void commitSize(const SizeField& field, std::int64_t value);
    void choose(int index);
    const Model* preset() const; ///< the one the scenario's model says it is

    static const std::vector<SizeField>& sizeFields();

    std::vector<Model> m_models;
    SearchCombo* m_preset;
    ToneLabel* m_line;
    CollapsibleSection* m_sizes;
    ToneLabel* m_notUniform;
    QPushButton* m_reset;
    std::vector<FieldRow*> m_sizeRows; ///< as sizeFields()
    std::vector<QSpinBox*> m_sizeSpins;
};

} // namespace partita::ui
