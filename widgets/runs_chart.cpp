// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_chart.h"

#include "widgets/drawing.h"
#include "widgets/figures.h"
#include "widgets/markers.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <functional>

namespace partita::ui {

namespace {

constexpr double reach = 9; // px within which the pointer finds a marker
constexpr double bandShare = 0.2;
constexpr int mostColumns = 3; ///< of a legend beside the plot
constexpr double legendShare = 0.35; ///< of the width, at most; else below
constexpr double leastPlot = 0.6; ///< height, of the width
constexpr double leastShare = 0.45; ///< the same of the picture, before a legend below loses rows

double shareOf(double value, double low, double high)
{
    return std::log(value / low) / std::log(high / low);
}

QString tickText(double tick)
{
    return tick >= 1000 ? countText(tick) : significant(tick);
}

/// Which of the ticks have room for their numbers, powers of ten first. from, to: what each number takes of its axis.
std::vector<bool> withRoom(const std::vector<double>& ticks, const std::function<double(std::size_t)>& from,
                           const std::function<double(std::size_t)>& to)
{
    std::vector<bool> chosen(ticks.size(), false);
    const auto isFree = [&](std::size_t tick) {
        for (std::size_t other = 0; other < ticks.size(); ++other) {
            if (chosen[other] && from(tick) < to(other) && from(other) < to(tick)) {
                return false;
            }
        }
        return true;
    };
    for (const bool powers : {true, false}) {
        for (std::size_t tick = 0; tick < ticks.size(); ++tick) {
            const double power = std::log10(ticks[tick]);
            const bool isPower = std::abs(power - std::round(power)) < 1e-9;
            chosen[tick] = chosen[tick] || (isPower == powers && isFree(tick));
        }
    }
    return chosen;
}

} // namespace

std::optional<std::size_t> RunsGeometry::pointAt(const QPointF& point) const
{
    std::optional<std::size_t> found;
    double nearest = reach;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double away = std::hypot(points[i].x() - point.x(), points[i].y() - point.y());
        if (away <= nearest) {
            nearest = away;
            found = i;
        }
    }
    return found;
}

RunsChart::RunsChart(std::vector<RunPoint> points)
    : m_points(std::move(points))
{
    m_points.erase(std::remove_if(m_points.begin(), m_points.end(),
                                  [](const RunPoint& point) { return !(point.measured > 0 && point.predicted > 0); }),
                   m_points.end());
    std::stable_sort(m_points.begin(), m_points.end(),
                     [](const RunPoint& a, const RunPoint& b) { return a.measured < b.measured; });
    for (const RunPoint& point : m_points) {
        m_sources << point.source;
    }
    m_sources.removeDuplicates();
    m_sources.sort();
    for (const RunPoint& point : m_points) {
        m_sourceOf.push_back(static_cast<int>(m_sources.indexOf(point.source)));
    }
}

ErrorStatistics RunsChart::statistics() const
{
    std::vector<double> errors;
    for (const RunPoint& point : m_points) {
        errors.push_back(point.predicted / point.measured - 1);
    }
    return errorStatistics(std::move(errors));
}

QString RunsChart::statisticsText() const
{
    const ErrorStatistics s = statistics();
    if (s.count == 0) {
        return tr("No run to show");
    }
    return tr("%1 runs: mean error %2, median %3, %4 within 20 %, bias %5")
        .arg(s.count)
        .arg(percentText(s.mape), percentText(s.median), wholePercentText(s.within20),
             (s.bias < 0 ? QString(QChar(0x2212)) : QStringLiteral("+")) + percentText(std::abs(s.bias)));
}

QString RunsChart::description() const
{
    return statisticsText();
}

std::vector<std::pair<int, QString>> RunsChart::legendNames() const
{
    std::vector<std::pair<int, QString>> names;
    for (qsizetype i = 0; i < m_sources.size(); ++i) {
        names.emplace_back(static_cast<int>(i), m_sources[i]);
    }
    return names;
}

RunsChart::Frame RunsChart::frame(const QRectF& area, const TextMetrics& metrics) const
{
    Frame frame;
    frame.statistics = metrics.wrapped(statisticsText(), TextRole::Value, area.width());
    frame.up = metrics.wrapped(tr("predicted tokens/s per device; band: within 20 %"), TextRole::Muted, area.width());
    frame.across = metrics.wrapped(tr("measured tokens/s per device"), TextRole::Muted, area.width());
    frame.above = metrics.height(TextRole::Value) * static_cast<double>(frame.statistics.size())
        + metrics.height(TextRole::Muted) * static_cast<double>(frame.up.size()) + metrics.gap;
    frame.below = metrics.height(TextRole::Small) + 2
        + metrics.height(TextRole::Muted) * static_cast<double>(frame.across.size());
    const auto names = legendNames();
    const double room = area.height() - frame.above - frame.below;
    for (frame.columns = 1; frame.columns <= mostColumns; ++frame.columns) {
        frame.beside = legendWidth(names, metrics, frame.columns);
        const double rows = std::ceil(static_cast<double>(names.size()) / frame.columns);
        if (frame.beside > area.width() * legendShare) {
            break;
        }
        if (rows * tightPitch(metrics) <= room) {
            return frame;
        }
    }
    frame.columns = 0;
    frame.beside = 0;
    frame.legend = legendRows(names, area, metrics, true);
    const double most = room - std::min(area.height() * leastShare, area.width() * leastPlot) - metrics.gap;
    shortenLegend(frame.legend, area.top() + most, area.right(), metrics);
    if (frame.legend.empty() || legendBottom(frame.legend) - area.top() > most) {
        frame.legend.clear(); // under the pointer every run names its source
        return frame;
    }
    frame.below += legendBottom(frame.legend) - area.top() + metrics.gap;
    return frame;
}

double RunsChart::heightAt(double width, const Theme& theme) const
{
    constexpr double boundless = 1e5;
    const double usual = Chart::heightAt(width, theme);
    const Frame frame = this->frame({0, 0, width, boundless}, textMetrics(theme));
    return m_points.empty() ? usual : std::max(usual, frame.above + frame.below + width * leastPlot);
}

RunsGeometry RunsChart::geometry(const QRectF& area, const TextMetrics& metrics) const
{
    RunsGeometry g;
    if (m_points.empty()) {
        g.labels.push_back({area, statisticsText(), TextRole::Muted, Qt::AlignCenter});
        return g;
    }
    double least = m_points.front().measured;
    double most = least;
    for (const RunPoint& point : m_points) {
        least = std::min({least, point.measured, point.predicted});
        most = std::max({most, point.measured, point.predicted});
    }
    g.low = least / 1.25;
    g.high = most * 1.25;

    const double line = metrics.height(TextRole::Label);
    double widest = 0;
    const std::vector<double> ticks = logTicks(g.low, g.high);
    for (const double tick : ticks) {
        widest = std::max(widest, metrics.width(tickText(tick), TextRole::Small));
    }
    const auto names = legendNames();
    Frame frame = this->frame(area, metrics);
    const double legend = frame.columns > 0 ? frame.beside + 2 * metrics.gap : metrics.gap;
    g.plot = QRectF(QPointF(area.left() + widest + metrics.gap, area.top() + frame.above),
                    QPointF(area.right() - legend, area.bottom() - frame.below));
    const auto x = [&](double value) { return g.plot.left() + g.plot.width() * shareOf(value, g.low, g.high); };
    const auto y = [&](double value) { return g.plot.bottom() - g.plot.height() * shareOf(value, g.low, g.high); };

    const double small = metrics.height(TextRole::Small);
    const auto half = [&](std::size_t i) { return metrics.width(tickText(ticks[i]), TextRole::Small) / 2; };
    const std::vector<bool> upright = withRoom(
        ticks, [&](std::size_t i) { return y(ticks[i]) - small / 2; },
        [&](std::size_t i) { return y(ticks[i]) + small / 2; });
    const std::vector<bool> across = withRoom(
        ticks, [&](std::size_t i) { return x(ticks[i]) - half(i) - metrics.gap / 2; },
        [&](std::size_t i) { return x(ticks[i]) + half(i) + metrics.gap / 2; });
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        const double tick = ticks[i];
        const QString text = tickText(tick);
        g.ticks.push_back({{g.plot.left(), y(tick), g.plot.right(), y(tick)},
                           {QRectF(area.left(), y(tick) - line / 2, widest, line), upright[i] ? text : QString(),
                            TextRole::Small, Qt::AlignRight | Qt::AlignVCenter}});
        const bool fits = across[i] && x(tick) + half(i) <= area.right();
        g.ticks.push_back({{x(tick), g.plot.top(), x(tick), g.plot.bottom()},
                           {QRectF(x(tick) - half(i) - 1, g.plot.bottom() + 2, 2 * half(i) + 2, line),
                            fits ? text : QString(), TextRole::Small, Qt::AlignCenter}});
    }
    for (const RunPoint& point : m_points) {
        g.points.emplace_back(x(point.measured), y(point.predicted));
    }
    g.identity = QLineF(x(g.low), y(g.low), x(g.high), y(g.high));
    const double up = 1 + bandShare;
    const double down = 1 - bandShare;
    g.band = QPolygonF({{x(g.low), y(g.low)},
                        {x(g.low), y(g.low * up)},
                        {x(g.high / up), y(g.high)},
                        {x(g.high), y(g.high)},
                        {x(g.high), y(g.high * down)},
                        {x(g.low / down), y(g.low)}});
    const double below = stackLines(g.labels, frame.statistics, area, TextRole::Value, metrics);
    stackLines(g.labels, frame.up, {area.left(), below, area.width(), 0}, TextRole::Muted, metrics);
    const double named = stackLines(
        g.labels, frame.across,
        {area.left(), g.plot.bottom() + 2 + metrics.height(TextRole::Small), g.plot.right() - area.left(), 0},
        TextRole::Muted, metrics, Qt::AlignRight | Qt::AlignVCenter);
    g.legend = std::move(frame.legend);
    for (LegendEntry& entry : g.legend) {
        entry.swatch.translate(0, named + metrics.gap - area.top());
        entry.label.rect.translate(0, named + metrics.gap - area.top());
    }
    if (frame.columns > 0) {
        g.legend =
            legendColumn(names, QRectF(QPointF(g.plot.right() + 2 * metrics.gap, g.plot.top()), area.bottomRight()), {},
                         metrics, frame.columns);
    }
    return g;
}

void RunsChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) const
{
    const RunsGeometry g = geometry(area, textMetrics(theme));
    painter.setRenderHint(QPainter::Antialiasing, true);
    if (!m_points.empty()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(mix(theme.card, theme.good, 0.15));
        painter.drawPolygon(g.band);
    }
    for (const RunsGeometry::Tick& tick : g.ticks) {
        drawLine(painter, tick.line, theme.grid);
        drawLabel(painter, tick.label, theme);
    }
    if (!m_points.empty()) {
        drawLine(painter, g.identity, theme.mutedText, 1, Qt::DashLine);
    }
    for (std::size_t i = 0; i < g.points.size(); ++i) {
        drawMarker(painter, g.points[i], markerStyle(m_sourceOf[i], theme), theme.card);
    }
    if (cursor && *cursor < g.points.size()) {
        painter.setPen(QPen(theme.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawEllipse(g.points[*cursor], MarkerRadius + 4, MarkerRadius + 4);
    }
    for (const LegendEntry& entry : g.legend) {
        if (!entry.swatch.isEmpty()) {
            drawMarker(painter, entry.swatch.center(), markerStyle(entry.category, theme), theme.card);
        }
        drawLabel(painter, entry.label, theme);
    }
    for (const Label& label : g.labels) {
        drawLabel(painter, label, theme);
    }
}

QString RunsChart::pointText(std::size_t index) const
{
    const RunPoint& run = m_points[index];
    const double error = run.predicted / run.measured - 1;
    return tr("%1\n%2 on %3, %4, %5\nmeasured %6, predicted %7 tokens/s per device: %8\n%9")
        .arg(run.id, run.model, run.accelerator, run.stack, run.layout, countText(run.measured),
             countText(run.predicted),
             (error < 0 ? QString(QChar(0x2212)) : QStringLiteral("+")) + percentText(std::abs(error)), run.where);
}

QString RunsChart::textAt(const QPointF& point, const QRectF& area, const Theme& theme) const
{
    const RunsGeometry g = geometry(area, textMetrics(theme));
    const auto at = g.pointAt(point);
    return at ? pointText(*at) : legendRestAt(point, g.legend, legendNames());
}

ChartTable RunsChart::table() const
{
    ChartTable table;
    table.header << tr("run") << tr("source") << tr("model") << tr("accelerator") << tr("stack") << tr("layout")
                 << tr("measured (tokens/s/device)") << tr("predicted (tokens/s/device)") << tr("error") << tr("where");
    for (const RunPoint& run : m_points) {
        table.rows.push_back({run.id, run.source, run.model, run.accelerator, run.stack, run.layout,
                              exactNumber(run.measured), exactNumber(run.predicted),
                              exactNumber(run.predicted / run.measured - 1), run.where});
    }
    return table;
}

} // namespace partita::ui
