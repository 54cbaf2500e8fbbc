// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/gantt_chart.h"

#include "core/pipeline/live_activations.h"
#include "widgets/drawing.h"
#include "widgets/figures.h"
#include "widgets/labels.h"
#include "widgets/op_letter.h"

#include <QPaintEngine>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <map>

namespace partita::ui {

namespace {

/// Rectangles of one look, drawn in one go: state changes cost time on screen and bytes in a file.
struct Batch {
    FillStyle style;
    QList<QRectF> edges;
    QList<QRectF> fills;
    QList<QRectF> footers;
    QPainterPath hatch;

    void add(const QRectF& rect)
    {
        const double across = rect.width() >= 6 && rect.height() >= 6 ? 1 : 0;
        const QRectF inner = rect.adjusted(across, across, -1, -across);
        edges.append(across > 0 ? rect : QRectF(inner.right(), rect.top(), 1, rect.height()));
        fills.append(inner);
        if (style.footer) {
            const double height = std::max(1.0, inner.height() * 0.16);
            footers.append(QRectF(inner.left(), inner.bottom() - height, inner.width(), height));
        }
        for (const QLineF& line : hatchLines(inner, style.hatch, 5)) {
            hatch.moveTo(line.p1());
            hatch.lineTo(line.p2());
        }
    }
};

QPen hatchPen(const QColor& color)
{
    return QPen(color, 1, Qt::SolidLine, Qt::FlatCap); // square ends would stick out of what is hatched
}

void drawRects(QPainter& painter, const QList<QRectF>& rects, const QColor& color)
{
    if (painter.paintEngine()->type() == QPaintEngine::Raster) {
        for (const QRectF& rect : rects) { // several times faster on screen than drawRects
            painter.fillRect(rect, color);
        }
    } else if (!rects.isEmpty()) { // one element's attributes in a file, not one per rectangle
        painter.setBrush(color);
        painter.drawRects(rects);
    }
}

void drawBatch(QPainter& painter, const Batch& batch)
{
    painter.setPen(Qt::NoPen);
    drawRects(painter, batch.edges, batch.style.edge);
    drawRects(painter, batch.fills, batch.style.fill);
    drawRects(painter, batch.footers, batch.style.edge);
    if (!batch.hatch.isEmpty()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(hatchPen(mix(batch.style.fill, batch.style.edge, 0.75)));
        painter.drawPath(batch.hatch);
    }
}

void drawStrip(QPainter& painter, const GanttGeometry& g, const Theme& theme)
{
    if (g.strip.isEmpty()) {
        return;
    }
    const QColor color = theme.categoryStyle(MemoryKind::Activations).fill;
    const QPolygonF line(QList<QPointF>(g.curve.begin(), g.curve.end()));
    QPolygonF area = line;
    area << g.strip.bottomRight() << g.strip.bottomLeft();
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(mix(theme.card, color, 0.18));
    painter.drawPolygon(area);
    painter.setPen(QPen(color, 1.5, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(line);
    painter.setRenderHint(QPainter::Antialiasing, false);
    drawLabel(painter, g.stripTitle, theme);
}

} // namespace

StepCurve heldActivations(const Timeline& timeline, int stage)
{
    StepCurve curve;
    if (stage < 0 || static_cast<std::size_t>(stage) >= timeline.stages.size()) {
        return curve;
    }
    for (const ActivationPoint& point : liveActivations(timeline, stage)) {
        curve.points.emplace_back(point.time, point.microBatches);
    }
    const double peak = timeline.stages[static_cast<std::size_t>(stage)].peakActivations;
    curve.title = GanttChart::tr("activations held on stage %1, at most %2 micro-batches")
                      .arg(QString::number(stage), significant(peak));
    return curve;
}

GanttChart::GanttChart()
    : GanttChart(std::make_shared<const Timeline>())
{
}

GanttChart::GanttChart(std::shared_ptr<const Timeline> timeline, const QString& title)
    : m_timeline(std::move(timeline))
    , m_title(title.isEmpty() ? tr("Pipeline") : title)
{
    std::array<bool, OpKinds> occurs{};
    m_sums.reserve(m_timeline->stages.size());
    for (const StageTimeline& stage : m_timeline->stages) {
        m_sums.emplace_back(stage.ops);
        for (const TimelineOp& op : stage.ops) {
            occurs[static_cast<std::size_t>(op.kind)] = true;
            m_chunks = std::max({m_chunks, op.chunk + 1, op.partnerChunk + 1});
            m_largestMicroBatch = std::max({m_largestMicroBatch, op.microBatch, op.partner});
            m_waits = m_waits || op.transferWait > 0;
        }
    }
    for (std::size_t kind = 0; kind < OpKinds; ++kind) {
        if (occurs[kind]) {
            m_kinds.push_back(static_cast<OpKind>(kind));
        }
    }
    const Placement& placement = m_timeline->placement;
    if (!placement.links.empty() && placement.stages == extent().lanes) {
        m_graph = std::make_shared<const OpGraph>(*m_timeline);
    }
    view = fitted(extent());
}

GanttExtent GanttChart::extent() const
{
    return {m_timeline->makespan, static_cast<int>(m_timeline->stages.size())};
}

QSizeF GanttChart::preferredSize() const
{
    return {960, std::clamp(90.0 + 30.0 * view.lanes + (curve.points.empty() ? 0 : 60), 180.0, 720.0)};
}

const TimelineOp& GanttChart::op(OpRef ref) const
{
    return m_timeline->stages[static_cast<std::size_t>(ref.stage)].ops[static_cast<std::size_t>(ref.index)];
}

LaneShare GanttChart::share(int lane, double t0, double t1) const
{
    const auto i = static_cast<std::size_t>(lane);
    return m_sums[i].share(m_timeline->stages[i].ops, t0, t1);
}

std::vector<std::pair<int, QString>> GanttChart::legendNames(bool folds) const
{
    std::vector<std::pair<int, QString>> names;
    for (const OpKind kind : m_kinds) {
        const QString name = labelText(kind);
        names.emplace_back(static_cast<int>(kind),
                           kind == OpKind::ForwardBackward ? name : opLetter(kind) + u' ' + name);
    }
    names.emplace_back(IdleEntry, tr("idle"));
    if (m_waits) {
        names.emplace_back(WaitEntry, tr("waits for the wire"));
    }
    if (m_chunks > 1) {
        names.emplace_back(ChunkEntry, tr("lighter: later chunk"));
    }
    if (folds) {
        names.emplace_back(FoldEntry, tr("×n: n operations folded"));
    }
    return names;
}

void GanttChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) const
{
    const GanttGeometry g = geometry(area, textMetrics(theme));
    if (g.lanes.isEmpty()) {
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    QList<QRectF> idle;
    for (int lane = g.view.firstLane; lane < g.view.firstLane + g.view.lanes; ++lane) {
        idle.append(g.laneRect(lane));
    }
    painter.setPen(Qt::NoPen);
    drawRects(painter, idle, theme.idleStyle().fill);
    for (const double x : g.tickXs) {
        drawLine(painter, {x, g.lanes.top() - 3, x, g.lanes.bottom()}, theme.border);
    }
    paintBlocks(painter, g, theme);
    paintFolds(painter, g, theme);
    drawStrip(painter, g, theme);
    paintMarks(painter, g, theme);
    for (const std::vector<Label>* labels : {&g.laneNames, &g.tickLabels}) {
        for (const Label& label : *labels) {
            drawLabel(painter, label, theme);
        }
    }
    for (const LegendEntry& entry : g.legend) {
        paintLegend(painter, entry, theme);
    }
}

void GanttChart::paintLegend(QPainter& painter, const LegendEntry& entry, const Theme& theme) const
{
    const QRectF upper = entry.swatch.adjusted(0, 0, 0, -entry.swatch.height() / 2);
    const QRectF lower = entry.swatch.adjusted(0, entry.swatch.height() / 2, 0, 0);
    if (entry.category == ChunkEntry) {
        drawArea(painter, upper, theme.opStyle(OpKind::Forward, 0, 2));
        drawArea(painter, lower, theme.opStyle(OpKind::Forward, 1, 2));
    } else if (entry.category == IdleEntry) {
        drawArea(painter, entry.swatch, theme.idleStyle());
    } else if (entry.category == WaitEntry) {
        drawArea(painter, entry.swatch, theme.idleStyle());
        painter.fillRect(entry.swatch.adjusted(1, entry.swatch.height() / 3, -1, -entry.swatch.height() / 3),
                         theme.transferStyle().fill);
    } else if (entry.category == FoldEntry || entry.category == static_cast<int>(OpKind::ForwardBackward)) {
        drawArea(painter, upper, theme.opStyle(OpKind::Forward));
        drawArea(painter, lower, theme.opStyle(OpKind::Backward));
        if (entry.category == FoldEntry) {
            drawHatch(painter, entry.swatch, Hatch::Falling, Qt::black, 4);
        }
    } else {
        drawArea(painter, entry.swatch, theme.opStyle(static_cast<OpKind>(entry.category)));
    }
    drawLabel(painter, entry.label, theme);
}

void GanttChart::paintBlocks(QPainter& painter, const GanttGeometry& g, const Theme& theme) const
{
    std::map<std::pair<OpKind, int>, Batch> batches; // ordered: the same picture gives the same bytes
    std::map<QRgb, std::vector<const Label*>> inks;
    const auto add = [&](OpKind kind, int chunk, const QRectF& rect, const Label& label) {
        const auto [found, fresh] = batches.try_emplace({kind, chunk});
        if (fresh) {
            found->second.style = theme.opStyle(kind, chunk, m_chunks);
        }
        found->second.add(rect);
        if (!label.empty()) {
            inks[found->second.style.ink.rgb()].push_back(&label);
        }
    };
    for (const GanttGeometry::Block& block : g.blocks) {
        if (block.run.count > 1) {
            continue;
        }
        const TimelineOp& one = op({block.lane, static_cast<int>(block.run.first)});
        if (one.kind == OpKind::ForwardBackward) {
            const double half = block.rect.height() / 2;
            add(OpKind::Forward, one.chunk, block.rect.adjusted(0, 0, 0, -half), block.label);
            add(OpKind::Backward, one.partnerChunk, block.rect.adjusted(0, half, 0, 0), block.second);
        } else {
            add(one.kind, one.chunk, block.rect, block.label);
        }
    }
    for (const auto& [key, batch] : batches) {
        drawBatch(painter, batch);
    }
    painter.setPen(Qt::NoPen);
    drawRects(painter, QList<QRectF>(g.waits.begin(), g.waits.end()), theme.transferStyle().fill);
    painter.setFont(theme.fontOf(TextRole::Small));
    for (const auto& [ink, labels] : inks) {
        painter.setPen(QColor(ink));
        for (const Label* label : labels) {
            painter.drawText(label->rect, Qt::AlignCenter | Qt::TextSingleLine | Qt::TextDontClip, label->text);
        }
    }
}

/// A fold keeps the proportions of what it hides: as much of its height as each kind has of its time, the rest idle.
void GanttChart::paintFolds(QPainter& painter, const GanttGeometry& g, const Theme& theme) const
{
    std::array<QList<QRectF>, OpKinds> bands;
    QPainterPath hatch;
    QList<QRectF> plates;
    std::vector<const Label*> labels;
    for (const GanttGeometry::Block& block : g.blocks) {
        if (block.run.count < 2) {
            continue;
        }
        const auto lane = static_cast<std::size_t>(block.lane);
        const auto busy = m_sums[lane].busy(m_timeline->stages[lane].ops, block.run.first, block.run.count);
        const double span = block.run.end - block.run.start;
        double top = block.rect.top();
        for (std::size_t kind = 0; kind < OpKinds; ++kind) {
            const double height =
                span > 0 ? std::min(block.rect.bottom() - top, busy[kind] / span * block.rect.height()) : 0;
            if (height > 0) {
                bands[kind].append(QRectF(block.rect.left(), top, block.rect.width(), height));
                top += height;
            }
        }
        for (const QLineF& line : hatchLines(block.rect, Hatch::Falling, 6)) {
            hatch.moveTo(line.p1());
            hatch.lineTo(line.p2());
        }
        if (!block.label.empty()) {
            labels.push_back(&block.label);
            QRectF plate(0, 0, block.rect.width() - 4, std::min(block.rect.height() - 2, theme.gap() * 1.6));
            plate.moveCenter(block.rect.center());
            plates.append(plate);
        }
    }
    painter.setPen(Qt::NoPen);
    for (std::size_t kind = 0; kind < OpKinds; ++kind) {
        drawRects(painter, bands[kind], theme.opStyle(static_cast<OpKind>(kind)).fill);
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(hatchPen(theme.opStyle(OpKind::Forward).edge));
    painter.drawPath(hatch);
    painter.setPen(Qt::NoPen);
    drawRects(painter, plates, theme.card);
    painter.setFont(theme.fontOf(TextRole::Small));
    painter.setPen(theme.text);
    for (const Label* label : labels) {
        painter.drawText(label->rect, Qt::AlignCenter | Qt::TextSingleLine | Qt::TextDontClip, label->text);
    }
}

void GanttChart::paintMarks(QPainter& painter, const GanttGeometry& g, const Theme& theme) const
{
    const QRectF whole(g.lanes.topLeft(),
                       QPointF(g.lanes.right(), g.strip.isEmpty() ? g.lanes.bottom() : g.strip.bottom()));
    if (marks.range) {
        const double left = std::clamp(g.xOf(marks.range->first), whole.left(), whole.right());
        const double right = std::clamp(g.xOf(marks.range->second), whole.left(), whole.right());
        QColor shade = theme.accent;
        shade.setAlphaF(0.18F);
        painter.fillRect(QRectF(QPointF(left, whole.top()), QPointF(right, whole.bottom())), shade);
        for (const double x : {left, right}) {
            drawLine(painter, {x, whole.top(), x, whole.bottom()}, theme.accent, 1.5);
        }
        drawLabel(painter, g.rangeLabel, theme, theme.accent);
    }
    if (marks.op) {
        paintLinks(painter, g, theme);
        const std::int32_t batch = op(*marks.op).microBatch;
        for (const GanttGeometry::Block& block : g.blocks) {
            const auto index = static_cast<std::size_t>(marks.op->index);
            const bool here =
                block.lane == marks.op->stage && index >= block.run.first && index < block.run.first + block.run.count;
            if (here) {
                drawFrame(painter, block.rect, theme.card, 3);
                drawFrame(painter, block.rect, theme.text, 2);
            } else if (block.run.count == 1
                       && op({block.lane, static_cast<int>(block.run.first)}).microBatch == batch) {
                drawFrame(painter, block.rect, theme.text, 1.5);
            }
        }
    }
    if (marks.playhead && *marks.playhead >= g.view.t0 && *marks.playhead <= g.view.t1) {
        const double x = g.xOf(*marks.playhead);
        drawLine(painter, {x, whole.top(), x, whole.bottom()}, theme.bad, 2);
    }
}

void GanttChart::paintLinks(QPainter& painter, const GanttGeometry& g, const Theme& theme) const
{
    if (!m_graph) {
        return;
    }
    const auto connect = [&](OpRef from, OpRef to, const QColor& color, Qt::PenStyle style) {
        const QPointF start(g.xOf(op(from).end), g.laneRect(from.stage).center().y());
        const QPointF end(g.xOf(op(to).start), g.laneRect(to.stage).center().y());
        if (const auto line = clipLine({start, end}, g.lanes); line && from.stage != to.stage) {
            drawLine(painter, *line, theme.card, 4);
            drawLine(painter, *line, color, 2, style);
        }
    };
    for (const OpRef need : m_graph->dependencies(*marks.op)) {
        connect(need, *marks.op, theme.bad, Qt::SolidLine);
    }
    for (const OpRef user : m_graph->dependants(*marks.op)) {
        connect(*marks.op, user, theme.good, Qt::DashLine);
    }
}

QString GanttChart::rangeText(double t0, double t1) const
{
    const GanttView shown = clamped(view, extent());
    LaneShare all;
    for (int lane = shown.firstLane; lane < std::min(shown.firstLane + shown.lanes, extent().lanes); ++lane) {
        const LaneShare part = share(lane, t0, t1);
        all.idle += part.idle;
        all.ops += part.ops;
        all.busy[0] += part.busyTotal();
    }
    const double total = all.busy[0] + all.idle;
    return tr("%1 · %2 operations · busy %3 · idle %4")
        .arg(timeText(t1 - t0), countText(static_cast<double>(all.ops)),
             percentText(total > 0 ? all.busy[0] / total : 0), percentText(total > 0 ? all.idle / total : 0));
}

QString GanttChart::opShortText(OpRef ref) const
{
    const TimelineOp& one = op(ref);
    const QString numbers = one.kind == OpKind::ForwardBackward
        ? tr("F%1 beside B%2").arg(one.microBatch).arg(one.partner)
        : opLetter(one.kind) + QString::number(one.microBatch);
    return tr("%1 on stage %2").arg(numbers).arg(ref.stage);
}

QString GanttChart::opText(OpRef ref) const
{
    const TimelineOp& one = op(ref);
    QString text = opShortText(ref) + QStringLiteral(": ") + labelText(one.kind);
    if (m_chunks > 1) {
        text += tr(", chunk %1").arg(one.chunk);
    }
    text += u'\n' + tr("starts at %1, takes %2").arg(timeText(one.start), timeText(one.end - one.start));
    const IdleReason why = m_graph ? m_graph->whyIdle(ref) : IdleReason{};
    if (why.idle > m_timeline->makespan * 1e-9) {
        text += u'\n' + tr("bubble of %1 before it").arg(timeText(why.idle));
        if (why.waitedFor) {
            text += u'\n' + tr("waits for %1").arg(opShortText(why.waitedFor));
        }
        if (why.transfer > 0) {
            text += u'\n' + tr("%1 of it on the wire").arg(timeText(why.transfer));
        }
    }
    return text;
}

QString GanttChart::textAt(const QPointF& point, const QRectF& area, const Theme& theme) const
{
    const GanttGeometry g = geometry(area, textMetrics(theme));
    const int lane = g.lanes.contains(point) ? g.laneAt(point.y()) : -1;
    if (lane < 0) {
        return {};
    }
    const GanttGeometry::Block* block = g.blockAt(point);
    if (block == nullptr) {
        return tr("stage %1: idle at %2").arg(QString::number(lane), timeText(g.timeAt(point.x())));
    }
    if (block->run.count == 1) {
        return opText({lane, static_cast<int>(block->run.first)});
    }
    const LaneShare part = share(lane, block->run.start, block->run.end);
    QString text = tr("stage %1: %2 operations in %3")
                       .arg(QString::number(lane), countText(static_cast<double>(block->run.count)),
                            timeText(block->run.end - block->run.start));
    for (const OpKind kind : m_kinds) {
        const double seconds = part.busy[static_cast<std::size_t>(kind)];
        if (seconds > 0) {
            text += u'\n' + tr("%1: %2").arg(labelText(kind), timeText(seconds));
        }
    }
    return text + u'\n' + tr("idle: %1").arg(timeText(part.idle));
}

QString GanttChart::description() const
{
    if (m_timeline->stages.empty()) {
        return tr("No pipeline to show");
    }
    double busy = 0;
    for (const StageTimeline& stage : m_timeline->stages) {
        busy += stage.busy;
    }
    const double stages = static_cast<double>(m_timeline->stages.size());
    const double idle = m_timeline->makespan > 0 ? 1 - busy / (stages * m_timeline->makespan) : 0;
    return tr("%1 pipeline stages for %2, idle %3 of the time")
        .arg(countText(stages), timeText(m_timeline->makespan), percentText(idle));
}

ChartTable GanttChart::table() const
{
    ChartTable table;
    table.header << tr("stage") << tr("operation") << tr("micro-batch") << tr("chunk") << tr("partner micro-batch")
                 << tr("start (s)") << tr("end (s)") << tr("wait for the wire (s)");
    const GanttView shown = clamped(view, extent());
    for (int lane = shown.firstLane; lane < std::min(shown.firstLane + shown.lanes, extent().lanes); ++lane) {
        const std::vector<TimelineOp>& ops = m_timeline->stages[static_cast<std::size_t>(lane)].ops;
        for (std::size_t i = firstOpAfter(ops, shown.t0); i < ops.size() && ops[i].start < shown.t1; ++i) {
            const bool pair = ops[i].kind == OpKind::ForwardBackward;
            table.rows.push_back({QString::number(lane), labelText(ops[i].kind), QString::number(ops[i].microBatch),
                                  QString::number(ops[i].chunk), pair ? QString::number(ops[i].partner) : QString(),
                                  exactNumber(ops[i].start), exactNumber(ops[i].end),
                                  exactNumber(ops[i].transferWait)});
        }
    }
    return table;
}

} // namespace partita::ui
