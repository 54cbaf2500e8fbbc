// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/runs/score.h"
#include "widgets/chart.h"
#include "widgets/geometry.h"

#include <QCoreApplication>
#include <QPolygonF>

#include <optional>

namespace partita::ui {

/// A measured run beside its prediction, tokens per second and device.
struct RunPoint {
    QString id;
    QString source;
    QString where; ///< title and place in the source
    QString model;
    QString accelerator;
    QString stack;
    QString layout; ///< "tp 8, pp 4, dp 2"
    double measured = 0;
    double predicted = 0;

    bool operator==(const RunPoint&) const = default;
};

/// Where everything of the scatter lies. Both axes are logarithmic and have the same range.
struct RunsGeometry {
    struct Tick {
        QLineF line; ///< across the plot
        Label label;
    };

    QRectF plot;
    std::vector<QPointF> points; ///< as in the data
    std::vector<Tick> ticks; ///< of both axes
    std::vector<Label> labels; ///< names of the axes, statistics
    QLineF identity;
    QPolygonF band; ///< predictions within 20 %
    std::vector<LegendEntry> legend; ///< category: index of the source
    double low = 1; ///< of both axes
    double high = 10;

    std::optional<std::size_t> pointAt(const QPointF& point) const; ///< the nearest within reach of the pointer
};

/// Predicted against measured throughput of published runs.
class RunsChart final : public Chart {
    Q_DECLARE_TR_FUNCTIONS(RunsChart)

public:
    RunsChart() = default;
    explicit RunsChart(std::vector<RunPoint> points);

    QString id() const override { return QStringLiteral("published-runs"); }
    QString title() const override { return tr("Predicted against measured throughput"); }
    QString description() const override;
    ChartTable table() const override;
    bool isEmpty() const override { return m_points.empty(); }
    void paint(QPainter& painter, const QRectF& area, const Theme& theme) const override;
    QString textAt(const QPointF& point, const QRectF& area, const Theme& theme) const override;
    QSizeF preferredSize() const override { return {640, 420}; }
    double heightAt(double width, const Theme& theme) const override;

    RunsGeometry geometry(const QRectF& area, const TextMetrics& metrics) const;
    const std::vector<RunPoint>& points() const { return m_points; }
    const QStringList& sources() const { return m_sources; } ///< by name
    ErrorStatistics statistics() const;
    QString statisticsText() const;
    QString pointText(std::size_t index) const; ///< all there is to say about a run

    std::optional<std::size_t> cursor; ///< of the keyboard and the pointer

private:
    /// What stands around the plot, and how much room it takes.
    struct Frame {
        QStringList statistics;
        QStringList up; ///< name of that axis
        QStringList across;
        int columns = 1; ///< of the legend beside the plot; 0: in rows below
        double beside = 0; ///< width of the legend
        std::vector<LegendEntry> legend = {}; ///< where it is below: from the top of the picture
        double above = 0; ///< height
        double below = 0;
    };

    std::vector<std::pair<int, QString>> legendNames() const;
    Frame frame(const QRectF& area, const TextMetrics& metrics) const;

    std::vector<RunPoint> m_points;
    QStringList m_sources;
    std::vector<int> m_sourceOf; ///< index into m_sources, of every point
};

} // namespace partita::ui
