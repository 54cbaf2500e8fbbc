// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare_chart.h"

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

/// A gap in a bar whose beginning is left out.
void drawCut(QPainter& painter, const QLineF& cut, const Theme& theme)
{
    constexpr double gap = 5; // px
    drawLine(painter, cut, theme.card, gap);
    for (const double side : {-gap / 2, gap / 2}) {
        drawLine(painter, cut.translated(side, 0), theme.mutedText);
    }
}

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
    if (!m_id.isEmpty()) {
        return m_id;
    }
    const auto letter = [](std::size_t layout) { return QChar(letterOf(layout)).toLower(); };
    const QString id = QStringLiteral("compare-%1").arg(toText(keyOf(m_quantity)));
    return m_layouts.size() < 2 ? id : id + u'-' + letter(m_from) + letter(m_to);
}

QString CompareChart::title() const
{
    if (!m_title.isEmpty()) {
        return m_title;
    }
    const QString title = m_layouts.size() < 2 ? tr("Compare") : tr("Compare %1").arg(labelText(m_quantity));
    return m_layouts.size() < 3 ? title : tr("%1, %2 to %3").arg(title, QChar(letterOf(m_from)), QChar(letterOf(m_to)));
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
        if (!end.cut.isNull()) {
            drawCut(painter, end.cut, theme);
        }
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
                return tr("%1: %2, %3")
                    .arg(nameOf(i), categoryName(part.category), toText(formatQuantity(m_quantity, part.value)));
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
        table.header
            << tr("%1 to %2").arg(QChar(u'A' + static_cast<int>(m_from))).arg(QChar(u'A' + static_cast<int>(m_to)));
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
