// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/board_area.h"

#include "app/chart_board.h"

#include <QEvent>
#include <QScrollBar>

#include <algorithm>

namespace partita::ui {

namespace {

constexpr int lowest = 160; // px
constexpr int narrowest = 420;

} // namespace

BoardArea::BoardArea(ChartBoard* board, QWidget* parent)
    : QScrollArea(parent)
{
    setWidget(board);
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus); // its cards take it
    viewport()->setAutoFillBackground(false);
    board->setAutoFillBackground(false);
    board->installEventFilter(this);
    connect(board, &ChartBoard::broughtUp, this, [this](ChartDock* dock) {
        ensureWidgetVisible(dock, 0, 0);
        // Again once the cards have found their places.
        QMetaObject::invokeMethod(
            this, [this, dock] { ensureWidgetVisible(dock, 0, 0); }, Qt::QueuedConnection);
    });
    verticalScrollBar()->setAccessibleName(tr("Cards further down"));
    horizontalScrollBar()->setAccessibleName(tr("Cards further right"));
}

QSize BoardArea::minimumSizeHint() const
{
    const int whole = widget()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width();
    return {std::min(whole, narrowest), lowest};
}

QSize BoardArea::sizeHint() const
{
    return widget()->sizeHint();
}

bool BoardArea::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == widget() && event->type() == QEvent::LayoutRequest) {
        updateGeometry(); // what the cards need has changed
    }
    return QScrollArea::eventFilter(watched, event);
}

} // namespace partita::ui
