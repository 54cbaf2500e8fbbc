// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/stacked_rows.h"

#include "widgets/drawing.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace partita::ui {

namespace {

constexpr double LegendLines = 4;
constexpr double TallestBar = 2.2; // lines
constexpr double TallestShare = 0.3; // of a row's pitch, where that is more

std::vector<std::pair<int, QString>> usedCategories(const std::vector<StackedRow>& rows, const QStringList& names)
{
    std::vector<std::pair<int, QString>> used;
    for (qsizetype i = 0; i < names.size(); ++i) {
        const auto category = static_cast<std::size_t>(i);
        if (std::any_of(rows.begin(), rows.end(),
                        [category](const StackedRow& row) { return row.parts[category] > 0; })) {
            used.emplace_back(static_cast<int>(i), names[i]);
        }
    }
    return used;
}

/// Of the longest name.
double nameLines(const std::vector<StackedRow>& rows, double width, const TextMetrics& metrics)
{
    qsizetype most = 1;
    for (const StackedRow& row : rows) {
        most = std::max(most, metrics.wrapped(row.name, TextRole::Label, width).size());
    }
    return static_cast<double>(most);
}

void layBar(StackedRowsGeometry& g, const StackedRow& row, std::size_t index, const QRectF& bar, double perUnit,
            const std::function<QString(double)>& figure, const TextMetrics& metrics)
{
    double before = 0;
    for (std::size_t i = 0; i < row.parts.size(); ++i) {
        const double value = row.parts[i];
        if (!(value > 0)) {
            continue;
        }
        StackedRowsGeometry::Segment segment;
        segment.row = index;
        segment.category = static_cast<int>(i);
        segment.value = value;
        segment.rect = QRectF(QPointF(bar.left() + before * perUnit, bar.top()),
                              QPointF(bar.left() + (before + value) * perUnit, bar.bottom()));
        const QString text = figure(value);
        if (metrics.width(text, TextRole::Value) + metrics.gap <= segment.rect.width()
            && metrics.height(TextRole::Value) <= bar.height()) {
            segment.inBar = {segment.rect, text, TextRole::Value, Qt::AlignCenter};
        }
        before += value;
        g.segments.push_back(segment);
    }
}

} // namespace

double StackedRow::sum() const
{
    return std::accumulate(parts.begin(), parts.end(), 0.0);
}

const StackedRowsGeometry::Segment* StackedRowsGeometry::segmentAt(const QPointF& point) const
{
    const auto found = std::find_if(segments.begin(), segments.end(),
                                    [&](const Segment& segment) { return segment.rect.contains(point); });
    return found == segments.end() ? nullptr : &*found;
}

StackedRowsGeometry layStackedRows(const std::vector<StackedRow>& rows, const QStringList& names,
                                   const std::function<QString(double)>& figure, double limit, const QRectF& area,
                                   const TextMetrics& metrics)
{
    StackedRowsGeometry g;
    if (rows.empty()) {
        return g;
    }
    const double line = metrics.height(TextRole::Label);
    double longest = limit;
    double widestTotal = 0;
    for (const StackedRow& row : rows) {
        longest = std::max(longest, row.sum());
        widestTotal = std::max(widestTotal, metrics.width(row.total, TextRole::Value));
    }
    const auto used = usedCategories(rows, names);
    const double legendRoom = std::min(area.height() * 0.4, line * LegendLines + metrics.gap);
    // The name stands above its bar, so that bars of differently named rows begin together.
    const double pitch = (area.height() - legendRoom) / static_cast<double>(rows.size());
    const double above = line * nameLines(rows, area.width(), metrics);
    const double barHeight =
        std::clamp(pitch - above - metrics.gap, line * 0.6, std::max(line * TallestBar, pitch * TallestShare));
    const double width = std::max(1.0, area.width() - widestTotal - metrics.gap);
    const double perUnit = longest > 0 ? width / longest : 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double top = area.top() + static_cast<double>(i) * pitch;
        const QRectF bar(area.left(), top + above, width, barHeight);
        g.bars |= bar;
        stackLines(g.names, metrics.wrapped(rows[i].name, TextRole::Label, area.width()),
                   {area.left(), top, area.width(), line}, TextRole::Label, metrics);
        layBar(g, rows[i], i, bar, perUnit, figure, metrics);
        const double end = std::max(rows[i].sum(), limit) * perUnit;
        g.totals.push_back({QRectF(bar.left() + end + metrics.gap / 2, bar.top(), widestTotal + metrics.gap, barHeight),
                            rows[i].total, TextRole::Value, Qt::AlignLeft | Qt::AlignVCenter, rows[i].warns});
    }
    if (limit > 0) {
        const double x = area.left() + limit * perUnit;
        g.limit = QLineF(x, g.bars.top() - metrics.gap / 4, x, g.bars.bottom() + metrics.gap / 4);
    }
    const double below = g.bars.bottom() + metrics.gap;
    g.legend = legendRows(used, QRectF(QPointF(area.left(), below), area.bottomRight()), metrics);
    g.legend.erase(std::remove_if(g.legend.begin(), g.legend.end(),
                                  [&](const LegendEntry& entry) {
                                      return entry.swatch.bottom() > area.bottom() + 0.5
                                          || entry.label.rect.bottom() > area.bottom() + 0.5;
                                  }),
                   g.legend.end());
    return g;
}

double stackedRowsHeight(const std::vector<StackedRow>& rows, double width, const TextMetrics& metrics)
{
    const double line = metrics.height(TextRole::Label);
    return static_cast<double>(rows.size()) * (line * (nameLines(rows, width, metrics) + TallestBar) + metrics.gap)
        + line * LegendLines + metrics.gap;
}

void paintStackedRows(QPainter& painter, const StackedRowsGeometry& geometry, const Theme& theme,
                      const std::function<FillStyle(int)>& style)
{
    for (const Label& name : geometry.names) {
        drawLabel(painter, name, theme);
    }
    for (const StackedRowsGeometry::Segment& segment : geometry.segments) {
        const FillStyle fill = style(segment.category);
        drawArea(painter, segment.rect, fill);
        if (!segment.inBar.empty() && fill.hatch != Hatch::None) {
            QRectF plate(0, 0, segment.rect.width() * 0.8, segment.rect.height() * 0.6);
            plate.moveCenter(segment.rect.center());
            painter.fillRect(plate & segment.rect.adjusted(1, 1, -1, -1), fill.fill);
        }
        drawLabel(painter, segment.inBar, theme, fill.ink);
    }
    if (!geometry.limit.isNull()) {
        drawLine(painter, geometry.limit, theme.bad, 2, Qt::DashLine);
    }
    for (const Label& total : geometry.totals) {
        drawLabel(painter, total, theme);
    }
    for (const LegendEntry& entry : geometry.legend) {
        drawArea(painter, entry.swatch, style(entry.category));
        drawLabel(painter, entry.label, theme);
    }
}

} // namespace partita::ui
