// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/chart.h"
#include "widgets/geometry.h"

#include <QCoreApplication>

namespace partita::ui {

/// One bar of the whole step and the list of its parts. Parts of no length are left out.
struct StepTimeGeometry {
    struct Part {
        TimeKind kind = TimeKind::Gemm;
        double seconds = 0;
        QRectF rect; ///< in the bar
        Label inBar; ///< its share, when it fits
        QRectF swatch;
        Label name;
        Label time;
        Label share; ///< empty where there is no room for it
    };

    QRectF bar;
    std::vector<Part> parts;
    std::vector<Label> total; ///< the closing row: name, time, and share where there is room
    QLineF rule; ///< above the closing row

    const Part* partAt(const QPointF& point) const;
};

/// Where each millisecond of the step goes. The parts shown add up to the total shown.
class StepTimeChart final : public Chart {
    Q_DECLARE_TR_FUNCTIONS(StepTimeChart)

public:
    StepTimeChart() = default;
    explicit StepTimeChart(const Report& report)
        : m_time(report.time)
    {
    }

    QString id() const override { return QStringLiteral("step-time"); }
    QString title() const override;
    QString description() const override;
    ChartTable table() const override;
    void paint(QPainter& painter, const QRectF& area, const Theme& theme) const override;
    QString textAt(const QPointF& point, const QRectF& area, const Theme& theme) const override;
    QString valueAt(const QPointF& point, const QRectF& area, const Theme& theme) const override;
    QSizeF preferredSize() const override { return {640, 280}; }
    double heightAt(double width, const Theme& theme) const override;

    StepTimeGeometry geometry(const QRectF& area, const TextMetrics& metrics) const;

private:
    TimeBreakdown m_time;
};

} // namespace partita::ui
