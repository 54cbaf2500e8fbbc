// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/geometry.h"

#include <QFontMetricsF>

#include <array>
#include <cmath>

namespace partita::ui {

namespace {

void appendFamily(std::vector<QLineF>& lines, const QRectF& rect, double spacing, QPointF direction)
{
    // Lines through all points p with normal . p = n * spacing * |normal|.
    const QPointF normal(-direction.y(), direction.x());
    const double step = spacing * std::hypot(normal.x(), normal.y());
    double low = 1e300;
    double high = -1e300;
    for (const QPointF corner : {rect.topLeft(), rect.topRight(), rect.bottomLeft(), rect.bottomRight()}) {
        low = std::min(low, QPointF::dotProduct(normal, corner));
        high = std::max(high, QPointF::dotProduct(normal, corner));
    }
    const double reach = rect.width() + rect.height();
    for (double n = std::floor(low / step) + 0.5; n * step < high; ++n) {
        const double offset = n * step / QPointF::dotProduct(normal, normal);
        const QPointF foot = normal * offset;
        const double along =
            QPointF::dotProduct(rect.center() - foot, direction) / QPointF::dotProduct(direction, direction);
        const QPointF middle = foot + direction * along;
        if (const auto line = clipLine({middle - direction * reach, middle + direction * reach}, rect)) {
            lines.push_back(*line);
        }
    }
}

LegendEntry legendEntry(int category, const QString& name, QPointF topLeft, double room, const TextMetrics& metrics)
{
    const double height = metrics.height(TextRole::Label);
    const double size = std::round(height * 0.8);
    const double indent = size + metrics.gap * 0.75;
    LegendEntry entry;
    entry.category = category;
    entry.swatch = QRectF(topLeft.x(), topLeft.y() + (height - size) / 2, size, size);
    entry.label.text = metrics.elided(name, TextRole::Label, room - indent);
    entry.label.rect = QRectF(topLeft.x() + indent, topLeft.y(), std::max(0.0, room - indent), height);
    return entry;
}

} // namespace

QString TextMetrics::elided(const QString& text, TextRole role, double room) const
{
    if (width(text, role) <= room) {
        return text;
    }
    for (qsizetype length = text.size() - 1; length > 0; --length) {
        const QString cut = text.left(length).trimmed() + QChar(0x2026);
        if (width(cut, role) <= room) {
            return cut;
        }
    }
    return {};
}

TextMetrics textMetrics(const Theme& theme)
{
    return {[theme](const QString& text, TextRole role) {
                return QFontMetricsF(theme.fontOf(role)).horizontalAdvance(text);
            },
            [theme](TextRole role) { return std::ceil(QFontMetricsF(theme.fontOf(role)).height()); }, theme.gap()};
}

std::optional<QLineF> clipLine(const QLineF& line, const QRectF& rect)
{
    double from = 0;
    double to = 1;
    const std::array<double, 4> p{-line.dx(), line.dx(), -line.dy(), line.dy()};
    const std::array<double, 4> q{line.x1() - rect.left(), rect.right() - line.x1(), line.y1() - rect.top(),
                                  rect.bottom() - line.y1()};
    for (std::size_t side = 0; side < p.size(); ++side) {
        if (p[side] == 0) {
            if (q[side] < 0) {
                return std::nullopt;
            }
            continue;
        }
        const double at = q[side] / p[side];
        if (p[side] < 0) {
            from = std::max(from, at);
        } else {
            to = std::min(to, at);
        }
    }
    if (from > to) {
        return std::nullopt;
    }
    return QLineF(line.pointAt(from), line.pointAt(to));
}

std::vector<QLineF> hatchLines(const QRectF& rect, Hatch hatch, double spacing)
{
    std::vector<QLineF> lines;
    if (rect.isEmpty() || !(spacing > 0)) {
        return lines;
    }
    if (hatch == Hatch::Rising || hatch == Hatch::Cross) {
        appendFamily(lines, rect, spacing, {1, -1});
    }
    if (hatch == Hatch::Falling || hatch == Hatch::Cross) {
        appendFamily(lines, rect, spacing, {1, 1});
    }
    if (hatch == Hatch::Level) {
        appendFamily(lines, rect, spacing, {1, 0});
    }
    if (hatch == Hatch::Upright) {
        appendFamily(lines, rect, spacing, {0, 1});
    }
    return lines;
}

std::vector<LegendEntry> legendColumn(const std::vector<std::pair<int, QString>>& names, const QRectF& room,
                                      const QRectF& avoid, const TextMetrics& metrics)
{
    std::vector<LegendEntry> entries;
    const double height = metrics.height(TextRole::Label);
    // Rows close up before they are lost: a legend with a hole is worse than a tight one.
    const double free = room.height() - (avoid.isEmpty() ? 0 : avoid.height());
    const double rows = static_cast<double>(names.size());
    const double pitch = std::clamp(rows > 0 ? free / rows : height, height, height + metrics.gap * 0.75);
    double y = room.top();
    for (const auto& [category, name] : names) {
        if (!avoid.isEmpty() && y < avoid.bottom() && y + height > avoid.top()) {
            y = avoid.bottom() + metrics.gap / 2;
        }
        if (y + height > room.bottom() + 0.5) {
            break;
        }
        entries.push_back(legendEntry(category, name, {room.left(), y}, room.width(), metrics));
        y += pitch;
    }
    return entries;
}

std::vector<LegendEntry> legendRows(const std::vector<std::pair<int, QString>>& names, const QRectF& room,
                                    const TextMetrics& metrics)
{
    std::vector<LegendEntry> entries;
    const double height = metrics.height(TextRole::Label);
    const double indent = std::round(height * 0.8) + metrics.gap * 0.75;
    QPointF at = room.topLeft();
    for (const auto& [category, name] : names) {
        const double wanted = std::min(room.width(), std::ceil(indent + metrics.width(name, TextRole::Label)) + 1);
        if (at.x() > room.left() && at.x() + wanted > room.right()) {
            at = {room.left(), at.y() + height + metrics.gap / 4};
        }
        entries.push_back(legendEntry(category, name, at, wanted, metrics));
        at.rx() += wanted + metrics.gap * 1.5;
    }
    return entries;
}

double legendWidth(const std::vector<std::pair<int, QString>>& names, const TextMetrics& metrics)
{
    double widest = 0;
    for (const auto& [category, name] : names) {
        widest = std::max(widest, metrics.width(name, TextRole::Label));
    }
    return std::ceil(std::round(metrics.height(TextRole::Label) * 0.8) + metrics.gap * 0.75 + widest) + 1;
}

double legendBottom(const std::vector<LegendEntry>& entries)
{
    return entries.empty() ? 0 : entries.back().label.rect.bottom();
}

} // namespace partita::ui
