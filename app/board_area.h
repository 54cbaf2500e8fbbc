// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>

namespace partita::ui {

class ChartBoard;

/// The board, which scrolls where the window is too low for what its cards need at least: no panel that opens ever
/// makes the window grow.
class BoardArea final : public QScrollArea {
    Q_OBJECT

public:
    explicit BoardArea(ChartBoard* board, QWidget* parent = nullptr);

    /// As wide as the cards need, and as high as one of them.
    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace partita::ui
