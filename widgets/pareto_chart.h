// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/layout_figures.h"
#include "core/search/resource_front.h"
#include "widgets/chart.h"
#include "widgets/geometry.h"

#include <QCoreApplication>
#include <QPolygonF>

#include <optional>
#include <vector>

namespace partita::ui {

/// How far the search is whose layouts are shown: what it means that there are none.
enum class SearchStage {
    NotBegun,
    Refused, ///< what was asked for cannot be searched
    Running,
    Stopped,
    NothingLegal,
    Filtered, ///< there are some, but none is to be shown
    Done
};

/// What the scatter of layouts shows.
struct ParetoData {
    std::vector<LayoutFigures> layouts;
    std::vector<bool> onFront; ///< by layout: nothing beats it in both throughput and what it takes
    FrontAgainst against = FrontAgainst::Memory; ///< what layouts take
    std::optional<LayoutFigures> current; ///< where the scenario stands
    double memoryLimit = 0; ///< bytes a layout may take
    SearchStage searched = SearchStage::NotBegun;

    bool operator==(const ParetoData&) const = default;
};

/// Layouts and, behind them, those of others that are not among them.
std::vector<LayoutFigures> eachOnce(std::vector<LayoutFigures> layouts, const std::vector<LayoutFigures>& others);
/// The layouts, those of a front marked.
ParetoData paretoData(std::vector<LayoutFigures> layouts, const std::vector<LayoutFigures>& front);

/// A range of what layouts take (takenBy()) and of throughput (tokens/s).
struct Brush {
    FrontAgainst against = FrontAgainst::Memory;
    double leastTaken = 0;
    double mostTaken = 0;
    double leastRate = 0;
    double mostRate = 0;

    bool holds(const LayoutFigures& layout) const;
    bool operator==(const Brush&) const = default;
};

struct ParetoGeometry {
    struct Tick {
        QLineF line; ///< across the plot
        Label label;
    };

    QRectF plot;
    std::vector<QPointF> points; ///< as in the data
    QPolygonF front; ///< steps along the corners
    std::optional<QPointF> current;
    std::optional<QLineF> limit;
    std::vector<Tick> ticks;
    std::vector<Label> labels;
    FrontAgainst against = FrontAgainst::Memory;
    double leastTaken = 0; ///< at the plot's left edge, as takenBy() has it
    double mostTaken = 1;
    double leastRate = 0; ///< at its bottom, tokens/s
    double mostRate = 1;

    QPointF place(double taken, double rate) const;
    std::optional<std::size_t> pointAt(const QPointF& point) const; ///< the nearest within reach of the pointer
    Brush brushOf(const QRectF& rect) const;
    QRectF rectOf(const Brush& brush) const; ///< inside the plot
};

/// Throughput of the layouts a search has found against peak memory, devices or cost.
class ParetoChart final : public Chart {
    Q_DECLARE_TR_FUNCTIONS(ParetoChart)

public:
    ParetoChart() = default;
    explicit ParetoChart(ParetoData data)
        : m_data(std::move(data))
    {
    }

    QString id() const override { return QStringLiteral("search"); }
    bool isEmpty() const override { return m_data.layouts.empty(); }
    QString title() const override;
    QString description() const override;
    ChartTable table() const override;
    void paint(QPainter& painter, const QRectF& area, const Theme& theme) const override;
    QString textAt(const QPointF& point, const QRectF& area, const Theme& theme) const override;
    QSizeF preferredSize() const override { return {480, 320}; }

    ParetoGeometry geometry(const QRectF& area, const TextMetrics& metrics) const;
    const ParetoData& data() const { return m_data; }
    QString pointText(std::size_t index) const;

    std::optional<std::size_t> cursor; ///< the layout the table and the pointer stand on
    std::optional<Brush> brush; ///< layouts outside are pale

private:
    QString emptyText() const; ///< why there is no layout

    ParetoData m_data;
};

} // namespace partita::ui
