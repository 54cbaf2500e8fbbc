// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

class QMenuBar;
class QTableWidget;

namespace partita::ui {

/// Every action of the menus with its shortcut, and the keys that charts understand.
class ShortcutsDialog final : public QDialog {
    Q_OBJECT

public:
    explicit ShortcutsDialog(const QMenuBar& menus, QWidget* parent = nullptr);

private:
    void fit(const QTableWidget& table);
};

} // namespace partita::ui
