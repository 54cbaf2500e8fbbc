// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures.h"
#include "widgets/gantt_chart.h"
#include "widgets/gantt_op_labels.h"
#include "widgets/labels.h"
#include "widgets/op_letter.h"

#include <algorithm>
#include <cmath>

namespace partita::ui {

namespace {

constexpr double NarrowestOp = 3; // px; narrower ones fold
constexpr double NarrowestOfCut = 2; // px, where a cut has made room for what there is
constexpr double WidestFold = 56; // px
constexpr double BreakWidth = 1.2; // gaps
constexpr double RoomToHeadLanes = 200; // px
constexpr double TallestLane = 14; // gaps: a few lanes fill a screen when they are presented
constexpr double StripHeight = 4.25; // gaps
constexpr double FinestCurves = 8; // of more than these only what is wider than a pixel is drawn
constexpr double ExchangeShare = 0.22; // of a bar's height

/// Of every stretch, the same distance apart.
std::vector<double> ticksOf(const GanttGeometry& g, double unit)
{
    double shown = 0;
    for (const GanttStretch& stretch : g.stretches) {
        shown += stretch.span() / unit;
    }
    const int most = std::max(g.isCut() ? 4 : 2, static_cast<int>(g.lanes.width() / 90));
    const double first = g.stretches.front().t0 / unit;
    std::vector<double> ticks = niceTicks(first, first + shown, most);
    if (!g.isCut() || ticks.size() < 2) {
        return ticks;
    }
    const double step = ticks[1] - ticks[0];
    ticks.clear();
    for (const GanttStretch& stretch : g.stretches) {
        for (double tick = std::ceil(stretch.t0 / unit / step); tick * step <= stretch.t1 / unit; ++tick) {
            ticks.push_back(tick * step);
        }
    }
    return ticks;
}

void placeRuler(GanttGeometry& g, double top, const TextMetrics& metrics)
{
    const TimeUnit unit = timeUnitFor((g.isCut() ? g.stretches.back().t1 : g.view.span()) * 0.999);
    const std::vector<double> ticks = ticksOf(g, unit.seconds);
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

/// The curve's steps inside the strip: at most a low and a high per `column` px.
std::vector<QPointF> placeCurve(const GanttGeometry& g, const std::vector<QPointF>& points, double top, double column)
{
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
        const auto first = point;
        for (; point != points.end() && point->x() < g.view.t1 && g.xOf(point->x()) < x + column; ++point) {
            low = std::min(low, point->y());
            high = std::max(high, point->y());
        }
        path.emplace_back(x, yOf(value));
        if (point - first > 1) {
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

double GanttGeometry::xOf(double time) const
{
    for (std::size_t i = 0; i < stretches.size(); ++i) {
        if (i + 1 == stretches.size() || time <= stretches[i].t1) {
            return i > 0 && time < stretches[i].t0 ? (stretches[i - 1].right + stretches[i].left) / 2
                                                   : stretches[i].xOf(time);
        }
    }
    return lanes.left();
}

double GanttGeometry::timeAt(double x) const
{
    for (std::size_t i = 0; i + 1 < stretches.size(); ++i) {
        if (x < stretches[i + 1].left) {
            return std::min(stretches[i].timeAt(x), stretches[i + 1].t0);
        }
    }
    return stretches.empty() ? 0 : stretches.back().timeAt(x);
}

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

void GanttChart::placeLane(GanttGeometry& g, int lane, const TextMetrics& metrics) const
{
    const OpLabels labels(metrics, m_largestMicroBatch);
    const auto i = static_cast<std::size_t>(lane);
    const StageTimeline& stage = m_timeline->stages[i];
    const QRectF bar = g.laneRect(lane);
    const double perPixel = g.secondsPerPixel();
    const auto place = [&](const LaneRun& run, std::size_t before, const GanttStretch& stretch) {
        const double left = std::clamp(stretch.xOf(run.start), stretch.left, stretch.right - 1);
        const double right = std::clamp(stretch.xOf(run.end), left + 1, stretch.right);
        GanttGeometry::Block block{QRectF(left, bar.top(), right - left, bar.height()), lane, run, {}, {}};
        block.run.first += before;
        const TimelineOp& one = op({lane, static_cast<int>(block.run.first)});
        if (run.count > 1) {
            block.label = labels.folded(run.count, block.rect);
        } else if (!isPipelineOp(one.kind)) {
            block.label = labels.fitted(opLetter(one.kind), block.rect);
        } else if (one.kind == OpKind::ForwardBackward) {
            const double half = block.rect.height() / 2;
            block.label = labels.fitted(opLetter(OpKind::Forward), one.microBatch, block.rect.adjusted(0, 0, 0, -half));
            block.second = labels.fitted(opLetter(OpKind::Backward), one.partner, block.rect.adjusted(0, half, 0, 0));
        } else {
            block.label = labels.fitted(opLetter(one.kind), one.microBatch, block.rect);
        }
        const double wire = std::max(stretch.left, stretch.xOf(one.start - one.transferWait));
        if (one.transferWait > 0 && left - wire >= 1) {
            g.waits.emplace_back(wire, bar.center().y() - bar.height() / 6, left - wire, bar.height() / 3);
        }
        if (run.count == 1) {
            placeExchange(g, block);
        }
        g.blocks.push_back(block);
    };
    const double narrow = (g.isCut() ? NarrowestOfCut : NarrowestOp) * perPixel;
    const double widest = WidestFold * perPixel;
    for (const GanttStretch& stretch : g.stretches) {
        for (const LaneRun& run : m_sums[i].visibleRuns(stage.ops, stretch.t0, stretch.t1, narrow, widest)) {
            place(run, 0, stretch);
        }
        for (const LaneRun& run : m_sumsAfter[i].visibleRuns(stage.after, stretch.t0, stretch.t1, narrow, widest)) {
            place(run, stage.ops.size(), stretch);
        }
    }
}

/// Along the top of the op's bar; clipped with it where it leaves the view.
void GanttChart::placeExchange(GanttGeometry& g, const GanttGeometry::Block& block) const
{
    if (m_groups.empty() || block.rect.width() < 2 * NarrowestOp || block.rect.height() < 3 * NarrowestOp) {
        return;
    }
    const TimelineOp& one = op({block.lane, static_cast<int>(block.run.first)});
    const ExposedExchange exposed = m_timeline->exposedIn(block.lane, one);
    const double height = std::max(double(NarrowestOp), std::floor(block.rect.height() * ExchangeShare));
    double end = one.end;
    for (const ExchangeGroup group : m_groups) {
        const double begin = end - exposed[group];
        const double left = std::clamp(g.xOf(begin), block.rect.left(), block.rect.right());
        const double right = std::clamp(g.xOf(end), block.rect.left(), block.rect.right());
        if (right - left >= 1) {
            g.exchanges.push_back({QRectF(left, block.rect.top(), right - left, height), group});
        }
        end = begin;
    }
}

bool GanttChart::foldsAt(const GanttGeometry& g) const
{
    const double narrow = (g.isCut() ? NarrowestOfCut : NarrowestOp) * g.secondsPerPixel();
    const double widest = WidestFold * g.secondsPerPixel();
    for (int lane = g.view.firstLane; lane < g.view.firstLane + g.view.lanes; ++lane) {
        const auto i = static_cast<std::size_t>(lane);
        const StageTimeline& stage = m_timeline->stages[i];
        for (const auto& [sums, ops] : {std::pair{&m_sums[i], &stage.ops}, {&m_sumsAfter[i], &stage.after}}) {
            for (const GanttStretch& stretch : g.stretches) {
                const auto runs = sums->visibleRuns(*ops, stretch.t0, stretch.t1, narrow, widest);
                if (std::any_of(runs.begin(), runs.end(), [](const LaneRun& run) { return run.count > 1; })) {
                    return true;
                }
            }
        }
    }
    return false;
}

std::vector<GanttStretch> GanttChart::stretchesAt(double width, const TextMetrics& metrics) const
{
    std::vector<GanttStretch> stretches;
    if (cuts && view == fitted(extent())) {
        std::vector<const Timeline*> timelines{m_timeline.get()};
        if (m_beside) {
            timelines.push_back(m_beside.get());
        }
        stretches = legibleStretches(timelines, extent().makespan, width, BreakWidth * metrics.gap);
    }
    const GanttView shown = clamped(view, extent());
    return stretches.empty() ? std::vector{GanttStretch{shown.t0, shown.t1, 0, width}} : stretches;
}

QString GanttChart::cutText(const std::vector<GanttStretch>& stretches, bool inFull) const
{
    double shown = 0;
    for (const GanttStretch& stretch : stretches) {
        shown += stretch.span();
    }
    const QString end = timeText(extent().makespan);
    return inFull ? tr("%1 of %2: start, %3 of the steady phase, end; cut at the breaks")
                        .arg(timeText(shown), end, timeText(stretches[1].span()))
                  : tr("%1 of %2, cut at the breaks").arg(timeText(shown), end);
}

/// Heading and counters, ruler, measured range and key of the marks; each in a row of its own or in the place of tick
/// labels.
void GanttChart::placeTopRows(GanttGeometry& g, const QRectF& area, const TextMetrics& metrics) const
{
    const double small = metrics.height(TextRole::Small);
    const double top = g.lanes.top() - small - metrics.gap / 2; // of the ruler, or of the heading where there is none
    const double left = g.lanes.left();
    const double width = g.lanes.width();
    const bool tellsCut = parts.heading.isEmpty() && g.isCut();
    QString heading = tellsCut ? cutText(g.stretches, true) : parts.heading;
    if (tellsCut && metrics.width(heading, TextRole::Value) > area.width()) {
        heading = cutText(g.stretches, false);
    }
    if (!tellsCut && g.isCut() && parts.ruler) {
        heading += QStringLiteral(" · ") + cutText(g.stretches, false);
    }
    if (!heading.isEmpty() || m_playhead) {
        const double height = metrics.height(TextRole::Label);
        const QString counters = metrics.elided(countersText(), TextRole::Value, area.right() - left);
        const double taken = std::ceil(metrics.width(counters, TextRole::Value));
        g.counters = {QRectF(area.right() - taken, area.top(), taken, height), counters, TextRole::Value,
                      Qt::AlignRight | Qt::AlignVCenter};
        const double room = area.width() - (taken > 0 ? taken + metrics.gap : 0);
        for (const QString& end : {QStringLiteral(" · "), QStringLiteral(", ")}) { // loses clauses, the last first
            while (!tellsCut && metrics.width(heading, TextRole::Value) > room && heading.contains(end)) {
                heading.truncate(heading.lastIndexOf(end));
            }
        }
        g.heading = {QRectF(area.left(), area.top(), std::max(0.0, room), height),
                     metrics.elided(heading, TextRole::Value, room), TextRole::Value};
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
        const bool besideCounters = !parts.ruler && !g.counters.empty(); // both in the row of the heading
        const double end =
            besideCounters ? std::min(g.lanes.right(), g.counters.rect.left() - metrics.gap) : g.lanes.right();
        const double right = end - g.key.back().label.rect.right();
        const double said = besideCounters ? left + metrics.width(g.heading.text, TextRole::Value) : left;
        if (g.key.front().swatch.left() + right < said) {
            g.key.clear(); // the chart above has the same
        }
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

/// A title, or beside it as many names of curves as there is room for, and the curves below.
void GanttChart::placeStrip(GanttGeometry& g, double top, const TextMetrics& metrics) const
{
    const double small = metrics.height(TextRole::Small);
    const QRectF row(g.lanes.left(), top, g.lanes.width(), small);
    const QString title = curves.size() == 1 ? curves.front().title : tr("micro-batches of activations held");
    const QString shown = metrics.elided(title, TextRole::Small, row.width());
    const double wide = std::ceil(metrics.width(shown, TextRole::Small));
    g.stripTitle = {QRectF(row.left(), top, wide, small), shown, TextRole::Small};
    if (curves.size() > 1) {
        std::vector<std::pair<int, QString>> names;
        for (const StepCurve& curve : curves) {
            names.emplace_back(CurveEntry + static_cast<int>(names.size()), curve.name);
        }
        g.stripKey = legendRows(names, row.adjusted(std::min(wide + metrics.gap * 2, row.width()), 0, 0, 0), metrics);
        std::erase_if(g.stripKey, [&](const LegendEntry& entry) {
            return entry.label.rect.bottom() > top + small * 1.5 || entry.label.rect.right() > row.right() + 1;
        });
    }
    g.strip = QRectF(row.left(), row.bottom() + metrics.gap / 4, row.width(), StripHeight * metrics.gap);
    double most = 0;
    for (const StepCurve& curve : curves) {
        for (const QPointF& point : curve.points) {
            most = std::max(most, point.y());
        }
    }
    const double column = std::max(1.0, static_cast<double>(curves.size()) / FinestCurves);
    for (const StepCurve& curve : curves) {
        g.curves.push_back(placeCurve(g, curve.points, most, column));
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
    const std::size_t stages = std::max(m_timeline->stages.size(), m_beside ? m_beside->stages.size() : 0);
    const QString last = QString::number(stages - 1);
    const bool inWords = area.width() > 480;
    const double plain =
        std::ceil(metrics.width(inWords ? tr("stage %1").arg(last) : last, TextRole::Label)) + metrics.gap;
    const bool headsLanes = !inWords && area.width() > RoomToHeadLanes; // numbers alone would not say of what
    const double names =
        headsLanes ? std::max(plain, std::ceil(metrics.width(tr("stage"), TextRole::Small)) + metrics.gap) : plain;

    const bool counts = m_playhead && stated.size() == m_timeline->stages.size();
    const double right = counts ? std::ceil(metrics.width(heldHeader(), TextRole::Small)) + metrics.gap * 0.75 : 0;
    const double lanesWidth = std::max(8.0, area.width() - names - right);
    g.stretches = stretchesAt(lanesWidth, metrics);
    for (GanttStretch& stretch : g.stretches) {
        stretch.left += area.left() + names;
        stretch.right += area.left() + names;
    }
    if (parts.legend) {
        g.legend = legendRows(legendNames(foldsAt(g)),
                              {area.left() + plain, area.top(), area.width() - plain, area.height()}, metrics);
    }
    const bool headed = !parts.heading.isEmpty() || m_playhead || g.isCut();
    const double above =
        (headed ? metrics.height(TextRole::Label) + metrics.gap / 2 : 0) + (parts.ruler ? small + metrics.gap / 2 : 0);
    // Curve and legend give way to lanes that can carry text, or, where there are many, to a third of the picture.
    const double wanted = std::min(small * g.view.lanes, area.height() / 3);
    const double strip = StripHeight * metrics.gap + small + metrics.gap;
    const double withoutKey = area.height() - above - wanted;
    const bool stripFirst = !curves.empty() && curvesBeforeLegend && withoutKey >= strip;
    shortenLegend(g.legend, area.bottom() - above - metrics.gap - wanted - (stripFirst ? strip : 0), area.right(),
                  metrics);
    if (stripFirst && !g.legend.empty() && legendBottom(g.legend) - area.top() + metrics.gap + strip > withoutKey) {
        g.legend.clear();
    }
    const double legendHeight = g.legend.empty() ? 0 : legendBottom(g.legend) - area.top();
    const double key = legendHeight > 0 ? legendHeight + metrics.gap : 0;
    const bool hasStrip = !curves.empty() && withoutKey - key >= strip;
    const double room = std::max(4.0, area.height() - above - key - (hasStrip ? strip : 0));
    g.pitch = std::min(room / g.view.lanes, TallestLane * metrics.gap);
    g.barHeight = std::max(g.pitch * 0.5, g.pitch - std::clamp(g.pitch * 0.18, 1.0, 6.0));
    g.lanes = QRectF(area.left() + names, area.top() + above, lanesWidth, g.pitch * g.view.lanes);

    for (int lane = g.view.firstLane; lane < g.view.firstLane + g.view.lanes; ++lane) {
        g.firstBlock.push_back(g.blocks.size());
        placeLane(g, lane, metrics);
    }
    g.firstBlock.push_back(g.blocks.size());
    placeTopRows(g, area, metrics);
    if (counts) {
        placeHeld(g, metrics);
    }
    nameLanes(g, area.left(), inWords, metrics);
    if (headsLanes && parts.ruler) {
        g.laneNames.push_back(
            {QRectF(area.left(), g.lanes.top() - small - metrics.gap / 2, names - metrics.gap * 0.75, small),
             tr("stage"), TextRole::Small, Qt::AlignRight | Qt::AlignVCenter});
    }

    double bottom = g.lanes.bottom();
    if (hasStrip) {
        placeStrip(g, bottom + metrics.gap / 2, metrics);
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
