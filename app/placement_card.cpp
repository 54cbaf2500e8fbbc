// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/placement_card.h"

#include "app/chart_dock.h"
#include "core/advice/rank_placement.h"
#include "core/layout/layout_text.h"
#include "widgets/placement_view.h"
#include "widgets/table_chart.h"
#include "widgets/text.h"

namespace partita::ui {

namespace {

constexpr int delayMilliseconds = 250; // no costing of orders for every step of a drag

} // namespace

PlacementCard::PlacementCard()
    : m_view(new PlacementView)
    , m_dock(new ChartDock(QStringLiteral("placement"), tr("Rank order"), m_view, [this] { return m_chart.get(); }))
    , m_job(QStringLiteral("rank orders"))
{
    m_delay.setSingleShot(true);
    m_delay.setInterval(delayMilliseconds);
    connect(&m_delay, &QTimer::timeout, this, &PlacementCard::work);
    connect(m_dock, &QDockWidget::visibilityChanged, this, &PlacementCard::refresh);
    m_dock->setUpToDate([this] { return m_shown == m_scenario; });
    connect(m_view, &PlacementView::orderEdited, this, &PlacementCard::orderEdited);
    connect(m_view, &PlacementView::valueActivated, this, &PlacementCard::valueActivated);
    connect(m_view, &PlacementView::placementExplained, this, [this](const RankPlacement& placement) {
        OtherFigure figure{m_scenario,
                           tr("Of the rank order %1.").arg(toText(rankOrderText(placement.cost.layout.rankOrder))),
                           QStringLiteral("step_time_s")};
        figure.scenario.layout = placement.cost.layout;
        Q_EMIT explainRequested(figure);
    });
}

void PlacementCard::setScenario(const Scenario& scenario, const Report& report)
{
    m_scenario = scenario;
    m_time = report.time;
    refresh();
}

void PlacementCard::refresh()
{
    if (m_dock->isVisible() && m_shown != m_scenario) {
        m_shown = m_scenario;
        m_chart.reset();
        m_job.cancel(); // what it works out is of another scenario
        m_view->setCurrent(m_scenario.layout, placedGroups(m_scenario, m_time));
        m_delay.start();
    }
}

void PlacementCard::work()
{
    m_view->setPlacements({});
    m_job.start([this, scenario = m_scenario](const NewestJob::Outdated&, const NewestJob::Deliver& deliver) {
        deliver([this, placements = rankPlacements(scenario)] {
            m_view->setPlacements(placements);
            m_chart = std::make_shared<const TableChart>(placementChart(placements));
            m_dock->refresh();
            Q_EMIT completed();
        });
    });
}

} // namespace partita::ui
