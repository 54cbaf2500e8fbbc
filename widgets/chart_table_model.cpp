// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chart_table_model.h"

namespace partita::ui {

void ChartTableModel::setTable(ChartTable table)
{
    beginResetModel();
    m_table = std::move(table);
    endResetModel();
}

int ChartTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_table.rows.size());
}

int ChartTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_table.header.size());
}

QVariant ChartTableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const QString& cell = m_table.rows[static_cast<std::size_t>(index.row())][index.column()];
    if (role == Qt::DisplayRole) {
        return cell;
    }
    if (role == Qt::TextAlignmentRole) {
        bool number = false;
        cell.toDouble(&number);
        return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft)));
    }
    return {};
}

QVariant ChartTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role != Qt::DisplayRole || section < 0) {
        return {};
    }
    if (orientation == Qt::Vertical) {
        return section + 1;
    }
    return section < m_table.header.size() ? QVariant(m_table.header[section]) : QVariant();
}

} // namespace partita::ui
