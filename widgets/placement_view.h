// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/advice/rank_placement.h"
#include "widgets/rank_order_edit.h"
#include "widgets/table_chart.h"

#include <QWidget>

#include <vector>

class QLabel;
class QTableWidget;

namespace partita::ui {

/// Where the groups of a layout lie: its rank order to edit, what each group crosses and costs, and every other order
/// that places some group differently.
class PlacementView final : public QWidget {
    Q_OBJECT

public:
    explicit PlacementView(QWidget* parent = nullptr);

    /// The layout as it stands, and its groups; no groups for a layout with problems.
    void setCurrent(const Layout& layout, std::vector<PlacedGroup> groups);
    /// As rankPlacements() has them; empty while they are worked out.
    void setPlacements(std::vector<RankPlacement> placements);

    RankOrderEdit& order() const { return *m_order; }
    QTableWidget& groups() const { return *m_groups; }
    QTableWidget& placements() const { return *m_others; }

Q_SIGNALS:
    void orderEdited(const partita::ui::RankOrderEdit::Order& order);
    void valueActivated(const QString& path); ///< of a group's exposed exchange, as the report calls it
    void placementExplained(const partita::RankPlacement& placement);

private:
    void adopt(int row);
    void fitGroups(); ///< all of them are seen

    RankOrderEdit* m_order;
    QLabel* m_hint;
    QTableWidget* m_groups;
    QTableWidget* m_others;
    std::vector<PlacedGroup> m_shownGroups;
    std::vector<RankPlacement> m_placements;
};

/// Every order with its step time and where the groups lie, for where charts go.
TableChart placementChart(const std::vector<RankPlacement>& placements);

} // namespace partita::ui
