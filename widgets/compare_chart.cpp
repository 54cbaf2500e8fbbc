// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare_chart.h"

#include "core/compare/comparison_values.h"
#include "widgets/drawing.h"
#include "widgets/labels.h"
#include "widgets/text.h"

#include <QPainter>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace partita::ui {

namespace {

constexpr double NameShare = 0.34; // of the width, at most
constexpr double LeastRows = 10; // of a waterfall beside a legend
constexpr double Margin = 0.06; // of the span of a waterfall, on either side
const auto Right = Qt::AlignRight | Qt::AlignVCenter;

} // namespace

CompareChart::CompareChart(std::vector<ComparedLayout> layouts, std::vector<ComparisonRow> rows,
                           ComparedQuantity quantity, std::size_t from, std::size_t to)
    : m_layouts(std::move(layouts))
    , m_rows(std::move(rows))
    , m_quantity(quantity)
    , m_from(from)
    , m_to(to)
{
}

QString CompareChart::id() const
{
    const auto letter = [](std::size_t layout) { return QChar(letterOf(layout)).toLower(); };
    const QString id = QStringLiteral("compare-%1").arg(toText(keyOf(m_quantity)));
    return m_layouts.size() < 2 ? id : id + u'-' + letter(m_from) + letter(m_to);
}

QString CompareChart::title() const
{
    const QString title = m_layouts.size() < 2 ? tr("Compare") : tr("Compare %1").arg(labelText(m_quantity));
    return m_layouts.size() < 3
        ? title
        : tr("%1, %2 to %3").arg(title, QChar(letterOf(m_from)), QChar(letterOf(m_to)));
}

QString CompareChart::nameOf(std::size_t layout) const
{
    return QStringLiteral("%1  %2").arg(QChar(letterOf(layout))).arg(toText(m_layouts[layout].name));
}

QString CompareChart::signedText(double change) const
{
    return toText(formatChange(m_quantity, change));
}

std::vector<CompareChart::Breakdown> CompareChart::breakdown(const Report& report) const
{
    std::vector<Breakdown> parts;
    const auto add = [&](int category, double value) {
        if (value > 0) {
            parts.push_back({category, value});
        }
    };
    if (m_quantity == ComparedQuantity::StepTime) {
        for (const Name<TimeKind>& name : Names<TimeKind>::table) {
            add(static_cast<int>(name.value), report.time[name.value]);
        }
    } else if (m_quantity == ComparedQuantity::Memory) {
        for (const Name<MemoryKind>& name : Names<MemoryKind>::table) {
            add(static_cast<int>(name.value),
                report.stages[static_cast<std::size_t>(report.peakStage)].memory[name.value]);
        }
    }
    return parts;
}

/// Of the parts of any layout's bar, in their order.
std::vector<std::pair<int, QString>> CompareChart::legendNames() const
{
    std::map<int, QString> names;
    for (const ComparedLayout& layout : m_layouts) {
        for (const Breakdown& part : breakdown(*layout.report)) {
            names[part.category] = m_quantity == ComparedQuantity::Memory
                ? labelText(static_cast<MemoryKind>(part.category))
                : labelText(static_cast<TimeKind>(part.category));
        }
    }
    return {names.begin(), names.end()};
}

FillStyle CompareChart::styleOf(int category, const Theme& theme) const
{
    return m_quantity == ComparedQuantity::Memory ? theme.categoryStyle(static_cast<MemoryKind>(category))
                                                  : theme.categoryStyle(static_cast<TimeKind>(category));
}

/// One row a layout, all on one axis from zero; returns where they end.
double CompareChart::placeRows(CompareGeometry& g, const QRectF& area, const TextMetrics& metrics) const
{
    const double line = metrics.height(TextRole::Label);
    const double pitch = std::min(line + metrics.gap, area.height() / 2 / static_cast<double>(m_layouts.size()));
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
    const double names = std::min(std::ceil(widestName), area.width() * NameShare);
    const double left = area.left() + names + metrics.gap;
    const double width = std::max(8.0, area.right() - std::ceil(widestValue) - metrics.gap - left);
    for (std::size_t i = 0; i < m_layouts.size(); ++i) {
        const double value = valueOf(m_quantity, *m_layouts[i].report);
        const double top = area.top() + static_cast<double>(i) * pitch;
        const double height = std::min(line, pitch);
        CompareGeometry::Row row;
        row.name = {QRectF(area.left(), top, names, height), metrics.elided(nameOf(i), TextRole::Label, names)};
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
    g.limitLabel = {QRectF(std::clamp(g.limit - textWidth, area.left(), std::max(area.left(), area.right() - textWidth)),
                           bottom, textWidth, metrics.height(TextRole::Small)),
                    text, TextRole::Small, Right, true};
    return g.limitLabel.rect.bottom();
}

void CompareChart::placeWaterfall(CompareGeometry& g, const QRectF& area, const TextMetrics& metrics) const
{
    const double line = metrics.height(TextRole::Label);
    const auto most = static_cast<std::size_t>(std::max(0.0, std::floor(area.height() / tightPitch(metrics)) - 3));
    const Waterfall whole = waterfall(m_quantity, *m_layouts[m_from].report, *m_layouts[m_to].report);
    if (most < 1) {
        return;
    }
    const Waterfall shown = shortened(whole, most);
    const double rows = static_cast<double>(shown.steps.size()) + 3;
    const double pitch = std::min(line + metrics.gap / 2, area.height() / rows);
    const double height = std::min(line, pitch);
    double low = std::min(shown.before, shown.after);
    double high = std::max(shown.before, shown.after);
    double widest = metrics.width(tr("others"), TextRole::Label);
    double widestChange = 0;
    for (const WaterfallStep& step : shown.steps) {
        low = std::min(low, step.to);
        high = std::max(high, step.to);
        widest = std::max(widest, metrics.width(toText(step.label), TextRole::Label));
        widestChange = std::max(widestChange, metrics.width(signedText(step.change()), TextRole::Value));
    }
    const double span = high > low ? high - low : 1;
    low -= span * Margin;
    high += span * Margin;
    const double names = std::min(std::ceil(widest), area.width() * NameShare);
    const double left = area.left() + names + metrics.gap;
    const double width = std::max(8.0, area.right() - std::ceil(widestChange) - metrics.gap - left);
    const auto xOf = [&](double value) { return left + (value - low) / (high - low) * width; };
    const auto rowAt = [&](std::size_t row) { return area.top() + static_cast<double>(row) * pitch; };

    const QString change = shown.before == shown.after ? tr("no change") : signedText(shown.after - shown.before);
    g.heading = {QRectF(area.left(), rowAt(0), area.width(), height),
                 metrics.elided(tr("From %1 to %2: %3")
                                    .arg(QChar(letterOf(m_from)))
                                    .arg(QChar(letterOf(m_to)))
                                    .arg(change),
                                TextRole::Value, area.width()),
                 TextRole::Value};
    g.area = QRectF(left, rowAt(1), width, pitch * (rows - 1));
    g.beforeX = xOf(shown.before);
    g.afterX = xOf(shown.after);
    const auto end = [&](std::size_t layout, std::size_t row) {
        return Label{
            QRectF(area.left(), rowAt(row), area.width(), height),
            metrics.elided(QStringLiteral("%1  %2")
                               .arg(QChar(letterOf(layout)))
                               .arg(toText(formatQuantity(m_quantity, valueOf(m_quantity, *m_layouts[layout].report)))),
                           TextRole::Label, area.width()),
            TextRole::Label};
    };
    g.before = end(m_from, 1);
    for (std::size_t i = 0; i < shown.steps.size(); ++i) {
        const WaterfallStep& step = shown.steps[i];
        const double top = rowAt(i + 2);
        const double from = xOf(std::min(step.from, step.to));
        const double to = xOf(std::max(step.from, step.to));
        CompareGeometry::Step placed;
        placed.name = {QRectF(area.left(), top, names, height),
                       metrics.elided(toText(step.label), TextRole::Label, names)};
        placed.bar = QRectF(from, top + height * 0.12, std::max(1.0, to - from), height * 0.76);
        placed.grows = step.change() > 0;
        placed.category = step.category;
        placed.change = {QRectF(area.right() - std::ceil(widestChange), top, std::ceil(widestChange), height),
                         signedText(step.change()), TextRole::Value, Right};
        g.links.emplace_back(xOf(step.to), placed.bar.bottom(), xOf(step.to), rowAt(i + 3) + height * 0.12);
        g.steps.push_back(std::move(placed));
    }
    g.after = end(m_to, shown.steps.size() + 2);
}

CompareGeometry CompareChart::geometry(const QRectF& area, const TextMetrics& metrics) const
{
    CompareGeometry g;
    if (m_layouts.empty()) {
        g.heading = {QRectF(area.left(), area.top(), area.width(), metrics.height(TextRole::Label)),
                     metrics.elided(tr("Pin a scenario, change something, and see here what differs."), TextRole::Label,
                                    area.width()),
                     TextRole::Muted};
        return g;
    }
    double bottom = placeRows(g, area, metrics);
    const bool leads = m_layouts.size() > 1 && m_from != m_to;
    g.legend = legendRows(legendNames(),
                          QRectF(QPointF(area.left(), bottom + metrics.gap / 2), area.bottomRight()), metrics);
    const double waterfallRoom = leads ? LeastRows * tightPitch(metrics) + metrics.gap : 0;
    if (!g.legend.empty() && legendBottom(g.legend) + waterfallRoom > area.bottom()) {
        g.legend.clear();
    }
    bottom = g.legend.empty() ? bottom : legendBottom(g.legend);
    if (leads) {
        placeWaterfall(g, QRectF(QPointF(area.left(), bottom + metrics.gap), area.bottomRight()), metrics);
    }
    return g;
}

double CompareChart::heightAt(double width, const Theme& theme) const
{
    constexpr double boundless = 1e5;
    const CompareGeometry g = geometry(QRectF(0, 0, width, boundless), textMetrics(theme));
    return std::max({minimumSize().height(), g.after.rect.bottom(), g.legend.empty() ? 0 : legendBottom(g.legend)});
}

void CompareChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) const
{
    const CompareGeometry g = geometry(area, textMetrics(theme));
    for (const CompareGeometry::Row& row : g.rows) {
        drawLabel(painter, row.name, theme);
        if (row.parts.empty()) {
            drawArea(painter, row.bar, theme.categoryStyle(TimeKind::Gemm));
        }
        for (const CompareGeometry::Part& part : row.parts) {
            drawArea(painter, part.rect, styleOf(part.category, theme));
        }
        drawLabel(painter, row.value, theme);
    }
    for (const LegendEntry& entry : g.legend) {
        drawArea(painter, entry.swatch, styleOf(entry.category, theme));
        drawLabel(painter, entry.label, theme);
    }
    if (g.limit >= 0 && !g.rows.empty()) {
        drawLine(painter, {g.limit, g.rows.front().bar.top(), g.limit, g.rows.back().bar.bottom()}, theme.bad, 1.5,
                 Qt::DashLine);
        drawLabel(painter, g.limitLabel, theme);
    }
    drawLabel(painter, g.heading, theme);
    if (g.steps.empty()) {
        return;
    }
    for (const double x : {g.beforeX, g.afterX}) {
        drawLine(painter, {x, g.area.top(), x, g.area.bottom()}, theme.grid);
    }
    drawLabel(painter, g.before, theme);
    drawLabel(painter, g.after, theme);
    for (const QLineF& link : g.links) {
        drawLine(painter, link, theme.mutedText);
    }
    for (const CompareGeometry::Step& step : g.steps) {
        FillStyle style = step.category >= 0 ? styleOf(step.category, theme) : theme.idleStyle();
        style.footer = false;
        drawLabel(painter, step.name, theme);
        drawArea(painter, step.bar, style);
        // Better or worse: a lower time, less memory and a higher MFU are better.
        const bool better = step.grows == (m_quantity == ComparedQuantity::Mfu);
        drawLabel(painter, step.change, theme, better ? theme.good : theme.bad);
    }
}

QString CompareChart::textAt(const QPointF& point, const QRectF& area, const Theme& theme) const
{
    const CompareGeometry g = geometry(area, textMetrics(theme));
    for (std::size_t i = 0; i < g.rows.size(); ++i) {
        for (const CompareGeometry::Part& part : g.rows[i].parts) {
            if (part.rect.contains(point)) {
                const QString kind = m_quantity == ComparedQuantity::Memory
                    ? labelText(static_cast<MemoryKind>(part.category))
                    : labelText(static_cast<TimeKind>(part.category));
                return tr("%1: %2, %3").arg(nameOf(i), kind, toText(formatQuantity(m_quantity, part.value)));
            }
        }
        if (g.rows[i].bar.contains(point) || g.rows[i].name.rect.contains(point)) {
            return nameOf(i);
        }
    }
    for (const CompareGeometry::Step& step : g.steps) {
        if (QRectF(area.left(), step.name.rect.top(), area.width(), step.name.rect.height()).contains(point)) {
            return tr("%1: %2").arg(step.name.text, step.change.text);
        }
    }
    return {};
}

/// As explainComparison() names it.
QString CompareChart::valueAt(const QPointF& point, const QRectF& area, const Theme& theme) const
{
    const CompareGeometry g = geometry(area, textMetrics(theme));
    for (std::size_t i = 0; i < g.rows.size(); ++i) {
        const Report& report = *m_layouts[i].report;
        for (const CompareGeometry::Part& part : g.rows[i].parts) {
            if (part.rect.contains(point)) {
                return toText(comparedPath(i, partPath(m_quantity, part.category, report)));
            }
        }
        if (g.rows[i].bar.contains(point) || g.rows[i].name.rect.contains(point)
            || g.rows[i].value.rect.contains(point)) {
            return toText(comparedPath(i, pathOf(m_quantity)));
        }
    }
    for (const CompareGeometry::Step& step : g.steps) {
        if (QRectF(area.left(), step.name.rect.top(), area.width(), step.name.rect.height()).contains(point)) {
            return stepPath(step);
        }
    }
    return {};
}

/// Steps that are shown together lead to the whole change.
QString CompareChart::stepPath(const CompareGeometry::Step& step) const
{
    const std::string at = waterfallPath(m_from, m_to, m_quantity);
    const Waterfall whole = waterfall(m_quantity, *m_layouts[m_from].report, *m_layouts[m_to].report);
    for (std::size_t i = 0; i < whole.steps.size(); ++i) {
        const bool same = step.category >= 0 ? whole.steps[i].category == step.category
                                             : toText(whole.steps[i].label) == step.name.text;
        if (same) {
            return toText(fmt::format("{}steps[{}].change", at, i));
        }
    }
    return toText(at + "change");
}

QString CompareChart::description() const
{
    if (m_layouts.size() < 2) {
        return tr("Fewer than two scenarios to compare");
    }
    const double before = valueOf(m_quantity, *m_layouts[m_from].report);
    const double after = valueOf(m_quantity, *m_layouts[m_to].report);
    return tr("%1 of %2: %3; of %4: %5; %6")
        .arg(labelText(m_quantity), nameOf(m_from), toText(formatQuantity(m_quantity, before)), nameOf(m_to),
             toText(formatQuantity(m_quantity, after)), signedText(after - before));
}

ChartTable CompareChart::table() const
{
    ChartTable table;
    table.header << tr("what differs");
    for (std::size_t i = 0; i < m_layouts.size(); ++i) {
        table.header << nameOf(i);
    }
    for (const ComparisonRow& row : m_rows) {
        QStringList cells{toText(row.label)};
        for (const std::string& value : row.values) {
            cells << (value.empty() ? QStringLiteral("–") : toText(value));
        }
        table.rows.push_back(std::move(cells));
    }
    if (m_layouts.size() > 1 && m_from != m_to) {
        appendWaterfall(table);
    }
    return table;
}

/// In a column of its own: where the way begins, what each term adds, where it ends.
void CompareChart::appendWaterfall(ChartTable& table) const
{
    const Waterfall way = waterfall(m_quantity, *m_layouts[m_from].report, *m_layouts[m_to].report);
    const QString unit = m_quantity == ComparedQuantity::StepTime ? tr("s")
        : m_quantity == ComparedQuantity::Memory                  ? tr("bytes")
                                                                  : tr("share");
    const QChar from(letterOf(m_from));
    const QChar to(letterOf(m_to));
    table.header << tr("%1 from %2 to %3 (%4)").arg(labelText(m_quantity), from, to, unit);
    for (QStringList& row : table.rows) {
        row << QString();
    }
    const auto append = [&](const QString& name, double value) {
        QStringList row{name};
        row.resize(table.header.size() - 1);
        table.rows.push_back(row << exactNumber(value));
    };
    append(tr("before, %1").arg(from), way.before);
    for (const WaterfallStep& step : way.steps) {
        append(toText(step.label), step.change());
    }
    append(tr("after, %1").arg(to), way.after);
}

} // namespace partita::ui
