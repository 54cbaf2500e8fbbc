// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/layout_table_model.h"

#include "core/base/format.h"
#include "core/layout/layout_text.h"
#include "core/search/resource_front.h"
#include "widgets/figures.h"
#include "widgets/labels.h"

#include <QFont>

namespace partita::ui {

namespace {

/// Of the token budget.
double deviceDays(const LayoutFigures& row)
{
    return row.trainingDays * takenBy(row, FrontAgainst::Devices);
}

QString text(const LayoutFigures& row, LayoutColumn column, const Layout& current)
{
    switch (column) {
    case LayoutColumn::Layout:
        return QString::fromStdString(layoutText(row.layout));
    case LayoutColumn::Devices:
        return countText(takenBy(row, FrontAgainst::Devices));
    case LayoutColumn::DeviceHours:
        return countText(takenBy(row, FrontAgainst::Cost));
    case LayoutColumn::StepTime:
        return timeText(row.stepTime);
    case LayoutColumn::Mfu:
        return percentText(row.mfu);
    case LayoutColumn::Memory:
        return bytesText(row.peakMemory);
    case LayoutColumn::Bubble:
        return percentText(row.bubble);
    case LayoutColumn::Exposed:
        return percentText(row.exposed / row.stepTime);
    case LayoutColumn::Cost:
        return row.trainingCost > 0 ? QString::fromStdString(formatDollars(row.trainingCost))
            : row.trainingDays > 0  ? countText(deviceDays(row))
                                    : QString();
    case LayoutColumn::Changes:
        return QString::fromStdString(describe(layoutChanges(current, row.layout)));
    }
    return {};
}

QVariant sortKey(const LayoutFigures& row, LayoutColumn column, const Layout& current)
{
    switch (column) {
    case LayoutColumn::Layout:
        return QString::fromStdString(layoutText(row.layout));
    case LayoutColumn::Devices:
        return takenBy(row, FrontAgainst::Devices);
    case LayoutColumn::DeviceHours:
        return takenBy(row, FrontAgainst::Cost);
    case LayoutColumn::StepTime:
        return row.stepTime;
    case LayoutColumn::Mfu:
        return row.mfu;
    case LayoutColumn::Memory:
        return row.peakMemory;
    case LayoutColumn::Bubble:
        return row.bubble;
    case LayoutColumn::Exposed:
        return row.exposed / row.stepTime;
    case LayoutColumn::Cost:
        return row.trainingCost > 0 ? row.trainingCost : deviceDays(row);
    case LayoutColumn::Changes:
        return static_cast<double>(layoutChanges(current, row.layout).size());
    }
    return {};
}

bool isText(LayoutColumn column)
{
    return column == LayoutColumn::Layout || column == LayoutColumn::Changes;
}

/// Of a column and its head.
Qt::Alignment alignmentOf(LayoutColumn column)
{
    return (isText(column) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter;
}

} // namespace

std::string_view figureOf(LayoutColumn column, bool cost)
{
    switch (column) {
    case LayoutColumn::Devices:
        return "devices";
    case LayoutColumn::Mfu:
        return "mfu";
    case LayoutColumn::Memory:
        return "peak_memory_bytes";
    case LayoutColumn::Bubble:
        return "bubble_fraction";
    case LayoutColumn::Exposed:
        return "exposed_share";
    case LayoutColumn::DeviceHours:
        return "device_hours_per_billion_tokens";
    case LayoutColumn::Cost:
        return cost ? "training_cost_usd" : "device_days";
    case LayoutColumn::Changes:
        return "change.step_time_s";
    case LayoutColumn::StepTime:
    case LayoutColumn::Layout:
        break;
    }
    return "step_time_s";
}

void LayoutTableModel::setRows(std::vector<LayoutFigures> rows)
{
    if (rows == m_rows) {
        return;
    }
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
    Q_EMIT headerDataChanged(Qt::Horizontal, static_cast<int>(LayoutColumn::Cost),
                             static_cast<int>(LayoutColumn::Cost));
}

void LayoutTableModel::setCurrent(const Layout& layout)
{
    if (layout == m_current) {
        return;
    }
    m_current = layout;
    if (!m_rows.empty()) {
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    }
}

int LayoutTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int LayoutTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(Names<LayoutColumn>::table.size());
}

QVariant LayoutTableModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid()) {
        return {};
    }
    const LayoutFigures& row = m_rows[static_cast<std::size_t>(index.row())];
    const auto column = static_cast<LayoutColumn>(index.column());
    switch (role) {
    case Qt::DisplayRole:
        return text(row, column, m_current);
    case Qt::ToolTipRole:
        return isText(column) ? text(row, column, m_current) : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(alignmentOf(column));
    case Qt::FontRole: {
        QFont font;
        font.setBold(row.layout == m_current);
        return font;
    }
    case sortRole:
        return sortKey(row, column, m_current);
    default:
        return {};
    }
}

QVariant LayoutTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    const auto column = static_cast<LayoutColumn>(section);
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole) {
        return QVariant::fromValue(alignmentOf(column));
    }
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    if (column == LayoutColumn::DeviceHours) {
        return costUnitText(false);
    }
    const bool unpriced = column == LayoutColumn::Cost && !m_rows.empty() && m_rows.front().trainingCost <= 0;
    return unpriced ? tr("device-days") : labelText(column);
}

LayoutFilter::LayoutFilter(QObject* parent)
    : QSortFilterProxyModel(parent)
{
    setSortRole(LayoutTableModel::sortRole);
}

void LayoutFilter::setText(const QString& text)
{
    m_parts.clear();
    for (const QString& part : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        if (!part.trimmed().isEmpty()) {
            m_parts << part.simplified();
        }
    }
    invalidateFilter();
}

void LayoutFilter::setAdmits(std::function<bool(const LayoutFigures&)> admits)
{
    m_admits = std::move(admits);
    invalidateFilter();
}

bool LayoutFilter::filterAcceptsRow(int row, const QModelIndex&) const
{
    const auto* layouts = qobject_cast<const LayoutTableModel*>(sourceModel());
    if (layouts == nullptr) {
        return true;
    }
    const LayoutFigures& figures = layouts->rows()[static_cast<std::size_t>(row)];
    if (m_admits && !m_admits(figures)) {
        return false;
    }
    // Between separators, so that "tp 1" is not found in "etp 16".
    const QString separator = QStringLiteral(" · ");
    const QString text = separator + QString::fromStdString(layoutText(figures.layout)) + separator;
    return std::all_of(m_parts.begin(), m_parts.end(), [&](const QString& part) {
        const QString whole = separator + part + separator;
        const bool isDegree = part.contains(QLatin1Char(' ')) && part.back().isDigit();
        return text.contains(isDegree ? whole : part, Qt::CaseInsensitive);
    });
}

} // namespace partita::ui
