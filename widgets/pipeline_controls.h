// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QComboBox;

namespace partita::ui {

class PipelineView;

/// What a title bar offers for a pipeline view: the schedule to compare with, the critical path, playing.
class PipelineControls final : public QWidget {
    Q_OBJECT

public:
    explicit PipelineControls(PipelineView& view, QWidget* parent = nullptr);

    QComboBox* comparison() const { return m_comparison; }

private:
    void showChoices();

    PipelineView& m_view;
    QComboBox* m_comparison;
};

} // namespace partita::ui
