// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>
#include <QTimer>

#include <utility>
#include <vector>

namespace partita::ui {

/// A window that was made smaller, by a panel beside it, and gets its size back gives its docks the sizes they had
/// then: on its own it would share the room out anew. Forgets them as soon as docks are moved, closed or resized by
/// hand. Lives as long as the window.
class KeptSizes final : public QObject {
    Q_OBJECT

public:
    KeptSizes(QMainWindow& window, std::vector<QDockWidget*> docks);

    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Kept {
        QSize window;
        std::vector<std::pair<QDockWidget*, QSize>> docks; ///< those that can be seen
    };

    int tabsOf(QDockWidget& dock) const;
    void keep();
    void giveBack(const Kept& kept);
    void forget();

    QMainWindow& m_window;
    std::vector<QDockWidget*> m_docks;
    std::vector<Kept> m_kept; ///< the latest last
    QTimer m_settled; ///< sizes on the way to others are none to go back to
};

} // namespace partita::ui
