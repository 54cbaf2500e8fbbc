// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAccessible>
#include <QTabBar>
#include <QWidget>

/// Widgets inside a root that take the focus by keyboard and that a screen reader could not name.
inline QStringList namelessControls(const QWidget& root)
{
    QStringList nameless;
    const QList<QWidget*> all = root.findChildren<QWidget*>();
    for (QWidget* widget : all) {
        const auto* tabs = qobject_cast<const QTabBar*>(widget);
        if (tabs != nullptr && tabs->count() == 0) {
            continue; // one that QMainWindow keeps for docks in one place; it is named after the tab shown
        }
        const bool focusable = (widget->focusPolicy() & Qt::TabFocus) && !widget->focusProxy() && !widget->isWindow();
        const QAccessibleInterface* accessible = focusable ? QAccessible::queryAccessibleInterface(widget) : nullptr;
        if (focusable && (!accessible || accessible->text(QAccessible::Name).isEmpty())) {
            nameless << QString::fromLatin1(widget->metaObject()->className()) + QLatin1Char(' ')
                    + widget->objectName();
        }
    }
    return nameless;
}
