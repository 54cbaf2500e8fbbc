// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/chart.h"

#include <QAbstractTableModel>

namespace partita::ui {

/// A chart's numbers for a table view and for screen readers.
class ChartTableModel final : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    void setTable(ChartTable table);
    const ChartTable& table() const { return m_table; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    Qt::Alignment alignmentOf(int column) const;

    ChartTable m_table;
    std::vector<bool> m_numeric; ///< [column] every cell that holds something begins with a digit
};

} // namespace partita::ui
