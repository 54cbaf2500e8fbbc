// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/explain_action.h"

#include <QAbstractItemView>
#include <QAction>
#include <QCoreApplication>

namespace partita::ui {

void addExplainAction(QAbstractItemView& table, const std::function<void(const QModelIndex& cell)>& ask)
{
    auto* explain = new QAction(QCoreApplication::translate("ExplainAction", "E&xplain this figure"), &table);
    explain->setShortcut(QKeySequence(Qt::Key_X));
    explain->setShortcutContext(Qt::WidgetShortcut);
    table.addAction(explain);
    table.setContextMenuPolicy(Qt::ActionsContextMenu);
    QObject::connect(explain, &QAction::triggered, &table, [&table, ask] {
        if (table.currentIndex().isValid()) {
            ask(table.currentIndex());
        }
    });
}

} // namespace partita::ui
