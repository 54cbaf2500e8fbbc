// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/chart_board.h"

#include <QAction>
#include <QApplication>
#include <QProxyStyle>

#include <utility>

namespace partita::ui {

namespace {

constexpr int layoutVersion = 4; // of the set of cards and their names

/// Gaps between cards instead of grips. A style sheet would do the same, but keeps its widgets from following the
/// palette.
class BoardStyle final : public QProxyStyle {
public:
    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override
    {
        return metric == PM_DockWidgetSeparatorExtent ? 8 : QProxyStyle::pixelMetric(metric, option, widget);
    }

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override
    {
        if (element != PE_IndicatorDockWidgetResizeHandle) {
            QProxyStyle::drawPrimitive(element, option, painter, widget);
        }
    }
};

} // namespace

ChartBoard::ChartBoard(Rows rows, QWidget* parent)
    : QMainWindow(parent)
    , m_rows(std::move(rows))
{
    setWindowFlags(Qt::Widget);
    setDockNestingEnabled(true);
    setObjectName(QStringLiteral("chartBoard"));
    setContextMenuPolicy(Qt::NoContextMenu);
    for (ChartDock* dock : docks()) {
        connect(dock, &ChartDock::maximiseRequested, this,
                [this, dock] { m_maximised == dock ? showAll() : maximise(dock); });
    }
    for (const Row& row : m_rows) {
        for (const Place& place : row.places) {
            for (const std::vector<ChartDock*>& group : {place.tabs, place.behind}) {
                for (ChartDock* dock : group) {
                    connect(dock->toggleViewAction(), &QAction::triggered, dock, [dock](bool shown) {
                        if (shown) {
                            dock->raise();
                        }
                    });
                }
            }
        }
    }
    auto* style = new BoardStyle;
    style->setParent(this);
    setStyle(style);
    arrange();
}

std::vector<ChartDock*> ChartBoard::docks() const
{
    std::vector<ChartDock*> all;
    for (const Row& row : m_rows) {
        for (const Place& place : row.places) {
            all.push_back(place.dock);
            all.insert(all.end(), place.tabs.begin(), place.tabs.end());
            all.insert(all.end(), place.behind.begin(), place.behind.end());
        }
    }
    return all;
}

void ChartBoard::arrange()
{
    showAll();
    QList<QDockWidget*> firsts;
    QList<int> heights;
    for (ChartDock* dock : docks()) {
        dock->setFloating(false);
        dock->show();
    }
    for (const Row& row : m_rows) {
        ChartDock* first = row.places.front().dock;
        if (firsts.isEmpty()) {
            addDockWidget(Qt::LeftDockWidgetArea, first);
        } else {
            splitDockWidget(firsts.back(), first, Qt::Vertical);
        }
        firsts += first;
        heights += row.height;
    }
    for (const Row& row : m_rows) {
        QList<QDockWidget*> beside;
        QList<int> widths;
        for (const Place& place : row.places) {
            if (!beside.isEmpty()) {
                splitDockWidget(beside.back(), place.dock, Qt::Horizontal);
            }
            beside += place.dock;
            widths += place.width;
        }
        for (const Place& place : row.places) {
            for (ChartDock* tab : place.tabs) {
                tabifyDockWidget(place.dock, tab);
            }
            for (ChartDock* behind : place.behind) {
                tabifyDockWidget(place.dock, behind);
                behind->hide();
            }
            place.dock->raise();
        }
        resizeDocks(beside, widths, Qt::Horizontal);
    }
    resizeDocks(firsts, heights, Qt::Vertical);
}

void ChartBoard::maximise(ChartDock* dock)
{
    showAll();
    for (ChartDock* other : docks()) {
        if (other != dock && !other->isHidden() && !other->isFloating()) {
            other->hide();
            m_hidden.push_back(other);
        }
    }
    m_maximised = dock;
    dock->show();
    dock->setMaximised(true);
}

void ChartBoard::showAll()
{
    for (ChartDock* dock : std::exchange(m_hidden, {})) {
        dock->show();
    }
    if (ChartDock* dock = std::exchange(m_maximised, nullptr)) {
        dock->setMaximised(false);
    }
}

void ChartBoard::pointAt(const QString& id)
{
    for (ChartDock* dock : docks()) {
        const bool meant = dock->objectName() == id;
        dock->setPointedAt(meant);
        if (meant && m_maximised != dock) {
            showAll();
            dock->show();
            dock->raise();
        }
    }
}

ChartDock* ChartBoard::current() const
{
    for (const QWidget* widget : {QApplication::focusWidget(), QApplication::widgetAt(QCursor::pos())}) {
        for (ChartDock* dock : docks()) {
            if (widget != nullptr && (widget == dock || dock->isAncestorOf(widget)) && dock->chart() != nullptr) {
                return dock;
            }
        }
    }
    return m_maximised != nullptr ? m_maximised : m_rows.front().places.front().dock;
}

QByteArray ChartBoard::layoutState()
{
    showAll(); // what is remembered is the board, not the card that happened to fill it
    return saveState(layoutVersion);
}

bool ChartBoard::restoreLayout(const QByteArray& state)
{
    return restoreState(state, layoutVersion);
}

} // namespace partita::ui
