// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>

namespace partita::ui {

class ChartBoard;

/// The board, which scrolls where the window is too small for what its cards need at least: no panel that opens ever
/// makes the window grow. Panels beside it give it what width they can do without.
class BoardArea final : public QScrollArea {
    Q_OBJECT

public:
    explicit BoardArea(ChartBoard* board, QWidget* parent = nullptr);

    /// Of one card.
    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void askForWidth();
    void takeFromPanels(); ///< of the window's docks, as much of their width as they can do without
};

} // namespace partita::ui
