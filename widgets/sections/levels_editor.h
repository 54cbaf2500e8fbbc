// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.h"
#include "widgets/field_editor.h"

class QTableWidget;
class QTableWidgetItem;
class QToolButton;

namespace partita::ui {

/// The network levels as a table, innermost first. A cell that is no number stays as typed, is told in red below, and
/// changes nothing.
class LevelsEditor : public FieldEditor {
    Q_OBJECT

public:
    enum Column { NameColumn, DomainColumn, BandwidthColumn, LatencyColumn, ColumnCount };

    explicit LevelsEditor(QWidget* parent = nullptr);

    void setLevels(const std::vector<Level>& levels);
    const std::vector<Level>& levels() const { return m_levels; }
    QTableWidget* table() const { return m_table; }
    QWidget* control() const override;

Q_SIGNALS:
    void edited(const std::vector<partita::Level>& levels, const QString& what);

private:
    void takeCell(int row, int column);
    void addLevel();
    void removeLevel();
    void fitHeight();

    std::vector<Level> m_levels;
    QTableWidget* m_table;
    QToolButton* m_remove;
};

} // namespace partita::ui
