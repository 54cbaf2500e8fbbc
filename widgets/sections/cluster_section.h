// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/sections/scenario_section.h"

class QDoubleSpinBox;
class QSpinBox;

namespace partita::ui {

class LevelsEditor;
class SearchCombo;
class ToneLabel;

class ClusterSection : public ScenarioSection {
    Q_OBJECT

public:
    explicit ClusterSection(QWidget* parent = nullptr);

    void setChoices(const PresetChoices& choices) override;

protected:
    void showState() override;

private:
    /// Commits another cluster, the solved degree following its number of devices.
    void commitCluster(const Cluster& cluster, const QString& what);
    void setDevicesPerNode(std::int64_t count);

    std::vector<Cluster> m_clusters;
    std::vector<Accelerator> m_accelerators;
    SearchCombo* m_preset;
    ToneLabel* m_line;
    SearchCombo* m_accelerator;
    QSpinBox* m_nodes;
    QSpinBox* m_perNode;
    QDoubleSpinBox* m_memory;
    LevelsEditor* m_levels;
};

} // namespace partita::ui
