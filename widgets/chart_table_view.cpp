// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chart_table_view.h"

#include "widgets/chart_table_model.h"
#include "widgets/elided_tips.h"

#include <QHeaderView>

namespace partita::ui {

namespace {

constexpr int rowPadding = 6; // px

} // namespace

ChartTableView::ChartTableView(QWidget* parent)
    : QTableView(parent)
    , m_rows(new ChartTableModel(this))
{
    setModel(m_rows);
    setItemDelegate(new ElidedTips(this));
    setFrameShape(QFrame::NoFrame);
    setTabKeyNavigation(false);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + rowPadding);
}

void ChartTableView::setTable(ChartTable table)
{
    m_rows->setTable(std::move(table));
    resizeColumnsToContents();
}

} // namespace partita::ui
