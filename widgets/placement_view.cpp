// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/placement_view.h"

#include "core/layout/layout_text.h"
#include "widgets/chart_table_view.h"
#include "widgets/explain_action.h"
#include "widgets/figures.h"
#include "widgets/labels.h"
#include "widgets/text.h"
#include "widgets/theme.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace partita::ui {

namespace {

/// stretched: the column that gives way.
QTableWidget* tableOf(const QString& name, const QStringList& header, int stretched)
{
    auto* table = new QTableWidget(0, static_cast<int>(header.size()));
    table->setAccessibleName(name);
    table->setHorizontalHeaderLabels(header);
    table->setFrameShape(QFrame::NoFrame);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setTabKeyNavigation(false);
    table->setShowGrid(false);
    setLowRows(*table); // whose texts break where a column is too narrow for them
    QObject::connect(table->horizontalHeader(), &QHeaderView::sectionResized, table,
                     &QTableWidget::resizeRowsToContents);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setMinimumSectionSize(24);
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table->horizontalHeader()->setSectionResizeMode(stretched, QHeaderView::Stretch);
    table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    return table;
}

void fill(QTableWidget& table, int row, const QStringList& texts, bool bold = false)
{
    for (int column = 0; column < texts.size(); ++column) {
        auto* cell = new QTableWidgetItem(texts[column]);
        cell->setToolTip(texts[column]);
        cell->setTextAlignment(Qt::AlignLeft | Qt::AlignTop); // beside texts of several lines
        QFont font = table.font();
        font.setBold(bold);
        cell->setFont(font);
        table.setItem(row, column, cell);
    }
}

QString placeOf(const PlacedGroup& group)
{
    const QString level = toText(group.levelName);
    return group.crosses() ? PlacementView::tr("across %1").arg(level) : PlacementView::tr("inside %1").arg(level);
}

QString slowdownOf(const PlacedGroup& group)
{
    constexpr double noticed = 1.05;
    return !group.crosses()        ? QStringLiteral("–")
        : group.slowdown < noticed ? PlacementView::tr("no slower")
                                   : PlacementView::tr("%1×").arg(significant(group.slowdown));
}

} // namespace

PlacementView::PlacementView(QWidget* parent)
    : QWidget(parent)
    , m_order(new RankOrderEdit)
    , m_hint(new QLabel)
    , m_groups(tableOf(tr("Groups of the rank order"),
                       {tr("group"), tr("size"), tr("lies"), tr("slower"), tr("exposed")}, 2))
    , m_others(
          tableOf(tr("Rank orders, the fastest first"), {tr("order"), tr("step time"), tr("groups that cross")}, 2))
{
    auto* top = new QHBoxLayout;
    top->addWidget(new QLabel(tr("inner")));
    top->addWidget(m_order, 1);
    top->addWidget(new QLabel(tr("outer")));
    auto* rows = new QVBoxLayout(this);
    rows->setContentsMargins(8, 2, 8, 6);
    rows->setSpacing(4);
    rows->addLayout(top);
    rows->addWidget(m_groups);
    rows->addWidget(m_hint);
    rows->addWidget(m_others, 1);
    m_hint->setWordWrap(true);
    connect(m_groups->verticalHeader(), &QHeaderView::sectionResized, this, &PlacementView::fitGroups);
    m_others->setToolTip(tr("Enter or a double click takes the order"));
    connect(m_order, &RankOrderEdit::edited, this, &PlacementView::orderEdited);
    connect(m_others, &QTableWidget::cellActivated, this, &PlacementView::adopt);
    addExplainAction(*m_groups, [this](const QModelIndex& cell) {
        if (const auto waited = exposedKind(m_shownGroups[static_cast<std::size_t>(cell.row())].kind)) {
            Q_EMIT valueActivated(QStringLiteral("time.parts.") + toText(keyOf(*waited)));
        }
    });
    addExplainAction(*m_others, [this](const QModelIndex& cell) {
        Q_EMIT placementExplained(m_placements[static_cast<std::size_t>(cell.row())]);
    });
    setPlacements({});
}

void PlacementView::setCurrent(const Layout& layout, std::vector<PlacedGroup> groups)
{
    m_order->setOrderOf(layout);
    m_groups->setRowCount(static_cast<int>(groups.size()));
    int row = 0;
    for (const PlacedGroup& group : groups) {
        fill(*m_groups, row,
             {toText(keyOf(group.kind)), countText(static_cast<double>(group.size)), placeOf(group), slowdownOf(group),
              timeText(group.exposed)},
             group.crosses());
        m_groups->item(row++, 0)->setToolTip(labelText(group.kind));
    }
    m_shownGroups = std::move(groups);
    m_groups->resizeRowsToContents();
    fitGroups();
}

void PlacementView::fitGroups()
{
    const int rows = std::max(m_groups->verticalHeader()->length(), m_groups->verticalHeader()->defaultSectionSize());
    m_groups->setFixedHeight(m_groups->horizontalHeader()->sizeHint().height() + rows);
}

void PlacementView::setPlacements(std::vector<RankPlacement> placements)
{
    m_placements = std::move(placements);
    m_others->setRowCount(static_cast<int>(m_placements.size()));
    int row = 0;
    for (const RankPlacement& placement : m_placements) {
        std::vector<PlacedGroup> crossing;
        std::copy_if(placement.groups.begin(), placement.groups.end(), std::back_inserter(crossing),
                     [](const PlacedGroup& group) { return group.crosses(); });
        fill(*m_others, row++,
             {toText(rankOrderText(placement.cost.layout.rankOrder)), timeText(placement.cost.stepTime),
              crossing.empty() ? tr("none") : toText(describe(crossing))},
             placement.current);
    }
    m_others->resizeRowsToContents();
    const auto own = std::find_if(m_placements.begin(), m_placements.end(),
                                  [](const RankPlacement& placement) { return placement.current; });
    if (m_placements.empty()) {
        m_hint->setText(tr("Working out the other orders…"));
    } else if (m_placements.size() == 1) {
        m_hint->setText(tr("Every order places the groups alike."));
    } else if (own == m_placements.begin() || own == m_placements.end()) {
        m_hint->setText(tr("%1 orders place some group differently; none is faster.").arg(m_placements.size()));
    } else {
        const double gain = 1 - m_placements.front().cost.stepTime / own->cost.stepTime;
        m_hint->setText(tr("%1 orders place some group differently; the fastest saves %2 of the step.")
                            .arg(m_placements.size())
                            .arg(percentText(gain)));
    }
}

TableChart placementChart(const std::vector<RankPlacement>& placements)
{
    ChartTable exact;
    exact.header << PlacementView::tr("order") << PlacementView::tr("step time (s)") << PlacementView::tr("fits")
                 << PlacementView::tr("this scenario's") << PlacementView::tr("groups");
    ChartTable shown = exact;
    shown.header[1] = PlacementView::tr("step time");
    const auto yes = [](bool value) { return value ? PlacementView::tr("yes") : PlacementView::tr("no"); };
    for (const RankPlacement& placement : placements) {
        exact.rows.push_back({toText(rankOrderText(placement.cost.layout.rankOrder)),
                              exactNumber(placement.cost.stepTime), yes(placement.cost.fits), yes(placement.current),
                              toText(describe(placement.groups))});
        shown.rows.push_back(exact.rows.back());
        shown.rows.back()[1] = timeText(placement.cost.stepTime);
    }
    return {{QStringLiteral("placement"), PlacementView::tr("Rank order"),
             PlacementView::tr("%1 orders of the ranks that place some group differently").arg(placements.size())},
            std::move(shown),
            std::move(exact)};
}

void PlacementView::adopt(int row)
{
    if (row >= 0 && row < static_cast<int>(m_placements.size())) {
        Q_EMIT orderEdited(m_placements[static_cast<std::size_t>(row)].cost.layout.rankOrder);
    }
}

} // namespace partita::ui
