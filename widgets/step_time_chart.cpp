// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/step_time_chart.h"

#include "widgets/drawing.h"
#include "widgets/figures.h"
#include "widgets/labels.h"
#include "widgets/text.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace partita::ui {

namespace {

const auto Right = Qt::AlignRight | Qt::AlignVCenter;

/// Figures of one column, as every other place writes them.
struct Figures {
    std::vector<QString> parts;
    QString total;
    double width = 0;
};

Figures figuresOf(const std::vector<double>& values, double total, QString (*text)(double), const TextMetrics& metrics)
{
    Figures figures{{}, text(total), 0};
    figures.width = std::ceil(metrics.width(figures.total, TextRole::Value));
    for (const double value : values) {
        figures.parts.push_back(text(value));
        figures.width = std::max(figures.width, std::ceil(metrics.width(figures.parts.back(), TextRole::Label)));
    }
    return figures;
}

void layBar(StepTimeGeometry& g, double total, const TextMetrics& metrics)
{
    double before = 0;
    for (StepTimeGeometry::Part& part : g.parts) {
        const double left = g.bar.left() + before / total * g.bar.width();
        before += part.seconds;
        const double right = std::min(g.bar.right(), g.bar.left() + before / total * g.bar.width());
        part.rect = QRectF(QPointF(left, g.bar.top()), QPointF(right, g.bar.bottom()));
        const QString share = wholePercentText(part.seconds / total);
        if (metrics.width(share, TextRole::Value) + metrics.gap <= part.rect.width()) {
            part.inBar = {part.rect, share, TextRole::Value, Qt::AlignCenter};
        }
    }
}

} // namespace

const StepTimeGeometry::Part* StepTimeGeometry::partAt(const QPointF& point) const
{
    for (const Part& part : parts) {
        const QRectF row = part.swatch | part.name.rect | part.time.rect | part.share.rect;
        if (part.rect.contains(point) || row.contains(point)) {
            return &part;
        }
    }
    return nullptr;
}

QString StepTimeChart::title() const
{
    return tr("Where the step goes — %1").arg(timeText(m_time.total()));
}

double StepTimeChart::heightAt(double width, const Theme& theme) const
{
    constexpr double boundless = 1e5;
    const StepTimeGeometry g = geometry(QRectF(0, 0, width, boundless), textMetrics(theme));
    return g.total.empty() ? preferredSize().height() : g.total.back().rect.bottom();
}

StepTimeGeometry StepTimeChart::geometry(const QRectF& area, const TextMetrics& metrics) const
{
    StepTimeGeometry g;
    const double total = m_time.total();
    std::vector<double> seconds;
    for (const Name<TimeKind>& name : Names<TimeKind>::table) {
        if (m_time[name.value] > 0) {
            seconds.push_back(m_time[name.value]);
            g.parts.emplace_back();
            g.parts.back().kind = name.value;
            g.parts.back().seconds = m_time[name.value];
        }
    }
    if (g.parts.empty()) {
        return g;
    }
    const double line = metrics.height(TextRole::Label);
    g.bar = QRectF(area.left(), area.top(), area.width(), std::clamp(area.height() * 0.17, line, line * 2.6));
    layBar(g, total, metrics);

    std::vector<double> ofTotal;
    std::transform(seconds.begin(), seconds.end(), std::back_inserter(ofTotal),
                   [total](double value) { return value / total; });
    const Figures times = figuresOf(seconds, total, timeText, metrics);
    const Figures shares = figuresOf(ofTotal, 1, percentText, metrics);
    double widestName = 0;
    for (const StepTimeGeometry::Part& part : g.parts) {
        widestName = std::max(widestName, metrics.width(labelText(part.kind), TextRole::Label));
    }
    const double size = std::round(line * 0.8);
    const double indent = size + metrics.gap * 0.75;
    const double named = indent + std::ceil(widestName) + 1;

    const QRectF room(QPointF(area.left(), g.bar.bottom() + metrics.gap * (area.height() > 10 * line ? 1.25 : 0.5)),
                      area.bottomRight());
    const int rows = static_cast<int>(g.parts.size()) + 1;
    const double between = 2 * metrics.gap;
    const double complete = named + times.width + shares.width + metrics.gap * 2;
    const bool twoComplete = room.width() >= 2 * complete + between;
    const double least = twoComplete ? line : tightPitch(metrics); // better tight than without the shares
    const int columns = rows * least > room.height() + 1e-6 ? 2 : 1;
    const int perColumn = (rows + columns - 1) / columns;
    const double pitch = std::min(room.height() / perColumn, line + metrics.gap * 0.75);
    const double height = std::min(line, pitch);
    // Where two columns are narrow, the figures move together, then the shares go: the bar shows the large ones.
    const double most = columns == 2 ? (room.width() - between) / 2 : room.width();
    const double apart = complete + metrics.gap * 2 <= most ? metrics.gap * 2 : metrics.gap;
    const bool showsShares = columns == 1 || twoComplete;
    const double figuresWidth = times.width + apart + (showsShares ? shares.width + apart : 0);
    const double width = columns == 2 ? most : std::min(most, named + figuresWidth + 12 * metrics.gap);
    const double nameRoom = std::max(0.0, width - indent - figuresWidth);

    const auto cell = [&](int row, double from, double w) {
        const double left = room.left() + (row / perColumn) * (width + between);
        return QRectF(left + from, room.top() + (row % perColumn) * pitch, w, height);
    };
    const double timeLeft = width - times.width - (showsShares ? shares.width + apart : 0);
    const double swatch = std::round(height * 0.8);
    for (std::size_t i = 0; i < g.parts.size(); ++i) {
        StepTimeGeometry::Part& part = g.parts[i];
        const int row = static_cast<int>(i);
        const QRectF first = cell(row, 0, swatch);
        part.swatch = QRectF(first.left(), first.center().y() - swatch / 2, swatch, swatch);
        part.name = {cell(row, indent, nameRoom), metrics.elided(labelText(part.kind), TextRole::Label, nameRoom)};
        part.time = {cell(row, timeLeft, times.width), times.parts[i], TextRole::Label, Right};
        if (showsShares) {
            part.share = {cell(row, width - shares.width, shares.width), shares.parts[i], TextRole::Muted, Right};
        }
    }
    const int row = rows - 1;
    g.total.push_back({cell(row, indent, nameRoom), tr("step"), TextRole::Value});
    g.total.push_back({cell(row, timeLeft, times.width), times.total, TextRole::Value, Right});
    if (showsShares) {
        g.total.push_back({cell(row, width - shares.width, shares.width), shares.total, TextRole::Muted, Right});
    }
    const double y = std::round(cell(row, 0, 0).top() - (pitch - height) / 2);
    g.rule = QLineF(cell(row, 0, 0).left(), y, cell(row, width, 0).left(), y);
    return g;
}

void StepTimeChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) const
{
    const StepTimeGeometry g = geometry(area, textMetrics(theme));
    for (const StepTimeGeometry::Part& part : g.parts) {
        const FillStyle style = theme.categoryStyle(part.kind);
        drawArea(painter, part.rect, style);
        drawArea(painter, part.swatch, style);
        if (!part.inBar.empty() && style.hatch != Hatch::None) { // lines through figures would make them hard to read
            const double width =
                QFontMetricsF(theme.fontOf(part.inBar.role)).horizontalAdvance(part.inBar.text) + theme.gap();
            QRectF plate(0, 0, width, part.rect.height() * 0.55);
            plate.moveCenter(part.rect.center());
            painter.fillRect(plate & part.rect.adjusted(1, 1, -1, -1), style.fill);
        }
        drawLabel(painter, part.inBar, theme, style.ink);
        drawLabel(painter, part.name, theme);
        drawLabel(painter, part.time, theme);
        drawLabel(painter, part.share, theme);
    }
    if (!g.total.empty()) {
        drawLine(painter, g.rule, theme.border);
    }
    for (const Label& label : g.total) {
        drawLabel(painter, label, theme);
    }
}

QString StepTimeChart::valueAt(const QPointF& point, const QRectF& area, const Theme& theme) const
{
    const StepTimeGeometry g = geometry(area, textMetrics(theme));
    const StepTimeGeometry::Part* part = g.partAt(point);
    return part ? QStringLiteral("time.parts.%1").arg(toText(keyOf(part->kind))) : QString();
}

QString StepTimeChart::textAt(const QPointF& point, const QRectF& area, const Theme& theme) const
{
    const StepTimeGeometry g = geometry(area, textMetrics(theme));
    const StepTimeGeometry::Part* part = g.partAt(point);
    return part ? tr("%1: %2, %3 of the step")
                      .arg(labelText(part->kind), timeText(part->seconds), percentText(part->seconds / m_time.total()))
                : QString();
}

QString StepTimeChart::description() const
{
    const double total = m_time.total();
    if (!(total > 0)) {
        return tr("No step to show");
    }
    const auto largest = std::max_element(m_time.seconds.begin(), m_time.seconds.end());
    const auto kind = static_cast<TimeKind>(largest - m_time.seconds.begin());
    return tr("The step takes %1; the largest part is %2 with %3")
        .arg(timeText(total), labelText(kind), percentText(*largest / total));
}

ChartTable StepTimeChart::table() const
{
    ChartTable table;
    table.header << tr("part") << tr("time (s)") << tr("share");
    const double total = m_time.total();
    const auto append = [&](const QString& name, double seconds) {
        table.rows.push_back({name, exactNumber(seconds), exactNumber(total > 0 ? seconds / total : 0)});
    };
    for (const Name<TimeKind>& name : Names<TimeKind>::table) {
        append(labelText(name.value), m_time[name.value]);
    }
    append(tr("step"), total);
    return table;
}

} // namespace partita::ui
