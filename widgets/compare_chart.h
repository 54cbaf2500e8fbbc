// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/comparison.h"
#include "widgets/chart.h"
#include "widgets/geometry.h"

#include <QCoreApplication>

namespace partita::ui {

/// Bars of every layout on one axis, and below them the way from one layout's value to another's.
struct CompareGeometry {
    struct Part {
        QRectF rect;
        int category = 0; ///< TimeKind or MemoryKind
        double value = 0;
    };
    struct Row {
        std::vector<Label> name; ///< lines of it: beside the bar, or above where it is too long for that
        QRectF whole; ///< of name, bar and value
        QRectF bar;
        std::vector<Part> parts; ///< none of a quantity that has none
        Label value;
    };
    struct Step {
        QString label;
        std::vector<Label> name; ///< lines of it
        QRectF whole; ///< of name, bar and change
        QRectF bar; ///< from the lower to the higher of its ends
        bool grows = false;
        int category = -1;
        Label change;
    };

    std::vector<Row> rows;
    std::vector<LegendEntry> legend; ///< of the parts; left out where the waterfall, which names them, needs the room
    double limit = -1; ///< x of the memory of a device; negative = not shown
    Label limitLabel;
    Label heading; ///< of the waterfall
    std::vector<Label> hint; ///< lines: what to do where there are not two layouts yet
    struct End { ///< where the way begins or ends
        Label name;
        QRectF bar; ///< from the axis' left end
        QLineF cut; ///< across the bar where the axis leaves out what lies above zero; null: it does not
        Label value;
    };
    End before;
    std::vector<Step> steps; ///< without what is too small to be written
    std::vector<QLineF> links; ///< from step to step
    End after;
    std::vector<std::pair<double, Label>> ticks; ///< x, and what it stands for
    QRectF area; ///< of the waterfall's bars
    double beforeX = 0;
    double afterX = 0;
};

class CompareChart final : public Chart {
    Q_DECLARE_TR_FUNCTIONS(CompareChart)

public:
    static constexpr std::size_t mostPinned = 4;

    CompareChart() = default;
    /// The waterfall leads from layout `from` to layout `to`.
    CompareChart(std::vector<ComparedLayout> layouts, ComparedQuantity quantity, std::size_t from, std::size_t to);

    /// Another than "compare-step-time-ab", and another title: of a comparison that stands elsewhere.
    void setName(const QString& id, const QString& title)
    {
        m_id = id;
        m_title = title;
    }

    QString id() const override;
    QString title() const override;
    QString description() const override;
    bool isEmpty() const override { return m_layouts.size() < 2; } ///< shows what to do
    ChartTable table() const override; ///< a term a row: of each layout, and what it adds on the way; the total last
    void paint(QPainter& painter, const QRectF& area, const Theme& theme) const override;
    QString textAt(const QPointF& point, const QRectF& area, const Theme& theme) const override;
    QString valueAt(const QPointF& point, const QRectF& area, const Theme& theme) const override;
    QSizeF preferredSize() const override { return {720, 420}; }
    double heightAt(double width, const Theme& theme) const override;
    QSizeF minimumSize() const override { return {320, 160}; }

    CompareGeometry geometry(const QRectF& area, const TextMetrics& metrics) const;

private:
    struct Breakdown {
        int category = 0;
        double value = 0;
    };

    std::vector<Breakdown> breakdown(const Report& report) const;
    FillStyle styleOf(int category, const Theme& theme) const;
    QString stepPath(const CompareGeometry::Step& step) const;
    QString nameOf(std::size_t layout) const; ///< "A  tp 8 · pp 4"
    QString signedText(double change) const;
    QString categoryName(int category) const;
    std::vector<std::pair<int, QString>> legendNames() const;
    double placeRows(CompareGeometry& g, const QRectF& area, const TextMetrics& metrics) const;
    Waterfall wholeWaterfall() const;
    void placeWaterfall(CompareGeometry& g, const QRectF& area, const TextMetrics& metrics) const;
    void placeAxis(CompareGeometry& g, double low, double high, const QRectF& row, const TextMetrics& metrics) const;

    QString m_id; ///< empty: that of what is compared
    QString m_title;
    std::vector<ComparedLayout> m_layouts;
    ComparedQuantity m_quantity = ComparedQuantity::StepTime;
    std::size_t m_from = 0;
    std::size_t m_to = 0;
};

} // namespace partita::ui
