// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/geometry.h"

#include <QCoreApplication>
#include <QFontMetricsF>

#include <algorithm>
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

/// `height` of the row, at most that of the text.
LegendEntry legendEntry(int category, const QString& name, QPointF topLeft, double room, double height,
                        const TextMetrics& metrics)
{
    const double size = std::round(height * 0.8);
    const double indent = std::round(metrics.height(TextRole::Label) * 0.8) + metrics.gap * 0.75;
    LegendEntry entry;
    entry.category = category;
    entry.swatch = QRectF(topLeft.x(), topLeft.y() + (height - size) / 2, size, size);
    entry.label.text = metrics.elided(name, TextRole::Label, room - indent);
    entry.label.rect = QRectF(topLeft.x() + indent, topLeft.y(), std::max(0.0, room - indent), height);
    return entry;
}

double betweenColumns(const TextMetrics& metrics)
{
    return metrics.gap * 1.5;
}

/// Tops of up to `most` rows of one column.
std::vector<double> rowTops(std::size_t most, const QRectF& column, const QRectF& avoid, double pitch, double height)
{
    std::vector<double> tops;
    const bool avoids = !avoid.isEmpty() && avoid.left() < column.right() && avoid.right() > column.left();
    for (double y = column.top(); tops.size() < most; y += pitch) {
        if (avoids && y < avoid.bottom() && y + height > avoid.top()) {
            y = avoid.bottom() + (pitch - height) / 2;
        }
        if (y + height > column.bottom() + 1e-6) {
            break;
        }
        tops.push_back(y);
    }
    return tops;
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

namespace {

/// Of a text; a degree and its number, as in "tp 8", are one.
QStringList wordsOf(const QString& text)
{
    constexpr qsizetype longestDegree = 3;
    QStringList words;
    for (const QString& word : text.split(u' ', Qt::SkipEmptyParts)) {
        const bool joins = !words.isEmpty() && word.front().isDigit() && words.back().size() <= longestDegree
            && std::all_of(words.back().begin(), words.back().end(), [](QChar c) { return c.isLower(); });
        if (joins) {
            words.back() += u' ' + word;
        } else {
            words << word;
        }
    }
    return words;
}

} // namespace

QStringList TextMetrics::wrapped(const QString& text, TextRole role, double room) const
{
    QStringList lines;
    for (QString word : wordsOf(text)) {
        const QString longer = lines.isEmpty() ? word : lines.back() + u' ' + word;
        if (!lines.isEmpty() && width(longer, role) <= room) {
            lines.back() = longer;
            continue;
        }
        while (width(word, role) > room && word.size() > 1) {
            qsizetype length = word.size() - 1;
            while (length > 1 && width(word.left(length), role) > room) {
                --length;
            }
            const qsizetype hyphen = word.lastIndexOf(u'-', length - 1);
            length = hyphen > 0 ? hyphen + 1 : length;
            lines << word.left(length);
            word.remove(0, length);
        }
        lines << word;
    }
    return lines.isEmpty() ? QStringList{QString()} : lines;
}

double TextMetrics::widestWord(const QString& text, TextRole role) const
{
    double widest = 0;
    for (const QString& word : wordsOf(text)) {
        widest = std::max(widest, width(word, role));
    }
    return widest;
}

double stackLines(std::vector<Label>& labels, const QStringList& lines, const QRectF& room, TextRole role,
                  const TextMetrics& metrics, Qt::Alignment alignment)
{
    const double height = metrics.height(role);
    double top = room.top();
    for (const QString& line : lines) {
        labels.push_back({QRectF(room.left(), top, room.width(), height), line, role, alignment});
        top += height;
    }
    return top;
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

double tightPitch(const TextMetrics& metrics)
{
    return std::ceil(metrics.height(TextRole::Label) * 0.84);
}

std::vector<LegendEntry> legendColumn(const std::vector<std::pair<int, QString>>& names, const QRectF& room,
                                      const QRectF& avoid, const TextMetrics& metrics, int columns)
{
    std::vector<LegendEntry> entries;
    if (names.empty()) {
        return entries;
    }
    const double line = metrics.height(TextRole::Label);
    const double between = betweenColumns(metrics);
    const double width = (room.width() - between * (columns - 1)) / columns;
    const std::size_t count = names.size();
    const std::size_t each = (count + static_cast<std::size_t>(columns) - 1) / static_cast<std::size_t>(columns);
    const auto column = [&](std::size_t index) {
        return QRectF(room.left() + (width + between) * static_cast<double>(index), room.top(), width, room.height());
    };
    const auto place = [&](double pitch) {
        entries.clear();
        const double height = std::min(line, pitch);
        for (std::size_t i = 0; i < static_cast<std::size_t>(columns) && entries.size() < count; ++i) {
            const std::size_t most = std::min(each, count - entries.size());
            for (const double y : rowTops(most, column(i), avoid, pitch, height)) {
                const auto& [category, name] = names[entries.size()];
                entries.push_back(legendEntry(category, name, {column(i).left(), y}, width, height, metrics));
            }
        }
        return entries.size() == count;
    };
    // Rows close up before they are lost: a legend with a hole is worse than a tight one.
    const double tight = tightPitch(metrics);
    for (double pitch = line + metrics.gap * 0.75; pitch > tight; pitch -= 0.5) {
        if (place(pitch)) {
            return entries;
        }
    }
    place(tight);
    return entries;
}

std::vector<LegendEntry> legendRows(const std::vector<std::pair<int, QString>>& names, const QRectF& room,
                                    const TextMetrics& metrics, bool tight)
{
    std::vector<LegendEntry> entries;
    const double line = metrics.height(TextRole::Label);
    const double height = tight ? std::min(line, tightPitch(metrics)) : line;
    const double indent = std::round(line * 0.8) + metrics.gap * 0.75;
    QPointF at = room.topLeft();
    for (const auto& [category, name] : names) {
        const double wanted = std::min(room.width(), std::ceil(indent + metrics.width(name, TextRole::Label)) + 1);
        if (at.x() > room.left() && at.x() + wanted > room.right()) {
            at = {room.left(), at.y() + height + (tight ? 0 : metrics.gap / 4)};
        }
        entries.push_back(legendEntry(category, name, at, wanted, height, metrics));
        at.rx() += wanted + betweenColumns(metrics);
    }
    return entries;
}

double legendWidth(const std::vector<std::pair<int, QString>>& names, const TextMetrics& metrics, int columns)
{
    double widest = 0;
    for (const auto& [category, name] : names) {
        widest = std::max(widest, metrics.width(name, TextRole::Label));
    }
    const double one = std::ceil(std::round(metrics.height(TextRole::Label) * 0.8) + metrics.gap * 0.75 + widest) + 1;
    return one * columns + betweenColumns(metrics) * (columns - 1);
}

double legendBottom(const std::vector<LegendEntry>& entries)
{
    return entries.empty() ? 0 : entries.back().label.rect.bottom();
}

void cutLegend(std::vector<LegendEntry>& rows, double bottom)
{
    while (!rows.empty() && legendBottom(rows) > bottom
           && rows.back().label.rect.top() > rows.front().label.rect.top()) {
        const double last = rows.back().label.rect.top();
        std::erase_if(rows, [last](const LegendEntry& entry) { return entry.label.rect.top() >= last; });
    }
}

void shortenLegend(std::vector<LegendEntry>& rows, double bottom, double right, const TextMetrics& metrics)
{
    const std::size_t all = rows.size();
    cutLegend(rows, bottom);
    if (rows.size() == all) {
        return;
    }
    const auto text = [&] {
        return QCoreApplication::translate("Legend", "and %1 more").arg(static_cast<qlonglong>(all - rows.size()));
    };
    const double top = rows.back().label.rect.top();
    const auto left = [&] { return rows.back().label.rect.right() + betweenColumns(metrics); };
    while (rows.size() > 1 && left() + std::ceil(metrics.width(text(), TextRole::Label)) > right
           && rows[rows.size() - 2].label.rect.top() >= top) {
        rows.pop_back();
    }
    const QRectF at(left(), top, std::ceil(metrics.width(text(), TextRole::Label)), rows.back().label.rect.height());
    if (at.right() <= right) {
        rows.push_back({{}, {at, text(), TextRole::Label}, LegendRest});
    }
}

QString legendRestAt(const QPointF& point, const std::vector<LegendEntry>& rows,
                     const std::vector<std::pair<int, QString>>& names)
{
    if (rows.empty() || rows.back().category != LegendRest || !rows.back().label.rect.contains(point)) {
        return {};
    }
    QStringList missing;
    for (const auto& [category, name] : names) {
        if (std::none_of(rows.begin(), rows.end(),
                         [wanted = category](const LegendEntry& entry) { return entry.category == wanted; })) {
            missing << name;
        }
    }
    return missing.join(u'\n');
}

} // namespace partita::ui
