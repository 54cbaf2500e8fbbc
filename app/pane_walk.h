// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QObject>
#include <QPointer>

#include <vector>

class QWidget;

namespace partita::ui {

/// Moves the keyboard focus from pane to pane of a window, back to where it last was in each. A pane may lie inside
/// another, as a card does on the board.
class PaneWalk final : public QObject {
    Q_OBJECT

public:
    explicit PaneWalk(QObject* parent);

    void add(QWidget* pane); ///< in the order in which they are walked
    /// To the next pane that can be seen, or the one before; from the last to the first.
    void step(int by);
    /// Focus to a pane: where it last was there, or to its first control.
    bool enter(QWidget* pane);

private:
    QWidget* paneOf(const QWidget* widget) const; ///< the innermost; null = none
    QWidget* entranceOf(QWidget* pane) const; ///< null = nothing there takes the focus

    std::vector<QWidget*> m_panes;
    QHash<QWidget*, QPointer<QWidget>> m_last; ///< where the focus was
};

/// The first widget of a pane that Tab would reach; null = none.
QWidget* firstFocusIn(QWidget& pane);

} // namespace partita::ui
