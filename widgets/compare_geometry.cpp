// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/units.h"
#include "widgets/compare_chart.h"
#include "widgets/figures.h"
#include "widgets/text.h"

#include <algorithm>
#include <cmath>

namespace partita::ui {

namespace {

constexpr double LeastBars = 0.3; // of the width, beside names and values
constexpr double LeastSteps = 0.15; // the same of a waterfall
constexpr double LeastRows = 10; // of a waterfall beside a legend, where it has so many
constexpr double RowsAround = 4; // of a waterfall, around its steps: heading, both ends, axis
constexpr double Margin = 0.06; // of the span of a waterfall, on either side
constexpr double LeastSpan = 0.125; // of the higher end: a way so long is shown from zero
constexpr double BarInset = 0.12; // of a row
const auto Right = Qt::AlignRight | Qt::AlignVCenter;

} // namespace

/// One row a layout, all on one axis from zero; returns where they end.
double CompareChart::placeRows(CompareGeometry& g, const QRectF& area, const TextMetrics& metrics) const
{
    const double line = metrics.height(TextRole::Label);
    double widestName = 0;
    double widestValue = 0;
    double most = 0;
    double limit = 0;
    for (std::size_t i = 0; i < m_layouts.size(); ++i) {
        const Report& report = *m_layouts[i].report;
        const double value = valueOf(m_quantity, report);
        widestName = std::max(widestName, metrics.width(nameOf(i), TextRole::Label));
        widestValue = std::max(widestValue, metrics.width(toText(formatQuantity(m_quantity, value)), TextRole::Value));
        most = std::max(most, value);
        limit = std::max(limit, m_quantity == ComparedQuantity::Memory ? report.memoryLimit : 0);
    }
    most = std::max(most, limit);
    const double names = std::ceil(widestName) + 1;
    const double room = area.height() / 2 / static_cast<double>(m_layouts.size()); // px of a row
    const double values = std::ceil(widestValue) + metrics.gap;
    const bool above = names + metrics.gap + values + area.width() * LeastBars > area.width();
    const double nameRoom = above ? area.width() : names;
    std::vector<QStringList> nameLines;
    double nameHeight = 0;
    for (std::size_t i = 0; i < m_layouts.size(); ++i) {
        nameLines.push_back(metrics.wrapped(nameOf(i), TextRole::Label, nameRoom));
        nameHeight = std::max(nameHeight, above ? line * static_cast<double>(nameLines.back().size()) : 0);
    }
    const double pitch = std::min(nameHeight + line + metrics.gap, room);
    const double left = area.left() + (above ? 0 : names + metrics.gap);
    const double width = std::max(8.0, area.right() - values - left);
    for (std::size_t i = 0; i < m_layouts.size(); ++i) {
        const double value = valueOf(m_quantity, *m_layouts[i].report);
        const double rowTop = area.top() + static_cast<double>(i) * pitch;
        const double top = rowTop + nameHeight;
        const double height = std::max(1.0, std::min(line, pitch - nameHeight));
        CompareGeometry::Row row;
        row.whole = QRectF(area.left(), rowTop, area.width(), nameHeight + height);
        stackLines(row.name, nameLines[i], {area.left(), rowTop, nameRoom, height}, TextRole::Label, metrics);
        const auto xOf = [&](double at) { return left + (most > 0 ? at / most : 0) * width; };
        row.bar = QRectF(left, top, std::max(1.0, xOf(value) - left), height);
        double before = 0;
        for (const Breakdown& part : breakdown(*m_layouts[i].report)) {
            row.parts.push_back({QRectF(QPointF(xOf(before), top), QPointF(xOf(before + part.value), top + height)),
                                 part.category, part.value});
            before += part.value;
        }
        row.value = {QRectF(area.right() - std::ceil(widestValue), top, std::ceil(widestValue), height),
                     toText(formatQuantity(m_quantity, value)), TextRole::Value, Right, !m_layouts[i].report->fits};
        g.rows.push_back(std::move(row));
        g.limit = limit > 0 ? xOf(limit) : -1;
    }
    const double bottom = area.top() + pitch * static_cast<double>(m_layouts.size());
    if (g.limit < 0) {
        return bottom;
    }
    const QString text = tr("%1 usable").arg(toText(formatQuantity(m_quantity, limit)));
    const double textWidth = std::ceil(metrics.width(text, TextRole::Small));
    g.limitLabel = {
        QRectF(std::clamp(g.limit - textWidth, area.left(), std::max(area.left(), area.right() - textWidth)), bottom,
               textWidth, metrics.height(TextRole::Small)),
        text, TextRole::Small, Right, true};
    return g.limitLabel.rect.bottom();
}

/// Without what is too small to be written.
Waterfall CompareChart::wholeWaterfall() const
{
    const Waterfall whole = waterfall(m_quantity, *m_layouts[m_from].report, *m_layouts[m_to].report);
    return withoutSmall(whole, leastShown(m_quantity, whole));
}

void CompareChart::placeWaterfall(CompareGeometry& g, const QRectF& area, const TextMetrics& metrics) const
{
    const double line = metrics.height(TextRole::Label);
    const auto most =
        static_cast<std::size_t>(std::max(0.0, std::floor(area.height() / tightPitch(metrics)) - RowsAround));
    if (most < 1) {
        return;
    }
    const Waterfall shown = shortened(wholeWaterfall(), most);
    const auto valueText = [&](double value) { return toText(formatQuantity(m_quantity, value)); };
    double low = std::min(shown.before, shown.after);
    double high = std::max(shown.before, shown.after);
    double widest = metrics.width(tr("others"), TextRole::Label);
    double widestChange = std::max(metrics.width(valueText(shown.before), TextRole::Value),
                                   metrics.width(valueText(shown.after), TextRole::Value));
    for (const WaterfallStep& step : shown.steps) {
        low = std::min(low, step.to);
        high = std::max(high, step.to);
        widest = std::max(widest, metrics.width(toText(step.label), TextRole::Label));
        widestChange = std::max(widestChange, metrics.width(signedText(step.change()), TextRole::Value));
    }
    const double span = high > low ? high - low : std::max(high, 1e-12);
    low = span > LeastSpan * high ? 0 : low - span * Margin; // small changes need an axis of their own
    high += span * Margin;
    const double changes = std::ceil(widestChange) + metrics.gap;
    const double names = std::min(std::ceil(widest) + 1, area.width() * (1 - LeastSteps) - changes - metrics.gap);
    std::vector<QStringList> nameLines;
    std::vector<double> tops{1, 2}; // in rows: those before the steps, then the steps and what follows them
    for (const WaterfallStep& step : shown.steps) {
        nameLines.push_back(metrics.wrapped(toText(step.label), TextRole::Label, names));
        tops.push_back(tops.back() + static_cast<double>(nameLines.back().size()));
    }
    tops.push_back(tops.back() + 1); // the axis
    const double rows = tops.back() + 1;
    const double pitch = std::min(line + metrics.gap / 2, area.height() / rows);
    const double height = std::min(line, pitch);
    const double left = area.left() + names + metrics.gap;
    const double width = std::max(8.0, area.right() - changes - left);
    const auto xOf = [&](double value) { return left + (value - low) / (high - low) * width; };
    const auto rowAt = [&](std::size_t row) { return area.top() + (row == 0 ? 0 : tops[row - 1]) * pitch; };
    const auto nameAt = [&](const QString& name, std::size_t row) {
        return Label{QRectF(area.left(), rowAt(row), names, height), metrics.elided(name, TextRole::Label, names)};
    };
    const auto barAt = [&](double from, double to, std::size_t row) {
        return QRectF(xOf(from), rowAt(row) + height * BarInset, std::max(1.0, xOf(to) - xOf(from)),
                      height * (1 - 2 * BarInset));
    };
    const auto cutOf = [&](const QRectF& bar) {
        const double shorter = xOf(std::min(shown.before, shown.after)) - left;
        const double x = left + std::min(2 * height, shorter / 2);
        return low > 0 ? QLineF(x - height / 4, bar.bottom(), x + height / 4, bar.top()) : QLineF();
    };
    const auto textAt = [&](const QString& text, std::size_t row) {
        return Label{QRectF(area.right() - std::ceil(widestChange), rowAt(row), std::ceil(widestChange), height), text,
                     TextRole::Value, Right};
    };

    const QString change = shown.before == shown.after ? tr("no change") : signedText(shown.after - shown.before);
    g.heading = {QRectF(area.left(), rowAt(0), area.width(), height),
                 metrics.elided(tr("From %1 to %2: %3").arg(QChar(letterOf(m_from)), QChar(letterOf(m_to)), change),
                                TextRole::Value, area.width()),
                 TextRole::Value};
    g.area = QRectF(left, rowAt(1), width, pitch * (rows - 2));
    g.beforeX = xOf(shown.before);
    g.afterX = xOf(shown.after);
    const auto endOf = [&](std::size_t layout, double value, std::size_t row) {
        const QRectF bar = barAt(low, value, row);
        return CompareGeometry::End{nameAt(QChar(letterOf(layout)), row), bar, cutOf(bar),
                                    textAt(valueText(value), row)};
    };
    g.before = endOf(m_from, shown.before, 1);
    g.links.emplace_back(g.beforeX, g.before.bar.bottom(), g.beforeX, rowAt(2) + height * BarInset);
    for (std::size_t i = 0; i < shown.steps.size(); ++i) {
        const WaterfallStep& step = shown.steps[i];
        CompareGeometry::Step placed;
        const double top = rowAt(i + 2);
        placed.label = toText(step.label);
        placed.whole = QRectF(area.left(), top, area.width(), rowAt(i + 3) - top - (pitch - height));
        stackLines(placed.name, nameLines[i], {area.left(), top, names, height}, TextRole::Label, metrics);
        placed.bar = barAt(std::min(step.from, step.to), std::max(step.from, step.to), i + 2);
        placed.grows = step.change() > 0;
        placed.category = step.category;
        placed.change = textAt(signedText(step.change()), i + 2);
        g.links.emplace_back(xOf(step.to), placed.bar.bottom(), xOf(step.to), rowAt(i + 3) + height * BarInset);
        g.steps.push_back(std::move(placed));
    }
    const std::size_t last = shown.steps.size() + 2;
    g.after = endOf(m_to, shown.after, last);
    placeAxis(g, low, high, QRectF(left, rowAt(last + 1), width, height), metrics);
}

/// Ticks as their quantity is written, without the unit where it is the same for all.
void CompareChart::placeAxis(CompareGeometry& g, double low, double high, const QRectF& row,
                             const TextMetrics& metrics) const
{
    const double size = std::max(std::abs(low), std::abs(high));
    const TimeUnit time = timeUnitFor(size);
    const double unit = m_quantity == ComparedQuantity::StepTime ? time.seconds
        : m_quantity == ComparedQuantity::Memory                 ? gibibyte
                                                                 : 0.01;
    const QString name = m_quantity == ComparedQuantity::StepTime ? time.name
        : m_quantity == ComparedQuantity::Memory                  ? QStringLiteral("GiB")
                                                                  : QStringLiteral("%");
    constexpr int mostTicks = 5;
    const std::vector<double> ticks = niceTicks(low / unit, high / unit, mostTicks);
    double taken = row.left() - metrics.gap;
    for (const double tick : ticks) {
        const QString text = numberText(tick, tickDecimals(ticks)) + QChar(0x00A0) + name;
        const double wide = std::ceil(metrics.width(text, TextRole::Small));
        const double x = row.left() + (tick * unit - low) / (high - low) * row.width();
        const double at = std::clamp(x - wide / 2, row.left(), std::max(row.left(), row.right() - wide));
        if (at >= taken + metrics.gap) {
            g.ticks.emplace_back(
                x, Label{QRectF(at, row.top(), wide, row.height()), text, TextRole::Small, Qt::AlignCenter});
            taken = at + wide;
        }
    }
}

CompareGeometry CompareChart::geometry(const QRectF& area, const TextMetrics& metrics) const
{
    CompareGeometry g;
    const auto hint = [&](const QString& text, double top) {
        stackLines(g.hint, metrics.wrapped(text, TextRole::Muted, area.width()), {area.left(), top, area.width(), 0},
                   TextRole::Muted, metrics);
    };
    if (m_layouts.empty()) {
        hint(tr("Pin a scenario, change something, and see here what differs."), area.top());
        return g;
    }
    double bottom = placeRows(g, area, metrics);
    const bool leads = m_layouts.size() > 1 && m_from != m_to;
    g.legend =
        legendRows(legendNames(), QRectF(QPointF(area.left(), bottom + metrics.gap / 2), area.bottomRight()), metrics);
    double waterfallRoom = 0;
    if (leads) {
        const double rows = RowsAround + static_cast<double>(wholeWaterfall().steps.size());
        waterfallRoom = std::min(LeastRows, rows) * tightPitch(metrics) + metrics.gap;
    }
    if (!g.legend.empty() && legendBottom(g.legend) + waterfallRoom > area.bottom()) {
        g.legend.clear();
    }
    bottom = g.legend.empty() ? bottom : legendBottom(g.legend);
    if (m_layouts.size() == 1) {
        hint(tr("One is pinned. Change something, or pin a second, and see here what differs."), bottom + metrics.gap);
    }
    if (leads) {
        placeWaterfall(g, QRectF(QPointF(area.left(), bottom + metrics.gap), area.bottomRight()), metrics);
    }
    return g;
}

} // namespace partita::ui
