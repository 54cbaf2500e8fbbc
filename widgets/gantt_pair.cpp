// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/gantt_pair.h"

#include "widgets/figures.h"

#include <algorithm>
#include <cmath>

namespace partita::ui {

GanttPair::GanttPair(std::shared_ptr<GanttChart> upper, std::shared_ptr<GanttChart> lower, const QString& upperName,
                     const QString& lowerName)
    : m_upper(std::move(upper))
    , m_lower(std::move(lower))
    , m_upperName(upperName)
    , m_lowerName(lowerName)
{
    m_upper->shareAxisWith(m_lower->sharedTimeline());
    m_lower->shareAxisWith(m_upper->sharedTimeline());
    m_upper->view = fitted(m_upper->extent());
    m_lower->view = fitted(m_lower->extent());
    m_lower->takeLegendOf(*m_upper);
    m_upper->parts = {summary(*m_upper, upperName), true, false};
    m_lower->parts = {tr("%1 · %2").arg(summary(*m_lower, lowerName), difference()), false, true};
}

QString GanttPair::summary(const GanttChart& chart, const QString& name) const
{
    const Timeline& timeline = chart.timeline();
    return tr("%1: %2, bubble %3").arg(name, timeText(timeline.makespan), percentText(timeline.bubbleFraction()));
}

QString GanttPair::difference() const
{
    const double before = m_upper->timeline().makespan;
    const double change = m_lower->timeline().makespan - before;
    if (!(before > 0) || std::abs(change) < before * 1e-9) {
        return tr("equally long");
    }
    const QString length = timeText(std::abs(change));
    const QString share = percentText(std::abs(change) / before);
    return change < 0 ? tr("%1 (%2) shorter").arg(length, share) : tr("%1 (%2) longer").arg(length, share);
}

QString GanttPair::description() const
{
    return tr("Two schedules on one time axis. %1. %2").arg(m_upper->parts.heading, m_lower->parts.heading);
}

ChartTable GanttPair::table() const
{
    ChartTable table = m_upper->table();
    const ChartTable second = m_lower->table();
    table.header.prepend(tr("schedule"));
    for (QStringList& row : table.rows) {
        row.prepend(m_upperName);
    }
    for (QStringList row : second.rows) {
        row.prepend(m_lowerName);
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::pair<QRectF, QRectF> GanttPair::areas(const QRectF& area, const TextMetrics& metrics) const
{
    const double ruler = metrics.height(TextRole::Small) + metrics.gap / 2;
    const GanttGeometry probe = m_lower->geometry(area, metrics);
    const double legend =
        probe.legend.empty() ? 0 : legendBottom(probe.legend) - probe.legend.front().label.rect.top() + metrics.gap;
    const double heading = metrics.height(TextRole::Label) + metrics.gap / 2;
    const double room = area.height() - metrics.gap;
    const double share = static_cast<double>(m_upper->view.lanes) / (m_upper->view.lanes + m_lower->view.lanes);
    const double lanes = room - legend - ruler - 2 * heading;
    const double upper = std::clamp(ruler + heading + lanes * share, 0.0, std::max(0.0, room));
    return {QRectF(area.left(), area.top(), area.width(), upper),
            QRectF(area.left(), area.top() + upper + metrics.gap, area.width(), std::max(0.0, room - upper))};
}

void GanttPair::paint(QPainter& painter, const QRectF& area, const Theme& theme) const
{
    const auto [above, below] = areas(area, textMetrics(theme));
    m_upper->paint(painter, above, theme);
    m_lower->paint(painter, below, theme);
}

QString GanttPair::textAt(const QPointF& point, const QRectF& area, const Theme& theme) const
{
    const auto [above, below] = areas(area, textMetrics(theme));
    return point.y() < below.top() ? m_upper->textAt(point, above, theme) : m_lower->textAt(point, below, theme);
}

QSizeF GanttPair::preferredSize() const
{
    return {m_upper->preferredSize().width(),
            std::min(900.0, m_upper->preferredSize().height() + m_lower->preferredSize().height())};
}

std::shared_ptr<const Chart> GanttPair::still() const
{
    for (const GanttChart* chart : {m_upper.get(), m_lower.get()}) {
        if (chart->cuts || chart->playhead() || chart->view != fitted(chart->extent())) {
            return nullptr;
        }
    }
    const auto cut = [](const GanttChart& chart) {
        auto copy = std::make_shared<GanttChart>(chart);
        copy->cuts = true;
        return copy;
    };
    auto pair = std::make_shared<GanttPair>(cut(*m_upper), cut(*m_lower), m_upperName, m_lowerName);
    pair->setName(m_id, m_title);
    return pair;
}

double GanttPair::heightAt(double width, const Theme& theme) const
{
    return m_upper->heightAt(width, theme) + theme.gap() + m_lower->heightAt(width, theme);
}

QSizeF GanttPair::minimumSize() const
{
    return {m_upper->minimumSize().width(), m_upper->minimumSize().height() * 1.6};
}

} // namespace partita::ui
