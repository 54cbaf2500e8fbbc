// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/newest_job.h"
#include "app/other_figure.h"
#include "core/advice/scaling.h"
#include "core/advice/sensitivity.h"

#include <QTimer>

#include <optional>

class QComboBox;

namespace partita::ui {

class ChartDock;
class ChartView;

/// The scenario's own value on an axis, at which its layout is held; 0 where it has none.
double ownValue(const Scenario& scenario, ScalingAxis axis);

/// The card of the scaling chart: its curves grow point by point while the card is open.
class ScalingCard final : public QObject {
    Q_OBJECT

public:
    ScalingCard();

    ChartDock* dock() const { return m_dock; }
    ChartView& view() const { return *m_view; }
    void setScenario(const Scenario& scenario);
    bool isUpToDate() const { return m_complete && m_shown == m_scenario; } ///< all of the chart is the scenario's
    void setAxis(ScalingAxis axis);
    void setQuantity(PlaneQuantity quantity);
    ScalingAxis axis() const;
    PlaneQuantity quantity() const;
    /// Empty, or short while they grow.
    const std::vector<ScalingCurve>& curves() const { return m_curves; }

Q_SIGNALS:
    void completed();
    void explainRequested(const partita::ui::OtherFigure& figure);

private:
    void refresh();
    void work();
    void show();
    void explainAt(const QPointF& at);

    ChartView* m_view;
    ChartDock* m_dock;
    QComboBox* m_quantity;
    QComboBox* m_axis;
    Scenario m_scenario;
    std::optional<Scenario> m_shown; ///< what is shown, or being worked out
    bool m_complete = false;
    std::vector<ScalingCurve> m_curves;
    QTimer m_delay;
    NewestJob m_job;
};

/// The card of the tornado.
class SensitivityCard final : public QObject {
    Q_OBJECT

public:
    SensitivityCard();

    ChartDock* dock() const { return m_dock; }
    ChartView& view() const { return *m_view; }
    void setScenario(const Scenario& scenario);
    bool isUpToDate() const { return m_complete && m_shown == m_scenario; } ///< all of the chart is the scenario's

Q_SIGNALS:
    void completed();
    void explainRequested(const partita::ui::OtherFigure& figure);

private:
    void refresh();
    void work();
    void explainAt(const QPointF& at);

    ChartView* m_view;
    ChartDock* m_dock;
    Scenario m_scenario;
    std::optional<Scenario> m_shown; ///< what is shown, or being worked out
    bool m_complete = false;
    QTimer m_delay;
    NewestJob m_job;
};

} // namespace partita::ui
