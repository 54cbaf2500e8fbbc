// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/chart.h"
#include "widgets/geometry.h"

#include <QCoreApplication>

#include <optional>

namespace partita::ui {

/// Row and column of a plane.
struct HeatmapCellIndex {
    int x = 0;
    int y = 0;

    bool operator==(const HeatmapCellIndex&) const = default;
};

struct HeatmapCell {
    enum class State { Pending, Value, OutOfMemory, Illegal };

    State state = State::Pending;
    double value = 0; ///< of the quantity; also when out of memory, if known
    double shortfall = 0; ///< bytes lacking when out of memory
    QString reason; ///< why it is illegal, or what binds
    QString beyond = {}; ///< what of it the stack does not offer; empty = it offers all
    int stage = -1; ///< of a cell out of memory, that lacks most; negative = not known

    bool operator==(const HeatmapCell&) const = default;
};

/// How a plane's values are written.
enum class HeatmapFormat { Percent, Seconds, Bytes, Number };

/// A quantity over two categorical axes.
struct HeatmapData {
    QString xLabel; ///< "pipeline parallel"
    QString yLabel;
    QString quantity; ///< "MFU"
    QString rest; ///< what else the cells depend on, for the title: "best of the rest within tp ≤ 4"
    HeatmapFormat format = HeatmapFormat::Percent;
    bool lowIsGood = false; ///< the best cell is the lowest; the ramp turns over
    QStringList xs; ///< "pp 4"
    QStringList ys;
    std::vector<HeatmapCell> cells; ///< [y * xs.size() + x]
    std::optional<HeatmapCellIndex> current; ///< where the layout now shown elsewhere lies
    bool currentIsOther = false; ///< its cell shows a better layout of the same place
    std::optional<double> currentValue; ///< then the quantity of the current layout, where it fits
    std::optional<std::pair<double, double>> range; ///< of the ramp; else that of the values

    int columns() const { return static_cast<int>(xs.size()); }
    int rows() const { return static_cast<int>(ys.size()); }
    bool holds(HeatmapCellIndex at) const { return at.x >= 0 && at.y >= 0 && at.x < columns() && at.y < rows(); }
    const HeatmapCell& at(HeatmapCellIndex i) const { return cells[static_cast<std::size_t>(i.y * columns() + i.x)]; }
    bool operator==(const HeatmapData&) const = default;
};

/// Entries of the legend beyond HeatmapCell::State.
enum HeatmapEntry { HeatmapBestEntry = 100, HeatmapCurrentEntry, HeatmapBeyondEntry };

/// Where everything of the heatmap lies.
struct HeatmapGeometry {
    struct Cell {
        QRectF rect;
        HeatmapCellIndex index;
        double share = 0; ///< 0..1 on the ramp
        Label label; ///< when it fits
    };

    QRectF grid;
    std::vector<Cell> cells; ///< as in the data
    std::vector<Label> names; ///< of rows and columns
    std::vector<Label> axes;
    QRectF ramp;
    bool rampUpright = false;
    std::vector<Label> rampLabels;
    std::vector<LegendEntry> legend; ///< of HeatmapCell::State and HeatmapEntry, those that occur
    double low = 0;
    double high = 1;
    std::optional<HeatmapCellIndex> best;

    std::optional<HeatmapCellIndex> cellAt(const QPointF& point) const;
};

/// A quantity over two axes; cells that cannot run say so.
class HeatmapChart final : public Chart {
    Q_DECLARE_TR_FUNCTIONS(HeatmapChart)

public:
    HeatmapChart() = default;
    explicit HeatmapChart(HeatmapData data);

    QString id() const override { return QStringLiteral("heatmap"); }
    QString title() const override;
    QString description() const override;
    ChartTable table() const override;
    bool isEmpty() const override { return m_data.cells.empty(); }
    void paint(QPainter& painter, const QRectF& area, const Theme& theme) const override;
    QString textAt(const QPointF& point, const QRectF& area, const Theme& theme) const override;
    QSizeF preferredSize() const override;

    HeatmapGeometry geometry(const QRectF& area, const TextMetrics& metrics) const;
    const HeatmapData& data() const { return m_data; }
    QString cellText(HeatmapCellIndex at) const; ///< all there is to say about a cell
    /// Of those that the stack offers, unless it offers none.
    std::optional<HeatmapCellIndex> best() const;

    std::optional<HeatmapCellIndex> cursor; ///< of the keyboard

private:
    /// How much of its figure a cell has room for.
    enum class CellText { Words, Unit, Number, None };
    struct CellForm {
        CellText text = CellText::None;
        TextRole role = TextRole::Small;
    };

    QString valueText(double value) const;
    QString figureText(double value) const; ///< where there is room: shares with their digits
    QString currentText(HeatmapCellIndex at) const; ///< against the current layout; empty where nothing can be said
    /// Returns how the cells that lack memory say how much.
    CellText placeCells(HeatmapGeometry& g, double column, double row, const TextMetrics& metrics) const;
    QString cellText(const HeatmapCell& cell, CellText text) const;
    /// The same for all cells of a state, so that none is without a figure beside others that have one.
    CellForm formOf(HeatmapCell::State state, const QSizeF& room, const TextMetrics& metrics) const;
    std::pair<double, double> valueRange() const;
    void paintCell(QPainter& painter, const HeatmapGeometry::Cell& cell, const Theme& theme) const;
    void paintLegend(QPainter& painter, const HeatmapGeometry& g, const Theme& theme) const;

    HeatmapData m_data;
};

} // namespace partita::ui
