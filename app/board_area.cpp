// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/board_area.h"

#include "app/chart_board.h"

#include <QEvent>
#include <QScrollBar>

namespace partita::ui {

namespace {

constexpr int lowest = 160; // px

} // namespace

BoardArea::BoardArea(ChartBoard* board, QWidget* parent)
    : QScrollArea(parent)
{
    setWidget(board);
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus); // its cards take it
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
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
}

QSize BoardArea::minimumSizeHint() const
{
    return {widget()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width(), lowest};
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
