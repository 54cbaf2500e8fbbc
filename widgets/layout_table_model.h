// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/names.h"
#include "core/search/layout_figures.h"
#include "widgets/row_condition.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

#include <functional>
#include <vector>

namespace partita::ui {

/// The columns of a table of layouts.
enum class LayoutColumn { Layout, Devices, StepTime, Mfu, Memory, Bubble, Exposed, DeviceHours, Cost, Changes };

} // namespace partita::ui

namespace partita {

template <> struct Names<ui::LayoutColumn> {
    static constexpr std::array table{
        Name<ui::LayoutColumn>{ui::LayoutColumn::Layout, "layout", "layout"},
        Name<ui::LayoutColumn>{ui::LayoutColumn::Devices, "devices", "devices"},
        Name<ui::LayoutColumn>{ui::LayoutColumn::StepTime, "step-time", "step time"},
        Name<ui::LayoutColumn>{ui::LayoutColumn::Mfu, "mfu", "MFU"},
        Name<ui::LayoutColumn>{ui::LayoutColumn::Memory, "memory", "memory"},
        Name<ui::LayoutColumn>{ui::LayoutColumn::Bubble, "bubble", "bubble"},
        Name<ui::LayoutColumn>{ui::LayoutColumn::Exposed, "exposed", "exposed"},
        Name<ui::LayoutColumn>{ui::LayoutColumn::DeviceHours, "device-hours", "device-hours"},
        Name<ui::LayoutColumn>{ui::LayoutColumn::Cost, "cost", "cost"},
        Name<ui::LayoutColumn>{ui::LayoutColumn::Changes, "changes", "against the current"},
    };
};

} // namespace partita

namespace partita::ui {

bool isNumber(LayoutColumn column);
/// What a column of numbers shows: s, bytes, shares, the cost in dollars or, without a price, in device-days.
double numberOf(const LayoutFigures& row, LayoutColumn column);

/// The figure of a row that a column shows, as `search --json` names it; for what is no number, the step time. cost:
/// dollars are known, not just device-days.
std::string_view figureOf(LayoutColumn column, bool cost);

/// Layouts with their figures and what each changes of the current one.
class LayoutTableModel final : public QAbstractTableModel {
    Q_OBJECT

public:
    static constexpr int sortRole = Qt::UserRole; ///< a number, or text for the layout
    static constexpr int shortRole = Qt::UserRole + 1; ///< of a layout: without what all rows share

    using QAbstractTableModel::QAbstractTableModel;

    void setRows(std::vector<LayoutFigures> rows);
    void setCurrent(const Layout& layout);
    const std::vector<LayoutFigures>& rows() const { return m_rows; }
    const Layout& current() const { return m_current; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    std::vector<LayoutFigures> m_rows;
    QStringList m_shared; ///< parts of the text of every row's layout
    Layout m_current;
};

/// Sorts by value and shows the rows of which all that a text says holds ("tp 8, ZeRO-1, step<8 s") and that a brush
/// admits.
class LayoutFilter final : public QSortFilterProxyModel {
    Q_OBJECT

public:
    explicit LayoutFilter(QObject* parent = nullptr);

    void setText(const QString& text); ///< parts between commas must all hold
    const std::vector<RowCondition>& conditions() const { return m_conditions; }
    bool textAdmits(const LayoutFigures& row) const;
    void setAdmits(std::function<bool(const LayoutFigures&)> admits); ///< none: all

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    std::vector<RowCondition> m_conditions;
    std::function<bool(const LayoutFigures&)> m_admits;
};

} // namespace partita::ui
