// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/serving_charts.h"

#include "widgets/drawing.h"
#include "widgets/figures.h"
#include "widgets/labels.h"
#include "widgets/text.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace partita::ui {

namespace {

template <class E> QStringList labelsOf()
{
    QStringList names;
    for (const Name<E>& name : Names<E>::table) {
        names << labelText(name.value);
    }
    return names;
}

template <class Breakdown> std::vector<double> valuesOf(const Breakdown& parts)
{
    return {parts.begin(), parts.end()};
}

QString countOrMany(double count)
{
    return std::isfinite(count) ? countText(std::floor(count)) : TokenTimeChart::tr("any number of");
}

} // namespace

std::vector<StackedRow> TokenTimeChart::rows() const
{
    const TimeBreakdown& time = m_data->report.time;
    std::vector<StackedRow> rows;
    if (!(time.total() > 0)) {
        return rows;
    }
    const QString laidOut = m_data->report.fits ? tr("as laid out") : tr("if it fitted");
    rows.push_back({m_data->link.isEmpty() ? laidOut : tr("TP over %1, %2").arg(m_data->link, laidOut),
                    valuesOf(time.seconds), timeText(time.total()), false});
    if (m_data->overNetwork) {
        const double total = m_data->overNetwork->total();
        rows.push_back({tr("TP over %1").arg(m_data->network), valuesOf(m_data->overNetwork->seconds),
                        tr("%1, %2×").arg(timeText(total), significant(total / time.total())), false});
    }
    return rows;
}

StackedRowsGeometry TokenTimeChart::geometry(const QRectF& area, const TextMetrics& metrics) const
{
    return layStackedRows(
        rows(), labelsOf<TimeKind>(), [](double seconds) { return timeText(seconds); }, 0, area, metrics);
}

double TokenTimeChart::heightAt(double width, const Theme& theme) const
{
    return stackedRowsHeight(rows(), width, textMetrics(theme));
}

void TokenTimeChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) const
{
    paintStackedRows(painter, geometry(area, textMetrics(theme)), theme,
                     [&](int kind) { return theme.categoryStyle(static_cast<TimeKind>(kind)); });
}

QString TokenTimeChart::textAt(const QPointF& point, const QRectF& area, const Theme& theme) const
{
    const StackedRowsGeometry g = geometry(area, textMetrics(theme));
    const StackedRowsGeometry::Segment* segment = g.segmentAt(point);
    if (segment == nullptr) {
        return {};
    }
    const double total = rows()[segment->row].sum();
    return tr("%1: %2 between tokens, %3")
        .arg(labelText(static_cast<TimeKind>(segment->category)), timeText(segment->value),
             percentText(segment->value / total));
}

QString TokenTimeChart::valueAt(const QPointF& point, const QRectF& area, const Theme& theme) const
{
    const StackedRowsGeometry g = geometry(area, textMetrics(theme));
    const StackedRowsGeometry::Segment* segment = g.segmentAt(point);
    // Only the first bar is of the scenario's own layout.
    return segment == nullptr || segment->row > 0
        ? QString()
        : QStringLiteral("serving.time.parts.%1").arg(toText(keyOf(static_cast<TimeKind>(segment->category))));
}

QString TokenTimeChart::description() const
{
    const double total = m_data->report.time.total();
    if (!(total > 0)) {
        return tr("Nothing is served");
    }
    const QString fits = m_data->report.fits ? QString() : tr("Out of memory; if it fitted: ");
    if (!m_data->overNetwork) {
        return fits + tr("%1 between tokens").arg(timeText(total));
    }
    return fits
        + tr("%1 between tokens; %2 with tensor groups on %3")
              .arg(timeText(total), timeText(m_data->overNetwork->total()), m_data->network);
}

ChartTable TokenTimeChart::table() const
{
    ChartTable table;
    const std::vector<StackedRow> all = rows();
    table.header << tr("part");
    for (const StackedRow& row : all) {
        table.header << tr("%1 (s)").arg(row.name);
    }
    for (const Name<TimeKind>& name : Names<TimeKind>::table) {
        QStringList cells{labelText(name.value)};
        for (const StackedRow& row : all) {
            cells << exactNumber(row.parts[static_cast<std::size_t>(name.value)]);
        }
        table.rows.push_back(cells);
    }
    return table;
}

QString RoomChart::holds() const
{
    const ServingReport& report = m_data->report;
    if (!report.fits) {
        return tr("no room for a request");
    }
    return tr("%1 tokens, %2 requests of %3 tokens a replica")
        .arg(countOrMany(report.cache.tokens), countOrMany(report.cache.requests),
             countText(static_cast<double>(m_data->serving.prompt + m_data->serving.output)));
}

std::vector<StackedRow> RoomChart::rows() const
{
    const Room& room = m_data->report.cache.room;
    const double held = room.total();
    if (!(held > 0)) {
        return {};
    }
    return {{holds(), valuesOf(room.bytes), tr("%1 GiB").arg(gibText(std::max(held, m_data->deviceMemory))),
             !m_data->report.fits}};
}

StackedRowsGeometry RoomChart::geometry(const QRectF& area, const TextMetrics& metrics) const
{
    return layStackedRows(
        rows(), labelsOf<RoomKind>(), [](double bytes) { return gibText(bytes); }, m_data->deviceMemory, area, metrics);
}

double RoomChart::heightAt(double width, const Theme& theme) const
{
    return stackedRowsHeight(rows(), width, textMetrics(theme));
}

void RoomChart::paint(QPainter& painter, const QRectF& area, const Theme& theme) const
{
    paintStackedRows(painter, geometry(area, textMetrics(theme)), theme,
                     [&](int kind) { return theme.categoryStyle(static_cast<RoomKind>(kind)); });
}

QString RoomChart::textAt(const QPointF& point, const QRectF& area, const Theme& theme) const
{
    const StackedRowsGeometry g = geometry(area, textMetrics(theme));
    const StackedRowsGeometry::Segment* segment = g.segmentAt(point);
    return segment == nullptr
        ? QString()
        : tr("%1: %2 of a device").arg(labelText(static_cast<RoomKind>(segment->category)), bytesText(segment->value));
}

QString RoomChart::valueAt(const QPointF& point, const QRectF& area, const Theme& theme) const
{
    const StackedRowsGeometry g = geometry(area, textMetrics(theme));
    const StackedRowsGeometry::Segment* segment = g.segmentAt(point);
    return segment == nullptr
        ? QString()
        : QStringLiteral("serving.memory.%1").arg(toText(keyOf(static_cast<RoomKind>(segment->category))));
}

QString RoomChart::description() const
{
    return tr("A device has %1; its KV cache holds %2").arg(bytesText(m_data->deviceMemory), holds());
}

ChartTable RoomChart::table() const
{
    ChartTable table;
    table.header << tr("held for") << tr("bytes");
    for (const Name<RoomKind>& name : Names<RoomKind>::table) {
        table.rows.push_back({labelText(name.value), exactNumber(m_data->report.cache.room[name.value])});
    }
    return table;
}

} // namespace partita::ui
