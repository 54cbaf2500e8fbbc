// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/gantt_chart.h"

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

constexpr double LanePitch = 30; // px on paper
constexpr double TallestLanes = 600; // px of all lanes together
constexpr double boundless = 1e5; // px

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

} // namespace

StepCurve heldActivations(const Timeline& timeline, int stage)
{
    StepCurve curve;
    curve.stage = stage;
    if (stage < 0 || static_cast<std::size_t>(stage) >= timeline.stages.size()) {
        return curve;
    }
    for (const ActivationPoint& point : liveActivations(timeline, stage)) {
        curve.points.emplace_back(point.time, point.microBatches);
    }
    const double peak = timeline.stages[static_cast<std::size_t>(stage)].peakActivations;
    curve.title = GanttChart::tr("activations held on stage %1, at most %2 micro-batches")
                      .arg(QString::number(stage), significant(peak));
    curve.name = GanttChart::tr("stage %1, at most %2").arg(QString::number(stage), significant(peak));
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
        m_sumsAfter.emplace_back(stage.after);
        for (const TimelineOp& op : stage.after) {
            occurs[static_cast<std::size_t>(op.kind)] = true;
        }
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
    for (const Name<ExchangeGroup>& group : Names<ExchangeGroup>::table) {
        const auto exposed = [&](const PassExchange& pass) {
            return pass.forward[group.value] + pass.inputGradient[group.value] + pass.weightGradient[group.value] > 0;
        };
        if (std::any_of(m_timeline->exchange.begin(), m_timeline->exchange.end(), exposed)) {
            m_groups.push_back(group.value);
        }
    }
    m_laterChunks = m_chunks > 1;
    const Placement& placement = m_timeline->placement;
    if (!placement.links.empty() && placement.stages == extent().lanes) {
        m_graph = std::make_shared<const OpGraph>(*m_timeline);
    }
    view = fitted(extent());
}

GanttExtent GanttChart::extent() const
{
    return {m_beside ? std::max(m_beside->end(), m_timeline->end()) : m_timeline->end(),
            static_cast<int>(m_timeline->stages.size())};
}

QSizeF GanttChart::preferredSize() const
{
    return {960, std::clamp(90.0 + 30.0 * view.lanes + (curves.empty() ? 0 : 60), 180.0, 720.0)};
}

double GanttChart::heightAt(double width, const Theme& theme) const
{
    const GanttGeometry g = geometry(QRectF(0, 0, width, boundless), textMetrics(theme));
    const double bottom = std::max({g.lanes.bottom(), g.strip.bottom(), g.legend.empty() ? 0 : legendBottom(g.legend)});
    const double pitch = std::min({g.pitch, LanePitch * theme.scale, TallestLanes / std::max(1, g.view.lanes)});
    return bottom - (g.pitch - pitch) * g.view.lanes;
}

std::shared_ptr<const Chart> GanttChart::still() const
{
    if (cuts || m_playhead || view != fitted(extent())) {
        return nullptr;
    }
    auto cut = std::make_shared<GanttChart>(*this);
    cut->cuts = true;
    return cut;
}

const TimelineOp& GanttChart::op(OpRef ref) const
{
    return opAt(m_timeline->stages[static_cast<std::size_t>(ref.stage)], static_cast<std::size_t>(ref.index));
}

std::size_t GanttChart::indexAfter(int lane, double time) const
{
    const StageTimeline& stage = m_timeline->stages[static_cast<std::size_t>(lane)];
    const std::size_t index = firstOpAfter(stage.ops, time);
    return index < stage.ops.size() ? index : index + firstOpAfter(stage.after, time);
}

LaneShare GanttChart::share(int lane, double t0, double t1) const
{
    const auto i = static_cast<std::size_t>(lane);
    const StageTimeline& stage = m_timeline->stages[i];
    LaneShare all = m_sums[i].share(stage.ops, t0, t1);
    if (!stage.after.empty()) {
        all += m_sumsAfter[i].share(stage.after, t0, t1);
        all.idle = std::max(0.0, t1 - t0 - all.busyTotal());
    }
    return all;
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
    for (const ExchangeGroup group : m_groups) {
        names.emplace_back(ExchangeEntry + static_cast<int>(group), tr("%1 exposed").arg(labelText(group)));
    }
    if (m_laterChunks) {
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
        QRectF bar = g.laneRect(lane);
        bar.setRight(std::clamp(g.xOf(m_timeline->end()), bar.left(), bar.right()));
        idle.append(bar);
    }
    painter.setPen(Qt::NoPen);
    drawRects(painter, idle, theme.idleStyle().fill);
    for (const double x : g.tickXs) {
        drawLine(painter, {x, g.lanes.top() - 3, x, g.lanes.bottom()}, theme.border);
    }
    paintBlocks(painter, g, theme);
    paintFolds(painter, g, theme);
    if (const double x = g.xOf(m_timeline->makespan);
        m_timeline->end() > m_timeline->makespan && x >= g.lanes.left() && x <= g.lanes.right()) {
        drawLine(painter, {x, g.lanes.top(), x, g.lanes.bottom()}, theme.mutedText, 1, Qt::DashLine);
    }
    drawStrip(painter, g, theme);
    paintBreaks(painter, g, theme);
    paintMarks(painter, g, theme);
    for (const std::vector<Label>* labels : {&g.laneNames, &g.tickLabels, &g.held}) {
        for (const Label& label : *labels) {
            drawLabel(painter, label, theme);
        }
    }
    drawLabel(painter, g.heading, theme);
    drawLabel(painter, g.counters, theme);
    for (const std::vector<LegendEntry>* entries : {&g.legend, &g.key, &g.stripKey}) {
        for (const LegendEntry& entry : *entries) {
            paintLegend(painter, entry, theme);
        }
    }
}

/// Time is cut: the lanes end in a torn edge, and go on behind another.
void GanttChart::paintBreaks(QPainter& painter, const GanttGeometry& g, const Theme& theme) const
{
    constexpr double tooth = 4; // px down, half as much across
    painter.setRenderHint(QPainter::Antialiasing, true);
    for (std::size_t i = 0; i + 1 < g.stretches.size(); ++i) {
        const double left = g.stretches[i].right;
        const double right = g.stretches[i + 1].left;
        const double bottom = g.strip.isEmpty() ? g.lanes.bottom() : g.strip.bottom();
        painter.fillRect(QRectF(QPointF(left, g.lanes.top()), QPointF(right, bottom)), theme.card);
        for (const double x : {left + tooth / 4, right - tooth / 4}) {
            QPainterPath torn(QPointF(x, g.lanes.top()));
            int side = 1;
            for (double y = g.lanes.top() + tooth; y < bottom; y += tooth, side = -side) {
                torn.lineTo(x + side * tooth / 4, y);
            }
            torn.lineTo(x, bottom);
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(theme.mutedText, 1));
            painter.drawPath(torn);
        }
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void GanttChart::takeLegendOf(const GanttChart& other)
{
    m_kinds.insert(m_kinds.end(), other.m_kinds.begin(), other.m_kinds.end());
    std::sort(m_kinds.begin(), m_kinds.end());
    m_kinds.erase(std::unique(m_kinds.begin(), m_kinds.end()), m_kinds.end());
    m_groups.insert(m_groups.end(), other.m_groups.begin(), other.m_groups.end());
    std::sort(m_groups.begin(), m_groups.end());
    m_groups.erase(std::unique(m_groups.begin(), m_groups.end()), m_groups.end());
    m_waits = m_waits || other.m_waits;
    m_laterChunks = m_laterChunks || other.m_laterChunks;
}

void GanttChart::paintLegend(QPainter& painter, const LegendEntry& entry, const Theme& theme) const
{
    const QRectF upper = entry.swatch.adjusted(0, 0, 0, -entry.swatch.height() / 2);
    const QRectF lower = entry.swatch.adjusted(0, entry.swatch.height() / 2, 0, 0);
    if (entry.category == LegendRest) {
        return drawLabel(painter, entry.label, theme);
    }
    if (entry.category >= NeedEntry) {
        paintKey(painter, entry, theme);
    } else if (entry.category >= ExchangeEntry) {
        drawArea(painter, entry.swatch,
                 theme.exchangeStyle(static_cast<ExchangeGroup>(entry.category - ExchangeEntry)));
    } else if (entry.category == ChunkEntry) {
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
        if (!label.empty() && !isFaded(label, g)) {
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
    std::map<ExchangeGroup, Batch> exchanges;
    for (const GanttGeometry::Exchange& exchange : g.exchanges) {
        const auto [found, fresh] = exchanges.try_emplace(exchange.group);
        if (fresh) {
            found->second.style = theme.exchangeStyle(exchange.group);
        }
        found->second.add(exchange.rect);
    }
    for (const auto& [group, batch] : exchanges) {
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

std::array<double, OpKinds> GanttChart::busyIn(const GanttGeometry::Block& block) const
{
    const auto lane = static_cast<std::size_t>(block.lane);
    const StageTimeline& stage = m_timeline->stages[lane];
    return block.run.first < stage.ops.size()
        ? m_sums[lane].busy(stage.ops, block.run.first, block.run.count)
        : m_sumsAfter[lane].busy(stage.after, block.run.first - stage.ops.size(), block.run.count);
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
        const auto busy = busyIn(block);
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

} // namespace partita::ui
