// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures.h"
#include "widgets/gantt_chart.h"
#include "widgets/labels.h"
#include "widgets/op_letter.h"

#include <algorithm>
#include <cmath>

namespace partita::ui {

namespace {

constexpr double NarrowestOp = 3; // px; narrower ones fold
constexpr double WidestFold = 56; // px
constexpr double TallestLane = 4.5; // gaps: grows with the type, as on a projector
constexpr double StripHeight = 4.25; // gaps

/// Widths of op labels without a metrics call per op: digits of the font are all as wide.
struct OpLabels {
    double digit;
    double letter;
    double line;
    double widestNumber; ///< so that equal ops carry equal labels, letter or none

    OpLabels(const TextMetrics& metrics, std::int32_t largest)
        : digit(metrics.width(QStringLiteral("0"), TextRole::Small))
        , letter(metrics.width(QStringLiteral("W"), TextRole::Small))
        , line(metrics.height(TextRole::Small))
        , widestNumber(digit * static_cast<double>(QString::number(largest).size()))
    {
    }

    Label fitted(QChar kind, int number, const QRectF& rect) const
    {
        if (rect.height() < line * 0.85) {
            return {};
        }
        const QString digits = QString::number(number);
        const double width = digit * static_cast<double>(digits.size());
        if (letter + widestNumber + 6 <= rect.width()) {
            return {rect, kind + digits, TextRole::Small, Qt::AlignCenter};
        }
        return width + 2 <= rect.width() ? Label{rect, digits, TextRole::Small, Qt::AlignCenter} : Label{};
    }

    Label folded(std::size_t count, const QRectF& rect) const
    {
        const QString text = QChar(0x00D7) + QString::number(count);
        const bool fits = digit * static_cast<double>(text.size()) + 6 <= rect.width() && rect.height() >= line * 0.85;
        return fits ? Label{rect, text, TextRole::Small, Qt::AlignCenter} : Label{};
    }
};

void placeLane(GanttGeometry& g, const StageTimeline& stage, const LaneSums& sums, int lane, const OpLabels& labels)
{
    const QRectF bar = g.laneRect(lane);
    const double perPixel = g.view.span() / g.lanes.width();
    for (const LaneRun& run :
         sums.visibleRuns(stage.ops, g.view.t0, g.view.t1, NarrowestOp * perPixel, WidestFold * perPixel)) {
        const double left = std::clamp(g.xOf(run.start), g.lanes.left(), g.lanes.right() - 1);
        const double right = std::clamp(g.xOf(run.end), left + 1, g.lanes.right());
        GanttGeometry::Block block{QRectF(left, bar.top(), right - left, bar.height()), lane, run, {}, {}};
        const TimelineOp& op = stage.ops[run.first];
        if (run.count > 1) {
            block.label = labels.folded(run.count, block.rect);
        } else if (op.kind == OpKind::ForwardBackward) {
            const double half = block.rect.height() / 2;
            block.label = labels.fitted(opLetter(OpKind::Forward), op.microBatch, block.rect.adjusted(0, 0, 0, -half));
            block.second = labels.fitted(opLetter(OpKind::Backward), op.partner, block.rect.adjusted(0, half, 0, 0));
        } else {
            block.label = labels.fitted(opLetter(op.kind), op.microBatch, block.rect);
        }
        const double wire = std::max(g.lanes.left(), g.xOf(op.start - op.transferWait));
        if (op.transferWait > 0 && left - wire >= 1) {
            g.waits.emplace_back(wire, bar.center().y() - bar.height() / 6, left - wire, bar.height() / 3);
        }
        g.blocks.push_back(block);
    }
}

void placeRuler(GanttGeometry& g, double top, const TextMetrics& metrics)
{
    const TimeUnit unit = timeUnitFor(g.view.span() * 0.999);
    const int most = std::max(2, static_cast<int>(g.lanes.width() / 90));
    const auto ticks = niceTicks(g.view.t0 / unit.seconds, g.view.t1 / unit.seconds, most);
    const int decimals = tickDecimals(ticks);
    const double height = metrics.height(TextRole::Small);
    double free = g.lanes.left() - 1e9;
    for (const double tick : ticks) {
        const double x = std::clamp(g.xOf(tick * unit.seconds), g.lanes.left(), g.lanes.right());
        const QString text = numberText(tick, decimals) + QChar(0x00A0) + unit.name;
        const double width = std::ceil(metrics.width(text, TextRole::Small));
        const double left =
            std::clamp(x - width / 2, g.lanes.left(), std::max(g.lanes.left(), g.lanes.right() - width));
        g.tickXs.push_back(x);
        if (left >= free) {
            g.tickLabels.push_back({QRectF(left, top, width, height), text, TextRole::Small, Qt::AlignCenter});
            free = left + width + metrics.gap / 2;
        }
    }
}

void nameLanes(GanttGeometry& g, double left, bool inWords, const TextMetrics& metrics)
{
    const double height = metrics.height(TextRole::Label);
    int stride = 1;
    while (g.pitch * stride < height) {
        stride *= 2;
    }
    for (int lane = g.view.firstLane; lane < g.view.firstLane + g.view.lanes; ++lane) {
        if (lane % stride != 0) {
            continue;
        }
        const QRectF bar = g.laneRect(lane);
        const QString number = QString::number(lane);
        // The first and last names stay inside the picture even where lanes are thinner than text.
        const double y = std::max(g.lanes.top() - height / 4, bar.center().y() - height / 2);
        g.laneNames.push_back({QRectF(left, y, g.lanes.left() - metrics.gap * 0.75 - left, height),
                               inWords ? GanttChart::tr("stage %1").arg(number) : number, TextRole::Label,
                               Qt::AlignRight | Qt::AlignVCenter});
    }
}

/// The curve's steps inside the strip: at most a low and a high per pixel.
std::vector<QPointF> placeCurve(const GanttGeometry& g, const std::vector<QPointF>& points)
{
    double top = 0;
    for (const QPointF& point : points) {
        top = std::max(top, point.y());
    }
    const double height = g.strip.height() - 2; // the line has a width
    const auto yOf = [&](double value) { return g.strip.bottom() - 1 - (top > 0 ? value / top : 0) * height; };
    const auto after =
        std::partition_point(points.begin(), points.end(), [&](const QPointF& p) { return p.x() <= g.view.t0; });
    double value = after == points.begin() ? 0 : (after - 1)->y();
    std::vector<QPointF> path{{g.strip.left(), yOf(value)}};
    for (auto point = after; point != points.end() && point->x() < g.view.t1;) {
        const double x = g.xOf(point->x());
        double low = value;
        double high = value;
        const auto column = point;
        for (; point != points.end() && point->x() < g.view.t1 && g.xOf(point->x()) < x + 1; ++point) {
            low = std::min(low, point->y());
            high = std::max(high, point->y());
        }
        path.emplace_back(x, yOf(value));
        if (point - column > 1) {
            path.emplace_back(x, yOf(high));
            path.emplace_back(x, yOf(low));
        }
        value = (point - 1)->y();
        path.emplace_back(x, yOf(value));
    }
    path.emplace_back(g.strip.right(), yOf(value));
    return path;
}

} // namespace

QRectF GanttGeometry::laneRect(int lane) const
{
    const double top = lanes.top() + pitch * (lane - view.firstLane) + (pitch - barHeight) / 2;
    return {lanes.left(), top, lanes.width(), barHeight};
}

int GanttGeometry::laneAt(double y) const
{
    if (y < lanes.top() || y >= lanes.bottom() || !(pitch > 0)) {
        return -1;
    }
    const int lane = view.firstLane + static_cast<int>((y - lanes.top()) / pitch);
    return std::min(lane, view.firstLane + view.lanes - 1);
}

const GanttGeometry::Block* GanttGeometry::blockAt(const QPointF& point) const
{
    const int lane = laneAt(point.y());
    if (lane < 0) {
        return nullptr;
    }
    const auto row = static_cast<std::size_t>(lane - view.firstLane);
    const auto from = blocks.begin() + static_cast<std::ptrdiff_t>(firstBlock[row]);
    const auto to = blocks.begin() + static_cast<std::ptrdiff_t>(firstBlock[row + 1]);
    const auto found =
        std::partition_point(from, to, [&](const Block& block) { return block.rect.right() <= point.x(); });
    return found != to && found->rect.contains(point) ? &*found : nullptr;
}

bool GanttChart::foldsAt(const GanttView& shown, double width) const
{
    const double perPixel = shown.span() / width;
    for (int lane = shown.firstLane; lane < shown.firstLane + shown.lanes; ++lane) {
        const auto& ops = m_timeline->stages[static_cast<std::size_t>(lane)].ops;
        for (const LaneRun& run : m_sums[static_cast<std::size_t>(lane)].visibleRuns(
                 ops, shown.t0, shown.t1, NarrowestOp * perPixel, WidestFold * perPixel)) {
            if (run.count > 1) {
                return true;
            }
        }
    }
    return false;
}

/// Heading and counters, ruler, measured range and key of the marks; each in a row of its own or in the place of tick
/// labels.
void GanttChart::placeTopRows(GanttGeometry& g, const QRectF& area, const TextMetrics& metrics) const
{
    const double small = metrics.height(TextRole::Small);
    const double top = g.lanes.top() - small - metrics.gap / 2; // of the ruler, or of the heading where there is none
    const double left = g.lanes.left();
    const double width = g.lanes.width();
    if (!parts.heading.isEmpty() || m_playhead) {
        const double height = metrics.height(TextRole::Label);
        const QString counters = metrics.elided(countersText(), TextRole::Value, area.right() - left);
        const double taken = std::ceil(metrics.width(counters, TextRole::Value));
        g.counters = {QRectF(area.right() - taken, area.top(), taken, height), counters, TextRole::Value,
                      Qt::AlignRight | Qt::AlignVCenter};
        const double room = area.width() - (taken > 0 ? taken + metrics.gap : 0);
        g.heading = {QRectF(area.left(), area.top(), std::max(0.0, room), height),
                     metrics.elided(parts.heading, TextRole::Value, room), TextRole::Value};
    }
    if (parts.ruler) {
        placeRuler(g, top, metrics);
    }
    std::vector<QRectF> taken;
    if (marks.range) {
        const QString text = metrics.elided(rangeText(marks.range->first, marks.range->second), TextRole::Value, width);
        const double wide = std::ceil(metrics.width(text, TextRole::Value));
        const double center = g.xOf((marks.range->first + marks.range->second) / 2);
        const double at = std::clamp(center - wide / 2, left, std::max(left, g.lanes.right() - wide));
        g.rangeLabel = {QRectF(at, top, wide, small), text, TextRole::Value, Qt::AlignCenter};
        taken.push_back(g.rangeLabel.rect);
    }
    if (const auto names = keyNames(); !names.empty() && taken.empty()) {
        g.key = legendRows(names, QRectF(left, top, width, small), metrics);
        std::erase_if(g.key, [&](const LegendEntry& entry) { return entry.label.rect.top() > top + small / 2; });
        const double right = g.lanes.right() - g.key.back().label.rect.right();
        for (LegendEntry& entry : g.key) {
            entry.swatch.translate(right, (small - entry.label.rect.height()) / 2);
            entry.label.rect.translate(right, (small - entry.label.rect.height()) / 2);
            taken.push_back(entry.label.rect.united(entry.swatch));
        }
    }
    for (const QRectF& rect : taken) {
        const QRectF wider = rect.adjusted(-metrics.gap, 0, metrics.gap, 0);
        std::erase_if(g.tickLabels, [&](const Label& label) { return label.rect.intersects(wider); });
    }
}

namespace {

QString heldHeader()
{
    return GanttChart::tr("held / most");
}

} // namespace

/// "3 / 4" right of each lane: micro-batches of activations held, and the most by the closed form.
void GanttChart::placeHeld(GanttGeometry& g, const TextMetrics& metrics) const
{
    const double height = metrics.height(TextRole::Small);
    const double left = g.lanes.right() + metrics.gap * 0.75;
    const double width = std::ceil(metrics.width(heldHeader(), TextRole::Small));
    if (parts.ruler) {
        g.held.push_back({QRectF(left, g.lanes.top() - height - metrics.gap / 2, width, height), heldHeader(),
                          TextRole::Small, Qt::AlignRight | Qt::AlignVCenter});
    }
    if (g.pitch < height) {
        return;
    }
    for (int lane = g.view.firstLane; lane < g.view.firstLane + g.view.lanes; ++lane) {
        const QRectF bar = g.laneRect(lane);
        const QString text = tr("%1 / %2").arg(significant(heldAt(lane, *m_playhead)),
                                               significant(stated[static_cast<std::size_t>(lane)]));
        g.held.push_back({QRectF(left, bar.center().y() - height / 2, width, height),
                          metrics.elided(text, TextRole::Small, width), TextRole::Small,
                          Qt::AlignRight | Qt::AlignVCenter});
    }
}

GanttGeometry GanttChart::geometry(const QRectF& area, const TextMetrics& metrics) const
{
    GanttGeometry g;
    g.view = clamped(view, extent());
    if (m_timeline->stages.empty()) {
        return g;
    }
    const double small = metrics.height(TextRole::Small);
    const QString last = QString::number(m_timeline->stages.size() - 1);
    const bool inWords = area.width() > 480;
    const double names =
        std::ceil(metrics.width(inWords ? tr("stage %1").arg(last) : last, TextRole::Label)) + metrics.gap;

    const bool counts = m_playhead && stated.size() == m_timeline->stages.size();
    const double right = counts ? std::ceil(metrics.width(heldHeader(), TextRole::Small)) + metrics.gap * 0.75 : 0;
    const double lanesWidth = std::max(8.0, area.width() - names - right);
    if (parts.legend) {
        g.legend = legendRows(legendNames(foldsAt(g.view, lanesWidth)),
                              {area.left() + names, area.top(), area.width() - names, area.height()}, metrics);
    }
    const double legendHeight = g.legend.empty() ? 0 : legendBottom(g.legend) - area.top();
    const bool headed = !parts.heading.isEmpty() || m_playhead;
    const double above =
        (headed ? metrics.height(TextRole::Label) + metrics.gap / 2 : 0) + (parts.ruler ? small + metrics.gap / 2 : 0);
    const double key = legendHeight > 0 ? legendHeight + metrics.gap : 0;
    const double strip = StripHeight * metrics.gap + small + metrics.gap;
    // The curve gives way to lanes that can carry text, or, where there are many, to a third of the picture.
    const double wanted = std::min(small * g.view.lanes, area.height() / 3);
    const bool hasStrip = !curve.points.empty() && area.height() - above - key - strip >= wanted;
    const double room = std::max(4.0, area.height() - above - key - (hasStrip ? strip : 0));
    g.pitch = std::min(room / g.view.lanes, TallestLane * metrics.gap);
    g.barHeight = std::max(g.pitch * 0.5, g.pitch - std::clamp(g.pitch * 0.18, 1.0, 6.0));
    g.lanes = QRectF(area.left() + names, area.top() + above, lanesWidth, g.pitch * g.view.lanes);

    const OpLabels labels(metrics, m_largestMicroBatch);
    for (int lane = g.view.firstLane; lane < g.view.firstLane + g.view.lanes; ++lane) {
        g.firstBlock.push_back(g.blocks.size());
        placeLane(g, m_timeline->stages[static_cast<std::size_t>(lane)], m_sums[static_cast<std::size_t>(lane)], lane,
                  labels);
    }
    g.firstBlock.push_back(g.blocks.size());
    placeTopRows(g, area, metrics);
    if (counts) {
        placeHeld(g, metrics);
    }
    nameLanes(g, area.left(), inWords, metrics);

    double bottom = g.lanes.bottom();
    if (hasStrip) {
        g.stripTitle = {QRectF(g.lanes.left(), bottom + metrics.gap / 2, g.lanes.width(), small),
                        metrics.elided(curve.title, TextRole::Small, g.lanes.width()), TextRole::Small};
        g.strip = QRectF(g.lanes.left(), g.stripTitle.rect.bottom() + metrics.gap / 4, g.lanes.width(),
                         StripHeight * metrics.gap);
        g.curve = placeCurve(g, curve.points);
        bottom = g.strip.bottom();
    }
    for (LegendEntry& entry : g.legend) {
        const double down = std::min(bottom + metrics.gap, area.bottom() - legendHeight) - area.top();
        entry.swatch.translate(0, down);
        entry.label.rect.translate(0, down);
    }
    return g;
}

} // namespace partita::ui
