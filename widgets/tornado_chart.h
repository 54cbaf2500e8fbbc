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
        QRectF line; ///< of the bars, and of the name where it stands beside them, not above
        QRectF low; ///< step time with the constant lowered
        QRectF high;
        std::vector<Label> name; ///< lines of it
        Label lowText; ///< change of step time, or that it no longer fits
        Label highText;
        bool changesRanking = false;
        std::vector<Label> winners; ///< who is then the fastest, where it is another; below the line
        QRectF diamond; ///< room of the mark beside the name

        bool isHighAt(const QPointF& point) const; ///< of the row's ends, the one nearest to a point
    };

    std::vector<Row> rows; ///< as many as there is room for
    QLineF base; ///< at the step time as it is, from the first row to the last; not drawn through texts
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
    double heightAt(double width, const Theme& theme) const override;

    TornadoGeometry geometry(const QRectF& area, const TextMetrics& metrics) const;
    const Tornado& tornado() const { return m_tornado; }

private:
    struct Frame {
        double names = 0; ///< width
        double diamond = 0;
        double values = 0;
        bool above = false; ///< names stand above their bars
        QRectF bars; ///< left to right of all of them
        double least = 0; ///< seconds at their left
        double span = 1;

        double x(double seconds) const { return bars.left() + bars.width() * (seconds - least) / span; }
    };

    Frame frame(const QRectF& area, const TextMetrics& metrics) const;
    TornadoGeometry::Row rowAt(std::size_t bar, double top, const QRectF& area, const Frame& frame,
                               const TextMetrics& metrics) const;
    QString endText(const SensitivityEnd& end) const;
    /// Who is then the fastest, where it is another than as things are.
    QString rankingText(const SensitivityEnd& end) const;
    QStringList rankingTexts(const Sensitivity& bar) const;
    QString noteText(std::size_t shown) const;

    Tornado m_tornado;
};

} // namespace partita::ui
