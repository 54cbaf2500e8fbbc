// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/advice/sensitivity.h"
#include "widgets/chart.h"
#include "widgets/geometry.h"

#include <QCoreApplication>

namespace partita::ui {

/// Where the bars of the tornado lie: one row a constant, both ways from the step time as it is.
struct TornadoGeometry {
    struct Row {
        std::size_t bar = 0; ///< index into Tornado::bars
        QRectF row; ///< all of it
        QRectF line; ///< of name and bars
        QRectF low; ///< step time with the constant lowered
        QRectF high;
        Label name;
        Label lowText; ///< change of step time, or that it no longer fits
        Label highText;
        bool changesRanking = false;
        std::vector<Label> winners; ///< who is then the fastest, where it is another; below the line

        bool isHighAt(const QPointF& point) const; ///< of the row's ends, the one nearest to a point
    };

    std::vector<Row> rows; ///< as many as there is room for
    QLineF base; ///< at the step time as it is
    std::vector<LegendEntry> legend; ///< category: 0 lower, 1 higher
    std::vector<Label> labels;

    const Row* rowAt(const QPointF& point) const;
};

/// What the step time would be if each constant were somewhat lower or higher.
class TornadoChart final : public Chart {
    Q_DECLARE_TR_FUNCTIONS(TornadoChart)

public:
    TornadoChart() = default;
    explicit TornadoChart(Tornado tornado)
        : m_tornado(std::move(tornado))
    {
    }

    QString id() const override { return QStringLiteral("sensitivity"); }
    QString title() const override;
    QString description() const override;
    ChartTable table() const override;
    void paint(QPainter& painter, const QRectF& area, const Theme& theme) const override;
    QString textAt(const QPointF& point, const QRectF& area, const Theme& theme) const override;
    QSizeF preferredSize() const override { return {640, 420}; }

    TornadoGeometry geometry(const QRectF& area, const TextMetrics& metrics) const;
    const Tornado& tornado() const { return m_tornado; }

private:
    QString endText(const SensitivityEnd& end) const;
    /// Who is then the fastest, where it is another than as things are.
    QString rankingText(const SensitivityEnd& end) const;
    QStringList rankingTexts(const Sensitivity& bar) const;
    QString noteText(std::size_t shown) const;

    Tornado m_tornado;
};

} // namespace partita::ui
