// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heatmap_chart.h"

#include "widgets/drawing.h"
#include "widgets/figures.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace partita::ui {

namespace {

constexpr Hatch beyondHatch = Hatch::Falling; // out of memory rises
constexpr double largestCorner = 9; // px
constexpr double lowCell = 24; // px: lower ones have no room inside for more than their number
constexpr int RampSteps = 48; // rectangles, not a gradient: the same in every format

QString shortfallText(double bytes)
{
    return numberText(bytes / gibibyte, bytes < 9.95 * gibibyte ? 1 : 0) + QChar(0x00A0) + QStringLiteral("GiB");
}

/// Smaller in low cells, which are filled by their numbers.
void drawCorner(QPainter& painter, const QRectF& cell, const QColor& color)
{
    const double side = std::min({largestCorner, cell.height() * 0.6, std::max(cell.width() / 6, 6.0)});
    const QPointF corner = cell.topRight();
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.drawPolygon(QPolygonF{corner + QPointF(-side, 0), corner, corner + QPointF(0, side)});
    painter.setRenderHint(QPainter::Antialiasing, false);
}

/// In low cells on the gap around them, since their numbers reach up to their edges.
void drawRing(QPainter& painter, const QRectF& rect, const QRectF& area, const QColor& ring, const QColor& halo)
{
    if (rect.height() < lowCell) {
        drawFrame(painter, rect.adjusted(-2.5, -2.5, 2.5, 2.5) & area, ring, 2.5);
        drawFrame(painter, rect, halo, 1);
        return;
    }
    drawFrame(painter, rect.adjusted(-1, -1, 1, 1), ring, 2.5);
    drawFrame(painter, rect.adjusted(1.5, 1.5, -1.5, -1.5), halo, 1.5);
}

void drawCursor(QPainter& painter, const QRectF& rect, const QColor& color)
{
    const double inset = rect.height() < lowCell ? 0 : 3;
    drawFrame(painter, rect.adjusted(inset, inset, -inset, -inset), color, inset > 0 ? 2 : 1.5);
}

} // namespace

HeatmapChart::HeatmapChart(HeatmapData data)
    : m_data(std::move(data))
{
    m_data.cells.resize(static_cast<std::size_t>(m_data.columns() * m_data.rows()));
    if (m_data.current && !m_data.holds(*m_data.current)) {
        m_data.current.reset();
    }
}

QString HeatmapChart::title() const
{
    if (m_data.quantity.isEmpty()) {
        return tr("Heatmap");
    }
    const QString axes = tr("%1 over %2 × %3").arg(m_data.quantity, m_data.yLabel, m_data.xLabel);
    return m_data.rest.isEmpty() ? axes : tr("%1, %2").arg(axes, m_data.rest);
}

QSizeF HeatmapChart::preferredSize() const
{
    return {std::clamp(200 + 84.0 * m_data.columns(), 480.0, 1200.0),
            std::clamp(80 + 42.0 * m_data.rows(), 240.0, 900.0)};
}

QString HeatmapChart::valueText(double value) const
{
    switch (m_data.format) {
    case HeatmapFormat::Percent:
        return wholePercentText(value);
    case HeatmapFormat::Seconds:
        return timeText(value);
    case HeatmapFormat::Bytes:
        return bytesText(value);
    case HeatmapFormat::Number:
        return numberText(value, std::abs(value) >= 100 ? 0 : 1);
    }
    return {};
}

QString HeatmapChart::cellText(const HeatmapCell& cell, CellText text) const
{
    const bool number = text == CellText::Number;
    const auto shown = [&](const QString& whole) { return number ? whole.section(QChar(0x00A0), 0, 0) : whole; };
    if (text == CellText::None) {
        return {};
    }
    switch (cell.state) {
    case HeatmapCell::State::Value:
        return shown(valueText(cell.value));
    case HeatmapCell::State::OutOfMemory:
        return text == CellText::Words ? tr("lacks %1").arg(shortfallText(cell.shortfall))
                                       : QChar(0x2212) + shown(shortfallText(cell.shortfall));
    case HeatmapCell::State::Pending:
    case HeatmapCell::State::Illegal:
        return {};
    }
    return {};
}

std::pair<double, double> HeatmapChart::valueRange() const
{
    if (m_data.range) {
        return *m_data.range;
    }
    double low = 0;
    double high = 0;
    bool any = false;
    for (const HeatmapCell& cell : m_data.cells) {
        if (cell.state == HeatmapCell::State::Value) {
            low = any ? std::min(low, cell.value) : cell.value;
            high = any ? std::max(high, cell.value) : cell.value;
            any = true;
        }
    }
    return any ? std::pair{low, high} : std::pair{0.0, 1.0};
}

std::optional<HeatmapCellIndex> HeatmapChart::best() const
{
    std::optional<HeatmapCellIndex> found;
    for (int y = 0; y < m_data.rows(); ++y) {
        for (int x = 0; x < m_data.columns(); ++x) {
            const HeatmapCell& cell = m_data.at({x, y});
            if (cell.state != HeatmapCell::State::Value) {
                continue;
            }
            const HeatmapCell* first = found ? &m_data.at(*found) : nullptr;
            const bool offered = cell.beyond.isEmpty();
            const bool better = first == nullptr || (offered && !first->beyond.isEmpty())
                || (offered == first->beyond.isEmpty()
                    && (m_data.lowIsGood ? cell.value < first->value : cell.value > first->value));
            if (better) {
                found = HeatmapCellIndex{x, y};
            }
        }
    }
    return found;
}

void HeatmapChart::paintCell(QPainter& painter, const HeatmapGeometry::Cell& cell, const Theme& theme) const
{
    switch (m_data.at(cell.index).state) {
    case HeatmapCell::State::Value: {
        const QColor fill = theme.rampColor(cell.share);
        painter.fillRect(cell.rect, fill);
        if (!m_data.at(cell.index).beyond.isEmpty()) {
            drawHatch(painter, cell.rect, beyondHatch, mix(fill, inkOn(fill), 0.55), 6);
            if (!cell.label.empty()) { // the number stays clear of the lines
                QRectF plate(0, 0, textMetrics(theme).width(cell.label.text, cell.label.role) + theme.gap() / 2,
                             theme.gap() * 1.8);
                plate.moveCenter(cell.rect.center());
                painter.fillRect(plate & cell.rect, fill);
            }
        }
        drawLabel(painter, cell.label, theme, inkOn(fill));
        return;
    }
    case HeatmapCell::State::OutOfMemory: {
        const FillStyle style = theme.outOfMemoryStyle();
        drawFrame(painter, cell.rect, style.edge, 1);
        painter.fillRect(cell.rect.adjusted(1, 1, -1, -1), style.fill);
        drawHatch(painter, cell.rect.adjusted(1, 1, -1, -1), style.hatch, style.edge, 7);
        if (!cell.label.empty()) {
            QRectF plate(0, 0, textMetrics(theme).width(cell.label.text, cell.label.role) + theme.gap(),
                         theme.gap() * 1.9);
            plate.moveCenter(cell.rect.center());
            painter.fillRect(plate & cell.rect.adjusted(1, 1, -1, -1), style.fill);
            drawLabel(painter, cell.label, theme, style.ink);
        }
        return;
    }
    case HeatmapCell::State::Illegal:
        drawLine(painter, {cell.rect.center() - QPointF(4, 0), cell.rect.center() + QPointF(4, 0)},
                 mix(theme.mutedText, theme.border, 0.5));
        return;
    case HeatmapCell::State::Pending:
        painter.fillRect(cell.rect, theme.pendingStyle().fill);
        painter.fillRect(QRectF(cell.rect.center() - QPointF(1.5, 1.5), QSizeF(3, 3)), theme.mutedText);
        return;
    }
}

void HeatmapChart::paintLegend(QPainter& painter, const HeatmapGeometry& g, const Theme& theme) const
{
    for (int step = 0; step < RampSteps; ++step) {
        const double share = (step + 0.5) / RampSteps;
        const double length = (g.rampUpright ? g.ramp.height() : g.ramp.width()) / RampSteps;
        const QRectF part = g.rampUpright
            ? QRectF(g.ramp.left(), g.ramp.bottom() - (step + 1) * length, g.ramp.width(), length)
            : QRectF(g.ramp.left() + step * length, g.ramp.top(), length, g.ramp.height());
        painter.fillRect(part, theme.rampColor(share));
    }
    for (const Label& label : g.rampLabels) {
        drawLabel(painter, label, theme);
    }
    for (const LegendEntry& entry : g.legend) {
        if (entry.category == HeatmapBestEntry) {
            drawFrame(painter, entry.swatch, theme.border, 1);
            drawCorner(painter, entry.swatch, theme.text);
        } else if (entry.category == HeatmapCurrentEntry) {
            drawFrame(painter, entry.swatch, theme.text, 2.5);
        } else if (entry.category == HeatmapBeyondEntry) {
            const QColor fill = theme.rampColor(0.7);
            painter.fillRect(entry.swatch, fill);
            drawHatch(painter, entry.swatch, beyondHatch, mix(fill, inkOn(fill), 0.55), 4);
        }
        switch (static_cast<HeatmapCell::State>(entry.category)) {
        case HeatmapCell::State::OutOfMemory:
            drawArea(painter, entry.swatch, theme.outOfMemoryStyle());
            break;
        case HeatmapCell::State::Illegal:
            drawLine(painter, {entry.swatch.center() - QPointF(4, 0), entry.swatch.center() + QPointF(4, 0)},
                     theme.mutedText);
            break;
        case HeatmapCell::State::Pending:
            drawArea(painter, entry.swatch, theme.pendingStyle());
            painter.fillRect(QRectF(entry.swatch.center() - QPointF(1.5, 1.5), QSizeF(3, 3)), theme.mutedText);
            break;
        case HeatmapCell::State::Value:
            break;
        }
        drawLabel(painter, entry.label, theme);
    }
}

void HeatmapChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) const
{
    const HeatmapGeometry g = geometry(area, textMetrics(theme));
    if (g.cells.empty()) {
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (const HeatmapGeometry::Cell& cell : g.cells) {
        paintCell(painter, cell, theme);
    }
    for (const HeatmapGeometry::Cell& cell : g.cells) {
        if (cell.index == m_data.current) {
            drawRing(painter, cell.rect, area, theme.text, theme.card);
        }
        if (cell.index == g.best) { // a star would need a glyph: a corner needs none
            drawCorner(painter, cell.rect, inkOn(theme.rampColor(cell.share)));
        }
        if (cell.index == cursor) {
            drawCursor(painter, cell.rect, theme.accent);
        }
    }
    for (const std::vector<Label>* labels : {&g.names, &g.axes}) {
        for (const Label& label : *labels) {
            drawLabel(painter, label, theme);
        }
    }
    paintLegend(painter, g, theme);
}

QString HeatmapChart::figureText(double value) const
{
    return m_data.format == HeatmapFormat::Percent ? percentText(value) : valueText(value);
}

QString HeatmapChart::currentText(HeatmapCellIndex at) const
{
    if (!m_data.current) {
        return {};
    }
    const bool here = at == m_data.current;
    if (here && !m_data.currentIsOther) {
        return tr("the current layout");
    }
    QStringList lines;
    if (here) {
        lines << (m_data.currentValue
                      ? tr("the current layout's place; it has %1").arg(figureText(*m_data.currentValue))
                      : tr("the current layout's place"));
    }
    const HeatmapCell& cell = m_data.at(at);
    const HeatmapCell& current = m_data.at(*m_data.current);
    const bool known =
        m_data.currentIsOther ? m_data.currentValue.has_value() : current.state == HeatmapCell::State::Value;
    if (known && cell.state == HeatmapCell::State::Value) {
        const double change = cell.value - (m_data.currentIsOther ? *m_data.currentValue : current.value);
        const double size = std::abs(change);
        const QString text =
            m_data.format == HeatmapFormat::Percent ? tr("%1 points").arg(numberText(size * 100, 1)) : valueText(size);
        lines
            << tr("%1 against the current layout").arg((change < 0 ? QStringLiteral("−") : QStringLiteral("+")) + text);
    }
    return lines.join(u'\n');
}

QString HeatmapChart::cellText(HeatmapCellIndex at) const
{
    const HeatmapCell& cell = m_data.at(at);
    QString text = m_data.ys[at.y] + QStringLiteral(", ") + m_data.xs[at.x] + QStringLiteral(": ");
    switch (cell.state) {
    case HeatmapCell::State::Value:
        text += m_data.quantity + u' ' + figureText(cell.value);
        break;
    case HeatmapCell::State::OutOfMemory:
        text += cell.stage < 0 ? tr("out of memory, %1").arg(cellText(cell, CellText::Words))
                               : tr("out of memory, stage %1 %2").arg(cell.stage).arg(cellText(cell, CellText::Words));
        break;
    case HeatmapCell::State::Illegal:
        text += tr("not legal");
        break;
    case HeatmapCell::State::Pending:
        text += tr("not computed yet");
        break;
    }
    for (const QString& more : {cell.reason, cell.beyond}) {
        text += more.isEmpty() ? QString() : u'\n' + more;
    }
    const QString against = currentText(at);
    text += against.isEmpty() ? QString() : u'\n' + against;
    if (at == best()) {
        text += u'\n' + tr("the best of this plane");
    }
    return text;
}

QString HeatmapChart::textAt(const QPointF& point, const QRectF& area, const Theme& theme) const
{
    const auto at = geometry(area, textMetrics(theme)).cellAt(point);
    return at ? cellText(*at) : QString();
}

QString HeatmapChart::description() const
{
    const auto found = best();
    QString text =
        found ? tr("Best %1").arg(cellText(*found).section(u'\n', 0, 0)) : tr("No layout of this plane fits");
    if (m_data.current) {
        text += QStringLiteral(". ") + tr("Current %1").arg(cellText(*m_data.current).section(u'\n', 0, 0));
    }
    return text;
}

ChartTable HeatmapChart::table() const
{
    ChartTable table;
    table.header << m_data.yLabel << m_data.xLabel << tr("state") << m_data.quantity << tr("lacks (bytes)")
                 << tr("reason") << tr("beyond the stack");
    for (int y = 0; y < m_data.rows(); ++y) {
        for (int x = 0; x < m_data.columns(); ++x) {
            const HeatmapCell& cell = m_data.at({x, y});
            const bool value = cell.state == HeatmapCell::State::Value;
            const bool lacks = cell.state == HeatmapCell::State::OutOfMemory;
            const QString state = value                     ? tr("fits")
                : lacks                                     ? tr("out of memory")
                : cell.state == HeatmapCell::State::Illegal ? tr("not legal")
                                                            : tr("not computed");
            table.rows.push_back({m_data.ys[y], m_data.xs[x], state, value ? exactNumber(cell.value) : QString(),
                                  lacks ? exactNumber(cell.shortfall) : QString(), cell.reason, cell.beyond});
        }
    }
    return table;
}

} // namespace partita::ui
