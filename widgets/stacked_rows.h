// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/geometry.h"

class QPainter;

namespace partita::ui {

/// A bar from left to right: its name, its parts by category, and what stands at its end.
struct StackedRow {
    QString name;
    std::vector<double> parts; ///< by category
    QString total;
    bool warns = false; ///< the total in the colour of what is wrong

    double sum() const;
};

/// Bars on one scale, the longest (or the limit) as wide as there is room, with a legend of the categories they have.
struct StackedRowsGeometry {
    struct Segment {
        std::size_t row = 0;
        int category = 0;
        double value = 0;
        QRectF rect;
        Label inBar; ///< its figure, when it fits
    };

    std::vector<Segment> segments;
    std::vector<Label> names;
    std::vector<Label> totals;
    std::vector<LegendEntry> legend;
    QLineF limit; ///< null when there is none
    QRectF bars;

    const Segment* segmentAt(const QPointF& point) const;
};

/// names: of the categories, by index; figure: a part's text; limit: 0 = none.
StackedRowsGeometry layStackedRows(const std::vector<StackedRow>& rows, const QStringList& names,
                                   const std::function<QString(double)>& figure, double limit, const QRectF& area,
                                   const TextMetrics& metrics);

/// Of an area in which bars are as tall as they get and the legend has its room.
double stackedRowsHeight(const std::vector<StackedRow>& rows, double width, const TextMetrics& metrics);

/// style: of a category.
void paintStackedRows(QPainter& painter, const StackedRowsGeometry& geometry, const Theme& theme,
                      const std::function<FillStyle(int)>& style);

} // namespace partita::ui
