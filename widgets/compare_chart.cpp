// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare_chart.h"

#include "core/base/units.h"
#include "core/compare/comparison_values.h"
#include "widgets/drawing.h"
#include "widgets/figures.h"
#include "widgets/labels.h"
#include "widgets/text.h"

#include <QPainter>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace partita::ui {

namespace {

constexpr double LeastBars = 0.3; // of the width, beside names and values
constexpr double LeastSteps = 0.15; // the same of a waterfall
constexpr double LeastRows = 10; // of a waterfall beside a legend
constexpr double Margin = 0.06; // of the span of a waterfall, on either side
constexpr double LeastSpan = 0.125; // of the higher end: a way so long is shown from zero
constexpr double BarInset = 0.12; // of a row
const auto Right = Qt::AlignRight | Qt::AlignVCenter;

} // namespace

CompareChart::CompareChart(std::vector<ComparedLayout> layouts, ComparedQuantity quantity, std::size_t from,
                           std::size_t to)
    : m_layouts(std::move(layouts))
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

QString CompareChart::categoryName(int category) const
{
    return m_quantity == ComparedQuantity::Memory ? labelText(static_cast<MemoryKind>(category))
                                                  : labelText(static_cast<TimeKind>(category));
}

/// Of the parts of any layout's bar, in their order.
std::vector<std::pair<int, QString>> CompareChart::legendNames() const
{
    std::map<int, QString> names;
    for (const ComparedLayout& layout : m_layouts) {
        for (const Breakdown& part : breakdown(*layout.report)) {
            names[part.category] = categoryName(part.category);
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
    g.limitLabel = {QRectF(std::clamp(g.limit - textWidth, area.left(), std::max(area.left(), area.right() - textWidth)),
                           bottom, textWidth, metrics.height(TextRole::Small)),
                    text, TextRole::Small, Right, true};
    return g.limitLabel.rect.bottom();
}

void CompareChart::placeWaterfall(CompareGeometry& g, const QRectF& area, const TextMetrics& metrics) const
{
    constexpr double around = 4; // heading, both ends, axis
    const double line = metrics.height(TextRole::Label);
    const auto most =
        static_cast<std::size_t>(std::max(0.0, std::floor(area.height() / tightPitch(metrics)) - around));
    const Waterfall whole = waterfall(m_quantity, *m_layouts[m_from].report, *m_layouts[m_to].report);
    if (most < 1) {
        return;
    }
    const Waterfall shown = shortened(withoutSmall(whole, leastShown(m_quantity, whole)), most);
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
    const auto textAt = [&](const QString& text, std::size_t row) {
        return Label{QRectF(area.right() - std::ceil(widestChange), rowAt(row), std::ceil(widestChange), height), text,
                     TextRole::Value, Right};
    };

    const QString change = shown.before == shown.after ? tr("no change") : signedText(shown.after - shown.before);
    g.heading = {QRectF(area.left(), rowAt(0), area.width(), height),
                 metrics.elided(tr("From %1 to %2: %3").arg(QChar(letterOf(m_from)), QChar(letterOf(m_to)), change), TextRole::Value,
                                area.width()),
                 TextRole::Value};
    g.area = QRectF(left, rowAt(1), width, pitch * (rows - 2));
    g.beforeX = xOf(shown.before);
    g.afterX = xOf(shown.after);
    g.before = {nameAt(QChar(letterOf(m_from)), 1), barAt(low, shown.before, 1), textAt(valueText(shown.before), 1)};
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
    g.after = {nameAt(QChar(letterOf(m_to)), last), barAt(low, shown.after, last), textAt(valueText(shown.after), last)};
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
            g.ticks.emplace_back(x, Label{QRectF(at, row.top(), wide, row.height()), text, TextRole::Small, Qt::AlignCenter});
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
    g.legend = legendRows(legendNames(),
                          QRectF(QPointF(area.left(), bottom + metrics.gap / 2), area.bottomRight()), metrics);
    const double waterfallRoom = leads ? LeastRows * tightPitch(metrics) + metrics.gap : 0;
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

double CompareChart::heightAt(double width, const Theme& theme) const
{
    constexpr double boundless = 1e5;
    const CompareGeometry g = geometry(QRectF(0, 0, width, boundless), textMetrics(theme));
    const double axis = g.ticks.empty() ? 0 : g.ticks.back().second.rect.bottom();
    return std::max({minimumSize().height(), axis, g.legend.empty() ? 0 : legendBottom(g.legend)});
}

void CompareChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) const
{
    const CompareGeometry g = geometry(area, textMetrics(theme));
    for (const CompareGeometry::Row& row : g.rows) {
        for (const Label& name : row.name) {
            drawLabel(painter, name, theme);
        }
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
        // Not through names that stand above their bars.
        const bool above = g.rows.front().bar.top() > g.rows.front().whole.top();
        for (std::size_t i = 0; i < g.rows.size(); ++i) {
            const double end = above || i + 1 == g.rows.size() ? g.rows[i].bar.bottom() : g.rows[i + 1].bar.top();
            drawLine(painter, {g.limit, g.rows[i].bar.top(), g.limit, end}, theme.bad, 1.5, Qt::DashLine);
        }
        drawLabel(painter, g.limitLabel, theme);
    }
    drawLabel(painter, g.heading, theme);
    for (const Label& line : g.hint) {
        drawLabel(painter, line, theme);
    }
    if (g.steps.empty()) {
        return;
    }
    for (const auto& [x, label] : g.ticks) {
        drawLine(painter, {x, g.area.top(), x, g.area.bottom()}, theme.grid);
        drawLabel(painter, label, theme);
    }
    for (const CompareGeometry::End& end : {g.before, g.after}) {
        drawLabel(painter, end.name, theme);
        drawArea(painter, end.bar, theme.idleStyle());
        drawLabel(painter, end.value, theme);
    }
    for (const QLineF& link : g.links) {
        drawLine(painter, link, theme.mutedText);
    }
    for (const CompareGeometry::Step& step : g.steps) {
        FillStyle style = step.category >= 0 ? styleOf(step.category, theme) : theme.idleStyle();
        style.footer = false;
        for (const Label& name : step.name) {
            drawLabel(painter, name, theme);
        }
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
                return tr("%1: %2, %3").arg(nameOf(i), categoryName(part.category), toText(formatQuantity(m_quantity, part.value)));
            }
        }
        if (g.rows[i].whole.contains(point)) {
            return nameOf(i);
        }
    }
    for (const CompareGeometry::Step& step : g.steps) {
        if (step.whole.contains(point)) {
            return tr("%1: %2").arg(step.label, step.change.text);
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
        if (g.rows[i].whole.contains(point)) {
            return toText(comparedPath(i, pathOf(m_quantity)));
        }
    }
    for (const CompareGeometry::Step& step : g.steps) {
        if (step.whole.contains(point)) {
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
        const bool same =
            step.category >= 0 ? whole.steps[i].category == step.category : toText(whole.steps[i].label) == step.label;
        if (same) {
            return toText(fmt::format("{}steps[{}].change", at, i));
        }
    }
    return toText(at + "change");
}

QString CompareChart::description() const
{
    if (m_layouts.size() < 2) {
        return m_layouts.empty() ? tr("Nothing is pinned to compare")
                                 : tr("One is pinned; a second is to be compared with it");
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
    if (m_layouts.size() < 2) {
        return table;
    }
    const bool leads = m_from != m_to;
    const QString unit = m_quantity == ComparedQuantity::StepTime ? QStringLiteral("s")
        : m_quantity == ComparedQuantity::Memory                  ? QStringLiteral("bytes")
                                                                  : QStringLiteral("share");
    table.header << tr("term") << tr("unit");
    for (std::size_t i = 0; i < m_layouts.size(); ++i) {
        table.header << nameOf(i);
    }
    if (leads) {
        table.header << tr("%1 to %2").arg(QChar(u'A' + static_cast<int>(m_from))).arg(QChar(u'A' + static_cast<int>(m_to)));
    }
    const Waterfall way = waterfall(m_quantity, *m_layouts[m_from].report, *m_layouts[m_to].report);
    const auto changeOf = [&](int category) {
        const auto step = std::find_if(way.steps.begin(), way.steps.end(),
                                       [category](const WaterfallStep& each) { return each.category == category; });
        return step == way.steps.end() ? 0 : step->change();
    };
    for (const auto& [category, name] : legendNames()) {
        QStringList row{name, unit};
        for (const ComparedLayout& layout : m_layouts) {
            double value = 0;
            for (const Breakdown& part : breakdown(*layout.report)) {
                value = part.category == category ? part.value : value;
            }
            row << exactNumber(value);
        }
        table.rows.push_back(leads ? row << exactNumber(changeOf(category)) : row);
    }
    for (const WaterfallStep& step : way.steps) {
        const bool isPart = step.category >= 0 && m_quantity != ComparedQuantity::Mfu;
        if (leads && !isPart) {
            QStringList row{toText(step.label), unit};
            row.resize(table.header.size() - 1); // no part of any layout's value
            table.rows.push_back(row << exactNumber(step.change()));
        }
    }
    QStringList total{tr("total"), unit};
    for (const ComparedLayout& layout : m_layouts) {
        total << exactNumber(valueOf(m_quantity, *layout.report));
    }
    table.rows.push_back(leads ? total << exactNumber(way.after - way.before) : total);
    return table;
}

} // namespace partita::ui
