// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chart_table_view.h"

#include "widgets/chart_table_model.h"
#include "widgets/elided_tips.h"

#include <QHeaderView>

namespace partita::ui {

void setLowRows(QTableView& table)
{
    constexpr int padding = 6; // px
    table.verticalHeader()->hide();
    table.verticalHeader()->setDefaultSectionSize(table.fontMetrics().height() + padding);
}

ChartTableView::ChartTableView(QWidget* parent)
    : QTableView(parent)
    , m_rows(new ChartTableModel(this))
{
    setModel(m_rows);
    setItemDelegate(new ElidedTips(this));
    setFrameShape(QFrame::NoFrame);
    setTabKeyNavigation(false);
    setLowRows(*this);
}

void ChartTableView::setTable(ChartTable table)
{
    m_rows->setTable(std::move(table));
    resizeColumnsToContents();
}

} // namespace partita::ui
