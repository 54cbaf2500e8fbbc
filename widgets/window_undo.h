// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QLineEdit;
class QWidget;

namespace partita::ui {

/// Undo and redo in a box that holds what was entered last are the window's: only typing is taken back in place.
void leaveUndoToWindow(QWidget* box, QLineEdit* edit);

} // namespace partita::ui
