// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/chart.h"
#include "widgets/geometry.h"

#include <QCoreApplication>

#include <optional>

namespace partita::ui {

/// Where the cells of a table lie; what is too wide for its column is broken over lines.
struct TableGeometry {
    struct Cell {
        QRectF rect;
        qsizetype row = -1; ///< -1: of the header
        qsizetype column = 0;
    };

    std::vector<Cell> cells;
    std::vector<Label> labels;
    double rule = 0; ///< y of the line below the header
    double bottom = 0;
};

/// A card that is a table, where charts go: as a picture for a page, as numbers for a spreadsheet.
class TableChart final : public Chart {
    Q_DECLARE_TR_FUNCTIONS(TableChart)

public:
    struct Name {
        QString id;
        QString title;
        QString description;
    };

    TableChart() = default;
    /// shown: as people read it. exact: the same for table(), at full precision.
    TableChart(Name name, ChartTable shown, ChartTable exact);

    QString id() const override { return m_name.id; }
    QString title() const override { return m_name.title; }
    QString description() const override { return m_name.description; }
    ChartTable table() const override { return m_exact; }
    void paint(QPainter& painter, const QRectF& area, const Theme& theme) const override;
    QString textAt(const QPointF& point, const QRectF& area, const Theme& theme) const override;
    double heightAt(double width, const Theme& theme) const override;
    double growthIn(const QSizeF& room, const Theme& theme) const override;

    /// Rows without room are counted in a last line.
    TableGeometry geometry(const QRectF& area, const TextMetrics& metrics) const;

private:
    struct Columns {
        std::vector<double> widths; ///< with the gap behind
        double gap = 0;
        std::optional<qsizetype> below; ///< the column whose texts stand below their rows: too long to stand beside
    };

    TableGeometry placed(const QRectF& area, double between, const TextMetrics& metrics) const;
    Columns columnsIn(double room, const TextMetrics& metrics) const;
    std::vector<double> columnWidths(double room, double gap, std::optional<qsizetype> below,
                                     const TextMetrics& metrics) const;
    /// Lines of each cell, in columns of these widths.
    std::vector<QStringList> linesOf(const QStringList& row, TextRole role, const Columns& columns,
                                     const TextMetrics& metrics) const;

    Name m_name;
    ChartTable m_shown;
    ChartTable m_exact;
};

} // namespace partita::ui
