// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/scaling_chart.h"

#include "core/advice/advise.h"
#include "core/layout/layout_text.h"
#include "widgets/drawing.h"
#include "widgets/figures.h"
#include "widgets/labels.h"
#include "widgets/markers.h"
#include "widgets/text.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <limits>

namespace partita::ui {

namespace {

constexpr double reach = 10; // px within which the pointer finds a mark
constexpr double arm = 4; // px of a cross

QString quantityText(PlaneQuantity quantity, double value)
{
    if (isShare(quantity)) {
        return percentText(value);
    }
    switch (quantity) {
    case PlaneQuantity::Mfu:
    case PlaneQuantity::Bubble:
    case PlaneQuantity::Exposed:
        break;
    case PlaneQuantity::StepTime:
        return timeText(value);
    case PlaneQuantity::PeakMemory:
        return bytesText(value);
    case PlaneQuantity::TokensPerDevice:
    case PlaneQuantity::Cost:
        return countText(value);
    }
    return {};
}

/// A span of values on a side of the plot.
struct Scale {
    double low = 0;
    double high = 1;
    bool logarithmic = false;

    double share(double value) const
    {
        return logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    }
};

struct Extent {
    double least = std::numeric_limits<double>::infinity();
    double most = 0;

    void add(double value)
    {
        least = std::min(least, value);
        most = std::max(most, value);
    }
};

Scale valueScale(PlaneQuantity quantity, const Extent& extent)
{
    if (quantity == PlaneQuantity::StepTime) {
        return {extent.least / 1.2, extent.most * 1.2, true};
    }
    return {0, extent.most * 1.08, false};
}

std::vector<double> ticksOf(const Scale& scale, PlaneQuantity quantity)
{
    constexpr int most = 6;
    if (scale.logarithmic) {
        return logTicks(scale.low, scale.high);
    }
    if (quantity == PlaneQuantity::PeakMemory) {
        std::vector<double> ticks = niceTicks(0, scale.high / gibibyte, most);
        std::transform(ticks.begin(), ticks.end(), ticks.begin(), [](double tick) { return tick * gibibyte; });
        return ticks;
    }
    std::vector<double> ticks = niceTicks(0, scale.high, most);
    std::transform(ticks.begin(), ticks.end(), ticks.begin(), [](double tick) { return tick + 0.0; }); // no minus zero
    return ticks;
}

QString axisText(ScalingAxis axis, double value)
{
    return toText(scalingValueText(axis, value));
}

void drawCross(QPainter& painter, const QPointF& at, const Theme& theme)
{
    const double length = arm * theme.scale;
    for (const QPointF& end : {QPointF(length, length), QPointF(length, -length)}) {
        drawLine(painter, {at - end, at + end}, theme.bad, 1.6 * theme.scale);
    }
}

/// As heatmaps have it where nothing is legal.
void drawDash(QPainter& painter, const QPointF& at, const Theme& theme)
{
    const QPointF end(arm * theme.scale, 0);
    drawLine(painter, {at - end, at + end}, theme.mutedText, 1.6 * theme.scale);
}

/// Shares that are whole percents stand as such.
QStringList tickTexts(const std::vector<double>& ticks, PlaneQuantity quantity)
{
    const bool whole = isShare(quantity) && std::all_of(ticks.begin(), ticks.end(), [](double tick) {
                           return std::abs(tick * 100 - std::round(tick * 100)) < 1e-9;
                       });
    QStringList texts;
    for (const double tick : ticks) {
        texts << (whole ? wholePercentText(tick) : quantityText(quantity, tick));
    }
    return texts;
}

bool sharesWork(ScalingAxis axis)
{
    return axis == ScalingAxis::Devices;
}

} // namespace

const ScalingGeometry::Mark* ScalingGeometry::markAt(const QPointF& point) const
{
    const Mark* found = nullptr;
    double nearest = reach;
    for (const Mark& mark : marks) {
        const double away = std::hypot(mark.at.x() - point.x(), mark.at.y() - point.y());
        if (away <= nearest) {
            nearest = away;
            found = &mark;
        }
    }
    return found;
}

ScalingChart::ScalingChart(std::vector<ScalingCurve> curves, PlaneQuantity quantity, double own)
    : m_curves(std::move(curves))
    , m_quantity(quantity)
    , m_own(own)
{
}

bool ScalingChart::isEmpty() const
{
    return std::all_of(m_curves.begin(), m_curves.end(),
                       [](const ScalingCurve& curve) { return curve.points.empty(); });
}

bool ScalingChart::lacksMemory() const
{
    return std::any_of(m_curves.begin(), m_curves.end(), [](const ScalingCurve& curve) {
        return std::any_of(curve.points.begin(), curve.points.end(),
                           [](const ScalingPoint& point) { return point.cost.legal() && !point.cost.fits; });
    });
}

bool ScalingChart::hasIllegal() const
{
    return std::any_of(m_curves.begin(), m_curves.end(), [](const ScalingCurve& curve) {
        return std::any_of(curve.points.begin(), curve.points.end(),
                           [](const ScalingPoint& point) { return !point.cost.legal(); });
    });
}

std::vector<std::pair<int, QString>> ScalingChart::legendNames() const
{
    std::vector<std::pair<int, QString>> names;
    for (std::size_t i = 0; i < m_curves.size(); ++i) {
        names.emplace_back(static_cast<int>(i), labelText(m_curves[i].mode));
    }
    const int behind = static_cast<int>(m_curves.size());
    if (lacksMemory()) {
        names.emplace_back(behind, tr("does not fit"));
    }
    if (hasIllegal()) {
        names.emplace_back(behind + 1, tr("not legal"));
    }
    return names;
}

QString ScalingChart::title() const
{
    return m_curves.empty() ? tr("Scaling")
                            : tr("%1 over %2").arg(labelText(m_quantity), labelText(m_curves.front().axis));
}

QString ScalingChart::description() const
{
    QStringList sentences;
    for (const ScalingCurve& curve : m_curves) {
        const auto fits = [](const ScalingPoint& point) { return point.cost.fits; };
        const auto first = std::find_if(curve.points.begin(), curve.points.end(), fits);
        const auto last = std::find_if(curve.points.rbegin(), curve.points.rend(), fits);
        if (first != curve.points.end()) {
            sentences << tr("%1: %2 at %3, %4 at %5")
                             .arg(labelText(curve.mode), quantityText(m_quantity, quantityOf(*first, m_quantity)),
                                  axisText(curve.axis, first->value),
                                  quantityText(m_quantity, quantityOf(*last, m_quantity)),
                                  axisText(curve.axis, last->value));
        }
    }
    return sentences.isEmpty() ? tr("Nothing to show along this axis") : sentences.join(QStringLiteral("; "));
}

ScalingGeometry ScalingChart::geometry(const QRectF& area, const TextMetrics& metrics) const
{
    ScalingGeometry g;
    Extent x;
    Extent y;
    for (const ScalingCurve& curve : m_curves) {
        for (const ScalingPoint& point : curve.points) {
            x.add(point.value);
            if (point.cost.fits) {
                y.add(quantityOf(point, m_quantity));
            }
        }
    }
    if (isEmpty() || y.most <= 0) {
        g.labels.push_back({area,
                            metrics.elided(isEmpty() ? description() : tr("No layout fits along this axis"),
                                           TextRole::Muted, area.width()),
                            TextRole::Muted, Qt::AlignCenter});
        return g;
    }
    const Scale across{x.least / 1.15, x.most * 1.15, true};
    const Scale up = valueScale(m_quantity, y);

    const double line = metrics.height(TextRole::Label);
    double widest = 0;
    const std::vector<double> ticks = ticksOf(up, m_quantity);
    const QStringList texts = tickTexts(ticks, m_quantity);
    for (const QString& text : texts) {
        widest = std::max(widest, metrics.width(text, TextRole::Small));
    }
    g.legend = legendRows(legendNames(), QRectF(area.topLeft(), QSizeF(area.width(), line)), metrics);
    g.plot = QRectF(QPointF(area.left() + widest + metrics.gap, legendBottom(g.legend) + metrics.gap),
                    QPointF(area.right(), area.bottom() - 2 * line - metrics.gap / 2));
    const auto xOf = [&](double value) { return g.plot.left() + g.plot.width() * across.share(value); };
    const auto yOf = [&](double value) { return g.plot.bottom() - g.plot.height() * up.share(value); };

    const double tall = metrics.height(TextRole::Small);
    double above = 1e9; // top of the label below
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        const double level = yOf(ticks[i]);
        const bool apart = level + tall / 2 <= above;
        g.ticks.push_back(
            {{g.plot.left(), level, g.plot.right(), level},
             {QRectF(area.left(), level - tall / 2, widest, tall), apart ? texts[static_cast<qsizetype>(i)] : QString(),
              TextRole::Small, Qt::AlignRight | Qt::AlignVCenter}});
        above = apart ? level - tall / 2 : above;
    }
    double taken = -1e9; // right end of the labels below the plot
    for (const ScalingPoint& point : m_curves.front().points) {
        const QString text = axisText(m_curves.front().axis, point.value);
        const double half = metrics.width(text, TextRole::Small) / 2 + 1;
        const double at = std::min(xOf(point.value), area.right() - half);
        const bool fits = at - half > std::max(taken + metrics.gap / 2, area.left());
        g.ticks.push_back({{xOf(point.value), g.plot.top(), xOf(point.value), g.plot.bottom()},
                           {QRectF(at - half, g.plot.bottom() + 2, 2 * half, line), fits ? text : QString(),
                            TextRole::Small, Qt::AlignCenter}});
        taken = fits ? at + half : taken;
    }
    for (std::size_t c = 0; c < m_curves.size(); ++c) {
        const ScalingGeometry::Mark* before = nullptr;
        g.marks.reserve(g.marks.size() + m_curves[c].points.size());
        for (std::size_t i = 0; i < m_curves[c].points.size(); ++i) {
            const ScalingPoint& point = m_curves[c].points[i];
            const bool fits = point.cost.fits;
            // Crosses of several curves stand above each other.
            const double bottom = g.plot.bottom() - arm * (1 + 2.5 * static_cast<double>(c));
            g.marks.push_back({c,
                               i,
                               {xOf(point.value), fits ? yOf(quantityOf(point, m_quantity)) : bottom},
                               fits,
                               point.cost.legal()});
            if (fits && before != nullptr) {
                g.segments.push_back({c, {before->at, g.marks.back().at}});
            }
            before = fits ? &g.marks.back() : nullptr;
        }
    }
    if (m_own >= x.least && m_own <= x.most) {
        g.here = QLineF(xOf(m_own), g.plot.top(), xOf(m_own), g.plot.bottom());
    }
    const std::vector<ScalingPoint>& first = m_curves.front().points;
    const auto start = std::find_if(first.begin(), first.end(), [](const ScalingPoint& p) { return p.cost.fits; });
    if (m_quantity == PlaneQuantity::StepTime && sharesWork(m_curves.front().axis) && start != first.end()) {
        const double end = start->cost.stepTime * start->value / x.most;
        g.ideal = clipLine({xOf(start->value), yOf(start->cost.stepTime), xOf(x.most), yOf(end)}, g.plot);
    }
    g.labels.push_back({QRectF(g.plot.left(), area.bottom() - line, g.plot.width(), line),
                        metrics.elided(labelText(m_curves.front().axis), TextRole::Muted, g.plot.width()),
                        TextRole::Muted, Qt::AlignRight | Qt::AlignVCenter});
    return g;
}

void ScalingChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) const
{
    const ScalingGeometry g = geometry(area, textMetrics(theme));
    for (const ScalingGeometry::Tick& tick : g.ticks) {
        drawLine(painter, tick.line, theme.grid);
        drawLabel(painter, tick.label, theme);
    }
    if (g.here) {
        drawLine(painter, *g.here, theme.accent, 1, Qt::DashLine);
    }
    if (g.ideal) {
        drawLine(painter, *g.ideal, theme.mutedText, 1.2, Qt::DashLine);
    }
    for (const ScalingGeometry::Segment& segment : g.segments) {
        drawLine(painter, segment.line, distinctMarkerStyle(static_cast<int>(segment.curve), theme).color,
                 2 * theme.scale);
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
    for (const ScalingGeometry::Mark& mark : g.marks) {
        if (mark.fits) {
            drawMarker(painter, mark.at, distinctMarkerStyle(static_cast<int>(mark.curve), theme), theme.card);
        } else {
            mark.legal ? drawCross(painter, mark.at, theme) : drawDash(painter, mark.at, theme);
            painter.setRenderHint(QPainter::Antialiasing, true);
        }
    }
    for (const LegendEntry& entry : g.legend) {
        painter.setRenderHint(QPainter::Antialiasing, true);
        if (entry.category == static_cast<int>(m_curves.size())) {
            drawCross(painter, entry.swatch.center(), theme);
        } else if (entry.category > static_cast<int>(m_curves.size())) {
            drawDash(painter, entry.swatch.center(), theme);
        } else {
            drawMarker(painter, entry.swatch.center(), distinctMarkerStyle(entry.category, theme), theme.card);
        }
        drawLabel(painter, entry.label, theme);
    }
    for (const Label& label : g.labels) {
        drawLabel(painter, label, theme);
    }
}

QString ScalingChart::pointText(const ScalingCurve& curve, const ScalingPoint& point) const
{
    return tr("%1, %2\n%3\n%4")
        .arg(axisText(curve.axis, point.value), labelText(curve.mode), toText(layoutText(point.cost.layout)),
             toText(describe(point.cost)));
}

QString ScalingChart::textAt(const QPointF& point, const QRectF& area, const Theme& theme) const
{
    const ScalingGeometry g = geometry(area, textMetrics(theme));
    const ScalingGeometry::Mark* mark = g.markAt(point);
    return mark == nullptr ? QString() : pointText(m_curves[mark->curve], m_curves[mark->curve].points[mark->point]);
}

ChartTable ScalingChart::table() const
{
    ChartTable table;
    table.header << tr("axis") << tr("value") << tr("devices") << tr("curve") << tr("layout") << tr("fits")
                 << tr("step time (s)") << tr("MFU, causal") << tr("tokens/s/device") << tr("peak memory (bytes)")
                 << tr("objection");
    for (const ScalingCurve& curve : m_curves) {
        for (const ScalingPoint& point : curve.points) {
            const bool legal = point.cost.legal();
            table.rows.push_back(
                {labelText(curve.axis), exactNumber(point.value), QString::number(point.devices), labelText(curve.mode),
                 toText(layoutText(point.cost.layout)), point.cost.fits ? tr("yes") : tr("no"),
                 legal ? exactNumber(point.cost.stepTime) : QString(), legal ? exactNumber(point.cost.mfu) : QString(),
                 legal ? exactNumber(point.tokensPerSecondPerDevice()) : QString(),
                 legal ? exactNumber(point.cost.memory.total()) : QString(), toText(point.cost.objection)});
        }
    }
    return table;
}

} // namespace partita::ui
