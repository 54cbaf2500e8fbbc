// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/pareto_chart.h"

#include "core/layout/layout_text.h"
#include "widgets/drawing.h"
#include "widgets/figures.h"
#include "widgets/labels.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace partita::ui {

namespace {

constexpr double radius = 4; // px of a layout's dot
constexpr double reach = 9; // px within which the pointer finds it

struct Range {
    double low = 0;
    double high = 1;

    void include(double value)
    {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    void pad(double share)
    {
        const double room = std::max(high - low, 1e-3 * std::abs(high)) * share;
        low = std::max(0.0, low - room);
        high += room;
    }
};

template <class Value> Range rangeOf(const ParetoData& data, Value value)
{
    Range range{value(data.layouts.front()), value(data.layouts.front())};
    for (const LayoutFigures& layout : data.layouts) {
        range.include(value(layout));
    }
    if (data.current) {
        range.include(value(*data.current));
    }
    range.pad(0.06);
    return range;
}

/// The axis below the plot.
QString takenText(FrontAgainst against)
{
    switch (against) {
    case FrontAgainst::Memory:
        return ParetoChart::tr("peak memory, GiB");
    case FrontAgainst::Devices:
        return ParetoChart::tr("devices");
    case FrontAgainst::Cost:
        break;
    }
    return costUnitText(false);
}

bool holds(const std::vector<LayoutFigures>& rows, const Layout& layout)
{
    return std::any_of(rows.begin(), rows.end(), [&](const LayoutFigures& row) { return row.layout == layout; });
}

} // namespace

std::vector<LayoutFigures> eachOnce(std::vector<LayoutFigures> layouts, const std::vector<LayoutFigures>& others)
{
    for (const LayoutFigures& other : others) {
        if (!holds(layouts, other.layout)) {
            layouts.push_back(other);
        }
    }
    return layouts;
}

ParetoData paretoData(std::vector<LayoutFigures> layouts, const std::vector<LayoutFigures>& front)
{
    ParetoData data;
    data.layouts = std::move(layouts);
    for (const LayoutFigures& each : data.layouts) {
        data.onFront.push_back(holds(front, each.layout));
    }
    return data;
}

bool Brush::holds(const LayoutFigures& layout) const
{
    const double taken = takenBy(layout, against);
    return taken >= leastTaken && taken <= mostTaken && layout.tokensPerSecond >= leastRate
        && layout.tokensPerSecond <= mostRate;
}

QPointF ParetoGeometry::place(double taken, double rate) const
{
    return {plot.left() + plot.width() * (taken - leastTaken) / (mostTaken - leastTaken),
            plot.bottom() - plot.height() * (rate - leastRate) / (mostRate - leastRate)};
}

std::optional<std::size_t> ParetoGeometry::pointAt(const QPointF& point) const
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

Brush ParetoGeometry::brushOf(const QRectF& rect) const
{
    const auto taken = [&](double x) {
        return leastTaken + (x - plot.left()) / plot.width() * (mostTaken - leastTaken);
    };
    const auto rate = [&](double y) {
        return leastRate + (plot.bottom() - y) / plot.height() * (mostRate - leastRate);
    };
    return {against, taken(rect.left()), taken(rect.right()), rate(rect.bottom()), rate(rect.top())};
}

QRectF ParetoGeometry::rectOf(const Brush& brush) const
{
    return QRectF(place(brush.leastTaken, brush.mostRate), place(brush.mostTaken, brush.leastRate)) & plot;
}

QString ParetoChart::title() const
{
    return tr("Best layouts: throughput against %1").arg(labelText(m_data.against));
}

QString ParetoChart::emptyText() const
{
    switch (m_data.searched) {
    case SearchStage::NotBegun:
        return tr("Not searched yet");
    case SearchStage::Refused:
        return tr("Not searched: see what is wrong above");
    case SearchStage::Running:
        return tr("No layout found yet");
    case SearchStage::Stopped:
        return tr("Stopped before a layout was found that fits");
    case SearchStage::NothingLegal:
        return tr("No layout is legal");
    case SearchStage::Filtered:
        return tr("No layout found passes the filter");
    case SearchStage::Done:
        break;
    }
    return m_data.memoryLimit > 0 ? tr("No layout fits in %1").arg(bytesText(m_data.memoryLimit))
                                  : tr("No layout fits");
}

QString ParetoChart::description() const
{
    if (m_data.layouts.empty()) {
        return emptyText();
    }
    const auto fastest =
        std::max_element(m_data.layouts.begin(), m_data.layouts.end(),
                         [](const auto& a, const auto& b) { return a.tokensPerSecond < b.tokensPerSecond; });
    const auto front = std::count(m_data.onFront.begin(), m_data.onFront.end(), true);
    return tr("%1 layouts, %2 of them beaten by none in both throughput and %3; the fastest reaches %4 tokens/s")
        .arg(m_data.layouts.size())
        .arg(front)
        .arg(labelText(m_data.against), countText(fastest->tokensPerSecond));
}

ParetoGeometry ParetoChart::geometry(const QRectF& area, const TextMetrics& metrics) const
{
    ParetoGeometry g;
    const double line = metrics.height(TextRole::Label);
    if (m_data.layouts.empty()) {
        const QStringList lines = metrics.wrapped(emptyText(), TextRole::Muted, area.width());
        const double height = metrics.height(TextRole::Muted) * static_cast<double>(lines.size());
        stackLines(g.labels, lines, {area.left(), area.center().y() - height / 2, area.width(), height},
                   TextRole::Muted, metrics, Qt::AlignCenter);
        return g;
    }
    const auto takenOf = [this](const LayoutFigures& layout) { return takenBy(layout, m_data.against); };
    const Range taken = rangeOf(m_data, takenOf);
    const Range rate = rangeOf(m_data, [](const LayoutFigures& layout) { return layout.tokensPerSecond; });
    g.against = m_data.against;
    g.leastTaken = taken.low;
    g.mostTaken = taken.high;
    g.leastRate = rate.low;
    g.mostRate = rate.high;

    const std::vector<double> rates = niceTicks(rate.low, rate.high, 5);
    double widest = 0;
    for (const double tick : rates) {
        widest = std::max(widest, metrics.width(countText(tick), TextRole::Small));
    }
    g.plot = QRectF(QPointF(area.left() + widest + metrics.gap, area.top() + line + metrics.gap / 2),
                    QPointF(area.right() - metrics.gap, area.bottom() - 2 * line - metrics.gap / 2));
    for (const double tick : rates) {
        const double y = g.place(taken.low, tick).y();
        g.ticks.push_back({{g.plot.left(), y, g.plot.right(), y},
                           {QRectF(area.left(), y - line / 2, widest, line), countText(tick), TextRole::Small,
                            Qt::AlignRight | Qt::AlignVCenter}});
    }
    double free = -1e9; // right end of the labels below the plot
    const double unit = m_data.against == FrontAgainst::Memory ? gibibyte : 1;
    for (const double tick : niceTicks(taken.low / unit, taken.high / unit, 6)) {
        const double x = g.place(tick * unit, rate.low).x();
        const QString text = unit > 1 ? significant(tick) : countText(tick);
        const double half = metrics.width(text, TextRole::Small) / 2 + 1;
        const bool fits = x - half > free + metrics.gap && x + half <= area.right();
        g.ticks.push_back({{x, g.plot.top(), x, g.plot.bottom()},
                           {QRectF(x - half, g.plot.bottom() + 2, 2 * half, line), fits ? text : QString(),
                            TextRole::Small, Qt::AlignCenter}});
        free = fits ? x + half : free;
    }
    for (const LayoutFigures& layout : m_data.layouts) {
        g.points.push_back(g.place(takenOf(layout), layout.tokensPerSecond));
    }
    if (m_data.current) {
        g.current = g.place(takenOf(*m_data.current), m_data.current->tokensPerSecond);
    }
    if (m_data.against == FrontAgainst::Memory && m_data.memoryLimit > taken.low && m_data.memoryLimit < taken.high) {
        const double x = g.place(m_data.memoryLimit, rate.low).x();
        g.limit = QLineF(x, g.plot.top(), x, g.plot.bottom());
    }
    std::vector<QPointF> corners;
    for (std::size_t i = 0; i < g.points.size(); ++i) {
        if (m_data.onFront[i]) {
            corners.push_back(g.points[i]);
        }
    }
    std::sort(corners.begin(), corners.end(), [](const QPointF& a, const QPointF& b) { return a.x() < b.x(); });
    for (const QPointF& corner : corners) {
        if (!g.front.isEmpty()) {
            g.front << QPointF(corner.x(), g.front.back().y());
        }
        g.front << corner;
    }
    g.labels.push_back({QRectF(area.left(), area.top(), area.width(), line),
                        metrics.elided(tr("tokens/s; the line: beaten by none in both"), TextRole::Muted, area.width()),
                        TextRole::Muted});
    g.labels.push_back({QRectF(g.plot.left(), area.bottom() - line, g.plot.width(), line),
                        metrics.elided(takenText(m_data.against), TextRole::Muted, g.plot.width()), TextRole::Muted,
                        Qt::AlignRight | Qt::AlignVCenter});
    return g;
}

void ParetoChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) const
{
    const ParetoGeometry g = geometry(area, textMetrics(theme));
    painter.setRenderHint(QPainter::Antialiasing, true);
    for (const ParetoGeometry::Tick& tick : g.ticks) {
        drawLine(painter, tick.line, theme.grid);
        drawLabel(painter, tick.label, theme);
    }
    if (brush && !m_data.layouts.empty()) {
        painter.setPen(QPen(theme.accent, 1, Qt::DashLine));
        painter.setBrush(mix(theme.card, theme.accent, 0.12));
        painter.drawRect(g.rectOf(*brush));
    }
    if (g.limit) {
        drawLine(painter, *g.limit, theme.bad, 1, Qt::DashLine);
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.accent, 1.5 * theme.scale));
    painter.drawPolyline(g.front);
    for (const bool front : {false, true}) { // the front on top: layouts of equally many devices lie close together
        for (std::size_t i = 0; i < g.points.size(); ++i) {
            if (m_data.onFront[i] != front) {
                continue;
            }
            const bool pale = brush && !brush->holds(m_data.layouts[i]);
            const QColor color = front ? theme.accent : theme.mutedText;
            painter.setPen(QPen(theme.card, 0.7));
            painter.setBrush(pale ? mix(theme.card, color, 0.35) : color);
            painter.drawEllipse(g.points[i], radius * theme.scale, radius * theme.scale);
        }
    }
    painter.setBrush(Qt::NoBrush);
    if (g.current) { // a cross: told from the dots without colour
        const QColor color = m_data.current->fits ? theme.text : theme.bad;
        for (const QPointF& arm : {QPointF(6, 0) * theme.scale, QPointF(0, 6) * theme.scale}) {
            drawLine(painter, {*g.current - arm, *g.current + arm}, color, 2 * theme.scale);
        }
    }
    if (cursor && *cursor < g.points.size()) {
        painter.setPen(QPen(theme.text, 2));
        painter.drawEllipse(g.points[*cursor], radius * theme.scale + 4, radius * theme.scale + 4);
    }
    for (const Label& label : g.labels) {
        drawLabel(painter, label, theme);
    }
}

QString ParetoChart::pointText(std::size_t index) const
{
    const LayoutFigures& layout = m_data.layouts[index];
    return tr("%1\n%2 a step, %3 tokens/s, MFU %4\n%5 of memory, bubble %6, exposed communication %7\n"
              "%8 devices, %9 %10")
        .arg(QString::fromStdString(layoutText(layout.layout)), timeText(layout.stepTime),
             countText(layout.tokensPerSecond), percentText(layout.mfu), bytesText(layout.peakMemory),
             percentText(layout.bubble), percentText(layout.exposed / layout.stepTime),
             countText(takenBy(layout, FrontAgainst::Devices)), countText(takenBy(layout, FrontAgainst::Cost)))
        .arg(costUnitText(false));
}

QString ParetoChart::textAt(const QPointF& point, const QRectF& area, const Theme& theme) const
{
    const auto at = geometry(area, textMetrics(theme)).pointAt(point);
    return at ? pointText(*at) : QString();
}

ChartTable ParetoChart::table() const
{
    ChartTable table;
    table.header << tr("layout") << tr("step time (s)") << tr("tokens/s") << tr("MFU") << tr("peak memory (bytes)")
                 << tr("bubble") << tr("exposed communication (s)") << tr("devices") << costUnitText(false)
                 << tr("on the front");
    for (std::size_t i = 0; i < m_data.layouts.size(); ++i) {
        const LayoutFigures& layout = m_data.layouts[i];
        table.rows.push_back({QString::fromStdString(layoutText(layout.layout)), exactNumber(layout.stepTime),
                              exactNumber(layout.tokensPerSecond), exactNumber(layout.mfu),
                              exactNumber(layout.peakMemory), exactNumber(layout.bubble), exactNumber(layout.exposed),
                              exactNumber(takenBy(layout, FrontAgainst::Devices)),
                              exactNumber(takenBy(layout, FrontAgainst::Cost)),
                              m_data.onFront[i] ? tr("yes") : tr("no")});
    }
    return table;
}

} // namespace partita::ui
