// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts.h"

#include "app/advice_card.h"
#include "app/chart_controls.h"
#include "app/chart_file.h"
#include "app/compare_card.h"
#include "app/heatmap_data.h"
#include "app/placement_card.h"
#include "app/runs_card.h"
#include "app/serving_cards.h"
#include "app/serving_data.h"
#include "app/study_cards.h"
#include "widgets/figures.h"
#include "widgets/heatmap_view.h"
#include "widgets/labels.h"
#include "widgets/pareto_view.h"
#include "widgets/pipeline_controls.h"
#include "widgets/pipeline_view.h"
#include "widgets/problem_list.h"
#include "widgets/runs_view.h"
#include "widgets/search_view.h"
#include "widgets/serving_charts.h"
#include "widgets/text.h"

#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace partita::ui {

namespace {

constexpr int narrowestNotes = 172; // px: the names of its tabs

/// An empty card would look like one that has not loaded.
void sayWhenEmpty(QAbstractItemView& list, const QString& text)
{
    auto* label = new QLabel(text);
    label->setForegroundRole(QPalette::PlaceholderText);
    label->setWordWrap(true);
    label->setAttribute(Qt::WA_TransparentForMouseEvents);
    auto* column = new QVBoxLayout(list.viewport());
    column->setContentsMargins(10, 4, 10, 4);
    column->addWidget(label, 0, Qt::AlignTop);
    const QAbstractItemModel* model = list.model(); // resets itself while the list is already being destroyed
    const auto update = [model, label] { label->setVisible(model->rowCount() == 0); };
    for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved}) {
        QObject::connect(model, signal, label, update);
    }
    QObject::connect(model, &QAbstractItemModel::modelReset, label, update);
    update();
}

} // namespace

Charts::Charts(ProblemList& problems, const Catalogue& catalogue)
    : m_memory(new MemoryView)
    , m_stepTime(new StepTimeView)
    , m_servingRoom(new ChartView)
    , m_servingToken(new ChartView)
    , m_servingCurve(new ChartView)
    , m_pipeline(new PipelineView)
    , m_heatmap(new HeatmapView)
    , m_advice(std::make_unique<AdviceCard>())
    , m_placement(std::make_unique<PlacementCard>())
    , m_servingCards(std::make_unique<ServingCards>())
    , m_scaling(std::make_unique<ScalingCard>())
    , m_sensitivity(std::make_unique<SensitivityCard>())
    , m_search(new SearchView)
{
    ChartDock* memory = dockFor(QStringLiteral("memory"), tr("Memory"), m_memory);
    ChartDock* stepTime = dockFor(QStringLiteral("step-time"), tr("Step time"), m_stepTime);
    ChartDock* pipeline = dockFor(QStringLiteral("gantt"), tr("Pipeline"), m_pipeline);
    pipeline->addControl(new PipelineControls(*m_pipeline));
    ChartDock* room = dockFor(QStringLiteral("serving-room"), tr("KV room"), m_servingRoom);
    ChartDock* token = dockFor(QStringLiteral("serving-token"), tr("Between tokens"), m_servingToken);
    ChartDock* curve = dockFor(QStringLiteral("serving-curve"), tr("Latency and throughput"), m_servingCurve);
    for (ChartDock* dock : {room, token, curve}) {
        dock->view()->setAccessibleName(dock->windowTitle()); // until there is a chart to name it
    }
    ChartDock* layouts = m_servingCards->layoutsDock();
    ChartDock* widths = m_servingCards->widthsDock();
    m_servingDocks = {room, widths, layouts, token, curve}; // of those that share a place, the last comes to the front
    for (const ChartView* view : std::initializer_list<const ChartView*>{m_memory, m_stepTime, m_servingRoom,
                                                                         m_servingToken, m_servingCurve, m_pipeline}) {
        connect(view, &ChartView::valueActivated, this, &Charts::valueActivated);
    }
    connect(m_servingCurve, &ChartView::activated, this, &Charts::explainBatch);
    connect(m_servingToken, &ChartView::activated, this, &Charts::explainOverNetwork);
    connect(m_placement.get(), &PlacementCard::valueActivated, this, &Charts::valueActivated);
    connect(m_placement.get(), &PlacementCard::explainRequested, this, &Charts::explainRequested);
    connect(m_scaling.get(), &ScalingCard::explainRequested, this, &Charts::explainRequested);
    connect(m_sensitivity.get(), &SensitivityCard::explainRequested, this, &Charts::explainRequested);
    connect(m_servingCards.get(), &ServingCards::explainRequested, this, &Charts::explainRequested);
    connect(&problems, &ProblemList::valueActivated, this, &Charts::valueActivated);
    m_heatmapDock = addHeatmap();
    auto* runs = new RunsView;
    m_runs = std::make_unique<RunsCard>(dockFor(QStringLiteral("published-runs"), tr("Published runs"), runs), runs);
    m_compare = std::make_unique<CompareCard>(catalogue);
    sayWhenEmpty(problems, tr("No problems, nothing to note."));
    auto* notes = m_problemsDock = new ChartDock(QStringLiteral("problems"), tr("Problems"), &problems, {});
    notes->setTitle(tr("Problems and notes"));
    problems.setMinimumWidth(narrowestNotes);
    m_searchDock = addSearch();
    m_rows = {{305, {{memory, 500, {}, {room}}, {stepTime, 500, {}, {token}}}},
              {265, {{pipeline, 1000, {}, {m_compare->dock(), m_searchDock, curve}}}},
              {350,
               {{m_heatmapDock, 640, {}, {m_runs->dock(), m_scaling->dock(), m_sensitivity->dock(), widths, layouts}},
                {notes, 360, {m_advice->dock()}, {m_placement->dock()}}}}};
    m_notesDock = notes;
    for (ChartDock* dock : ChartBoard::docksOf(m_rows)) {
        connect(dock, &QDockWidget::visibilityChanged, this, [this, dock](bool visible) {
            const auto* board = qobject_cast<ChartBoard*>(dock->parentWidget());
            if (m_switching || board == nullptr || board->isMoving()) {
                return;
            }
            visible ? attend(dock) : setServing(m_serving && anyServingOpen());
        });
    }
}

Charts::~Charts() = default;

ChartDock* Charts::addHeatmap()
{
    ChartDock* dock = dockFor(QStringLiteral("heatmap"), tr("Heatmap"), m_heatmap);
    m_quantityBox = choiceBox<PlaneQuantity>(tr("What the heatmap shows"));
    m_rowBox = choiceBox<PlaneAxis>(tr("Rows of the heatmap"));
    m_columnBox = choiceBox<PlaneAxis>(tr("Columns of the heatmap"));
    dock->addTitleControl(m_quantityBox);
    dock->addTitleControl(new QLabel(tr("over")));
    dock->addTitleControl(m_rowBox);
    dock->addTitleControl(new QLabel(QStringLiteral("×")));
    dock->addTitleControl(m_columnBox);
    m_restBox = choiceBox<PlaneRest>(tr("Degrees that are not on the heatmap's axes"));
    dock->addTitleControl(m_restBox);
    syncControls();
    connect(m_quantityBox, &QComboBox::activated, this, [this] { setQuantity(chosen<PlaneQuantity>(*m_quantityBox)); });
    for (QComboBox* box : {m_rowBox, m_columnBox}) {
        connect(box, &QComboBox::activated, this, [this, box] { axisPicked(box); });
    }
    connect(m_restBox, &QComboBox::activated, this, [this] { setRest(chosen<PlaneRest>(*m_restBox)); });
    connect(m_heatmap, &HeatmapView::adopted, this,
            [this](int x, int y) { Q_EMIT cellChosen(static_cast<std::size_t>(y), static_cast<std::size_t>(x)); });
    return dock;
}

ChartDock* Charts::addSearch()
{
    ParetoView& pareto = m_search->pareto();
    auto* dock = new ChartDock(QStringLiteral("search"), tr("Search"), m_search, [&pareto] { return pareto.chart(); });
    connect(&pareto, &ChartView::copyRequested, dock, &ChartDock::copyRequested);
    connect(&pareto, &ChartView::exportRequested, dock, &ChartDock::exportRequested);
    connect(&pareto, &ChartView::tableRequested, dock, [dock] { dock->showTable(true); });
    return dock;
}

/// Batches of the curve other than the scenario's.
void Charts::explainBatch(const QPointF& at)
{
    const auto* chart = dynamic_cast<const ServingCurveChart*>(m_servingCurve->chart());
    const ServingCurveGeometry g = chart->geometry(m_servingCurve->chartArea(), textMetrics(m_servingCurve->theme()));
    const std::optional<std::size_t> point = g.pointAt(at);
    if (!point || point == g.current) {
        return;
    }
    OtherFigure figure{m_scenario, tr("At batch %1.").arg(significant(chart->data().sweep[*point].batch)),
                       QStringLiteral("serving.tokens_per_s_per_device")};
    figure.scenario.serving.batch =
        static_cast<decltype(figure.scenario.serving.batch)>(chart->data().sweep[*point].batch);
    Q_EMIT explainRequested(figure);
}

/// The bar below the scenario's own.
void Charts::explainOverNetwork(const QPointF& at)
{
    const auto* chart = dynamic_cast<const TokenTimeChart*>(m_servingToken->chart());
    const StackedRowsGeometry g = chart->geometry(m_servingToken->chartArea(), textMetrics(m_servingToken->theme()));
    const StackedRowsGeometry::Segment* segment = g.segmentAt(at);
    if (segment != nullptr && segment->row > 0) {
        Q_EMIT explainRequested(
            {onNetwork(m_scenario), tr("With tensor groups on the network between nodes."),
             QStringLiteral("serving.time.parts.") + toText(keyOf(static_cast<TimeKind>(segment->category)))});
    }
}

void Charts::axisPicked(QComboBox* picked)
{
    PlaneAxis rows = chosen<PlaneAxis>(*m_rowBox);
    PlaneAxis columns = chosen<PlaneAxis>(*m_columnBox);
    if (rows == columns) { // the axis that was there changes places with the one picked
        (picked == m_rowBox ? columns : rows) = picked == m_rowBox ? m_rowAxis : m_columnAxis;
    }
    setAxes(rows, columns);
}

void Charts::setAxes(PlaneAxis rows, PlaneAxis columns)
{
    m_rowAxis = rows;
    m_columnAxis = columns;
    syncControls();
    Q_EMIT planeWanted();
}

void Charts::setRest(PlaneRest rest)
{
    m_rest = rest;
    syncControls();
    Q_EMIT planeWanted();
}

void Charts::setQuantity(PlaneQuantity quantity)
{
    m_quantity = quantity;
    syncControls();
    Q_EMIT quantityChanged();
}

void Charts::syncControls()
{
    choose(*m_quantityBox, m_quantity);
    choose(*m_rowBox, m_rowAxis);
    choose(*m_columnBox, m_columnAxis);
    choose(*m_restBox, m_rest);
}

void Charts::show(const Scenario& scenario, const std::shared_ptr<const Report>& report)
{
    m_report = report;
    m_memory->setReport(*report);
    m_stepTime->setReport(*report);
    m_scaling->setScenario(scenario);
    m_sensitivity->setScenario(scenario);
    m_pipeline->setScenario(scenario, {report, &report->timeline}, pipelineTitle(scenario.layout));
    m_compare->setCurrent(scenario, report);
    for (const ChartBoard::Row& row : m_rows) {
        for (const ChartBoard::Place& place : row.places) {
            place.dock->refresh();
        }
    }
}

void Charts::showServing(const Scenario& scenario, const std::shared_ptr<const ServingData>& data)
{
    m_scenario = scenario;
    m_servingRoom->setChart(data ? std::make_shared<const RoomChart>(data) : nullptr);
    m_servingToken->setChart(data ? std::make_shared<const TokenTimeChart>(data) : nullptr);
    m_servingCurve->setChart(data ? std::make_shared<const ServingCurveChart>(data) : nullptr);
    for (ChartDock* dock : m_servingDocks) {
        dock->refresh();
    }
}

bool Charts::isOfServing(const ChartDock* dock) const
{
    return std::find(m_servingDocks.begin(), m_servingDocks.end(), dock) != m_servingDocks.end();
}

bool Charts::anyServingOpen() const
{
    return std::any_of(m_servingDocks.begin(), m_servingDocks.end(),
                       [](const ChartDock* dock) { return !dock->isHidden(); });
}

/// Those of serving take the places of those of training, which come back when they leave: whoever reads a card beside
/// the headline reads of one thing.
void Charts::setServing(bool serving)
{
    if (serving == m_serving) {
        return;
    }
    m_serving = serving;
    m_switching = true;
    if (serving) {
        for (ChartDock* dock : m_servingDocks) { // first, so that no place is ever empty
            dock->show();
            dock->raise();
        }
        setAsideTraining();
    } else {
        bringBackTraining();
        for (ChartDock* dock : m_servingDocks) {
            dock->hide();
        }
    }
    m_switching = false;
    Q_EMIT servingToggled();
}

void Charts::setAsideTraining()
{
    for (ChartDock* dock : ChartBoard::docksOf(m_rows)) {
        if (dock != m_notesDock && !isOfServing(dock) && !dock->isHidden()) {
            m_setAside.push_back(dock);
            dock->hide();
        }
    }
}

void Charts::bringBackTraining()
{
    std::vector<ChartDock*> back = std::exchange(m_setAside, {});
    if (back.empty()) { // a window that was closed while it served
        for (const ChartBoard::Row& row : m_rows) {
            for (const ChartBoard::Place& place : row.places) {
                back.push_back(place.dock);
            }
        }
    }
    for (ChartDock* dock : back) {
        dock->show();
    }
    for (const ChartBoard::Row& row : m_rows) {
        for (const ChartBoard::Place& place : row.places) {
            place.dock->raise();
        }
    }
}

void Charts::attend(ChartDock* dock)
{
    if (dock != m_notesDock) {
        setServing(isOfServing(dock));
        dock->raise();
    }
}

void Charts::followBoard()
{
    m_setAside.clear();
    m_serving = anyServingOpen();
    if (m_serving) {
        m_switching = true;
        setAsideTraining();
        m_switching = false;
    }
    Q_EMIT servingToggled();
}

void Charts::showPlane(const Plane& plane, const Scenario& scenario)
{
    m_heatmap->setData(heatmapData(plane, scenario, m_quantity, m_report.get()));
    m_heatmapDock->refresh();
}

} // namespace partita::ui
