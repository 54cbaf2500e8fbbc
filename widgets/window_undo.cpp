// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/window_undo.h"

#include <QKeyEvent>
#include <QLineEdit>

namespace partita::ui {

namespace {

class UndoFilter final : public QObject {
public:
    UndoFilter(QObject* box, QLineEdit* edit)
        : QObject(box)
        , m_edit(edit)
    {
    }

    bool eventFilter(QObject*, QEvent* event) override
    {
        if (event->type() != QEvent::ShortcutOverride || m_edit->isModified()) {
            return false;
        }
        const auto* key = static_cast<QKeyEvent*>(event);
        if (!key->matches(QKeySequence::Undo) && !key->matches(QKeySequence::Redo)) {
            return false;
        }
        event->ignore(); // the edit would take it for its own
        return true;
    }

private:
    QLineEdit* m_edit;
};

} // namespace

void leaveUndoToWindow(QWidget* box, QLineEdit* edit)
{
    box->installEventFilter(new UndoFilter(box, edit));
    QObject::connect(edit, &QLineEdit::editingFinished, edit, [edit] { edit->setModified(false); });
}

} // namespace partita::ui
