// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QKeyEvent;
class QWidget;

namespace partita::ui {

/// Keeps the window's shortcuts working while a field to type in has the focus. Fields claim keys of their desktop's
/// editing habits, on X11 Ctrl+E as "to the end of the line"; a key that a menu names does what the menu says.
/// What fields need stays theirs: characters, the caret, the clipboard, undo and redo of what is typed.
class FieldShortcuts final : public QObject {
    Q_OBJECT

public:
    explicit FieldShortcuts(QWidget& window);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    bool isOfMenu(const QKeyEvent& event) const;

    QWidget& m_window;
};

} // namespace partita::ui
