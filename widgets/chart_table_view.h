// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/chart.h"

#include <QTableView>

namespace partita::ui {

class ChartTableModel;

/// Makes a table's rows as low as a line of its text allows.
void setLowRows(QTableView& table);

/// The numbers behind a chart: rows as low as their text, and the whole of a cell that is cut under the pointer.
class ChartTableView final : public QTableView {
    Q_OBJECT

public:
    explicit ChartTableView(QWidget* parent = nullptr);

    void setTable(ChartTable table); ///< columns as wide as it needs

private:
    ChartTableModel* m_rows;
};

} // namespace partita::ui
