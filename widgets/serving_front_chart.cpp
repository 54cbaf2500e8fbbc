// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/serving_front_chart.h"

#include "core/base/format.h"
#include "widgets/drawing.h"
#include "widgets/figures.h"
#include "widgets/nearest_point.h"
#include "widgets/text.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace partita::ui {

namespace {

constexpr double radius = 3.5; // px of a marker on the front
constexpr double reach = 10; // px within which the pointer finds one

QString price(const ServingPoint& point)
{
    return point.costPerMillionTokens > 0 ? toText(formatDollars(point.costPerMillionTokens)) : QString();
}

/// Of a width at which no batch serves.
QString whyNothing(const ServingPoint& point)
{
    return point.fits ? ServingFrontChart::tr("none: over a limit") : ServingFrontChart::tr("none: out of memory");
}

QString limitsText(const ServingPoint& point)
{
    return point.meets ? ServingFrontChart::tr("✓ within") : ServingFrontChart::tr("✗ over a limit");
}

} // namespace

QString servingDegrees(const Layout& layout)
{
    QString text = QStringLiteral("tp %1 · pp %2 · dp %3").arg(layout.tp).arg(layout.pp).arg(layout.dp);
    text += layout.cp > 1 ? QStringLiteral(" · cp %1").arg(layout.cp) : QString();
    return text + (layout.ep > 1 ? QStringLiteral(" · ep %1").arg(layout.ep) : QString());
}

std::optional<std::size_t> ServingFrontGeometry::pointAt(const QPointF& point) const
{
    return nearestPoint(points, point, reach);
}

/// Over as long a time between tokens as the front takes, both axes linear from zero; slower points are left out.
ServingFrontGeometry ServingFrontChart::geometry(const QRectF& area, const TextMetrics& metrics) const
{
    ServingFrontGeometry g;
    const double line = metrics.height(TextRole::Small);
    if (m_search->front.empty()) {
        g.labels.push_back({QRectF(area.left(), area.top(), area.width(), line), description(), TextRole::Small});
        return g;
    }
    const ServingPoint& last = onFront(m_search->front.size() - 1); // the slowest token, the most tokens
    const double mostSeconds = last.tpot * 1.08;
    const double mostTokens = last.tokensPerSecondPerDevice * 1.08;
    const std::vector<double> up = niceTicks(0, mostTokens, 5);
    double widest = 0;
    for (const double tick : up) {
        widest = std::max(widest, metrics.width(numberText(tick, tickDecimals(up)), TextRole::Small));
    }
    g.plot = QRectF(QPointF(area.left() + widest + metrics.gap, area.top() + line + metrics.gap / 2),
                    QPointF(area.right() - metrics.gap, area.bottom() - 2 * line - 2));
    const auto place = [&](double seconds, double tokens) {
        return QPointF(g.plot.left() + g.plot.width() * seconds / mostSeconds,
                       g.plot.bottom() - g.plot.height() * tokens / mostTokens);
    };
    g.labels.push_back({QRectF(area.left(), area.top(), area.width(), line), tr("tokens/s a device"), TextRole::Small});
    for (const double tick : up) {
        const double y = place(0, tick).y();
        g.grid.emplace_back(g.plot.left(), y, g.plot.right(), y);
        g.labels.push_back({QRectF(area.left(), y - line / 2, widest, line), numberText(tick, tickDecimals(up)),
                            TextRole::Small, Qt::AlignRight | Qt::AlignVCenter});
    }
    const TimeUnit unit = timeUnitFor(mostSeconds);
    const std::vector<double> across = niceTicks(0, mostSeconds / unit.seconds, 7);
    for (const double tick : across) {
        const double x = place(tick * unit.seconds, 0).x();
        const QString text = numberText(tick, tickDecimals(across));
        const double half = metrics.width(text, TextRole::Small) / 2 + 1;
        g.grid.emplace_back(x, g.plot.top(), x, g.plot.bottom());
        g.labels.push_back(
            {QRectF(x - half, g.plot.bottom() + 2, 2 * half, line), text, TextRole::Small, Qt::AlignCenter});
    }
    g.labels.push_back({QRectF(g.plot.left(), g.plot.bottom() + 2 + line, g.plot.width(), line),
                        tr("between tokens, %1").arg(unit.name), TextRole::Small, Qt::AlignCenter});
    for (std::size_t i = 0; i < m_search->points.size(); ++i) {
        const ServingPoint& point = m_search->points[i];
        if (point.fits && point.tpot <= mostSeconds) {
            g.others.emplace_back(i, place(point.tpot, point.tokensPerSecondPerDevice));
        }
    }
    for (std::size_t i = 0; i < m_search->front.size(); ++i) {
        g.points.push_back(place(onFront(i).tpot, onFront(i).tokensPerSecondPerDevice));
    }
    return g;
}

void ServingFrontChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) const
{
    const ServingFrontGeometry g = geometry(area, textMetrics(theme));
    for (const QLineF& line : g.grid) {
        drawLine(painter, line, theme.grid);
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.mutedText);
    for (const auto& [index, at] : g.others) {
        painter.drawEllipse(at, radius * theme.scale / 2, radius * theme.scale / 2);
    }
    for (std::size_t i = 1; i < g.points.size(); ++i) {
        drawLine(painter, QLineF(g.points[i - 1], g.points[i]), theme.accent, 1.5 * theme.scale);
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
    for (std::size_t i = 0; i < g.points.size(); ++i) {
        painter.setPen(QPen(theme.accent, 1.5)); // hollow: over a limit
        painter.setBrush(onFront(i).meets ? theme.accent : theme.card);
        painter.drawEllipse(g.points[i], radius * theme.scale, radius * theme.scale);
        if (cursor == i) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(theme.text, 1.5));
            painter.drawEllipse(g.points[i], radius + 3, radius + 3);
        }
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (const Label& label : g.labels) {
        drawLabel(painter, label, theme);
    }
}

QString ServingFrontChart::textAt(const QPointF& point, const QRectF& area, const Theme& theme) const
{
    const std::optional<std::size_t> at = geometry(area, textMetrics(theme)).pointAt(point);
    if (!at) {
        return {};
    }
    const ServingPoint& shown = onFront(*at);
    return tr("%1, batch %2\n%3 between tokens\nfirst token after %4\n%5 tokens/s a device\n%6")
        .arg(servingDegrees(shown.layout))
        .arg(shown.batch)
        .arg(timeText(shown.tpot), timeText(shown.ttft), rateText(shown.tokensPerSecondPerDevice), limitsText(shown));
}

QString ServingFrontChart::description() const
{
    return m_search->front.empty()
        ? tr("No layout of these devices holds a request")
        : tr("%1 layouts, %2 hold a request; %3 choices of layout and batch that no other beats")
              .arg(m_search->layouts)
              .arg(m_search->fitting)
              .arg(m_search->front.size());
}

ChartTable ServingFrontChart::table() const
{
    ChartTable table;
    table.header << tr("layout") << tr("batch") << tr("between tokens (s)") << tr("first token (s)")
                 << tr("tokens/s/device") << tr("USD per million tokens") << tr("within limits");
    for (std::size_t i = 0; i < m_search->front.size(); ++i) {
        const ServingPoint& point = onFront(i);
        table.rows.push_back({servingDegrees(point.layout), QString::number(point.batch), exactNumber(point.tpot),
                              exactNumber(point.ttft), exactNumber(point.tokensPerSecondPerDevice),
                              point.costPerMillionTokens > 0 ? exactNumber(point.costPerMillionTokens) : QString(),
                              point.meets ? tr("yes") : tr("no")});
    }
    return table;
}

ChartTable frontTable(const ServingSearch& search)
{
    ChartTable table;
    table.header << ServingFrontChart::tr("layout") << ServingFrontChart::tr("batch")
                 << ServingFrontChart::tr("between tokens") << ServingFrontChart::tr("first token")
                 << ServingFrontChart::tr("tokens/s/device") << ServingFrontChart::tr("$/M tokens")
                 << ServingFrontChart::tr("limits");
    for (const std::size_t i : search.front) {
        const ServingPoint& point = search.points[i];
        table.rows.push_back({servingDegrees(point.layout), QString::number(point.batch), timeText(point.tpot),
                              timeText(point.ttft), rateText(point.tokensPerSecondPerDevice), price(point),
                              limitsText(point)});
    }
    return table;
}

ChartTable widthsTable(const std::vector<ServingPoint>& points)
{
    ChartTable table;
    table.header << ServingFrontChart::tr("at the best batch");
    for (const ServingPoint& point : points) {
        table.header << ServingFrontChart::tr("%1 × TP\u00a0%2").arg(point.layout.dp).arg(point.layout.tp);
    }
    const auto row = [&](const QString& name, const auto& cell) {
        QStringList cells{name};
        for (const ServingPoint& point : points) {
            cells << (point.batch > 0 ? cell(point) : QStringLiteral("—"));
        }
        table.rows.push_back(cells);
    };
    row(ServingFrontChart::tr("batch a replica"), [](const ServingPoint& p) { return QString::number(p.batch); });
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (points[i].batch == 0) { // why nothing stands below
            table.rows.front()[static_cast<qsizetype>(i) + 1] = whyNothing(points[i]);
        }
    }
    row(ServingFrontChart::tr("between tokens"), [](const ServingPoint& p) { return timeText(p.tpot); });
    row(ServingFrontChart::tr("first token"), [](const ServingPoint& p) { return timeText(p.ttft); });
    row(ServingFrontChart::tr("tokens/s"), [](const ServingPoint& p) { return countText(p.tokensPerSecond); });
    row(ServingFrontChart::tr("requests/s within the limits"),
        [](const ServingPoint& p) { return rateText(p.requestsPerSecond); });
    row(ServingFrontChart::tr("$/M tokens"), [](const ServingPoint& p) { return price(p); });
    return table;
}

TableChart widthsChart(const std::vector<ServingPoint>& points)
{
    const auto serves = [](const ServingPoint& point) { return point.batch > 0; };
    const bool any = std::any_of(points.begin(), points.end(), serves);
    ChartTable exact;
    exact.header << ServingFrontChart::tr("replicas") << ServingFrontChart::tr("TP")
                 << ServingFrontChart::tr("batch a replica") << ServingFrontChart::tr("between tokens (s)")
                 << ServingFrontChart::tr("first token (s)") << ServingFrontChart::tr("tokens/s")
                 << ServingFrontChart::tr("requests/s within the limits")
                 << ServingFrontChart::tr("USD per million tokens");
    for (const ServingPoint& point : points) {
        const auto known = [&](double value) { return point.batch > 0 && value > 0 ? exactNumber(value) : QString(); };
        exact.rows.push_back({QString::number(point.layout.dp), QString::number(point.layout.tp),
                              QString::number(point.batch), known(point.tpot), known(point.ttft),
                              known(point.tokensPerSecond), known(point.requestsPerSecond),
                              known(point.costPerMillionTokens)});
    }
    return {{QStringLiteral("serving-widths"), ServingFrontChart::tr("Replicas or wider TP"),
             (any ? ServingFrontChart::tr("%1 ways to divide the devices into engines, each at its best batch")
                  : ServingFrontChart::tr(
                      "None of %1 ways to divide the devices into engines holds a request and keeps the "
                      "limits"))
                 .arg(points.size())},
            widthsTable(points),
            exact};
}

} // namespace partita::ui
