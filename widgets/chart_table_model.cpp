// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chart_table_model.h"

#include <QRegularExpression>

#include <algorithm>

namespace partita::ui {

namespace {

/// "78.9 ms", "−3", "$2.20"; not what stands for nothing.
bool isNumber(const QString& cell)
{
    static const QRegularExpression number(QStringLiteral("^[-+\u2212]?\\$?\\d"));
    return number.match(cell).hasMatch();
}

bool isBlank(const QString& cell)
{
    return cell.isEmpty() || cell == QStringLiteral("–") || cell == QStringLiteral("—");
}

} // namespace

void ChartTableModel::setTable(ChartTable table)
{
    beginResetModel();
    m_table = std::move(table);
    m_numeric.clear();
    for (qsizetype column = 0; column < m_table.header.size(); ++column) {
        const auto fits = [column](const QStringList& row) { return isNumber(row[column]) || isBlank(row[column]); };
        const auto counts = [column](const QStringList& row) { return isNumber(row[column]); };
        m_numeric.push_back(std::all_of(m_table.rows.begin(), m_table.rows.end(), fits)
                            && std::any_of(m_table.rows.begin(), m_table.rows.end(), counts));
    }
    endResetModel();
}

/// Of a column and its head: numbers stand below each other.
Qt::Alignment ChartTableModel::alignmentOf(int column) const
{
    return Qt::AlignVCenter | (m_numeric[static_cast<std::size_t>(column)] ? Qt::AlignRight : Qt::AlignLeft);
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
        return QVariant::fromValue(alignmentOf(index.column()));
    }
    return {};
}

QVariant ChartTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role == Qt::TextAlignmentRole && orientation == Qt::Horizontal && section >= 0
        && section < m_table.header.size()) {
        return QVariant::fromValue(alignmentOf(section));
    }
    if (role != Qt::DisplayRole || section < 0) {
        return {};
    }
    if (orientation == Qt::Vertical) {
        return section + 1;
    }
    return section < m_table.header.size() ? QVariant(m_table.header[section]) : QVariant();
}

} // namespace partita::ui
