// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/search_view.h"

#include "core/layout/layout_words.h"
#include "widgets/chart_table_view.h"
#include "widgets/elided_label.h"
#include "widgets/figures.h"
#include "widgets/folding_row.h"
#include "widgets/labels.h"
#include "widgets/layout_table_model.h"
#include "widgets/pareto_view.h"

#include <QAbstractItemView>
#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollBar>
#include <QSpinBox>
#include <QSplitter>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace partita::ui {

namespace {

/// Room for what the column usually holds; results come in while it is read, so that it must not move.
int columnWidth(LayoutColumn column, const QFontMetrics& metrics)
{
    const auto room = [&](const QString& text) { return metrics.horizontalAdvance(text) + 16; };
    switch (column) {
    case LayoutColumn::Layout:
        return room(QStringLiteral("tp 8 · cp 2 · pp 16 · vpp 4 · dp 16 · ZeRO-1 · 1F1B"));
    case LayoutColumn::StepTime:
        return room(QStringLiteral("step time ▾"));
    case LayoutColumn::Exposed:
        return room(QStringLiteral("exposed ▾"));
    case LayoutColumn::Mfu:
        return room(QStringLiteral("51.5 %"));
    case LayoutColumn::Memory:
        return room(QStringLiteral("memory ▾"));
    case LayoutColumn::Bubble:
        return room(QStringLiteral("bubble ▾"));
    case LayoutColumn::Devices:
        return room(QStringLiteral("devices ▾"));
    case LayoutColumn::DeviceHours:
        return room(costUnitText(false) + QStringLiteral(" ▾"));
    case LayoutColumn::Cost:
    case LayoutColumn::Changes:
        break;
    }
    return room(QStringLiteral("2,391 days"));
}

/// Layouts too long for the column without what all rows share, and then without their middle: what tells rows apart
/// stays.
class LayoutDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        constexpr int around = 8; // px
        if (option->fontMetrics.horizontalAdvance(option->text) > option->rect.width() - around) {
            option->text = index.data(LayoutTableModel::shortRole).toString();
            option->textElideMode = Qt::ElideMiddle;
        }
    }
};

/// A box of what an enumeration has names for.
template <class E> QComboBox* choices(const QString& name, const QString& shown)
{
    auto* box = new QComboBox;
    box->setAccessibleName(name);
    box->setToolTip(name);
    box->view()->setAccessibleName(name);
    box->setFocusPolicy(Qt::StrongFocus); // the wheel must not change a box that is only scrolled past
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(18);
    for (const Name<E>& each : Names<E>::table) {
        box->addItem(shown.arg(labelText(each.value)));
    }
    return box;
}

} // namespace

QWidget* SearchView::makeControls()
{
    auto* bar = new QWidget;
    auto* rows = new QVBoxLayout(bar);
    rows->setContentsMargins(0, 0, 0, 0);
    auto* state = new QHBoxLayout;
    m_status = new ElidedLabel;
    m_progress = new QProgressBar;
    m_progress->setTextVisible(false);
    m_progress->setMaximumHeight(8);
    m_progress->setFixedWidth(120);
    m_progress->setAccessibleName(tr("Share of the layouts looked at"));
    m_startStop = new QPushButton;
    m_adopt = new QPushButton(tr("&Adopt"));
    m_adopt->setToolTip(tr("Make the chosen layout the scenario's (Enter)"));
    m_pin = new QPushButton(tr("&Pin"));
    m_pin->setToolTip(tr("Pin the chosen layout into Compare"));
    m_filterEdit = new QLineEdit;
    m_filterEdit->setPlaceholderText(tr("filter: tp 8, step<8 s"));
    m_filterEdit->setAccessibleName(tr("Filter of the layouts found"));
    m_filterEdit->setToolTip(
        tr("Shows layouts of which all between commas holds: words, as ZeRO-1 or pp 4, and\n"
           "comparisons with <, <=, =, >= or >: pp>=4, step<8 s, bubble<5 %, MFU>40, memory<70 GiB"));
    m_filterEdit->setClearButtonEnabled(true);
    state->addWidget(m_status, 3);
    state->addWidget(m_progress);
    state->addWidget(m_filterEdit, 1);
    state->addWidget(m_startStop);
    state->addWidget(m_pin);
    state->addWidget(m_adopt);

    auto* limits = new FoldingRow;
    addLimits(*limits);
    for (QLabel** message : {&m_objection, &m_notes, &m_filterNote}) {
        *message = new QLabel;
        (*message)->setTextFormat(Qt::PlainText);
        (*message)->setWordWrap(true);
    }
    m_objection->hide();
    m_notes->hide();
    auto* filtered = new QHBoxLayout;
    m_filterSearch = new QPushButton;
    m_filterSearch->setToolTip(tr("Searches for the fastest of all layouts that pass this filter"));
    filtered->addWidget(m_filterNote, 1);
    filtered->addWidget(m_filterSearch, 0, Qt::AlignTop);
    rows->addLayout(state);
    rows->addLayout(filtered);
    rows->addWidget(limits);
    rows->addWidget(m_objection);
    rows->addWidget(m_notes);

    connect(m_startStop, &QPushButton::clicked, this,
            [this] { m_state.running ? Q_EMIT stopRequested() : Q_EMIT startRequested(); });
    connect(m_adopt, &QPushButton::clicked, this, &SearchView::adoptCurrent);
    connect(m_pin, &QPushButton::clicked, this, &SearchView::pinCurrent);
    connect(m_limits, &QLineEdit::editingFinished, this, &SearchView::readLimits);
    connect(m_insideNode, &QCheckBox::toggled, this, &SearchView::readLimits);
    connect(m_beyondStack, &QCheckBox::toggled, this, &SearchView::readLimits);
    connect(m_headRoom, &QSpinBox::editingFinished, this, &SearchView::readLimits);
    connect(m_filterEdit, &QLineEdit::textChanged, this, &SearchView::applyFilter);
    connect(m_filterSearch, &QPushButton::clicked, this, &SearchView::searchFiltered);
    return bar;
}

void SearchView::addLimits(FoldingRow& row)
{
    m_limits = new QLineEdit;
    m_limits->setPlaceholderText(tr("limits: tp<=8, pp=4, recompute=none|full, split=any"));
    m_limits->setAccessibleName(tr("Limits of the search"));
    m_limits->setToolTip(tr("Values to fix or bound: tp, cp, pp, vpp, dp, ep, etp, micro_batch with =, <= or >=;\n"
                            "zero_stage, sequence_parallel, recompute, schedule with = and | between choices;\n"
                            "rank_order=any or orders as tp-pp-cp-ep-dp, split=even, needed or any"));
    m_limits->setClearButtonEnabled(true);
    m_limits->setMinimumWidth(m_limits->fontMetrics().horizontalAdvance(QStringLiteral("tp<=8, pp=4, recompute=none")));
    m_insideNode = new QCheckBox(tr("TP inside a node"));
    m_beyondStack = new QCheckBox(tr("Beyond the stack"));
    m_beyondStack->setToolTip(
        tr("Also schedules, ZeRO stages, dimensions and recomputation that the stack does not offer"));
    m_headRoom = new QSpinBox;
    m_headRoom->setRange(0, 90);
    m_headRoom->setSuffix(tr(" % free"));
    m_headRoom->setAccessibleName(tr("Memory to leave free"));
    m_headRoom->setToolTip(tr("Memory to leave free on every device"));
    m_against = new QComboBox;
    m_against->setAccessibleName(tr("What throughput is weighed against"));
    m_against->setToolTip(tr("Against devices or cost, the best layouts of half the nodes, a quarter … stand beside"));
    m_against->setFocusPolicy(Qt::StrongFocus);
    for (const Name<FrontAgainst>& name : Names<FrontAgainst>::table) {
        m_against->addItem(tr("against %1").arg(labelText(name.value)));
    }
    m_split = choices<StageSplit>(tr("Layers of model chunks"), tr("split: %1"));
    m_orders = choices<SearchedOrders>(tr("Rank orders"), QStringLiteral("%1"));
    auto* model = qobject_cast<QStandardItemModel*>(m_orders->model());
    model->item(static_cast<int>(SearchedOrders::Listed))->setEnabled(false); // names what the text lists
    row.first()->addWidget(m_limits, 1);
    row.first()->addWidget(m_insideNode);
    row.first()->addWidget(m_beyondStack);
    row.first()->addWidget(m_headRoom);
    row.second()->addWidget(m_split);
    row.second()->addWidget(m_orders);
    row.second()->addWidget(m_against);

    connect(m_split, &QComboBox::activated, this, [this](int index) {
        m_chosenSplit = Names<StageSplit>::table[static_cast<std::size_t>(index)].value;
        choseInBox("split");
    });
    connect(m_orders, &QComboBox::activated, this, [this](int index) {
        m_everyOrder = Names<SearchedOrders>::table[static_cast<std::size_t>(index)].value == SearchedOrders::Every;
        choseInBox("rank_order");
    });
    showChoices();
}

QWidget* SearchView::makeResults()
{
    m_table = new QTableView;
    m_table->setModel(m_filter);
    m_table->setAccessibleName(tr("Best layouts"));
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(static_cast<int>(LayoutColumn::StepTime), Qt::AscendingOrder);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setTabKeyNavigation(false);
    m_table->setWordWrap(false);
    m_table->setShowGrid(false);
    m_table->setAlternatingRowColors(true);
    setLowRows(*m_table);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setTextElideMode(Qt::ElideRight);
    for (const auto& name : Names<LayoutColumn>::table) {
        m_table->setColumnWidth(static_cast<int>(name.value), columnWidth(name.value, m_table->fontMetrics()));
    }
    m_table->setItemDelegateForColumn(static_cast<int>(LayoutColumn::Layout), new LayoutDelegate(m_table));
    m_table->installEventFilter(this);
    m_rowActions = {new QAction(tr("Adopt"), m_table), new QAction(tr("Pin into Compare"), m_table),
                    new QAction(tr("E&xplain this figure"), m_table)};
    connect(m_rowActions[0], &QAction::triggered, this, &SearchView::adoptCurrent);
    connect(m_rowActions[1], &QAction::triggered, this, &SearchView::pinCurrent);
    connect(m_rowActions[2], &QAction::triggered, this, [this] { explainAt(m_table->currentIndex(), true); });
    connect(m_table, &QTableView::clicked, this, [this](const QModelIndex& index) { explainAt(index, false); });
    m_rowActions[2]->setShortcut(QKeySequence(Qt::Key_X));
    m_rowActions[2]->setShortcutContext(Qt::WidgetShortcut);
    m_table->addActions({m_rowActions[0], m_rowActions[1], m_rowActions[2]});
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    allowRow(false);
    m_pareto = new ParetoView;
    m_pareto->setMinimumSize(220, 104); // its ticks keep apart
    auto* split = new QSplitter;
    split->addWidget(m_table);
    split->addWidget(m_pareto);
    split->setStretchFactor(0, 7);
    split->setStretchFactor(1, 3);
    split->setSizes({700, 300});
    split->setChildrenCollapsible(false);

    connect(m_against, &QComboBox::currentIndexChanged, this, [this] {
        fillRows();
        fillPareto();
        Q_EMIT spaceChanged();
    });
    connect(m_table, &QTableView::activated, this, &SearchView::adoptCurrent);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& row) {
        allowRow(row.isValid());
        markChosen();
    });
    connect(m_pareto, &ParetoView::layoutChosen, this, [this](std::size_t point) { choose(m_plotted.at(point)); });
    connect(m_pareto, &ParetoView::layoutExplained, this, [this](std::size_t point) {
        const int row = static_cast<int>(m_plotted.at(point));
        explainAt(m_filter->mapFromSource(m_rows->index(row, static_cast<int>(LayoutColumn::StepTime))), true);
    });
    connect(m_pareto, &ParetoView::layoutActivated, this, [this](std::size_t point) {
        choose(m_plotted.at(point));
        adoptCurrent();
    });
    connect(m_pareto, &ParetoView::brushed, this, &SearchView::brush);
    return split;
}

/// The layouts leave figures their room, down to where rows are told apart no longer.
void SearchView::fitColumns()
{
    constexpr auto layouts = static_cast<int>(LayoutColumn::Layout);
    const QFontMetrics metrics = m_table->fontMetrics();
    const int least = metrics.horizontalAdvance(QStringLiteral("… · tp 8 · pp 16 · vpp 4…"));
    int figures = m_table->verticalHeader()->width() + m_table->verticalScrollBar()->sizeHint().width();
    for (const Name<LayoutColumn>& name : Names<LayoutColumn>::table) {
        figures += isNumber(name.value) ? m_table->columnWidth(static_cast<int>(name.value)) : 0; // 0: hidden
    }
    const int wanted = std::clamp(m_table->width() - figures, least, columnWidth(LayoutColumn::Layout, metrics));
    if (wanted != m_layoutsWidth) { // else whoever set another width by hand keeps it
        m_layoutsWidth = wanted;
        m_table->setColumnWidth(layouts, wanted);
    }
}

} // namespace partita::ui
