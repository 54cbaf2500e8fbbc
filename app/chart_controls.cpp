// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/chart_controls.h"

namespace partita::ui {

ChartDock* dockFor(const QString& id, const QString& title, ChartView* view)
{
    view->setObjectName(id + QStringLiteral("View"));
    auto* dock = new ChartDock(id, title, view, [view] { return view->chart(); });
    QObject::connect(view, &ChartView::copyRequested, dock, &ChartDock::copyRequested);
    QObject::connect(view, &ChartView::exportRequested, dock, &ChartDock::exportRequested);
    QObject::connect(view, &ChartView::tableRequested, dock, [dock] { dock->showTable(true); });
    return dock;
}

} // namespace partita::ui
