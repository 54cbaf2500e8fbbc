// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare_card.h"

#include "app/chart_dock.h"
#include "app/comparison_charts.h"
#include "core/training/evaluate.h"
#include "widgets/chart_view.h"
#include "widgets/compare_chart.h"
#include "widgets/labels.h"
#include "widgets/text.h"

#include <QAbstractItemView>
#include <QAction>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QScrollBar>
#include <QSplitter>
#include <QToolButton>

#include <algorithm>

namespace partita::ui {

namespace {

constexpr int chartWidth = 620; // px, at first
constexpr int tableWidth = 420;

QComboBox* namedBox(const QString& name)
{
    auto* box = new QComboBox;
    box->setAccessibleName(name);
    box->setToolTip(name);
    box->view()->setAccessibleName(name);
    box->setFocusPolicy(Qt::StrongFocus); // the wheel must not change a box that is only scrolled past
    return box;
}

QString menuText(const std::string& name)
{
    return toText(name).replace(u'&', QStringLiteral("&&"));
}

} // namespace

CompareCard::CompareCard(const Catalogue& catalogue)
    : m_catalogue(catalogue)
    , m_view(new ChartView)
    , m_table(new ChartTableView)
    , m_quantityBox(namedBox(tr("What is compared")))
    , m_from(namedBox(tr("Compare from")))
    , m_to(namedBox(tr("Compare to")))
    , m_pin(new QAction(tr("&Pin this scenario"), m_view))
{
    m_view->setObjectName(QStringLiteral("compareView"));
    m_table->setAccessibleName(tr("What differs"));
    m_splitter = new QSplitter;
    m_splitter->addWidget(m_view);
    m_splitter->addWidget(m_table);
    m_splitter->setStretchFactor(0, 1);
    m_splitter->setSizes({chartWidth, tableWidth});
    m_dock = new ChartDock(QStringLiteral("compare"), tr("Compare"), m_splitter, [this] { return m_view->chart(); });
    connect(m_view, &ChartView::copyRequested, m_dock, &ChartDock::copyRequested);
    connect(m_view, &ChartView::exportRequested, m_dock, &ChartDock::exportRequested);
    connect(m_view, &ChartView::tableRequested, m_dock, [this] { m_dock->showTable(true); });

    connect(m_view, &ChartView::valueActivated, this, &CompareCard::explainRequested);
    const auto explainCell = [this](const QModelIndex& cell) {
        const auto row = static_cast<std::size_t>(cell.row());
        if (cell.column() > 0 && row < m_differing.size() && !cell.data().toString().isEmpty()) {
            const auto layout = static_cast<std::size_t>(cell.column() - 1);
            Q_EMIT explainRequested(toText(comparedPath(layout, m_differing[row].key)));
        }
    };
    connect(m_table, &QTableView::clicked, this, explainCell);
    connect(m_table, &QTableView::activated, this, explainCell);

    m_pin->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_D));
    connect(m_pin, &QAction::triggered, this, &CompareCard::pinCurrent);
    auto* button = new QToolButton;
    button->setAutoRaise(true);
    button->setDefaultAction(m_pin);
    button->setAccessibleName(tr("Pin this scenario"));
    m_dock->addControl(button);
    for (const Name<ComparedQuantity>& name : Names<ComparedQuantity>::table) {
        m_quantityBox->addItem(labelText(name.value), static_cast<int>(name.value));
    }
    connect(m_quantityBox, &QComboBox::activated, this,
            [this] { setQuantity(static_cast<ComparedQuantity>(m_quantityBox->currentData().toInt())); });
    for (QComboBox* box : {m_quantityBox, m_from, m_to}) {
        m_dock->addControl(box);
    }
    for (QComboBox* box : {m_from, m_to}) {
        connect(box, &QComboBox::activated, this, &CompareCard::refresh);
    }
    refresh();
}

bool CompareCard::isPinned(const Scenario& scenario) const
{
    return std::any_of(m_pinned.begin(), m_pinned.end(),
                       [&](const ComparedLayout& pinned) { return pinned.scenario == scenario; });
}

std::vector<ComparedLayout> CompareCard::shown() const
{
    std::vector<ComparedLayout> all = m_pinned;
    if (m_current && !m_pinned.empty() && !isPinned(m_current->scenario)) {
        all.push_back(*m_current);
        all.back().name += " (now)";
    }
    return all;
}

std::vector<ComparedLayout> CompareCard::besideCurrent() const
{
    std::vector<ComparedLayout> all;
    if (m_current) {
        all.push_back(*m_current);
        std::copy_if(m_pinned.begin(), m_pinned.end(), std::back_inserter(all),
                     [this](const ComparedLayout& pinned) { return pinned.scenario != m_current->scenario; });
    }
    return all.size() > 1 ? all : std::vector<ComparedLayout>();
}

std::vector<std::shared_ptr<const Chart>> CompareCard::charts() const
{
    std::vector<std::shared_ptr<const Chart>> all = comparisonCharts(shown());
    const bool among =
        std::any_of(all.begin(), all.end(), [this](const auto& chart) { return chart->id() == m_view->chart()->id(); });
    if (!all.empty() && !among) {
        all.push_back(m_view->sharedChart());
    }
    if (!all.empty()) {
        all.push_back(differenceChart(shown(), m_catalogue));
    }
    return all;
}

void CompareCard::setCurrent(const Scenario& scenario, const std::shared_ptr<const Report>& report)
{
    m_current = std::make_unique<ComparedLayout>();
    m_current->scenario = scenario;
    m_current->report = report;
    m_current->name = layoutName(scenario.layout);
    refresh();
}

void CompareCard::pinCurrent()
{
    if (!m_current || isPinned(m_current->scenario) || m_pinned.size() >= CompareChart::mostPinned) {
        return;
    }
    m_pinned.push_back(*m_current);
    m_dock->show();
    m_dock->raise();
    refresh();
}

bool CompareCard::pin(const Scenario& scenario)
{
    if (isPinned(scenario)) {
        return true;
    }
    if (m_pinned.size() >= CompareChart::mostPinned) {
        return false;
    }
    ComparedLayout pinned;
    pinned.scenario = scenario;
    pinned.report = std::make_shared<const Report>(evaluate(scenario));
    pinned.name = layoutName(scenario.layout);
    m_pinned.push_back(std::move(pinned));
    refresh();
    return true;
}

void CompareCard::unpin(std::size_t index)
{
    if (index < m_pinned.size()) {
        m_pinned.erase(m_pinned.begin() + static_cast<std::ptrdiff_t>(index));
        refresh();
    }
}

void CompareCard::restore(const std::vector<Scenario>& scenarios)
{
    m_pinned.clear();
    for (const Scenario& scenario : scenarios) {
        if (evaluate(scenario).legal()) {
            pin(scenario);
        }
    }
    m_dock->show();
    m_dock->raise();
    refresh();
}

void CompareCard::setQuantity(ComparedQuantity quantity)
{
    m_quantity = quantity;
    m_quantityBox->setCurrentIndex(m_quantityBox->findData(static_cast<int>(quantity)));
    refresh();
}

/// The last two of the boxes' choices that still exist; else from the first to the last.
void CompareCard::refresh()
{
    const std::vector<ComparedLayout> layouts = shown();
    const int count = static_cast<int>(layouts.size());
    const bool grown = m_from->count() != count;
    const int from = grown ? 0 : std::max(0, m_from->currentIndex());
    const int to = grown ? count - 1 : std::max(0, m_to->currentIndex());
    for (const auto& [box, index] : {std::pair{m_from, from}, {m_to, to}}) {
        box->clear();
        for (int i = 0; i < count; ++i) {
            box->addItem(QString(QChar(letterOf(static_cast<std::size_t>(i)))));
        }
        box->setCurrentIndex(index);
    }
    for (QComboBox* box : {m_quantityBox, m_from, m_to}) {
        box->setVisible(count > 1); // until there is something to choose, the card says how to begin
    }
    m_pin->setEnabled(m_current && !isPinned(m_current->scenario) && m_pinned.size() < CompareChart::mostPinned);
    m_differing = differingRows(layouts, m_catalogue);
    const auto chart = std::make_shared<const CompareChart>(
        layouts, m_quantity, static_cast<std::size_t>(std::max(0, from)), static_cast<std::size_t>(std::max(0, to)));
    m_view->setChart(chart);
    m_table->setTable(differenceTable(layouts, m_catalogue)); // headed by letters: the chart has the names
    m_table->setVisible(count > 1);
    if (grown && count > 1) {
        showAllColumns();
    }
    m_dock->refresh();
    fillPins();
}

/// The table as wide as its columns, but for what leaves the chart less than half.
void CompareCard::showAllColumns()
{
    const int wanted = m_table->horizontalHeader()->length() + m_table->verticalScrollBar()->sizeHint().width();
    const int all = m_splitter->width();
    const int table = std::min(wanted, all / 2);
    m_splitter->setSizes({all - table, table});
}

std::shared_ptr<const ExplainedValues> CompareCard::explained(const std::vector<ComparableRun>& runs) const
{
    return explainComparison(shown(), m_differing, runs);
}

void CompareCard::fillMenu(QMenu& menu)
{
    menu.addAction(m_pin);
    m_load = menu.addMenu(tr("&Go back to"));
    m_unpin = menu.addMenu(tr("&Unpin"));
    fillPins();
}

void CompareCard::fillPins()
{
    if (m_load == nullptr) {
        return;
    }
    for (QMenu* menu : {m_load, m_unpin}) {
        menu->clear();
        menu->setEnabled(!m_pinned.empty());
    }
    for (std::size_t i = 0; i < m_pinned.size(); ++i) {
        connect(m_load->addAction(menuText(m_pinned[i].name)), &QAction::triggered, this, [this, i] {
            const ComparedLayout chosen = m_pinned[i]; // loading may refill this list
            Q_EMIT loaded(chosen.scenario, toText(chosen.name));
        });
        connect(m_unpin->addAction(menuText(m_pinned[i].name)), &QAction::triggered, this, [this, i] { unpin(i); });
    }
}

} // namespace partita::ui
