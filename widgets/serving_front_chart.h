// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/serving/serving_search.h"
#include "widgets/chart.h"
#include "widgets/geometry.h"
#include "widgets/table_chart.h"

#include <QCoreApplication>

#include <array>
#include <memory>
#include <optional>
#include <string_view>

namespace partita::ui {

/// "tp 4 · pp 1 · dp 2", what is not split left out but for these.
QString servingDegrees(const Layout& layout);

struct ServingFrontGeometry {
    QRectF plot;
    std::vector<QPointF> points; ///< as on the front
    std::vector<std::pair<std::size_t, QPointF>> others; ///< of the search's points that fit, those the front beats
    std::vector<QLineF> grid;
    std::vector<Label> labels;

    std::optional<std::size_t> pointAt(const QPointF& point) const; ///< on the front, within reach of the pointer
};

/// Tokens per second and device against the time between tokens of all layouts and batches; those that no other beats.
class ServingFrontChart final : public Chart {
    Q_DECLARE_TR_FUNCTIONS(ServingFrontChart)

public:
    explicit ServingFrontChart(std::shared_ptr<const ServingSearch> search)
        : m_search(std::move(search))
    {
    }

    QString id() const override { return QStringLiteral("serving-layouts"); }
    QString title() const override { return tr("Layouts for serving"); }
    QString description() const override;
    ChartTable table() const override; ///< of the front
    void paint(QPainter& painter, const QRectF& area, const Theme& theme) const override;
    QString textAt(const QPointF& point, const QRectF& area, const Theme& theme) const override;

    ServingFrontGeometry geometry(const QRectF& area, const TextMetrics& metrics) const;

    std::optional<std::size_t> cursor; ///< on the front: the row the table stands on

private:
    const ServingPoint& onFront(std::size_t i) const { return m_search->points[m_search->front[i]]; }

    std::shared_ptr<const ServingSearch> m_search;
};

/// One wide engine and replicas of fewer tensor ranks, a column each: what they serve at their best batch.
ChartTable widthsTable(const std::vector<ServingPoint>& points);
/// The same where charts go: its table has a row an engine, at full precision.
TableChart widthsChart(const std::vector<ServingPoint>& points);
/// What `serve --json` calls the figures of its rows.
inline constexpr std::array<std::string_view, 6> widthFigures{
    "batch", "tpot_s", "ttft_s", "tokens_per_s", "goodput_per_s", "cost_per_million_tokens_usd"};
/// The same of the columns of frontTable(); what names a layout or judges it leads to its rate.
inline constexpr std::array<std::string_view, 7> frontFigures{
    "tokens_per_s_per_device",     "batch", "tpot_s", "ttft_s", "tokens_per_s_per_device",
    "cost_per_million_tokens_usd", "fits"};
/// The front of a search for reading, a line a layout.
ChartTable frontTable(const ServingSearch& search);

} // namespace partita::ui
