// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/table_chart.h"

#include "widgets/drawing.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace partita::ui {

namespace {

double pitchOf(const TextMetrics& metrics)
{
    return metrics.height(TextRole::Label) + metrics.gap / 2;
}

} // namespace

TableChart::TableChart(Name name, ChartTable shown, ChartTable exact)
    : m_name(std::move(name))
    , m_shown(std::move(shown))
    , m_exact(std::move(exact))
{
}

/// As wide as their texts; where that is too much, the widest give way.
std::vector<double> TableChart::columnWidths(double room, const TextMetrics& metrics) const
{
    std::vector<double> widths;
    for (qsizetype column = 0; column < m_shown.header.size(); ++column) {
        double widest = metrics.width(m_shown.header[column], TextRole::Value);
        for (const QStringList& row : m_shown.rows) {
            widest = std::max(widest, metrics.width(row[column], TextRole::Label));
        }
        widths.push_back(std::ceil(widest) + 2 * metrics.gap);
    }
    double over = std::accumulate(widths.begin(), widths.end(), 0.0) - room;
    while (over > 0.5 && !widths.empty()) {
        const auto widest = std::max_element(widths.begin(), widths.end());
        double next = 0;
        for (const double width : widths) {
            next = width < *widest - 0.5 ? std::max(next, width) : next;
        }
        const double cut = std::min(over, *widest - std::max(next, room / static_cast<double>(widths.size())));
        if (cut <= 0) {
            break;
        }
        *widest -= cut;
        over -= cut;
    }
    return widths;
}

std::vector<Label> TableChart::labels(const QRectF& area, const TextMetrics& metrics) const
{
    std::vector<Label> labels;
    const std::vector<double> widths = columnWidths(area.width(), metrics);
    const double pitch = pitchOf(metrics);
    const auto room = static_cast<std::size_t>(std::max(1.0, std::floor(area.height() / pitch)));
    const bool all = m_shown.rows.size() + 1 <= room;
    const std::size_t shown = all ? m_shown.rows.size() : room - std::min<std::size_t>(room, 2);
    const auto place = [&](const QStringList& texts, std::size_t row, TextRole role) {
        double left = area.left();
        for (qsizetype column = 0; column < texts.size(); ++column) {
            const double width = widths[static_cast<std::size_t>(column)];
            const QRectF rect(left, area.top() + static_cast<double>(row) * pitch, width - metrics.gap, pitch);
            labels.push_back({rect, metrics.elided(texts[column], role, rect.width()), role});
            left += width;
        }
    };
    place(m_shown.header, 0, TextRole::Value);
    for (std::size_t row = 0; row < shown; ++row) {
        place(m_shown.rows[row], row + 1, TextRole::Label);
    }
    if (!all) {
        labels.push_back({QRectF(area.left(), area.top() + static_cast<double>(shown + 1) * pitch, area.width(), pitch),
                          tr("… %1 more").arg(m_shown.rows.size() - shown), TextRole::Muted});
    }
    return labels;
}

void TableChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) const
{
    const TextMetrics metrics = textMetrics(theme);
    for (const Label& label : labels(area, metrics)) {
        drawLabel(painter, label, theme);
    }
    const double below = area.top() + pitchOf(metrics) - 1;
    drawLine(painter, {area.left(), below, area.right(), below}, theme.border);
}

/// What is elided in the picture.
QString TableChart::textAt(const QPointF& point, const QRectF& area, const Theme& theme) const
{
    const TextMetrics metrics = textMetrics(theme);
    const std::vector<Label> placed = labels(area, metrics);
    const auto columns = static_cast<std::size_t>(m_shown.header.size());
    for (std::size_t i = columns; i < placed.size(); ++i) {
        const std::size_t row = i / columns - 1;
        if (placed[i].rect.contains(point) && row < m_shown.rows.size()) {
            return m_shown.rows[row][static_cast<qsizetype>(i % columns)];
        }
    }
    return {};
}

double TableChart::heightAt(double /*width*/, const Theme& theme) const
{
    return static_cast<double>(m_shown.rows.size() + 1) * pitchOf(textMetrics(theme));
}

} // namespace partita::ui
