// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pane_walk.h"

#include <QApplication>
#include <QWidget>

#include <algorithm>

namespace partita::ui {

namespace {

bool holds(const QWidget* pane, const QWidget* widget)
{
    return widget != nullptr && (pane == widget || pane->isAncestorOf(widget));
}

/// Not behind a tab, not scrolled out of a panel that is closed.
bool takesFocus(const QWidget* widget)
{
    return widget->isVisible() && widget->isEnabled() && (widget->focusPolicy() & Qt::TabFocus) != 0;
}

} // namespace

QWidget* firstFocusIn(QWidget& pane)
{
    QWidget* widget = &pane;
    do {
        if (holds(&pane, widget) && takesFocus(widget)) {
            return widget;
        }
        widget = widget->nextInFocusChain();
    } while (widget != nullptr && widget != &pane);
    return nullptr;
}

PaneWalk::PaneWalk(QObject* parent)
    : QObject(parent)
{
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        if (QWidget* pane = paneOf(now)) {
            m_last[pane] = now;
        }
    });
}

void PaneWalk::add(QWidget* pane)
{
    m_panes.push_back(pane);
}

QWidget* PaneWalk::paneOf(const QWidget* widget) const
{
    QWidget* innermost = nullptr;
    for (QWidget* pane : m_panes) {
        if (holds(pane, widget) && (innermost == nullptr || innermost->isAncestorOf(pane))) {
            innermost = pane;
        }
    }
    return innermost;
}

QWidget* PaneWalk::entranceOf(QWidget* pane) const
{
    if (!pane->isVisible() || pane->visibleRegion().isEmpty()) {
        return nullptr;
    }
    QWidget* last = m_last.value(pane);
    if (last != nullptr && takesFocus(last)) {
        return last;
    }
    QWidget* first = firstFocusIn(*pane);
    return paneOf(first) == pane ? first : nullptr;
}

bool PaneWalk::enter(QWidget* pane)
{
    QWidget* entrance = entranceOf(pane);
    if (entrance != nullptr) {
        entrance->window()->setAttribute(Qt::WA_KeyboardFocusChange); // as Qt does for Tab
        entrance->setFocus(Qt::TabFocusReason); // the frame around what has the focus is for keys
    }
    return entrance != nullptr;
}

void PaneWalk::step(int by)
{
    const auto count = static_cast<int>(m_panes.size());
    const auto at = std::find(m_panes.begin(), m_panes.end(), paneOf(QApplication::focusWidget()));
    int index = at != m_panes.end() ? static_cast<int>(at - m_panes.begin()) : by > 0 ? -1 : count;
    for (int tried = 0; tried < count; ++tried) {
        index = (index + by + count) % count;
        if (enter(m_panes[static_cast<std::size_t>(index)])) {
            return;
        }
    }
}

} // namespace partita::ui
