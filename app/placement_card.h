// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/newest_job.h"
#include "app/other_figure.h"
#include "core/scenario/scenario.h"
#include "core/training/report.h"
#include "widgets/rank_order_edit.h"

#include <QTimer>

#include <memory>
#include <optional>

namespace partita::ui {

class ChartDock;
class TableChart;
class PlacementView;

/// The card of the rank order: the groups follow the scenario at once, the other orders are costed beside the window
/// while the card is open.
class PlacementCard final : public QObject {
    Q_OBJECT

public:
    PlacementCard();

    ChartDock* dock() const { return m_dock; }
    PlacementView& view() const { return *m_view; }
    void setScenario(const Scenario& scenario, const Report& report);

Q_SIGNALS:
    void orderEdited(const partita::ui::RankOrderEdit::Order& order);
    void completed();
    void valueActivated(const QString& path); ///< of the scenario's own report
    void explainRequested(const partita::ui::OtherFigure& figure);

private:
    void refresh();
    void work();

    std::shared_ptr<const TableChart> m_chart; ///< null while the orders are worked out
    PlacementView* m_view;
    ChartDock* m_dock;
    Scenario m_scenario;
    TimeBreakdown m_time;
    std::optional<Scenario> m_shown;
    QTimer m_delay;
    NewestJob m_job;
};

} // namespace partita::ui
