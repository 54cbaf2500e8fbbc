// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/drawing.h"
#include "widgets/figures.h"
#include "widgets/nearest_point.h"
#include "widgets/serving_charts.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace partita::ui {

namespace {

constexpr double radius = 3.5; // px of a marker
constexpr double reach = 10; // px within which the pointer finds one

/// Linear axes from zero: distances are differences, and both quantities begin there.
struct Axes {
    QRectF plot;
    double mostSeconds = 1;
    double mostTokens = 1;

    double x(double seconds) const { return plot.left() + plot.width() * std::min(1.0, seconds / mostSeconds); }
    double y(double tokens) const { return plot.bottom() - plot.height() * std::min(1.0, tokens / mostTokens); }
};

void layTicks(ServingCurveGeometry& g, const Axes& axes, const QRectF& area, const TextMetrics& metrics)
{
    const double line = metrics.height(TextRole::Small);
    const TimeUnit unit = timeUnitFor(axes.mostSeconds);
    const std::vector<double> across = niceTicks(0, axes.mostSeconds / unit.seconds, 7);
    for (const double tick : across) {
        const double x = axes.x(tick * unit.seconds);
        const QString text = numberText(tick, tickDecimals(across));
        const double half = metrics.width(text, TextRole::Small) / 2 + 1;
        g.grid.emplace_back(x, axes.plot.top(), x, axes.plot.bottom());
        g.labels.push_back(
            {QRectF(x - half, axes.plot.bottom() + 2, 2 * half, line), text, TextRole::Small, Qt::AlignCenter});
    }
    const std::vector<double> up = niceTicks(0, axes.mostTokens, 5);
    for (const double tick : up) {
        const double y = axes.y(tick);
        g.grid.emplace_back(axes.plot.left(), y, axes.plot.right(), y);
        g.labels.push_back({QRectF(area.left(), y - line / 2, axes.plot.left() - area.left() - metrics.gap / 2, line),
                            numberText(tick, tickDecimals(up)), TextRole::Small, Qt::AlignRight | Qt::AlignVCenter});
    }
    g.labels.push_back({QRectF(axes.plot.left(), axes.plot.bottom() + 2 + line, axes.plot.width(), line),
                        ServingCurveChart::tr("between tokens, %1").arg(unit.name), TextRole::Small, Qt::AlignCenter});
}

bool isCrossed(const QRectF& rect, const std::vector<QPointF>& curve)
{
    for (std::size_t i = 1; i < curve.size(); ++i) {
        if (clipLine(QLineF(curve[i - 1], curve[i]), rect)) {
            return true;
        }
    }
    return false;
}

void nameBatches(ServingCurveGeometry& g, const std::vector<ServingReport>& sweep, const TextMetrics& metrics)
{
    const double line = metrics.height(TextRole::Small);
    std::vector<QRectF> taken;
    // The last first: where the curve bends back over itself, large batches are what one looks for.
    for (std::size_t i = sweep.size(); i-- > 0;) {
        const QString text = significant(sweep[i].batch);
        const double width = metrics.width(text, TextRole::Small) + 2;
        const QPointF at = g.points[i];
        const double right = at.x() + radius + 2;
        const double left = at.x() - radius - 2 - width;
        const double above = std::max(at.y() - radius - line * 0.9, g.plot.top());
        const auto isFree = [&](const QRectF& rect) {
            const auto isHit = [&](const QPointF& point) {
                return rect.adjusted(-radius, -radius, radius, radius).contains(point) && point != at;
            };
            return g.plot.contains(rect) && std::none_of(g.points.begin(), g.points.end(), isHit)
                && std::none_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(rect); })
                && !isCrossed(rect, g.points);
        };
        // Below a curve that rises and flattens there is room; above it the next best.
        for (const QPointF& place : {QPointF(right, at.y()), QPointF(left, above), QPointF(right, above)}) {
            const QRectF rect(place, QSizeF(width, line));
            if (isFree(rect)) {
                taken.push_back(rect);
                g.batches.push_back({rect, text, TextRole::Small, Qt::AlignLeft | Qt::AlignVCenter});
                break;
            }
        }
    }
}

} // namespace

std::optional<std::size_t> ServingCurveGeometry::pointAt(const QPointF& point) const
{
    return nearestPoint(points, point, reach);
}

bool ServingCurveChart::isGood(std::size_t point) const
{
    const ServingReport& report = m_data->sweep[point];
    return report.fits && report.waiting <= 0 && report.meetsTtft && report.meetsTpot;
}

QString ServingCurveChart::headline() const
{
    const ServingReport& report = m_data->report;
    if (!report.legal() || m_data->sweep.empty()) {
        return tr("This layout serves nothing");
    }
    return (report.fits ? QString() : tr("Out of memory; if it fitted, "))
        + tr("batch %1: %2 between tokens, first after %3, %4 tokens/s a device")
              .arg(significant(report.batch), timeText(report.tpot), timeText(report.ttft),
                   rateText(report.tokensPerSecondPerDevice));
}

ServingCurveGeometry ServingCurveChart::geometry(const QRectF& area, const TextMetrics& metrics) const
{
    ServingCurveGeometry g;
    const double line = metrics.height(TextRole::Label);
    const double below = stackLines(g.labels, metrics.wrapped(headline(), TextRole::Value, area.width()), area,
                                    TextRole::Value, metrics);
    if (m_data->sweep.empty()) {
        return g;
    }
    Axes axes;
    axes.mostSeconds = m_data->serving.tpotLimit * 1.15;
    axes.mostTokens = 0;
    for (const ServingReport& report : m_data->sweep) {
        axes.mostSeconds = std::max(axes.mostSeconds, report.tpot * 1.08);
        axes.mostTokens = std::max(axes.mostTokens, report.tokensPerSecondPerDevice * 1.08);
    }
    const double widest = metrics.width(countText(axes.mostTokens), TextRole::Small);
    axes.plot = QRectF(QPointF(area.left() + widest + metrics.gap, below + line + metrics.gap / 2),
                       QPointF(area.right() - metrics.gap, area.bottom() - 2 * line - 2));
    g.plot = axes.plot;
    g.labels.push_back({QRectF(area.left(), below, area.width(), line), tr("tokens/s a device"), TextRole::Small});
    layTicks(g, axes, area, metrics);
    for (std::size_t i = 0; i < m_data->sweep.size(); ++i) {
        const ServingReport& report = m_data->sweep[i];
        g.points.emplace_back(axes.x(report.tpot), axes.y(report.tokensPerSecondPerDevice));
        if (report.batch == m_data->report.batch) {
            g.current = i;
        }
    }
    if (m_data->serving.tpotLimit > 0) {
        const double x = axes.x(m_data->serving.tpotLimit);
        g.feasible = QRectF(g.plot.topLeft(), QPointF(x, g.plot.bottom()));
        g.tpotLimit = QLineF(x, g.plot.top(), x, g.plot.bottom());
        const QString text = tr("limit %1").arg(timeText(m_data->serving.tpotLimit));
        const double width = metrics.width(text, TextRole::Small) + 2;
        g.labels.push_back({QRectF(std::max(g.plot.left(), x - width - 3), g.plot.bottom() - line, width, line), text,
                            TextRole::Small, Qt::AlignRight | Qt::AlignVCenter});
    }
    nameBatches(g, m_data->sweep, metrics);
    return g;
}

void ServingCurveChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) const
{
    const ServingCurveGeometry g = geometry(area, textMetrics(theme));
    if (!g.feasible.isEmpty()) {
        painter.fillRect(g.feasible, mix(theme.card, theme.good, 0.12));
    }
    for (const QLineF& line : g.grid) {
        drawLine(painter, line, theme.grid);
    }
    if (!g.tpotLimit.isNull()) {
        drawLine(painter, g.tpotLimit, theme.bad, 1.5, Qt::DashLine);
    }
    for (std::size_t i = 1; i < g.points.size(); ++i) {
        drawLine(painter, QLineF(g.points[i - 1], g.points[i]), theme.accent, 1.8 * theme.scale);
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
    for (std::size_t i = 0; i < g.points.size(); ++i) {
        // Hollow: over a limit, or without room. Never told by colour alone.
        painter.setPen(QPen(theme.accent, 1.5));
        painter.setBrush(isGood(i) ? theme.accent : theme.card);
        painter.drawEllipse(g.points[i], radius * theme.scale, radius * theme.scale);
        if (g.current == i) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(theme.text, 1.5));
            painter.drawEllipse(g.points[i], radius * theme.scale + 3, radius * theme.scale + 3);
        }
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (const Label& label : g.labels) {
        drawLabel(painter, label, theme);
    }
    for (const Label& label : g.batches) {
        drawLabel(painter, label, theme);
    }
}

QString ServingCurveChart::textAt(const QPointF& point, const QRectF& area, const Theme& theme) const
{
    const std::optional<std::size_t> at = geometry(area, textMetrics(theme)).pointAt(point);
    if (!at) {
        return {};
    }
    const ServingReport& report = m_data->sweep[*at];
    QString text = tr("Batch %1\n%2 between tokens\nfirst token after %3\n%4 tokens/s, %5 a device")
                       .arg(significant(report.batch), timeText(report.tpot), timeText(report.ttft),
                            countText(report.tokensPerSecond), rateText(report.tokensPerSecondPerDevice));
    if (!report.fits || report.waiting > 0) {
        text += tr("\nthe KV cache is full");
    } else if (!report.meetsTtft) {
        text += tr("\nthe first token is later than the limit");
    } else if (!report.meetsTpot) {
        text += tr("\ntokens are further apart than the limit");
    }
    return text;
}

QString ServingCurveChart::valueAt(const QPointF& point, const QRectF& area, const Theme& theme) const
{
    const ServingCurveGeometry g = geometry(area, textMetrics(theme));
    const std::optional<std::size_t> at = g.pointAt(point);
    return at && at == g.current ? QStringLiteral("serving.tokens_per_s_per_device") : QString();
}

QString ServingCurveChart::description() const
{
    std::size_t good = 0;
    double batch = 0;
    for (std::size_t i = 0; i < m_data->sweep.size(); ++i) {
        if (isGood(i)) {
            ++good;
            batch = m_data->sweep[i].batch;
        }
    }
    return good == 0 ? tr("%1; no batch keeps the limits").arg(headline())
                     : tr("%1; batches up to %2 keep the limits").arg(headline(), significant(batch));
}

ChartTable ServingCurveChart::table() const
{
    ChartTable table;
    table.header << tr("batch") << tr("between tokens (s)") << tr("first token (s)") << tr("tokens/s")
                 << tr("tokens/s/device") << tr("within limits");
    for (std::size_t i = 0; i < m_data->sweep.size(); ++i) {
        const ServingReport& report = m_data->sweep[i];
        table.rows.push_back({exactNumber(report.batch), exactNumber(report.tpot), exactNumber(report.ttft),
                              exactNumber(report.tokensPerSecond), exactNumber(report.tokensPerSecondPerDevice),
                              isGood(i) ? tr("yes") : tr("no")});
    }
    return table;
}

} // namespace partita::ui
