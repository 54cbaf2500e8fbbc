// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/chart.h"
#include "widgets/geometry.h"

#include <QCoreApplication>

namespace partita::ui {

/// Where everything of the memory chart lies. Segments of a stage stack from the axis up in the order of MemoryKind.
struct MemoryGeometry {
    struct Segment {
        QRectF rect;
        QRectF over; ///< its part above the limit; empty when none
        int stage = 0;
        MemoryKind kind = MemoryKind::Weights;
        double bytes = 0;
    };

    QRectF plot;
    double top = 1; ///< bytes at the upper edge of the plot
    std::vector<Segment> segments;
    std::vector<QRectF> bars; ///< [stage], from the axis to the total
    std::vector<Label> totals; ///< those that fit
    std::vector<Label> stageNames;
    std::vector<QLineF> gridLines;
    std::vector<Label> ticks;
    Label unit;
    QLineF limit; ///< null when the limit is unknown
    std::vector<Label> limitText;
    std::vector<LegendEntry> legend;

    double yOf(double bytes) const { return plot.bottom() - bytes / top * plot.height(); }
    int stageAt(const QPointF& point) const; ///< whose column holds the point; -1 = none
    const Segment* segmentAt(const QPointF& point) const;
};

/// Memory of the fullest device of each pipeline stage, by category, against what a device has.
class MemoryChart final : public Chart {
    Q_DECLARE_TR_FUNCTIONS(MemoryChart)

public:
    MemoryChart() = default;
    explicit MemoryChart(const Report& report);

    QString id() const override { return QStringLiteral("memory"); }
    QString title() const override { return tr("Memory per pipeline stage"); }
    QString description() const override;
    ChartTable table() const override;
    void paint(QPainter& painter, const QRectF& area, const Theme& theme) const override;
    QString textAt(const QPointF& point, const QRectF& area, const Theme& theme) const override;
    QString valueAt(const QPointF& point, const QRectF& area, const Theme& theme) const override;

    MemoryGeometry geometry(const QRectF& area, const TextMetrics& metrics) const;

private:
    std::vector<MemoryBreakdown> m_stages;
    double m_limit = 0; ///< bytes
};

} // namespace partita::ui
