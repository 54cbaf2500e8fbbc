// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/layout_table_model.h"

#include "core/base/format.h"
#include "core/layout/layout_text.h"
#include "core/search/resource_front.h"
#include "widgets/figures.h"
#include "widgets/labels.h"

#include <QFont>

#include <algorithm>

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
    return column == LayoutColumn::Layout ? QVariant(QString::fromStdString(layoutText(row.layout)))
        : column == LayoutColumn::Changes ? QVariant(static_cast<double>(layoutChanges(current, row.layout).size()))
                                          : QVariant(numberOf(row, column));
}

const QString separator = QStringLiteral(" · ");

QStringList partsOf(const LayoutFigures& row)
{
    return QString::fromStdString(layoutText(row.layout)).split(separator);
}

/// With an ellipsis for what is left out, where it was.
QString withoutParts(const LayoutFigures& row, const QStringList& shared)
{
    const QString ellipsis = QStringLiteral("…");
    QStringList kept;
    for (const QString& part : partsOf(row)) {
        const QString shown = shared.contains(part) ? ellipsis : part;
        if (kept.isEmpty() || shown != ellipsis || kept.back() != ellipsis) {
            kept << shown;
        }
    }
    return kept.join(separator);
}

/// Of a column and its head.
Qt::Alignment alignmentOf(LayoutColumn column)
{
    return (isNumber(column) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter;
}

} // namespace

bool isNumber(LayoutColumn column)
{
    return column != LayoutColumn::Layout && column != LayoutColumn::Changes;
}

double numberOf(const LayoutFigures& row, LayoutColumn column)
{
    switch (column) {
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
    case LayoutColumn::Layout:
    case LayoutColumn::Changes:
        break;
    }
    return 0;
}

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
    m_shared = m_rows.size() > 1 ? partsOf(m_rows.front()) : QStringList();
    for (const LayoutFigures& row : m_rows) {
        const QStringList parts = partsOf(row);
        m_shared.removeIf([&](const QString& part) { return !parts.contains(part); });
    }
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
        return isNumber(column) ? QVariant() : text(row, column, m_current);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(alignmentOf(column));
    case Qt::FontRole: {
        QFont font;
        font.setBold(row.layout == m_current);
        return font;
    }
    case shortRole:
        return column == LayoutColumn::Layout ? QVariant(withoutParts(row, m_shared)) : QVariant();
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
    m_conditions = rowConditions(text);
    invalidateFilter();
}

bool LayoutFilter::textAdmits(const LayoutFigures& row) const
{
    return std::all_of(m_conditions.begin(), m_conditions.end(),
                       [&](const RowCondition& condition) { return condition.holds(row); });
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
    return (!m_admits || m_admits(figures)) && textAdmits(figures);
}

} // namespace partita::ui
