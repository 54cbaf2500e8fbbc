// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/sections/scenario_section.h"

class QComboBox;
class QDoubleSpinBox;
class QSpinBox;

namespace partita::ui {

/// What is asked of the model when it is served: lengths, batch, formats, limits.
class ServingSection : public ScenarioSection {
    Q_OBJECT

public:
    explicit ServingSection(QWidget* parent = nullptr);

protected:
    void showState() override;

private:
    QSpinBox* addCount(const char* key, const QString& label, std::int64_t Serving::*member);
    QDoubleSpinBox* addLimit(const char* key, const QString& label, double Serving::*member);
    template <class E> QComboBox* addChoice(const char* key, const QString& label, E Serving::*member);
    void commitServing(const Serving& serving, const QString& what);

    QSpinBox* m_prompt;
    QSpinBox* m_output;
    QSpinBox* m_batch;
    QComboBox* m_batching;
    QComboBox* m_weights;
    QComboBox* m_quantised;
    QComboBox* m_keyValues;
    QDoubleSpinBox* m_ttft;
    QDoubleSpinBox* m_tpot;
};

} // namespace partita::ui
