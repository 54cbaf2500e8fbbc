// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/memory_chart.h"

#include "widgets/drawing.h"
#include "widgets/figures.h"
#include "widgets/labels.h"
#include "widgets/text.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace partita::ui {

namespace {

constexpr double tooLowForAll = 8; // lines: below, bars and a part of the legend say more than the legend alone

std::vector<std::pair<int, QString>> usedKinds(const std::vector<MemoryBreakdown>& stages)
{
    std::vector<std::pair<int, QString>> names;
    for (const Name<MemoryKind>& name : Names<MemoryKind>::table) {
        const auto holds = [&](const MemoryBreakdown& stage) { return stage[name.value] > 0; };
        if (std::any_of(stages.begin(), stages.end(), holds)) {
            names.emplace_back(static_cast<int>(name.value), labelText(name.value));
        }
    }
    return names;
}

double highest(const std::vector<MemoryBreakdown>& stages)
{
    double peak = 0;
    for (const MemoryBreakdown& stage : stages) {
        peak = std::max(peak, stage.total());
    }
    return peak;
}

void stackBars(MemoryGeometry& g, const std::vector<MemoryBreakdown>& stages, double limit)
{
    const double column = g.plot.width() / static_cast<double>(stages.size());
    const double width = std::min({std::max(1.0, column * (column > 12 ? 0.64 : 0.8)), 72.0, column});
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const double left = g.plot.left() + column * (static_cast<double>(i) + 0.5) - width / 2;
        double below = 0;
        for (const Name<MemoryKind>& name : Names<MemoryKind>::table) {
            const double bytes = stages[i][name.value];
            if (!(bytes > 0)) {
                continue;
            }
            MemoryGeometry::Segment segment;
            segment.stage = static_cast<int>(i);
            segment.kind = name.value;
            segment.bytes = bytes;
            segment.rect = QRectF(QPointF(left, g.yOf(below + bytes)), QPointF(left + width, g.yOf(below)));
            if (limit > 0 && below + bytes > limit) {
                segment.over = QRectF(segment.rect.topLeft(), QPointF(left + width, g.yOf(std::max(below, limit))));
            }
            below += bytes;
            g.segments.push_back(segment);
        }
        g.bars.emplace_back(QPointF(left, g.yOf(below)), QPointF(left + width, g.plot.bottom()));
    }
}

/// Every n-th column may carry a label this wide, n a power of two.
int labelStride(double column, double labelWidth)
{
    int stride = 1;
    while (column * stride < labelWidth && stride < 1 << 16) {
        stride *= 2;
    }
    return stride;
}

void nameStages(MemoryGeometry& g, const std::vector<MemoryBreakdown>& stages, double limit, bool named,
                const TextMetrics& metrics)
{
    const double column = g.plot.width() / static_cast<double>(stages.size());
    double widestName = 0;
    double widestTotal = 0;
    const QString last = QString::number(stages.size() - 1);
    widestName = metrics.width(MemoryChart::tr("stage %1").arg(last), TextRole::Label) + metrics.gap;
    for (const MemoryBreakdown& stage : stages) {
        widestTotal = std::max(widestTotal, metrics.width(gibText(stage.total()), TextRole::Value) + metrics.gap / 2);
    }
    const bool inWords = widestName <= column;
    const int stride = inWords ? 1 : labelStride(column, metrics.width(last, TextRole::Label) + metrics.gap);
    const bool showTotals = widestTotal <= column;
    const auto peak = std::max_element(stages.begin(), stages.end(),
                                       [](const auto& a, const auto& b) { return a.total() < b.total(); });
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const double center = g.bars[i].center().x();
        if (static_cast<int>(i) % stride == 0) {
            const QString number = QString::number(i);
            Label name{QRectF(center - column * stride / 2, g.plot.bottom() + metrics.gap / 2, column * stride,
                              metrics.height(TextRole::Label)),
                       inWords ? MemoryChart::tr("stage %1").arg(number) : number, TextRole::Label, Qt::AlignCenter};
            g.stageNames.push_back(name);
        }
        const double total = stages[i].total();
        if (showTotals || &stages[i] == &*peak) {
            const double width = metrics.width(gibText(total), TextRole::Value);
            const double height = metrics.height(TextRole::Value);
            const double left =
                std::clamp(center - width / 2, g.plot.left(), std::max(g.plot.left(), g.plot.right() - width));
            g.totals.push_back({QRectF(left, g.bars[i].top() - height - 1, width, height), gibText(total),
                                TextRole::Value, Qt::AlignCenter, limit > 0 && total > limit});
        }
    }
    if (!inWords && named) { // the numbers alone do not say what they count
        const QString axis = MemoryChart::tr("pipeline stage");
        const double height = metrics.height(TextRole::Muted);
        g.stageNames.push_back(
            {QRectF(g.plot.left(), g.plot.bottom() + metrics.gap / 2 + height, g.plot.width(), height), axis,
             TextRole::Muted, Qt::AlignCenter});
    }
}

void drawScale(MemoryGeometry& g, double left, const TextMetrics& metrics)
{
    const double height = metrics.height(TextRole::Muted);
    const auto ticks = niceTicks(0, g.top / gibibyte, std::max(2, static_cast<int>(g.plot.height() / (height * 1.7))));
    const int decimals = tickDecimals(ticks);
    for (const double tick : ticks) {
        const double y = g.yOf(tick * gibibyte);
        g.gridLines.emplace_back(g.plot.left(), y, g.plot.right(), y);
        if (y - height / 2 < g.unit.rect.bottom()) {
            continue;
        }
        g.ticks.push_back({QRectF(left, y - height / 2, g.plot.left() - metrics.gap * 0.75 - left, height),
                           numberText(tick, decimals), TextRole::Muted, Qt::AlignRight | Qt::AlignVCenter});
    }
}

/// The limit's line and its text right of the plot, in one row or two; where the text lies.
QRectF placeLimit(MemoryGeometry& g, double limit, const QStringList& rows, double width, const QRectF& area,
                  const TextMetrics& metrics)
{
    g.limitText.clear();
    if (limit <= 0) {
        return {};
    }
    const double line = metrics.height(TextRole::Label);
    const double y = g.yOf(limit);
    g.limit = QLineF(g.plot.left(), y, g.plot.right(), y);
    const double height = line * static_cast<double>(rows.size());
    const double top = std::clamp(y - height / 2, area.top(), std::max(area.top(), area.bottom() - height));
    const QRectF rect(g.plot.right() + metrics.gap / 2, top, width, height);
    for (qsizetype i = 0; i < rows.size(); ++i) {
        g.limitText.push_back({QRectF(rect.left(), rect.top() + line * static_cast<double>(i), width, line), rows[i],
                               TextRole::Label, Qt::AlignLeft | Qt::AlignVCenter, true});
    }
    return rect;
}

} // namespace

int MemoryGeometry::stageAt(const QPointF& point) const
{
    if (bars.empty() || !plot.adjusted(0, -40, 0, 40).contains(point) || point.x() < plot.left()) {
        return -1;
    }
    const auto stage = static_cast<int>((point.x() - plot.left()) / plot.width() * static_cast<double>(bars.size()));
    return std::clamp(stage, 0, static_cast<int>(bars.size()) - 1);
}

const MemoryGeometry::Segment* MemoryGeometry::segmentAt(const QPointF& point) const
{
    for (const Segment& segment : segments) {
        if (segment.rect.contains(point)) {
            return &segment;
        }
    }
    return nullptr;
}

MemoryChart::MemoryChart(const Report& report)
    : m_limit(report.memoryLimit)
{
    for (const StageReport& stage : report.stages) {
        m_stages.push_back(stage.memory);
    }
}

MemoryGeometry MemoryChart::geometry(const QRectF& area, const TextMetrics& metrics) const
{
    MemoryGeometry g;
    if (m_stages.empty()) {
        return g;
    }
    const double line = metrics.height(TextRole::Label);
    const auto names = usedKinds(m_stages);
    const double peak = std::max(highest(m_stages), m_limit);
    g.top = (peak > 0 ? peak : gibibyte) * 1.02;
    const double axis =
        std::max(metrics.width(QStringLiteral("GiB"), TextRole::Muted),
                 metrics.width(numberText(g.top / gibibyte, g.top > 10 * gibibyte ? 0 : 1), TextRole::Muted))
        + metrics.gap;
    const QString limitNumber = gibText(m_limit);
    const QString limitWord = tr("usable");
    const QString limitLine = limitNumber + u' ' + limitWord;
    const auto limitWidth = [&](bool oneLine) {
        return m_limit <= 0 ? 0
            : oneLine       ? std::ceil(metrics.width(limitLine, TextRole::Label)) + 1
                            : std::ceil(std::max(metrics.width(limitNumber, TextRole::Label),
                                                 metrics.width(limitWord, TextRole::Label)))
                + 1;
    };
    const bool isShort = area.height() < 14 * line;
    const double bars = 12.0 * static_cast<double>(m_stages.size());
    const double least = std::max(isShort ? 110.0 : 220.0, bars); // width of the plot; low ones rather lose width
    const double head = metrics.height(TextRole::Value) + (isShort ? 2 : line); // the highest total, the unit's line
    const auto layOut = [&](int legendColumns) { // 0 = below
        const bool beside = legendColumns > 0;
        const double legend = beside ? legendWidth(names, metrics, legendColumns) : 0;
        const double right = std::max(legend, limitWidth(beside));
        double bottom = line + metrics.gap / 2;
        g.plot = QRectF(area.left() + axis, area.top() + head,
                        area.width() - axis - right - metrics.gap * (right > 0 ? 1.5 : 0), 0);
        const double column = g.plot.width() / static_cast<double>(m_stages.size());
        if (metrics.width(tr("stage %1").arg(m_stages.size() - 1), TextRole::Label) + metrics.gap > column
            && !isShort) {
            bottom += line;
        }
        g.legend.clear();
        if (!beside) {
            g.legend = legendRows(names, area, metrics, isShort);
            if (area.height() < tooLowForAll * line) {
                shortenLegend(g.legend, area.bottom() - head - bottom - 3 * line, area.right(), metrics);
            }
            const double height = legendBottom(g.legend) - area.top();
            for (LegendEntry& entry : g.legend) {
                const double down = area.height() - height;
                entry.swatch.translate(0, down);
                entry.label.rect.translate(0, down);
            }
            bottom += height + metrics.gap / (isShort ? 2 : 1);
        }
        g.plot.setHeight(std::max(8.0, area.height() - head - bottom));
        const QRectF limitRect =
            placeLimit(g, m_limit, beside ? QStringList{limitLine} : QStringList{limitNumber, limitWord},
                       limitWidth(beside), area, metrics);
        if (beside) {
            std::vector<std::pair<int, QString>> downwards(names.rbegin(), names.rend()); // as the bars stack
            const QRectF tall(QPointF(area.right() - legend, area.top() + (isShort ? 0 : head)),
                              QPointF(area.right(), isShort ? area.bottom() : g.plot.bottom() + line));
            g.legend = legendColumn(downwards, tall, limitRect, metrics, legendColumns);
        }
        return g.legend.size() == names.size() && (!beside || g.plot.width() >= least);
    };
    if (!layOut(1) && !layOut(2)) {
        layOut(0);
    }
    g.unit = {QRectF(area.left(), area.top(), axis - metrics.gap * 0.75, line), QStringLiteral("GiB"), TextRole::Muted,
              Qt::AlignRight | Qt::AlignVCenter};
    drawScale(g, area.left(), metrics);
    stackBars(g, m_stages, m_limit);
    nameStages(g, m_stages, m_limit, !isShort, metrics);
    return g;
}

void MemoryChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) const
{
    const MemoryGeometry g = geometry(area, textMetrics(theme));
    for (const QLineF& line : g.gridLines) {
        drawLine(painter, line, theme.grid);
    }
    for (const MemoryGeometry::Segment& segment : g.segments) {
        drawArea(painter, segment.rect, theme.categoryStyle(segment.kind));
    }
    for (const MemoryGeometry::Segment& segment : g.segments) {
        if (!segment.over.isEmpty()) {
            FillStyle style = theme.categoryStyle(segment.kind);
            style.fill = mix(style.fill, theme.card, 0.5);
            style.hatch = Hatch::None;
            drawArea(painter, segment.over, style);
            drawHatch(painter, segment.over, Hatch::Rising, theme.bad, 6);
        }
    }
    if (!g.segments.empty()) {
        for (const QRectF& bar : g.bars) {
            const QRectF over(bar.topLeft(), QPointF(bar.right(), g.limit.y1()));
            if (!g.limitText.empty() && over.height() > 0) {
                drawFrame(painter, over, theme.bad, bar.width() > 8 ? 2 : 1);
            }
        }
    }
    drawLine(painter, {g.plot.bottomLeft(), g.plot.bottomRight()}, theme.mutedText);
    if (!g.limitText.empty()) {
        drawLine(painter, g.limit, theme.bad, 1.5, Qt::DashLine);
    }
    for (const Label& total : g.totals) {
        if (!g.limitText.empty() && total.rect.top() < g.limit.y1() + 2 && total.rect.bottom() > g.limit.y1() - 2) {
            painter.fillRect(total.rect.adjusted(-2, 1, 2, -1),
                             theme.card); // the limit line does not strike it through
        }
    }
    for (const std::vector<Label>* labels : {&g.ticks, &g.stageNames, &g.totals, &g.limitText}) {
        for (const Label& label : *labels) {
            drawLabel(painter, label, theme);
        }
    }
    drawLabel(painter, g.unit, theme);
    for (const LegendEntry& entry : g.legend) {
        if (entry.category != LegendRest) {
            drawArea(painter, entry.swatch, theme.categoryStyle(static_cast<MemoryKind>(entry.category)));
        }
        drawLabel(painter, entry.label, theme);
    }
}

QString MemoryChart::valueAt(const QPointF& point, const QRectF& area, const Theme& theme) const
{
    const MemoryGeometry g = geometry(area, textMetrics(theme));
    const int stage = g.stageAt(point);
    if (stage < 0) {
        return {};
    }
    const MemoryGeometry::Segment* segment = g.segmentAt(point);
    return QStringLiteral("memory.stages[%1].%2")
        .arg(stage)
        .arg(segment != nullptr ? toText(keyOf(segment->kind)) : QStringLiteral("total"));
}

QString MemoryChart::textAt(const QPointF& point, const QRectF& area, const Theme& theme) const
{
    const MemoryGeometry g = geometry(area, textMetrics(theme));
    if (const QString rest = legendRestAt(point, g.legend, usedKinds(m_stages)); !rest.isEmpty()) {
        return rest;
    }
    const int stage = g.stageAt(point);
    if (stage < 0) {
        return {};
    }
    const double total = m_stages[static_cast<std::size_t>(stage)].total();
    QString text = tr("stage %1: %2").arg(QString::number(stage), bytesText(total));
    if (const MemoryGeometry::Segment* segment = g.segmentAt(point)) {
        text += u'\n'
            + tr("%1: %2 (%3)")
                  .arg(labelText(segment->kind), bytesText(segment->bytes), percentText(segment->bytes / total));
    }
    if (m_limit > 0) {
        text += u'\n'
            + (total > m_limit ? tr("lacks %1").arg(bytesText(total - m_limit))
                               : tr("%1 free").arg(bytesText(m_limit - total)));
    }
    return text;
}

QString MemoryChart::description() const
{
    if (m_stages.empty()) {
        return tr("No layout to show");
    }
    const auto peak = std::max_element(m_stages.begin(), m_stages.end(),
                                       [](const auto& a, const auto& b) { return a.total() < b.total(); });
    const QString stage = QString::number(peak - m_stages.begin());
    return m_limit > 0
        ? tr("Peak memory %1 on stage %2, limit %3").arg(bytesText(peak->total()), stage, bytesText(m_limit))
        : tr("Peak memory %1 on stage %2").arg(bytesText(peak->total()), stage);
}

ChartTable MemoryChart::table() const
{
    ChartTable table;
    table.header << tr("stage");
    for (const Name<MemoryKind>& name : Names<MemoryKind>::table) {
        table.header << tr("%1 (bytes)").arg(labelText(name.value));
    }
    table.header << tr("total (bytes)") << tr("limit (bytes)");
    for (std::size_t i = 0; i < m_stages.size(); ++i) {
        QStringList row{QString::number(i)};
        for (const double bytes : m_stages[i].bytes) {
            row << exactNumber(bytes);
        }
        row << exactNumber(m_stages[i].total()) << exactNumber(m_limit);
        table.rows.push_back(row);
    }
    return table;
}

} // namespace partita::ui
