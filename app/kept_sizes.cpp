// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kept_sizes.h"

#include <QAction>
#include <QDockWidget>
#include <QEvent>
#include <QTabBar>

#include <algorithm>

namespace partita::ui {

namespace {

constexpr std::size_t mostKept = 8;
constexpr int settleMilliseconds = 100;

} // namespace

KeptSizes::KeptSizes(QMainWindow& window, std::vector<QDockWidget*> docks)
    : QObject(&window)
    , m_window(window)
    , m_docks(std::move(docks))
{
    m_settled.setSingleShot(true);
    m_settled.setInterval(settleMilliseconds);
    connect(&m_settled, &QTimer::timeout, this, &KeptSizes::keep);
    window.installEventFilter(this);
    for (QDockWidget* dock : m_docks) {
        connect(dock->toggleViewAction(), &QAction::toggled, this, &KeptSizes::forget);
        connect(dock, &QDockWidget::topLevelChanged, this, &KeptSizes::forget);
        connect(dock, &QDockWidget::dockLocationChanged, this, &KeptSizes::forget);
    }
}

bool KeptSizes::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize) {
        const auto known = std::find_if(m_kept.begin(), m_kept.end(),
                                        [this](const Kept& kept) { return kept.window == m_window.size(); });
        if (known != m_kept.end()) {
            giveBack(*known);
        }
        m_settled.start();
    } else if (event->type() == QEvent::MouseButtonRelease) { // on what separates docks: they take theirs themselves
        forget();
    }
    return QObject::eventFilter(watched, event);
}

/// Height of the tabs below a dock that shares its place: the place is what is resized.
int KeptSizes::tabsOf(QDockWidget& dock) const
{
    const QList<QDockWidget*> sharing = m_window.tabifiedDockWidgets(&dock);
    if (std::all_of(sharing.begin(), sharing.end(), [](const QDockWidget* other) { return other->isHidden(); })) {
        return 0;
    }
    const QList<QTabBar*> bars = m_window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly);
    const auto own = std::find_if(bars.begin(), bars.end(), [&dock](const QTabBar* bar) {
        return bar->isVisible() && bar->geometry().top() >= dock.geometry().bottom()
            && bar->geometry().left() <= dock.geometry().right() && bar->geometry().right() >= dock.geometry().left();
    });
    return own != bars.end() ? (*own)->geometry().bottom() - dock.geometry().bottom() : 0;
}

void KeptSizes::keep()
{
    Kept now{m_window.size(), {}};
    for (QDockWidget* dock : m_docks) {
        if (dock->isVisible() && !dock->isFloating()
            && dock->geometry().intersects(m_window.rect())) { // else behind a tab
            now.docks.emplace_back(dock, dock->size() + QSize(0, tabsOf(*dock)));
        }
    }
    m_kept.erase(
        std::remove_if(m_kept.begin(), m_kept.end(), [&now](const Kept& kept) { return kept.window == now.window; }),
        m_kept.end());
    if (m_kept.size() == mostKept) {
        m_kept.erase(m_kept.begin());
    }
    m_kept.push_back(std::move(now));
}

void KeptSizes::giveBack(const Kept& kept)
{
    QList<QDockWidget*> docks;
    QList<int> widths;
    QList<int> heights;
    for (const auto& [dock, size] : kept.docks) {
        docks << dock;
        widths << size.width();
        heights << size.height();
    }
    m_window.resizeDocks(docks, widths, Qt::Horizontal);
    m_window.resizeDocks(docks, heights, Qt::Vertical);
}

void KeptSizes::forget()
{
    m_kept.clear();
    m_settled.start();
}

} // namespace partita::ui
