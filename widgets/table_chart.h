// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/chart.h"
#include "widgets/geometry.h"

#include <QCoreApplication>

namespace partita::ui {

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

    /// Header and cells, row by row; rows without room are counted in a last line.
    std::vector<Label> labels(const QRectF& area, const TextMetrics& metrics) const;

private:
    std::vector<double> columnWidths(double room, const TextMetrics& metrics) const;

    Name m_name;
    ChartTable m_shown;
    ChartTable m_exact;
};

} // namespace partita::ui
