// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/drawing.h"
#include "widgets/figures.h"
#include "widgets/gantt_chart.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <array>
#include <cmath>

namespace partita::ui {

namespace {

constexpr double ArrowLength = 8; // px
constexpr float Veil = 0.72F; // over what is not meant

/// Where lines along a lane run: at its foot, below the labels.
double footOf(const QRectF& lane)
{
    return lane.bottom() - std::min(4.0, lane.height() / 5);
}

/// How a link between two ops looks: told apart by dash and by the shape at its end, not by colour alone.
struct LinkStyle {
    QColor color;
    Qt::PenStyle dash = Qt::SolidLine;
};

LinkStyle needStyle(const Theme& theme)
{
    return {theme.bad, Qt::SolidLine};
}

LinkStyle unblockStyle(const Theme& theme)
{
    return {theme.good, Qt::DashLine};
}

constexpr std::array dashes{Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};

/// Up to four curves are told apart by dash, more only by where they run and what a tip says of them.
Qt::PenStyle curveDash(std::size_t curve)
{
    return dashes[curve % dashes.size()];
}

QColor curveColor(const Theme& theme, std::size_t curve)
{
    constexpr std::array kinds{MemoryKind::Activations, MemoryKind::Weights, MemoryKind::OptimizerStates,
                               MemoryKind::CommunicationBuffers, MemoryKind::HeadAndLoss};
    return theme.categoryStyle(kinds[curve % kinds.size()]).fill;
}

QColor veil(const Theme& theme)
{
    QColor color = theme.card;
    color.setAlphaF(Veil);
    return color;
}

void drawOutline(QPainter& painter, const QRectF& rect, const LinkStyle& style, const Theme& theme)
{
    if (rect.isEmpty()) {
        return;
    }
    drawFrame(painter, rect, theme.card, 3.5);
    if (style.dash == Qt::SolidLine) {
        return drawFrame(painter, rect, style.color, 2.5);
    }
    const QRectF middle = rect.adjusted(1.25, 1.25, -1.25, -1.25);
    if (middle.width() <= 3 || middle.height() <= 3) {
        return drawFrame(painter, rect, style.color, 1.5);
    }
    for (const QLineF& side :
         {QLineF(middle.topLeft(), middle.topRight()), QLineF(middle.topRight(), middle.bottomRight()),
          QLineF(middle.bottomLeft(), middle.bottomRight()), QLineF(middle.topLeft(), middle.bottomLeft())}) {
        drawLine(painter, side, style.color, 2.5, style.dash);
    }
}

/// A filled head for what is needed, an open one for what is unblocked.
void drawArrowHead(QPainter& painter, const QLineF& along, const LinkStyle& style, const Theme& theme)
{
    const QLineF unit = along.unitVector();
    const QPointF forward(unit.dx() * ArrowLength, unit.dy() * ArrowLength);
    const QPointF side(-forward.y() * 0.5, forward.x() * 0.5);
    const QPolygonF head{along.p2(), along.p2() - forward + side, along.p2() - forward - side};
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(style.color, 1.5));
    painter.setBrush(style.dash == Qt::SolidLine ? style.color : theme.card);
    painter.drawPolygon(head);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void drawLink(QPainter& painter, const QLineF& line, const QRectF& inside, const LinkStyle& style, const Theme& theme)
{
    const std::optional<QLineF> seen = clipLine(line, inside);
    if (!seen || seen->length() < 1) {
        return;
    }
    drawLine(painter, *seen, theme.card, 4);
    drawLine(painter, *seen, style.color, 2, style.dash);
    const bool ends = inside.adjusted(1, 1, -1, -1).contains(line.p2());
    if (ends && line.length() > ArrowLength * 1.5) {
        drawArrowHead(painter, line, style, theme);
    }
}

} // namespace

QRectF GanttChart::rectOf(OpRef ref, const GanttGeometry& g) const
{
    const TimelineOp& one = op(ref);
    const bool inView = ref.stage >= g.view.firstLane && ref.stage < g.view.firstLane + g.view.lanes
        && one.end > g.view.t0 && one.start < g.view.t1;
    if (!inView) {
        return {};
    }
    const QRectF bar = g.laneRect(ref.stage);
    const double left = std::clamp(g.xOf(one.start), g.lanes.left(), std::max(g.lanes.left(), g.lanes.right() - 3));
    const double right = std::min(g.lanes.right(), std::max(left + 3, g.xOf(one.end)));
    return {left, bar.top(), right - left, bar.height()};
}

void GanttChart::drawStrip(QPainter& painter, const GanttGeometry& g, const Theme& theme) const
{
    if (g.strip.isEmpty()) {
        return;
    }
    const bool few = g.curves.size() <= dashes.size();
    painter.setRenderHint(QPainter::Antialiasing, few);
    for (std::size_t i = 0; i < g.curves.size(); ++i) {
        const QColor color = curveColor(theme, i);
        const QPolygonF line(QList<QPointF>(g.curves[i].begin(), g.curves[i].end()));
        if (g.curves.size() == 1) {
            QPolygonF area = line;
            area << g.strip.bottomRight() << g.strip.bottomLeft();
            painter.setPen(Qt::NoPen);
            painter.setBrush(mix(theme.card, color, 0.18));
            painter.drawPolygon(area);
        }
        painter.setPen(few ? QPen(color, 1.5, curveDash(i), Qt::FlatCap, Qt::MiterJoin) : QPen(color, 0));
        painter.setBrush(Qt::NoBrush);
        painter.drawPolyline(line);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    drawLabel(painter, g.stripTitle, theme);
}

void GanttChart::paintMarks(QPainter& painter, const GanttGeometry& g, const Theme& theme) const
{
    paintPath(painter, g, theme);
    paintPlayhead(painter, g, theme);
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
    if (marks.hovered) {
        drawFrame(painter, rectOf(*marks.hovered, g), theme.text, 1.5);
    }
    if (marks.op) {
        paintSelection(painter, g, theme);
    }
}

void GanttChart::paintSelection(QPainter& painter, const GanttGeometry& g, const Theme& theme) const
{
    const std::int32_t batch = op(*marks.op).microBatch;
    for (const GanttGeometry::Block& block : g.blocks) {
        if (batch >= 0 && block.run.count == 1
            && op({block.lane, static_cast<int>(block.run.first)}).microBatch == batch) {
            drawFrame(painter, block.rect, theme.text, 1.5);
        }
    }
    paintLinks(painter, g, theme);
    const QRectF selected = rectOf(*marks.op, g);
    drawFrame(painter, selected.adjusted(-1, -1, 1, 1).intersected(g.lanes), theme.card, 4);
    drawFrame(painter, selected, theme.text, 3);
}

void GanttChart::paintLinks(QPainter& painter, const GanttGeometry& g, const Theme& theme) const
{
    if (!m_graph) {
        return;
    }
    const auto connect = [&](OpRef from, OpRef to, const LinkStyle& style) {
        const QRectF start = g.laneRect(from.stage);
        const QRectF end = g.laneRect(to.stage);
        const double x0 = g.xOf(op(from).end);
        const double x1 = g.xOf(op(to).start);
        if (from.stage != to.stage) {
            return drawLink(painter, {x0, start.center().y(), x1, end.center().y()}, g.lanes, style, theme);
        }
        const double y = footOf(start);
        drawLink(painter, {x0, y, x1, y}, g.lanes, style, theme);
    };
    const std::vector<OpRef> needs = m_graph->dependencies(*marks.op);
    const std::vector<OpRef> users = m_graph->dependants(*marks.op);
    for (const OpRef need : needs) {
        drawOutline(painter, rectOf(need, g), needStyle(theme), theme);
    }
    for (const OpRef user : users) {
        drawOutline(painter, rectOf(user, g), unblockStyle(theme), theme);
    }
    for (const OpRef need : needs) {
        connect(need, *marks.op, needStyle(theme));
    }
    for (const OpRef user : users) {
        connect(*marks.op, user, unblockStyle(theme));
    }
}

void GanttChart::showCriticalPath(bool show)
{
    m_path.clear();
    m_pathOnLane.clear();
    if (!show || !m_graph) {
        return;
    }
    m_path = m_graph->criticalPath();
    m_pathOnLane.resize(m_timeline->stages.size());
    for (const OpRef ref : m_path) { // ascending in time, so ascending on each lane
        m_pathOnLane[static_cast<std::size_t>(ref.stage)].push_back(ref.index);
    }
}

bool GanttChart::onPath(const GanttGeometry::Block& block) const
{
    const std::vector<int>& lane = m_pathOnLane[static_cast<std::size_t>(block.lane)];
    const auto found = std::lower_bound(lane.begin(), lane.end(), static_cast<int>(block.run.first));
    return found != lane.end() && static_cast<std::size_t>(*found) < block.run.first + block.run.count;
}

/// What is not on the path fades; a line runs through what is.
void GanttChart::paintPath(QPainter& painter, const GanttGeometry& g, const Theme& theme) const
{
    if (m_path.empty()) {
        return;
    }
    for (const GanttGeometry::Block& block : g.blocks) {
        if (!onPath(block)) {
            painter.fillRect(block.rect, veil(theme));
        }
    }
    QPainterPath line;
    QPointF last(-1e9, -1e9);
    const auto through = [&](const QPointF& from, const QPointF& to) {
        const std::optional<QLineF> seen = clipLine({from, to}, g.lanes);
        // Steps within a pixel do not show, but would grow a file with the number of ops.
        if (!seen || std::hypot(seen->x2() - last.x(), seen->y2() - last.y()) < 1) {
            return;
        }
        if (last != seen->p1()) {
            line.moveTo(seen->p1());
        }
        line.lineTo(seen->p2());
        last = seen->p2();
    };
    QPointF before;
    bool first = true;
    for (const OpRef ref : m_path) {
        const double y = footOf(g.laneRect(ref.stage));
        const QPointF start(g.xOf(op(ref).start), y);
        const QPointF end(g.xOf(op(ref).end), y);
        if (!first) {
            through(before, start);
        }
        through(start, end);
        before = end;
        first = false;
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setBrush(Qt::NoBrush);
    for (const auto& [color, width] : {std::pair{theme.card, 5.0}, {theme.text, 2.5}}) {
        painter.setPen(QPen(color, width, Qt::SolidLine, Qt::FlatCap, Qt::BevelJoin));
        painter.drawPath(line);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void GanttChart::setPlayhead(std::optional<double> seconds)
{
    m_playhead = seconds;
    if (!seconds) {
        return;
    }
    m_playhead = std::clamp(*seconds, 0.0, extent().makespan);
    for (std::size_t lane = m_held.size(); lane < m_timeline->stages.size(); ++lane) {
        m_held.push_back(liveActivations(*m_timeline, static_cast<int>(lane)));
    }
}

double GanttChart::heldAt(int lane, double time) const
{
    const std::vector<ActivationPoint>& points = m_held[static_cast<std::size_t>(lane)];
    const auto after = std::partition_point(points.begin(), points.end(),
                                            [time](const ActivationPoint& point) { return point.time <= time; });
    return after == points.begin() ? 0 : (after - 1)->microBatches;
}

double GanttChart::bubbleUntil(double time) const
{
    const double until = std::min(time, m_timeline->makespan);
    double busy = 0;
    for (int lane = 0; lane < extent().lanes; ++lane) {
        const auto i = static_cast<std::size_t>(lane); // of the pipeline alone: that is what a bubble is a share of
        busy += m_sums[i].share(m_timeline->stages[i].ops, 0, until).busyTotal();
    }
    return until > 0 ? std::max(0.0, 1 - busy / (until * extent().lanes)) : 0;
}

double GanttChart::nextEnd(double time) const
{
    double next = m_timeline->end();
    const double later = time + m_timeline->makespan * 1e-9; // ends that only rounding tells apart are one
    for (int lane = 0; lane < extent().lanes; ++lane) {
        const std::size_t i = indexAfter(lane, later);
        if (i < opCount(m_timeline->stages[static_cast<std::size_t>(lane)])) {
            next = std::min(next, op({lane, static_cast<int>(i)}).end);
        }
    }
    return std::max(next, std::min(time, extent().makespan));
}

double GanttChart::previousEnd(double time) const
{
    double previous = 0;
    const double earlier = time - m_timeline->makespan * 1e-9;
    for (const StageTimeline& stage : m_timeline->stages) {
        for (const std::vector<TimelineOp>* ops : {&stage.ops, &stage.after}) {
            const auto after = std::partition_point(ops->begin(), ops->end(),
                                                    [earlier](const TimelineOp& one) { return one.end < earlier; });
            previous = after == ops->begin() ? previous : std::max(previous, (after - 1)->end);
        }
    }
    return previous;
}

bool GanttChart::isFaded(const Label& label, const GanttGeometry& g) const
{
    return m_playhead && label.rect.center().x() > g.xOf(*m_playhead);
}

void GanttChart::paintPlayhead(QPainter& painter, const GanttGeometry& g, const Theme& theme) const
{
    if (!m_playhead) {
        return;
    }
    const double bottom = g.strip.isEmpty() ? g.lanes.bottom() : g.strip.bottom();
    const double x = std::clamp(g.xOf(*m_playhead), g.lanes.left(), g.lanes.right());
    painter.fillRect(QRectF(QPointF(x, g.lanes.top()), QPointF(g.lanes.right(), bottom)), veil(theme));
    painter.setFont(theme.fontOf(TextRole::Small));
    painter.setPen(theme.mutedText); // ink of the fill would vanish on what is faded
    for (const GanttGeometry::Block& block : g.blocks) {
        for (const Label* label : {&block.label, &block.second}) {
            if (block.run.count < 2 && !label->empty() && isFaded(*label, g)) {
                painter.drawText(label->rect, Qt::AlignCenter | Qt::TextSingleLine | Qt::TextDontClip, label->text);
            }
        }
    }
    if (*m_playhead >= g.view.t0 && *m_playhead <= g.view.t1) {
        drawLine(painter, {x, g.lanes.top(), x, bottom}, theme.bad, 2);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.bad);
        painter.setRenderHint(QPainter::Antialiasing, true);
        const double left = std::clamp(x - 5, g.lanes.left(), g.lanes.right() - 10);
        painter.drawPolygon(
            QPolygonF{QPointF(left, g.lanes.top()), QPointF(left + 10, g.lanes.top()), QPointF(x, g.lanes.top() + 8)});
        painter.setRenderHint(QPainter::Antialiasing, false);
    }
}

void GanttChart::paintKey(QPainter& painter, const LegendEntry& entry, const Theme& theme) const
{
    const QRectF& swatch = entry.swatch;
    if (entry.category >= CurveEntry) {
        const auto i = static_cast<std::size_t>(entry.category - CurveEntry);
        const QLineF line(swatch.left(), swatch.center().y(), swatch.right(), swatch.center().y());
        drawLine(painter, line, curveColor(theme, i), 1.5,
                 curves.size() > dashes.size() ? Qt::SolidLine : curveDash(i));
    } else if (entry.category == PathEntry) {
        drawLine(painter, {swatch.left(), swatch.center().y(), swatch.right(), swatch.center().y()}, theme.text, 2.5);
    } else {
        drawOutline(painter, swatch, entry.category == NeedEntry ? needStyle(theme) : unblockStyle(theme), theme);
    }
}

std::vector<std::pair<int, QString>> GanttChart::keyNames() const
{
    std::vector<std::pair<int, QString>> names;
    if (marks.op && m_graph) {
        const auto count = [](const std::vector<OpRef>& ops) { return countText(static_cast<double>(ops.size())); };
        names.emplace_back(NeedEntry, tr("needs: %1").arg(count(m_graph->dependencies(*marks.op))));
        names.emplace_back(UnblockEntry, tr("unblocks: %1").arg(count(m_graph->dependants(*marks.op))));
    }
    if (!m_path.empty()) {
        const QString length = countText(static_cast<double>(m_path.size()));
        names.emplace_back(PathEntry, tr("critical path: %1 operations").arg(length));
    }
    return names;
}

} // namespace partita::ui
