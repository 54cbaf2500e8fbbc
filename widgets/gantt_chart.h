// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/pipeline/op_graph.h"
#include "widgets/chart.h"
#include "widgets/gantt_lanes.h"
#include "widgets/gantt_view.h"
#include "widgets/geometry.h"

#include <QCoreApplication>

#include <memory>
#include <optional>

namespace partita::ui {

/// Entries of the legend beyond the kinds of ops.
enum GanttEntry { IdleEntry = OpKinds, WaitEntry, ChunkEntry, FoldEntry };

/// A quantity that changes in steps over the timeline, drawn below the lanes.
struct StepCurve {
    QString title; ///< "activations held on stage 0"
    std::vector<QPointF> points; ///< x = time in s, ascending; y holds until the next point
};

/// Activations a stage holds over the step.
StepCurve heldActivations(const Timeline& timeline, int stage);

/// What is pointed at; drawn over the lanes.
struct GanttMarks {
    std::optional<OpRef> op; ///< outlined, with its micro-batch on the other stages, what it needs and what needs it
    std::optional<std::pair<double, double>> range; ///< s, measured stretch
    std::optional<double> playhead; ///< s
};

/// Where everything of the Gantt chart lies. Its size follows the picture, not the number of ops.
struct GanttGeometry {
    struct Block {
        QRectF rect;
        int lane = 0;
        LaneRun run;
        Label label; ///< micro-batch or number of folded ops, when it fits
        Label second; ///< the backward half's
    };

    QRectF lanes; ///< time runs along its width
    GanttView view;
    double pitch = 1; ///< px from lane to lane
    double barHeight = 1;
    std::vector<Block> blocks; ///< by lane, then time
    std::vector<std::size_t> firstBlock; ///< [lane - view.firstLane], one more at the end
    std::vector<QRectF> waits; ///< idle while bytes are on the wire
    std::vector<Label> laneNames;
    std::vector<double> tickXs;
    std::vector<Label> tickLabels;
    QRectF strip; ///< of the curve; empty when there is none
    Label stripTitle;
    std::vector<QPointF> curve; ///< inside the strip
    std::vector<LegendEntry> legend;
    Label rangeLabel; ///< of the measured range; takes the place of tick labels

    double xOf(double time) const { return lanes.left() + (time - view.t0) / view.span() * lanes.width(); }
    double timeAt(double x) const { return view.t0 + (x - lanes.left()) / lanes.width() * view.span(); }
    QRectF laneRect(int lane) const; ///< the bar, inside lanes
    int laneAt(double y) const; ///< -1 = none
    const Block* blockAt(const QPointF& point) const;
};

/// What every pipeline rank does when. Ops too narrow to draw fold into hatched blocks that show how many they are.
class GanttChart final : public Chart {
    Q_DECLARE_TR_FUNCTIONS(GanttChart)

public:
    GanttChart();
    explicit GanttChart(std::shared_ptr<const Timeline> timeline, const QString& title = {});

    QString id() const override { return QStringLiteral("gantt"); }
    QString title() const override { return m_title; }
    QString description() const override;
    ChartTable table() const override; ///< the ops at least partly in view
    void paint(QPainter& painter, const QRectF& area, const Theme& theme) const override;
    QString textAt(const QPointF& point, const QRectF& area, const Theme& theme) const override;
    QSizeF preferredSize() const override;

    GanttGeometry geometry(const QRectF& area, const TextMetrics& metrics) const;
    GanttExtent extent() const;
    const Timeline& timeline() const { return *m_timeline; }
    LaneShare share(int lane, double t0, double t1) const;
    QString opText(OpRef ref) const; ///< what it is, when it runs, why its stage waited before it
    QString rangeText(double t0, double t1) const; ///< of the lanes in view: length, operations, busy and idle share

    GanttView view;
    GanttMarks marks;
    StepCurve curve;

private:
    void paintBlocks(QPainter& painter, const GanttGeometry& g, const Theme& theme) const;
    void paintFolds(QPainter& painter, const GanttGeometry& g, const Theme& theme) const;
    void paintMarks(QPainter& painter, const GanttGeometry& g, const Theme& theme) const;
    void paintLegend(QPainter& painter, const LegendEntry& entry, const Theme& theme) const;
    std::vector<std::pair<int, QString>> legendNames(bool folds) const;
    bool foldsAt(const GanttView& shown, double width) const; ///< whether a lane this many px wide shows folds
    void paintLinks(QPainter& painter, const GanttGeometry& g, const Theme& theme) const;
    QString opShortText(OpRef ref) const; ///< "F3 on stage 2"
    const TimelineOp& op(OpRef ref) const;

    std::shared_ptr<const Timeline> m_timeline;
    QString m_title;
    std::vector<LaneSums> m_sums;
    std::shared_ptr<const OpGraph> m_graph; ///< null when the timeline does not say where the chunks live
    int m_chunks = 1;
    std::int32_t m_largestMicroBatch = 0;
    std::vector<OpKind> m_kinds; ///< that occur
    bool m_waits = false; ///< whether any op waits for the wire
};

} // namespace partita::ui
