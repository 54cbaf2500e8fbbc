// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/advice/scaling.h"
#include "widgets/chart.h"
#include "widgets/geometry.h"

#include <QCoreApplication>

#include <optional>

namespace partita::ui {

/// Where everything of the curves lies. The x axis is logarithmic; so is the y axis for times, others start at zero.
struct ScalingGeometry {
    struct Tick {
        QLineF line; ///< across the plot
        Label label;
    };
    struct Mark {
        std::size_t curve = 0;
        std::size_t point = 0; ///< of the curve
        QPointF at; ///< near the axis where the layout cannot be had or does not fit
        bool fits = false;
        bool legal = true;
    };
    struct Segment {
        std::size_t curve = 0;
        QLineF line; ///< between neighbours that fit
    };

    QRectF plot;
    std::vector<Tick> ticks; ///< of both axes
    std::vector<Segment> segments;
    std::vector<Mark> marks;
    std::optional<QLineF> here; ///< the scenario's own value
    std::optional<QLineF> ideal; ///< step time of a step whose work is shared without loss
    /// category: index of the curve; behind them, what does not fit and what is not legal.
    std::vector<LegendEntry> legend;
    std::vector<Label> labels;

    const Mark* markAt(const QPointF& point) const; ///< the nearest within reach of the pointer
};

/// Step time, MFU or throughput as devices, batch, sequence or a link grow, one curve a way to lay the model out.
class ScalingChart final : public Chart {
    Q_DECLARE_TR_FUNCTIONS(ScalingChart)

public:
    ScalingChart() = default;
    /// Curves of one axis; own: the scenario's value on it.
    ScalingChart(std::vector<ScalingCurve> curves, PlaneQuantity quantity, double own);

    QString id() const override { return QStringLiteral("scaling"); }
    QString title() const override;
    QString description() const override;
    ChartTable table() const override;
    bool isEmpty() const override;
    void paint(QPainter& painter, const QRectF& area, const Theme& theme) const override;
    QString textAt(const QPointF& point, const QRectF& area, const Theme& theme) const override;
    QSizeF preferredSize() const override { return {640, 360}; }

    ScalingGeometry geometry(const QRectF& area, const TextMetrics& metrics) const;
    const std::vector<ScalingCurve>& curves() const { return m_curves; }

private:
    QString pointText(const ScalingCurve& curve, const ScalingPoint& point) const;
    bool lacksMemory() const; ///< whether a legal point of any curve does not fit
    bool hasIllegal() const;
    std::vector<std::pair<int, QString>> legendNames() const;

    std::vector<ScalingCurve> m_curves;
    PlaneQuantity m_quantity = PlaneQuantity::Mfu;
    double m_own = 0;
};

} // namespace partita::ui
