// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/gantt_chart.h"

namespace partita::ui {

/// Two schedules, one above the other on one time axis.
class GanttPair final : public Chart {
    Q_DECLARE_TR_FUNCTIONS(GanttPair)

public:
    /// The charts get headings, a common axis and one legend. names: of the schedules.
    GanttPair(std::shared_ptr<GanttChart> upper, std::shared_ptr<GanttChart> lower, const QString& upperName,
              const QString& lowerName);

    QString id() const override { return m_id.isEmpty() ? m_upper->id() : m_id; }
    QString title() const override { return m_title.isEmpty() ? m_upper->title() : m_title; }
    /// Where it stands beside other charts of one document; else both are the upper chart's.
    void setName(const QString& id, const QString& title)
    {
        m_id = id;
        m_title = title;
    }
    QString description() const override; ///< makespan and bubble of both, and the difference
    ChartTable table() const override;
    bool isEmpty() const override { return m_upper->isEmpty(); }
    void paint(QPainter& painter, const QRectF& area, const Theme& theme) const override;
    QString textAt(const QPointF& point, const QRectF& area, const Theme& theme) const override;
    QSizeF preferredSize() const override;
    /// Of steps in full: the time of both cut at the same places where that makes them legible.
    std::shared_ptr<const Chart> still() const override;
    double heightAt(double width, const Theme& theme) const override;
    QSizeF minimumSize() const override;

    GanttChart& upper() const { return *m_upper; }
    GanttChart& lower() const { return *m_lower; }
    /// Where they are painted, their lanes of equal height.
    std::pair<QRectF, QRectF> areas(const QRectF& area, const TextMetrics& metrics) const;

private:
    QString summary(const GanttChart& chart, const QString& name) const;
    QString difference() const; ///< of the lower against the upper

    std::shared_ptr<GanttChart> m_upper;
    std::shared_ptr<GanttChart> m_lower;
    QString m_id;
    QString m_title;
    QString m_upperName;
    QString m_lowerName;
};

} // namespace partita::ui
