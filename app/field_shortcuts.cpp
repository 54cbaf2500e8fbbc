// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/field_shortcuts.h"

#include <QAction>
#include <QApplication>
#include <QKeyEvent>
#include <QWidget>

#include <algorithm>
#include <array>

namespace partita::ui {

namespace {

constexpr std::array ofFields{QKeySequence::Undo,  QKeySequence::Redo,   QKeySequence::Copy,     QKeySequence::Cut,
                              QKeySequence::Paste, QKeySequence::Delete, QKeySequence::SelectAll};

bool types(const QKeyEvent& event)
{
    const bool command = (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) != 0;
    const bool function = event.key() >= Qt::Key_F1 && event.key() <= Qt::Key_F35;
    return !command && !function;
}

} // namespace

FieldShortcuts::FieldShortcuts(QWidget& window)
    : QObject(&window)
    , m_window(window)
{
    qApp->installEventFilter(this);
}

bool FieldShortcuts::isOfMenu(const QKeyEvent& event) const
{
    const QKeySequence pressed(event.keyCombination());
    const QList<QAction*> actions = m_window.findChildren<QAction*>();
    return std::any_of(actions.begin(), actions.end(), [&](const QAction* action) {
        return action->isEnabled() && action->shortcutContext() == Qt::WindowShortcut
            && action->shortcuts().contains(pressed);
    });
}

bool FieldShortcuts::eventFilter(QObject* watched, QEvent* event)
{
    const auto* widget = event->type() == QEvent::ShortcutOverride ? qobject_cast<QWidget*>(watched) : nullptr;
    if (widget == nullptr || widget->window() != &m_window) {
        return false;
    }
    const auto& key = static_cast<const QKeyEvent&>(*event);
    if (types(key)
        || std::any_of(ofFields.begin(), ofFields.end(), [&](auto standard) { return key.matches(standard); })) {
        return false;
    }
    if (!isOfMenu(key)) {
        return false;
    }
    event->ignore(); // nobody claims it: it goes to the shortcuts
    return true;
}

} // namespace partita::ui
