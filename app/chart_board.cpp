// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/chart_board.h"

#include "app/kept_sizes.h"
#include "app/pane_walk.h"
#include "app/window_style.h"

#include <QAction>
#include <QApplication>
#include <QProxyStyle>

#include <algorithm>
#include <utility>

namespace partita::ui {

namespace {

constexpr int layoutVersion = 5; // of the set of cards and their names

/// Gaps between cards instead of grips. A style sheet would do the same, but keeps its widgets from following the
/// palette.
class BoardStyle final : public QProxyStyle {
public:
    BoardStyle()
        : QProxyStyle(new WindowStyle)
    {
    }

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
                    connect(dock->toggleViewAction(), &QAction::triggered, this, [this, dock](bool shown) {
                        if (!shown) {
                            return;
                        }
                        bringUp(dock);
                        if (QWidget* first = firstFocusIn(*dock->widget())) {
                            first->setFocus(Qt::OtherFocusReason); // what keys and the presenter mean now
                        }
                    });
                }
            }
        }
    }
    auto* style = new BoardStyle;
    style->setParent(this);
    setStyle(style);
    const std::vector<ChartDock*> all = docks();
    new KeptSizes(*this, {all.begin(), all.end()});
    arrange();
}

std::vector<ChartDock*> ChartBoard::docks() const
{
    return docksOf(m_rows);
}

std::vector<ChartDock*> ChartBoard::docksOf(const Rows& rows)
{
    std::vector<ChartDock*> all;
    std::vector<ChartDock*> others;
    for (const Row& row : rows) {
        for (const Place& place : row.places) {
            all.push_back(place.dock);
            others.insert(others.end(), place.tabs.begin(), place.tabs.end());
            others.insert(others.end(), place.behind.begin(), place.behind.end());
        }
    }
    all.insert(all.end(), others.begin(), others.end());
    return all;
}

void ChartBoard::arrange()
{
    m_arranging = true;
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
    m_arranging = false;
    Q_EMIT arranged();
}

void ChartBoard::maximise(ChartDock* dock)
{
    showAll();
    m_arrangement = saveState(layoutVersion);
    m_maximised = dock;
    for (ChartDock* other : docks()) {
        if (other != dock && !other->isHidden() && !other->isFloating()) {
            other->hide();
            m_hidden.push_back(other);
        }
    }
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
        restoreLayout(std::exchange(m_arrangement, {})); // their sizes, and which tab was in front
    }
}

void ChartBoard::pointAt(const QString& id)
{
    for (ChartDock* dock : docks()) {
        const bool meant = dock->objectName() == id;
        dock->setPointedAt(meant);
        if (meant) {
            bringUp(dock);
        }
    }
}

void ChartBoard::bringUp(ChartDock* dock)
{
    if (m_maximised != dock) {
        showAll();
    }
    dock->show();
    dock->raise();
    Q_EMIT broughtUp(dock);
}

ChartDock* ChartBoard::pointed(bool charts) const
{
    for (const QWidget* widget : {QApplication::focusWidget(), QApplication::widgetAt(QCursor::pos())}) {
        for (ChartDock* dock : docks()) {
            const bool within = widget != nullptr && (widget == dock || dock->isAncestorOf(widget));
            if (within && (!charts || dock->chart() != nullptr)) {
                return dock;
            }
        }
    }
    return nullptr;
}

ChartDock* ChartBoard::card() const
{
    ChartDock* dock = pointed(false);
    return dock != nullptr ? dock : current();
}

ChartDock* ChartBoard::current() const
{
    if (ChartDock* dock = pointed(true)) {
        return dock;
    }
    if (m_maximised != nullptr) {
        return m_maximised;
    }
    const std::vector<ChartDock*> all = docks();
    const auto first = std::find_if(all.begin(), all.end(),
                                    [](const ChartDock* dock) { return !dock->isHidden() && dock->isChart(); });
    return first != all.end() ? *first : m_rows.front().places.front().dock;
}

QByteArray ChartBoard::layoutState()
{
    showAll(); // what is remembered is the board, not the card that happened to fill it
    return saveState(layoutVersion);
}

bool ChartBoard::restoreLayout(const QByteArray& state)
{
    m_arranging = true;
    const bool known = restoreState(state, layoutVersion);
    m_arranging = false;
    Q_EMIT arranged();
    return known;
}

} // namespace partita::ui
