// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/newest_job.h"
#include "app/other_figure.h"
#include "core/scenario/scenario.h"
#include "core/serving/serving_search.h"
#include "widgets/chart_table_view.h"

#include <QTimer>

#include <memory>
#include <optional>

class QPushButton;

namespace partita::ui {

class ChartDock;
class ChartView;
class TableChart;

/// The cards of what else could serve: all layouts of the devices, and one wide engine beside replicas. Worked out
/// beside the window while one of them is in front.
class ServingCards final : public QObject {
    Q_OBJECT

public:
    ServingCards();

    ChartDock* layoutsDock() const { return m_layoutsDock; }
    ChartDock* widthsDock() const { return m_widthsDock; }
    QTableView& layouts() const { return *m_layouts; } ///< a row a point of the front
    QTableView& widths() const { return *m_widths; }
    QPushButton& adoptButton() const { return *m_adopt; }
    /// Null until it has been worked out.
    const std::shared_ptr<const ServingSearch>& search() const { return m_search; }
    void setScenario(const Scenario& scenario);
    bool isUpToDate() const { return m_complete && m_shown == m_scenario; } ///< all of both cards is the scenario's

Q_SIGNALS:
    void adoptRequested(const partita::ServingPoint& point);
    void explainRequested(const partita::ui::OtherFigure& figure);

private:
    QWidget* makeLayouts();
    void refresh();
    void work();
    void show(std::shared_ptr<const ServingSearch> search);
    void showChosen();
    void adopt();
    void explain(const ServingPoint& point, std::string_view figure);
    std::optional<std::size_t> chosen() const; ///< a point of the front

    ChartView* m_view;
    ChartTableView* m_layouts;
    ChartTableView* m_widths;
    std::shared_ptr<const TableChart> m_widthsChart;
    QPushButton* m_adopt;
    ChartDock* m_layoutsDock;
    ChartDock* m_widthsDock;
    Scenario m_scenario;
    std::optional<Scenario> m_shown; ///< what is shown, or being worked out
    bool m_complete = false;
    std::shared_ptr<const ServingSearch> m_search;
    std::vector<ServingPoint> m_widthPoints; ///< of the columns of widths()
    QTimer m_delay; ///< not for every step of a drag
    NewestJob m_job;
};

} // namespace partita::ui
