// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/table_chart.h"

#include "widgets/drawing.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace partita::ui {

namespace {

constexpr qsizetype mostLines = 3; ///< of a cell, before the longest column moves below the rows
constexpr int bisections = 30;
constexpr double mostGap = 6; ///< gaps that columns stand further apart where there is room
constexpr double mostSpread = 0.8; ///< of a line, the same of rows
constexpr double mostGrowth = 2;
constexpr double growthStep = 0.1;
constexpr double boundless = 1e6; ///< px

} // namespace

TableChart::TableChart(Name name, ChartTable shown, ChartTable exact)
    : m_name(std::move(name))
    , m_shown(std::move(shown))
    , m_exact(std::move(exact))
{
}

/// As wide as their texts; where that is too much, the widest give way, at first no further than to their longest
/// words.
std::vector<double> TableChart::columnWidths(double room, double gap, std::optional<qsizetype> below,
                                             const TextMetrics& metrics) const
{
    const auto columns = static_cast<std::size_t>(m_shown.header.size());
    std::vector<double> whole(columns, 0.0);
    std::vector<double> least(columns, 0.0);
    double gaps = 0;
    for (std::size_t i = 0; i < columns; ++i) {
        const auto column = static_cast<qsizetype>(i);
        if (below == column) {
            continue;
        }
        const auto widen = [&](const QString& text, TextRole role) {
            whole[i] = std::max(whole[i], std::ceil(metrics.width(text, role)) + 1);
            least[i] = std::max(least[i], std::ceil(metrics.widestWord(text, role)) + 1);
        };
        widen(m_shown.header[column], TextRole::Value);
        for (const QStringList& row : m_shown.rows) {
            widen(row[column], TextRole::Label);
        }
        gaps += gap;
    }
    const auto atMost = [&](double most) {
        std::vector<double> widths;
        for (std::size_t i = 0; i < columns; ++i) {
            widths.push_back(std::max(least[i], std::min(whole[i], most)));
        }
        return widths;
    };
    const auto total = [&](const std::vector<double>& widths) {
        return std::accumulate(widths.begin(), widths.end(), gaps);
    };
    double low = 0;
    double high = room;
    std::vector<double> widths = whole;
    if (total(whole) > room) {
        for (int i = 0; i < bisections; ++i) {
            const double middle = (low + high) / 2;
            (total(atMost(middle)) > room ? high : low) = middle;
        }
        widths = atMost(low);
    }
    const double shrink = total(widths) > room + 0.5 ? std::max(0.0, room - gaps) / (total(widths) - gaps) : 1;
    for (double& width : widths) {
        width = width > 0 ? width * shrink + gap : 0;
    }
    return widths;
}

std::vector<QStringList> TableChart::linesOf(const QStringList& row, TextRole role, const Columns& columns,
                                             const TextMetrics& metrics) const
{
    std::vector<QStringList> lines;
    for (qsizetype i = 0; i < row.size(); ++i) {
        lines.push_back(columns.below == i
                            ? QStringList()
                            : metrics.wrapped(row[i], role, columns.widths[static_cast<std::size_t>(i)] - columns.gap));
    }
    return lines;
}

TableChart::Columns TableChart::columnsIn(double room, const TextMetrics& metrics) const
{
    Columns columns;
    columns.gap = 2 * metrics.gap;
    columns.widths = columnWidths(room, columns.gap, {}, metrics);
    const auto highest = [&] {
        qsizetype lines = 0;
        for (const QStringList& row : m_shown.rows) {
            for (const QStringList& cell : linesOf(row, TextRole::Label, columns, metrics)) {
                lines = std::max(lines, cell.size());
            }
        }
        return lines;
    };
    if (highest() < 2) {
        const double spare = room - std::accumulate(columns.widths.begin(), columns.widths.end(), 0.0);
        const auto between = static_cast<double>(std::max<std::size_t>(2, columns.widths.size()) - 1);
        const double more = std::clamp(spare / between, 0.0, mostGap * metrics.gap);
        columns.gap += more;
        for (double& width : columns.widths) {
            width += more;
        }
        return columns;
    }
    columns.gap = metrics.gap;
    columns.widths = columnWidths(room, columns.gap, {}, metrics);
    if (m_shown.header.size() > 2 && highest() > mostLines) {
        qsizetype longest = 0;
        double widest = 0;
        for (qsizetype i = 0; i < m_shown.header.size(); ++i) {
            for (const QStringList& row : m_shown.rows) {
                const double width = metrics.width(row[i], TextRole::Label);
                longest = width > widest ? i : longest;
                widest = std::max(widest, width);
            }
        }
        columns.below = longest;
        columns.widths = columnWidths(room, columns.gap, columns.below, metrics);
    }
    return columns;
}

/// Rows as far apart as the room lets them be.
TableGeometry TableChart::geometry(const QRectF& area, const TextMetrics& metrics) const
{
    const double usual = metrics.gap / 2;
    TableGeometry tight = placed(area, usual, metrics);
    const double most = mostSpread * metrics.height(TextRole::Label);
    const double more = std::min((area.bottom() - tight.bottom) / static_cast<double>(m_shown.rows.size() + 1), most);
    return more > 1 ? placed(area, usual + std::floor(more), metrics) : tight;
}

/// between: px from row to row.
TableGeometry TableChart::placed(const QRectF& area, double between, const TextMetrics& metrics) const
{
    TableGeometry g;
    const Columns columns = columnsIn(area.width(), metrics);
    const double line = metrics.height(TextRole::Label);
    double top = area.top();
    // Places the row, or nothing where it would end below the bottom.
    const auto place = [&](qsizetype row, double bottom) {
        const QStringList& texts = row < 0 ? m_shown.header : m_shown.rows[static_cast<std::size_t>(row)];
        const TextRole role = row < 0 ? TextRole::Value : TextRole::Label;
        const std::vector<QStringList> lines = linesOf(texts, role, columns, metrics);
        qsizetype most = 1;
        for (const QStringList& cell : lines) {
            most = std::max(most, cell.size());
        }
        const bool hasBelow = columns.below && row >= 0;
        const QStringList below = hasBelow
            ? metrics.wrapped(tr("%1: %2").arg(m_shown.header[*columns.below], texts[*columns.below]), TextRole::Muted,
                              area.width() - metrics.gap)
            : QStringList();
        const double beside = top + std::max(metrics.height(role), line) * static_cast<double>(most);
        const double end = beside + metrics.height(TextRole::Muted) * static_cast<double>(below.size());
        if (end > bottom + 0.5) {
            return false;
        }
        double left = area.left();
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const auto column = static_cast<qsizetype>(i);
            const QRectF rect = columns.below == column
                ? QRectF(area.left() + metrics.gap, beside, area.width() - metrics.gap, end - beside)
                : QRectF(left, top, columns.widths[i] - columns.gap, beside - top);
            stackLines(g.labels, columns.below == column ? below : lines[i], rect,
                       columns.below == column ? TextRole::Muted : role, metrics);
            g.cells.push_back({rect, row, column});
            left += columns.widths[i];
        }
        top = end + between;
        return true;
    };
    place(-1, boundless);
    g.rule = top - between / 2;
    const auto rows = static_cast<qsizetype>(m_shown.rows.size());
    const double note = metrics.height(TextRole::Muted);
    for (qsizetype row = 0; row < rows; ++row) {
        const bool last = row + 1 == rows;
        if (!place(row, last ? area.bottom() : area.bottom() - note - between)) {
            g.labels.push_back(
                {QRectF(area.left(), top, area.width(), note), tr("and %1 more").arg(rows - row), TextRole::Muted});
            top += note + between;
            break;
        }
    }
    g.bottom = top - between;
    return g;
}

void TableChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) const
{
    const TableGeometry g = geometry(area, textMetrics(theme));
    for (const Label& label : g.labels) {
        drawLabel(painter, label, theme);
    }
    drawLine(painter, {area.left(), g.rule, area.right(), g.rule}, theme.border);
}

/// The whole of a cell, as where it is broken over lines.
QString TableChart::textAt(const QPointF& point, const QRectF& area, const Theme& theme) const
{
    const TableGeometry g = geometry(area, textMetrics(theme));
    const auto cell = std::find_if(g.cells.begin(), g.cells.end(), [&](const TableGeometry::Cell& each) {
        return each.row >= 0 && each.rect.contains(point);
    });
    return cell == g.cells.end() ? QString() : m_shown.rows[static_cast<std::size_t>(cell->row)][cell->column];
}

double TableChart::heightAt(double width, const Theme& theme) const
{
    const TextMetrics metrics = textMetrics(theme);
    return placed(QRectF(0, 0, width, boundless), metrics.gap / 2, metrics).bottom;
}

double TableChart::growthIn(const QSizeF& room, const Theme& theme) const
{
    const auto lines = [&](double growth) {
        Theme grown = theme;
        grown.scale *= growth;
        return std::pair{heightAt(room.width(), grown), textMetrics(grown).height(TextRole::Label)};
    };
    const auto [height, line] = lines(1);
    double growth = 1;
    for (double next = 1 + growthStep; next < mostGrowth + growthStep / 2; next += growthStep) {
        const auto [taken, higher] = lines(next);
        const bool breaksMore = taken > height * higher / line * 1.05;
        if (taken > room.height() || breaksMore) {
            break;
        }
        growth = next;
    }
    return growth;
}

} // namespace partita::ui
