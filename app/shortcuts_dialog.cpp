// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shortcuts_dialog.h"

#include "widgets/chart_table_view.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QMenu>
#include <QMenuBar>
#include <QScreen>
#include <QScrollBar>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace partita::ui {

namespace {

using Rows = QList<QStringList>; // keys, what they do, where

constexpr int buttonsHeight = 44;
constexpr double screenShare = 0.9;

QString withoutMnemonic(QString text)
{
    return text.remove(QLatin1Char('&'));
}

void collect(const QMenu& menu, const QString& where, Rows& rows)
{
    const QList<QAction*> actions = menu.actions();
    for (const QAction* action : actions) {
        if (const QMenu* inner = action->menu()) {
            collect(*inner, where, rows);
        } else if (!action->shortcut().isEmpty()) {
            QStringList keys;
            const QList<QKeySequence> shortcuts = action->shortcuts();
            for (const QKeySequence& shortcut : shortcuts) {
                keys += shortcut.toString(QKeySequence::NativeText);
            }
            rows += {keys.join(QStringLiteral(", ")), withoutMnemonic(action->text()), where};
        }
    }
}

/// What no menu names.
Rows otherRows()
{
    const QString pipeline = ShortcutsDialog::tr("Pipeline");
    return {
        {ShortcutsDialog::tr("Esc"), ShortcutsDialog::tr("Leave a chart that fills the window, then the full screen"),
         ShortcutsDialog::tr("Window")},
        {ShortcutsDialog::tr("Drag"), ShortcutsDialog::tr("Measure a stretch; double click zooms to it"), pipeline},
        {ShortcutsDialog::tr("Shift+drag, middle drag"), ShortcutsDialog::tr("Move"), pipeline},
        {ShortcutsDialog::tr("Ctrl+wheel"), ShortcutsDialog::tr("Zoom at the pointer"), pipeline},
        {ShortcutsDialog::tr("↑, ↓, +, −"), ShortcutsDialog::tr("Choose a row, change its layers"),
         ShortcutsDialog::tr("Stages")},
        {ShortcutsDialog::tr("X"), ShortcutsDialog::tr("Where the figure under the pointer or the cursor is from"),
         ShortcutsDialog::tr("Charts, tables, sliders")},
        {ShortcutsDialog::tr("Arrow keys, Enter"), ShortcutsDialog::tr("Move over the cells, adopt one"),
         ShortcutsDialog::tr("Heatmap")},
    };
}

} // namespace

ShortcutsDialog::ShortcutsDialog(const QMenuBar& menus, QWidget* parent)
    : QDialog(parent)
{
    setWindowTitle(tr("Keyboard shortcuts"));
    Rows rows;
    const QList<QAction*> titles = menus.actions();
    for (const QAction* title : titles) {
        if (title->menu() != nullptr) {
            collect(*title->menu(), withoutMnemonic(title->text()), rows);
        }
    }
    rows += otherRows();

    auto* table = new QTableWidget(static_cast<int>(rows.size()), 3, this);
    table->setHorizontalHeaderLabels({tr("Keys"), tr("What they do"), tr("Where")});
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setShowGrid(false);
    table->setTabKeyNavigation(false);
    table->setAccessibleName(tr("Keyboard shortcuts"));
    for (int row = 0; row < rows.size(); ++row) {
        for (int column = 0; column < 3; ++column) {
            table->setItem(row, column, new QTableWidgetItem(rows[row][column]));
        }
    }
    table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff); // what is long breaks into lines
    table->setWordWrap(true);
    table->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setLowRows(*table);
    table->resizeColumnsToContents();
    table->horizontalHeader()->setHighlightSections(false);
    connect(table->horizontalHeader(), &QHeaderView::sectionResized, table, &QTableWidget::resizeRowsToContents);
    table->setCurrentCell(0, 0);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->addWidget(table);
    column->addWidget(buttons);
    fit(*table);
    table->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
    table->setFocus();
}

/// As large as its rows, where the screen is.
void ShortcutsDialog::fit(const QTableWidget& table)
{
    const QMargins around = layout()->contentsMargins();
    int wide = table.verticalScrollBar()->sizeHint().width() + 2 * table.frameWidth();
    for (int column = 0; column < table.columnCount(); ++column) {
        wide += table.columnWidth(column);
    }
    const int high = table.horizontalHeader()->sizeHint().height()
        + table.rowCount() * table.verticalHeader()->defaultSectionSize() + 2 * table.frameWidth();
    const QSize wanted(wide + around.left() + around.right(), high + buttonsHeight + around.top() + around.bottom());
    const QWidget* window = parentWidget() != nullptr ? parentWidget()->window() : nullptr;
    const QSize room = screen()->availableSize() * screenShare;
    resize(wanted.boundedTo(window != nullptr ? room.boundedTo(window->size()) : room));
}

} // namespace partita::ui
