// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/chart_board.h"
#include "app/other_figure.h"
#include "core/formats/catalogue.h"
#include "core/search/plane.h"

#include <QObject>

#include <memory>

class QComboBox;

namespace partita::ui {

class ChartView;
class CompareCard;
class AdviceCard;
class PlacementCard;
class HeatmapView;
class RunsCard;
class MemoryView;
class PipelineView;
class ProblemList;
class ScalingCard;
class SensitivityCard;
class SearchView;
class StepTimeView;
class ServingCards;
struct ServingData;

/// The views on the board, each in its card, and what they show.
class Charts final : public QObject {
    Q_OBJECT

public:
    Charts(ProblemList& problems, const Catalogue& catalogue);
    ~Charts() override;

    /// For the board, which takes the cards.
    const ChartBoard::Rows& rows() const { return m_rows; }
    /// The report of a legal scenario.
    void show(const Scenario& scenario, const std::shared_ptr<const Report>& report);
    /// What the scenario serves; problems of its own leave the charts empty, null takes them away.
    void showServing(const Scenario& scenario, const std::shared_ptr<const ServingData>& data);
    /// The serving charts in the places of those of a training step, or the other way round.
    void setServing(bool serving);
    bool showsServing() const { return m_serving; }
    /// A card came to the front: those that speak of the other of the two make room.
    void attend(ChartDock* dock);
    /// The board was arranged anew, or as it is remembered.
    void followBoard();
    const std::vector<ChartDock*>& servingDocks() const { return m_servingDocks; }
    void showPlane(const Plane& plane, const Scenario& scenario);

    PlaneAxis rowAxis() const { return m_rowAxis; }
    PlaneAxis columnAxis() const { return m_columnAxis; }
    PlaneQuantity quantity() const { return m_quantity; }
    PlaneRest rest() const { return m_rest; }
    void setAxes(PlaneAxis rows, PlaneAxis columns); ///< must differ
    void setRest(PlaneRest rest);
    void setQuantity(PlaneQuantity quantity);
    HeatmapView& heatmap() const { return *m_heatmap; }
    PipelineView& pipeline() const { return *m_pipeline; }
    RunsCard& runs() const { return *m_runs; }
    CompareCard& compare() const { return *m_compare; }
    AdviceCard& advice() const { return *m_advice; }
    PlacementCard& placement() const { return *m_placement; }
    ServingCards& servingCards() const { return *m_servingCards; }
    ScalingCard& scaling() const { return *m_scaling; }
    SensitivityCard& sensitivity() const { return *m_sensitivity; }
    SearchView& search() const { return *m_search; }
    ChartDock& searchDock() const { return *m_searchDock; }
    ChartDock& heatmapDock() const { return *m_heatmapDock; }
    ChartDock& problemsDock() const { return *m_problemsDock; }

Q_SIGNALS:
    void servingToggled();
    void planeWanted(); ///< other axes, or another rest
    void quantityChanged();
    void cellChosen(std::size_t row, std::size_t column);
    void valueActivated(const QString& path); ///< a bar or a part was clicked: what the report calls it
    void explainRequested(const partita::ui::OtherFigure& figure);

private:
    ChartDock* addHeatmap();
    ChartDock* addSearch();
    bool isOfServing(const ChartDock* dock) const;
    bool anyServingOpen() const;
    void setAsideTraining();
    void bringBackTraining();
    void axisPicked(QComboBox* picked);
    void explainBatch(const QPointF& at);
    void explainOverNetwork(const QPointF& at);
    void syncControls();

    Scenario m_scenario; ///< of the charts of serving
    MemoryView* m_memory;
    StepTimeView* m_stepTime;
    ChartView* m_servingRoom;
    ChartView* m_servingToken;
    ChartView* m_servingCurve;
    std::vector<ChartDock*> m_servingDocks;
    std::vector<ChartDock*> m_setAside; ///< cards of training that were open before those of serving
    ChartDock* m_notesDock = nullptr; ///< belongs to both
    bool m_serving = false;
    bool m_switching = false; ///< between the two: cards come and go
    PipelineView* m_pipeline;
    HeatmapView* m_heatmap;
    std::unique_ptr<RunsCard> m_runs;
    std::unique_ptr<CompareCard> m_compare;
    std::unique_ptr<AdviceCard> m_advice;
    std::unique_ptr<PlacementCard> m_placement;
    std::unique_ptr<ServingCards> m_servingCards;
    std::unique_ptr<ScalingCard> m_scaling;
    std::unique_ptr<SensitivityCard> m_sensitivity;
    SearchView* m_search;
    ChartDock* m_searchDock = nullptr;
    ChartDock* m_heatmapDock = nullptr;
    std::shared_ptr<const Report> m_report; ///< of the scenario shown
    ChartDock* m_problemsDock = nullptr;
    ChartBoard::Rows m_rows;
    QComboBox* m_rowBox = nullptr;
    QComboBox* m_columnBox = nullptr;
    QComboBox* m_quantityBox = nullptr;
    QComboBox* m_restBox = nullptr;
    PlaneAxis m_rowAxis = PlaneAxis::Tp;
    PlaneAxis m_columnAxis = PlaneAxis::Pp;
    PlaneQuantity m_quantity = PlaneQuantity::Mfu;
    PlaneRest m_rest = PlaneRest::Kept;
};

} // namespace partita::ui
