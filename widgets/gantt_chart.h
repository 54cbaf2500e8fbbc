// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/pipeline/live_activations.h"
#include "core/pipeline/op_graph.h"
#include "widgets/chart.h"
#include "widgets/gantt_cuts.h"
#include "widgets/gantt_lanes.h"
#include "widgets/gantt_view.h"
#include "widgets/geometry.h"

#include <QCoreApplication>

#include <memory>
#include <optional>

namespace partita::ui {

/// Entries of the legend beyond the kinds of ops.
enum GanttEntry {
    IdleEntry = OpKinds,
    WaitEntry,
    ChunkEntry,
    FoldEntry,
    ExchangeEntry, ///< of the first ExchangeGroup; the others follow
    NeedEntry = ExchangeEntry + Names<ExchangeGroup>::table.size(),
    UnblockEntry,
    PathEntry,
    CurveEntry ///< of the first curve below the lanes; the others follow
};

/// A quantity that changes in steps over the timeline, drawn below the lanes.
struct StepCurve {
    int stage = 0;
    QString title; ///< "activations held on stage 0"
    QString name; ///< beside other curves: "stage 0, at most 4"
    std::vector<QPointF> points; ///< x = time in s, ascending; y holds until the next point
};

/// Activations a stage holds over the step; no points when there is no such stage.
StepCurve heldActivations(const Timeline& timeline, int stage);

/// What is pointed at; drawn over the lanes.
struct GanttMarks {
    std::optional<OpRef> hovered; ///< outlined
    std::optional<OpRef> op; ///< outlined, with its micro-batch on the other stages, what it needs and what needs it
    std::optional<std::pair<double, double>> range; ///< s, measured stretch
};

/// What surrounds the lanes.
struct GanttParts {
    QString heading; ///< a line above; empty = none
    bool ruler = true;
    bool legend = true;
};

/// Where everything of the Gantt chart lies. Its size follows the picture, not the number of ops.
struct GanttGeometry {
    /// Exchange inside an op that nothing hides: as long as all of it together, at the op's end.
    struct Exchange {
        QRectF rect;
        ExchangeGroup group = ExchangeGroup::Tensor;
    };
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
    std::vector<Exchange> exchanges;
    std::vector<QRectF> waits; ///< idle while bytes are on the wire
    std::vector<Label> laneNames;
    std::vector<double> tickXs;
    std::vector<Label> tickLabels;
    QRectF strip; ///< of the curves; empty when there are none
    Label stripTitle;
    std::vector<LegendEntry> stripKey; ///< which curve is which, when there are several
    std::vector<std::vector<QPointF>> curves; ///< inside the strip
    std::vector<LegendEntry> legend;
    Label rangeLabel; ///< of the measured range; takes the place of tick labels
    Label heading;
    Label counters; ///< at the playhead; right of the heading
    std::vector<Label> held; ///< right of each lane: activations at the playhead, and the most by the closed form
    std::vector<LegendEntry> key; ///< of the marks; takes the place of tick labels

    std::vector<GanttStretch> stretches; ///< of time, at least one; breaks between them

    double xOf(double time) const; ///< inside a break for what is cut
    double timeAt(double x) const;
    double secondsPerPixel() const
    {
        return stretches.front().span() / (stretches.front().right - stretches.front().left);
    }
    bool isCut() const { return stretches.size() > 1; }
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
    bool isEmpty() const override { return m_timeline->stages.empty(); } // its table is long
    void paint(QPainter& painter, const QRectF& area, const Theme& theme) const override;
    QString textAt(const QPointF& point, const QRectF& area, const Theme& theme) const override;
    /// Of an operation, of several that fold, of a gap, of a stage beside its lane.
    QString valueAt(const QPointF& point, const QRectF& area, const Theme& theme) const override;
    QString valueOf(OpRef op) const;
    QString idleBefore(OpRef op) const; ///< empty: nothing idles there
    QSizeF preferredSize() const override;
    double heightAt(double width, const Theme& theme) const override;
    /// Of a step in full: with its time cut where that makes it legible.
    std::shared_ptr<const Chart> still() const override;

    GanttGeometry geometry(const QRectF& area, const TextMetrics& metrics) const;
    GanttExtent extent() const;
    const Timeline& timeline() const { return *m_timeline; }
    const std::shared_ptr<const Timeline>& sharedTimeline() const { return m_timeline; }
    LaneShare share(int lane, double t0, double t1) const;
    QString opText(OpRef ref) const; ///< what it is, when it runs, why its stage waited before it
    QString bubbleText(int lane, double time) const; ///< why the stage computes nothing then
    QString rangeText(double t0, double t1) const; ///< of the lanes in view: length, busy and idle share, ops by kind
    QString countersText() const; ///< at the playhead: time, bubble so far

    /// Both have one time axis: it reaches as far as the longer of the two, begins at the same place and is cut alike.
    void shareAxisWith(std::shared_ptr<const Timeline> other) { m_beside = std::move(other); }
    /// Explains the looks of another chart beside its own.
    void takeLegendOf(const GanttChart& other);
    void showCriticalPath(bool show);
    const std::vector<OpRef>& criticalPath() const { return m_path; } ///< empty unless shown
    /// Ops behind the playhead are dimmed; nullopt takes it away.
    void setPlayhead(std::optional<double> seconds);
    std::optional<double> playhead() const { return m_playhead; }
    /// Where an op of any stage ends next after, or last before, a time; the borders of the step beyond.
    const TimelineOp& op(OpRef ref) const;
    std::size_t indexAfter(int lane, double time) const; ///< of the lane's first op that ends later; may be opCount
    double nextEnd(double time) const;
    double previousEnd(double time) const;
    /// Micro-batches of activations a stage holds; needs a playhead.
    double heldAt(int lane, double time) const;
    double bubbleUntil(double time) const; ///< idle share of all stages from the start

    GanttView view;
    GanttMarks marks;
    GanttParts parts;
    std::vector<StepCurve> curves; ///< below the lanes, on one scale
    bool cuts = false; ///< the time axis where the whole step would be too narrow to read; for a view of all of it
    bool curvesBeforeLegend = false; ///< where there is no room for both
    std::vector<double> stated; ///< [lane] most activations by the schedule's closed form; empty = unknown

private:
    void paintBlocks(QPainter& painter, const GanttGeometry& g, const Theme& theme) const;
    void paintFolds(QPainter& painter, const GanttGeometry& g, const Theme& theme) const;
    void paintMarks(QPainter& painter, const GanttGeometry& g, const Theme& theme) const;
    void paintLegend(QPainter& painter, const LegendEntry& entry, const Theme& theme) const;
    void paintKey(QPainter& painter, const LegendEntry& entry, const Theme& theme) const;
    std::vector<std::pair<int, QString>> legendNames(bool folds) const;
    bool foldsAt(const GanttGeometry& g) const; ///< whether any lane shows folds
    std::vector<GanttStretch> stretchesAt(double width, const TextMetrics& metrics) const; ///< from 0 px on
    QString cutText(const std::vector<GanttStretch>& stretches, bool inFull) const; ///< what is shown of the step
    void paintBreaks(QPainter& painter, const GanttGeometry& g, const Theme& theme) const;
    void paintSelection(QPainter& painter, const GanttGeometry& g, const Theme& theme) const;
    void paintLinks(QPainter& painter, const GanttGeometry& g, const Theme& theme) const;
    void paintPath(QPainter& painter, const GanttGeometry& g, const Theme& theme) const;
    void paintPlayhead(QPainter& painter, const GanttGeometry& g, const Theme& theme) const;
    bool isFaded(const Label& label, const GanttGeometry& g) const; ///< behind the playhead
    QRectF rectOf(OpRef ref, const GanttGeometry& g) const; ///< where it is drawn; empty when out of view
    bool onPath(const GanttGeometry::Block& block) const;
    void placeTopRows(GanttGeometry& g, const QRectF& area, const TextMetrics& metrics) const;
    void placeHeld(GanttGeometry& g, const TextMetrics& metrics) const;
    void placeLane(GanttGeometry& g, int lane, const TextMetrics& metrics) const;
    void placeExchange(GanttGeometry& g, const GanttGeometry::Block& block) const;
    void placeStrip(GanttGeometry& g, double top, const TextMetrics& metrics) const;
    void drawStrip(QPainter& painter, const GanttGeometry& g, const Theme& theme) const;
    std::vector<std::pair<int, QString>> keyNames() const;
    QString waitText(const IdleReason& why) const; ///< "waits for B3 on stage 2, of which 1 ms on the wire"
    QString opShortText(OpRef ref) const; ///< "F3 on stage 2"
    QString exchangeText(const ExposedExchange& exposed) const; ///< "TP 1 ms, EP 2 ms"; empty when there is none
    QString curvesText(double time) const; ///< what every curve is at
    std::array<double, OpKinds> busyIn(const GanttGeometry::Block& block) const; ///< s by kind

    std::shared_ptr<const Timeline> m_timeline;
    QString m_title;
    std::vector<LaneSums> m_sums; ///< [lane] of the pipeline's ops
    std::vector<LaneSums> m_sumsAfter; ///< of those after it
    std::shared_ptr<const OpGraph> m_graph; ///< null when the timeline does not say where the chunks live
    int m_chunks = 1;
    bool m_laterChunks = false; ///< for the legend
    std::int32_t m_largestMicroBatch = 0;
    std::vector<OpKind> m_kinds; ///< that occur
    std::vector<ExchangeGroup> m_groups; ///< that are exposed somewhere
    bool m_waits = false; ///< whether any op waits for the wire
    std::shared_ptr<const Timeline> m_beside; ///< on the same time axis; null when alone
    std::optional<double> m_playhead; ///< s
    std::vector<std::vector<ActivationPoint>> m_held; ///< [lane], from the first playhead on
    std::vector<OpRef> m_path;
    std::vector<std::vector<int>> m_pathOnLane; ///< indices of the path's ops, ascending
};

} // namespace partita::ui
