// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serving_cards.h"

#include "app/chart_dock.h"
#include "widgets/chart_view.h"
#include "widgets/explain_action.h"
#include "widgets/serving_front_chart.h"
#include "widgets/text.h"

#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

namespace partita::ui {

namespace {

constexpr int delayMilliseconds = 250;

ChartTableView* tableOf(const QString& name)
{
    auto* table = new ChartTableView;
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setAccessibleName(name);
    return table;
}

} // namespace

ServingCards::ServingCards()
    : m_view(new ChartView)
    , m_layouts(tableOf(tr("Layouts no other beats")))
    , m_widths(tableOf(tr("One engine, or replicas of fewer tensor ranks")))
    , m_adopt(new QPushButton(tr("&Adopt")))
    , m_job(QStringLiteral("serving layouts"))
{
    m_view->setObjectName(QStringLiteral("servingLayoutsView"));
    m_view->setAccessibleName(tr("Layouts for serving")); // until there is a chart to name it
    m_layoutsDock = new ChartDock(QStringLiteral("serving-layouts"), tr("Layouts for serving"), makeLayouts(),
                                  [this] { return m_view->chart(); });
    m_widthsDock = new ChartDock(QStringLiteral("serving-widths"), tr("Replicas or wider TP"), m_widths,
                                 [this] { return m_widthsChart.get(); });
    connect(m_view, &ChartView::copyRequested, m_layoutsDock, &ChartDock::copyRequested);
    connect(m_view, &ChartView::exportRequested, m_layoutsDock, &ChartDock::exportRequested);
    connect(m_view, &ChartView::tableRequested, m_layoutsDock, [this] { m_layoutsDock->showTable(true); });
    connect(m_layouts, &QTableView::activated, this, &ServingCards::adopt);
    connect(m_adopt, &QPushButton::clicked, this, &ServingCards::adopt);
    connect(m_layouts->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ServingCards::showChosen);
    connect(m_view, &ChartView::activated, this, [this](const QPointF& at) {
        const auto* chart = dynamic_cast<const ServingFrontChart*>(m_view->chart());
        const ServingFrontGeometry g = chart->geometry(m_view->chartArea(), textMetrics(m_view->theme()));
        if (const std::optional<std::size_t> point = g.pointAt(at)) {
            m_layouts->selectRow(static_cast<int>(*point));
            explain(m_search->points[m_search->front[*point]], "tokens_per_s_per_device");
        }
    });
    addExplainAction(*m_layouts, [this](const QModelIndex& cell) {
        explain(m_search->points[m_search->front[static_cast<std::size_t>(cell.row())]],
                frontFigures[static_cast<std::size_t>(cell.column())]);
    });
    addExplainAction(*m_widths, [this](const QModelIndex& cell) {
        const auto column = static_cast<std::size_t>(std::max(0, cell.column() - 1)); // the first names the rows
        if (column < m_widthPoints.size()) {
            ServingPoint point = m_widthPoints[column];
            const bool serves = point.batch > 0;
            point.batch = std::max<std::int64_t>(1, point.batch); // not even one request is held
            explain(point, serves ? widthFigures[static_cast<std::size_t>(cell.row())] : "fits");
        }
    });
    m_delay.setSingleShot(true);
    m_delay.setInterval(delayMilliseconds);
    connect(&m_delay, &QTimer::timeout, this, &ServingCards::work);
    for (const ChartDock* dock : {m_layoutsDock, m_widthsDock}) {
        connect(dock, &QDockWidget::visibilityChanged, this, &ServingCards::refresh);
    }
}

QWidget* ServingCards::makeLayouts()
{
    m_adopt->setToolTip(tr("Make the chosen layout and its batch the scenario's (Enter)"));
    m_adopt->setEnabled(false);
    auto* side = new QWidget;
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 8, 6);
    column->addWidget(m_layouts, 1);
    column->addWidget(m_adopt, 0, Qt::AlignRight);
    auto* splitter = new QSplitter;
    splitter->addWidget(m_view);
    splitter->addWidget(side);
    splitter->setStretchFactor(0, 1);
    splitter->setSizes({480, 560}); // px, at first
    return splitter;
}

void ServingCards::setScenario(const Scenario& scenario)
{
    m_scenario = scenario;
    refresh();
}

void ServingCards::refresh()
{
    if ((m_layoutsDock->isVisible() || m_widthsDock->isVisible()) && m_shown != m_scenario) {
        m_delay.start();
    }
}

void ServingCards::work()
{
    m_shown = m_scenario;
    m_complete = false;
    m_job.start([this, scenario = m_scenario](const NewestJob::Outdated& outdated, const NewestJob::Deliver& deliver) {
        const std::vector<ServingPoint> widths = replicasOrWider(scenario);
        deliver([this, widths] {
            m_widthPoints = widths;
            m_widths->setTable(widthsTable(widths));
            m_widthsChart = std::make_shared<const TableChart>(widthsChart(widths));
            m_widthsDock->refresh();
        });
        if (!outdated()) {
            const auto search = std::make_shared<const ServingSearch>(searchServing(scenario));
            deliver([this, search] { show(search); });
        }
    });
}

void ServingCards::show(std::shared_ptr<const ServingSearch> search)
{
    const int row = m_layouts->currentIndex().row();
    m_complete = true;
    m_search = std::move(search);
    m_layouts->setTable(frontTable(*m_search));
    if (row >= 0 && row < m_layouts->model()->rowCount()) {
        m_layouts->selectRow(row);
    }
    showChosen();
}

std::optional<std::size_t> ServingCards::chosen() const
{
    const int row = m_layouts->currentIndex().row();
    return m_search != nullptr && row >= 0 && static_cast<std::size_t>(row) < m_search->front.size()
        ? std::optional(static_cast<std::size_t>(row))
        : std::nullopt;
}

void ServingCards::showChosen()
{
    if (m_search == nullptr) {
        return;
    }
    const auto chart = std::make_shared<ServingFrontChart>(m_search);
    chart->cursor = chosen();
    m_view->setChart(chart);
    m_layoutsDock->refresh();
    m_adopt->setEnabled(chart->cursor.has_value());
}

void ServingCards::explain(const ServingPoint& point, std::string_view figure)
{
    if (!m_shown) {
        return;
    }
    OtherFigure other{*m_shown, tr("Of %1 at batch %2.").arg(servingDegrees(point.layout)).arg(point.batch),
                      QStringLiteral("serving.") + toText(figure)};
    other.scenario.layout = point.layout;
    other.scenario.serving.batch = point.batch;
    Q_EMIT explainRequested(other);
}

void ServingCards::adopt()
{
    if (const std::optional<std::size_t> row = chosen()) {
        const ServingPoint point = m_search->points[m_search->front[*row]];
        Q_EMIT adoptRequested(point);
    }
}

} // namespace partita::ui
