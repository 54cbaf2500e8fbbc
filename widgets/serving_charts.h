// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/serving.h"
#include "core/serving/serving_report.h"
#include "widgets/chart.h"
#include "widgets/stacked_rows.h"

#include <QCoreApplication>

#include <memory>
#include <optional>

namespace partita::ui {

/// What the serving charts show.
struct ServingData {
    Serving serving;
    ServingReport report;
    std::vector<ServingReport> sweep; ///< by batch, ascending
    QString link; ///< that tensor groups lie on
    std::optional<TimeBreakdown> overNetwork; ///< time between tokens were they on the network between nodes
    QString network; ///< its name
    double deviceMemory = 0; ///< bytes

    bool operator==(const ServingData&) const = default;
};

/// Time between tokens against tokens per second and device as the batch grows, with the limits and what lies within.
struct ServingCurveGeometry {
    QRectF plot;
    std::vector<QPointF> points; ///< one a batch size
    QRectF feasible; ///< of the plot, left of the TPOT limit; empty where there is none
    QLineF tpotLimit;
    std::vector<QLineF> grid;
    std::vector<Label> labels; ///< ticks, axes, figures
    std::vector<Label> batches; ///< at points where there is room
    std::optional<std::size_t> current; ///< the point at the scenario's batch

    std::optional<std::size_t> pointAt(const QPointF& point) const;
};

class ServingCurveChart final : public Chart {
    Q_DECLARE_TR_FUNCTIONS(ServingCurveChart)

public:
    explicit ServingCurveChart(std::shared_ptr<const ServingData> data)
        : m_data(std::move(data))
    {
    }

    QString id() const override { return QStringLiteral("serving-curve"); }
    QString title() const override { return tr("Latency and throughput"); }
    QString description() const override;
    ChartTable table() const override;
    void paint(QPainter& painter, const QRectF& area, const Theme& theme) const override;
    QString textAt(const QPointF& point, const QRectF& area, const Theme& theme) const override;
    QString valueAt(const QPointF& point, const QRectF& area, const Theme& theme) const override;

    ServingCurveGeometry geometry(const QRectF& area, const TextMetrics& metrics) const;
    const ServingData& data() const { return *m_data; }
    /// Fits, and keeps both limits.
    bool isGood(std::size_t point) const;

private:
    QString headline() const;

    std::shared_ptr<const ServingData> m_data;
};

/// Where the time between tokens goes: as laid out, and with tensor groups on the network between nodes.
class TokenTimeChart final : public Chart {
    Q_DECLARE_TR_FUNCTIONS(TokenTimeChart)

public:
    explicit TokenTimeChart(std::shared_ptr<const ServingData> data)
        : m_data(std::move(data))
    {
    }

    QString id() const override { return QStringLiteral("serving-token"); }
    QString title() const override { return tr("Between tokens"); }
    QString description() const override;
    ChartTable table() const override;
    void paint(QPainter& painter, const QRectF& area, const Theme& theme) const override;
    QString textAt(const QPointF& point, const QRectF& area, const Theme& theme) const override;
    QString valueAt(const QPointF& point, const QRectF& area, const Theme& theme) const override;
    double heightAt(double width, const Theme& theme) const override;

    StackedRowsGeometry geometry(const QRectF& area, const TextMetrics& metrics) const;

private:
    std::vector<StackedRow> rows() const;

    std::shared_ptr<const ServingData> m_data;
};

/// What a device's memory is held for, and how many tokens and requests its KV cache takes.
class RoomChart final : public Chart {
    Q_DECLARE_TR_FUNCTIONS(RoomChart)

public:
    explicit RoomChart(std::shared_ptr<const ServingData> data)
        : m_data(std::move(data))
    {
    }

    QString id() const override { return QStringLiteral("serving-room"); }
    QString title() const override { return tr("KV room"); }
    QString description() const override;
    ChartTable table() const override;
    void paint(QPainter& painter, const QRectF& area, const Theme& theme) const override;
    QString textAt(const QPointF& point, const QRectF& area, const Theme& theme) const override;
    QString valueAt(const QPointF& point, const QRectF& area, const Theme& theme) const override;
    QSizeF minimumSize() const override { return {240, 80}; }

    double heightAt(double width, const Theme& theme) const override;

    StackedRowsGeometry geometry(const QRectF& area, const TextMetrics& metrics) const;

private:
    QString holds() const;
    std::vector<StackedRow> rows() const; ///< one, or none

    std::shared_ptr<const ServingData> m_data;
};

} // namespace partita::ui
