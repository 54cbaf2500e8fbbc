// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/board_area.h"

#include "app/chart_board.h"

#include <QDockWidget>
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
        askForWidth();
    }
    return QScrollArea::eventFilter(watched, event);
}

void BoardArea::resizeEvent(QResizeEvent* event)
{
    QScrollArea::resizeEvent(event);
    askForWidth();
}

/// Once the window has shared out its room.
void BoardArea::askForWidth()
{
    if (widget()->minimumSizeHint().width() > viewport()->width()) {
        QMetaObject::invokeMethod(this, &BoardArea::takeFromPanels, Qt::QueuedConnection);
    }
}

void BoardArea::takeFromPanels()
{
    auto* window = qobject_cast<QMainWindow*>(this->window());
    if (window == nullptr) {
        return;
    }
    int lacking = widget()->minimumSizeHint().width() - viewport()->width();
    for (const Qt::DockWidgetArea side : {Qt::RightDockWidgetArea, Qt::LeftDockWidgetArea}) {
        QList<QDockWidget*> panels;
        int least = 0;
        for (QDockWidget* dock : window->findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
            if (dock->isVisible() && !dock->isFloating() && window->dockWidgetArea(dock) == side) {
                panels << dock;
                least = std::max(least, dock->minimumSizeHint().width());
            }
        }
        const int taken = panels.isEmpty() ? 0 : std::min(lacking, panels.front()->width() - least);
        if (taken > 0) {
            window->resizeDocks(panels, QList<int>(panels.size(), panels.front()->width() - taken), Qt::Horizontal);
            lacking -= taken;
        }
    }
}

} // namespace partita::ui
