// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heatmap_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace partita::ui {

namespace {

constexpr double WidestCell = 16.5; // gaps: grows with the type, as on a projector
constexpr double TallestCell = 7; // gaps
constexpr double RampThickness = 12; // px
constexpr double cellGaps = 3; // px between rows
constexpr double numberShare = 0.9; // of a line's height that a number needs

/// With the unit of cells that have no room for it; the legend keeps as much room.
QString lackingName()
{
    return HeatmapChart::tr("lacks memory, GiB");
}

std::vector<std::pair<int, QString>> statesThatOccur(const HeatmapData& data)
{
    using State = HeatmapCell::State;
    const std::array<std::pair<State, QString>, 3> names{std::pair{State::OutOfMemory, lackingName()},
                                                         std::pair{State::Illegal, HeatmapChart::tr("not legal")},
                                                         std::pair{State::Pending, HeatmapChart::tr("computing")}};
    std::vector<std::pair<int, QString>> found;
    for (const auto& [state, name] : names) {
        const auto has = [wanted = state](const HeatmapCell& cell) { return cell.state == wanted; };
        if (std::any_of(data.cells.begin(), data.cells.end(), has)) {
            found.emplace_back(static_cast<int>(state), name);
        }
    }
    return found;
}

double widest(const QStringList& texts, TextRole role, const TextMetrics& metrics)
{
    double width = 0;
    for (const QString& text : texts) {
        width = std::max(width, metrics.width(text, role));
    }
    return std::ceil(width);
}

/// What stands around the cells, from all of it to what cells too low for their numbers can do without: the names of
/// the axes, which those of rows and columns hold, too, then the scale, which the numbers spell out.
enum class Around { Everything, NoAxisNames, NamesOnly };

struct Frame {
    bool beside = false; ///< scale and legend, else below
    double scaleWidth = 0; ///< of scale and legend when beside
    double scaleHeight = 0; ///< when below
    double rowNames = 0; ///< width
    Around around = Around::Everything;
};

/// Height of what names columns and their axis.
double namesBelow(Around around, const TextMetrics& metrics)
{
    const double names = metrics.height(TextRole::Label) + metrics.gap / 2;
    return around == Around::Everything ? names + metrics.height(TextRole::Small) + metrics.gap / 4 : names;
}

QRectF roomFor(const Frame& frame, Around around, const QRectF& area, const TextMetrics& metrics)
{
    const double above = around == Around::Everything ? metrics.height(TextRole::Small) + metrics.gap / 2 : 0;
    const double scale = frame.beside || around == Around::NamesOnly ? 0 : frame.scaleHeight;
    return area.adjusted(frame.rowNames, above, frame.beside ? -frame.scaleWidth - 2 * metrics.gap : 0,
                         -namesBelow(around, metrics) - scale);
}

/// As much as leaves the cells their numbers; where nothing would, as much as leaves them room for a colour.
Around aroundCells(const Frame& frame, const QRectF& area, const HeatmapData& data, const TextMetrics& metrics)
{
    for (const Around around : {Around::Everything, Around::NoAxisNames, Around::NamesOnly}) {
        const QRectF room = roomFor(frame, around, area, metrics);
        if (room.height() / data.rows() >= metrics.height(TextRole::Small) * numberShare + cellGaps
            && room.width() / data.columns() >= metrics.width(QStringLiteral("88 %"), TextRole::Small) + cellGaps) {
            return around;
        }
    }
    constexpr double colourHeight = 8; // px
    for (const Around around : {Around::Everything, Around::NoAxisNames}) {
        if (roomFor(frame, around, area, metrics).height() >= colourHeight * data.rows()) {
            return around;
        }
    }
    return Around::NamesOnly;
}

/// Without the words that they all begin with, which the axis says, where those leave the values no room.
QStringList shortened(const QStringList& names, double room, const TextMetrics& metrics)
{
    if (names.size() < 2 || widest(names, TextRole::Label, metrics) <= room) {
        return names;
    }
    qsizetype shared = names.front().size();
    for (const QString& name : names) {
        shared = std::min(shared, name.size());
        shared = std::mismatch(name.begin(), name.begin() + shared, names.front().begin()).first - name.begin();
    }
    const qsizetype from = names.front().left(shared).lastIndexOf(u' ') + 1;
    QStringList rest;
    for (const QString& name : names) {
        rest << name.mid(from);
    }
    return rest;
}

void placeNames(HeatmapGeometry& g, const HeatmapData& data, double left, const TextMetrics& metrics)
{
    const double height = metrics.height(TextRole::Label);
    const double column = g.grid.width() / data.columns();
    const double row = g.grid.height() / data.rows();
    const double rowName = g.grid.left() - metrics.gap * 0.75 - left;
    for (int y = 0; y < data.rows() && row >= height * 0.8; ++y) {
        g.names.push_back({QRectF(left, g.grid.top() + row * (y + 0.5) - height / 2, rowName, height),
                           metrics.elided(data.ys[y], TextRole::Label, rowName), TextRole::Label,
                           Qt::AlignRight | Qt::AlignVCenter});
    }
    const QStringList xs = shortened(data.xs, column, metrics);
    for (int x = 0; x < data.columns(); ++x) {
        g.names.push_back({QRectF(g.grid.left() + column * x, g.grid.bottom() + metrics.gap / 2, column, height),
                           metrics.elided(xs[x], TextRole::Label, column), TextRole::Label, Qt::AlignCenter});
    }
}

/// The scale upright beside the grid, what marks mean below it.
void placeRampBeside(HeatmapGeometry& g, const HeatmapData& data, const QRectF& area, const QStringList& ends,
                     double width, const std::vector<std::pair<int, QString>>& states, const TextMetrics& metrics)
{
    const double line = metrics.height(TextRole::Label);
    const double small = metrics.height(TextRole::Small);
    const double endWidth = widest(ends, TextRole::Small, metrics);
    const double left = g.grid.right() + 2 * metrics.gap;
    const double legendHeight = static_cast<double>(states.size()) * (line + metrics.gap * 0.75);
    const double height = std::clamp(area.bottom() - g.grid.top() - legendHeight - metrics.gap, line * 3, 150.0);
    g.rampUpright = true;
    g.ramp = QRectF(left, g.grid.top(), RampThickness, height);
    if (g.grid.top() - area.top() >= small) {
        g.axes.push_back({QRectF(left, area.top(), width, small), data.quantity, TextRole::Small});
    }
    const double textLeft = g.ramp.right() + metrics.gap / 2;
    const std::array<double, 3> ys{g.ramp.bottom() - small / 2, g.ramp.center().y(), g.ramp.top() + small / 2};
    for (std::size_t i = 0; i < ys.size(); ++i) {
        const auto from = static_cast<qsizetype>(data.lowIsGood ? ys.size() - 1 - i : i); // the good end is up
        g.rampLabels.push_back({QRectF(textLeft, ys[i] - small / 2, endWidth, small), ends[from], TextRole::Small});
    }
    g.legend = legendColumn(
        states, {QPointF(left, g.ramp.bottom() + metrics.gap), QPointF(left + width, area.bottom())}, {}, metrics);
}

/// The scale below the grid, what marks mean below that.
void placeRampBelow(HeatmapGeometry& g, const HeatmapData& data, const QRectF& area, double top,
                    const QStringList& ends, const TextMetrics& metrics)
{
    const double small = metrics.height(TextRole::Small);
    const double width = std::min(area.width(), 260.0);
    g.ramp = QRectF(area.left(), top, width, RampThickness);
    const std::array<Qt::Alignment, 3> sides{Qt::AlignLeft | Qt::AlignVCenter, Qt::AlignCenter,
                                             Qt::AlignRight | Qt::AlignVCenter};
    for (std::size_t i = 0; i < sides.size(); ++i) {
        const auto from = static_cast<qsizetype>(data.lowIsGood ? sides.size() - 1 - i : i);
        g.rampLabels.push_back(
            {QRectF(g.ramp.left(), g.ramp.bottom() + 1, g.ramp.width(), small), ends[from], TextRole::Small, sides[i]});
    }
    for (LegendEntry& entry : g.legend) {
        const double down = g.ramp.bottom() + small + metrics.gap / 2 - area.top();
        entry.swatch.translate(0, down);
        entry.label.rect.translate(0, down);
    }
}

} // namespace

std::optional<HeatmapCellIndex> HeatmapGeometry::cellAt(const QPointF& point) const
{
    for (const Cell& cell : cells) {
        if (cell.rect.adjusted(-1, -1, 1, 1).contains(point)) { // the gaps belong to the cells
            return cell.index;
        }
    }
    return std::nullopt;
}

HeatmapChart::CellForm HeatmapChart::formOf(HeatmapCell::State state, const QSizeF& room,
                                            const TextMetrics& metrics) const
{
    constexpr double beside = 4; // px
    std::vector<const HeatmapCell*> cells;
    QStringList units;
    for (const HeatmapCell& cell : m_data.cells) {
        if (cell.state == state) {
            cells.push_back(&cell);
            units << cellText(cell, CellText::Unit).section(QChar(0x00A0), 1);
        }
    }
    units.removeDuplicates();
    const auto fits = [&](const CellForm& form) {
        return metrics.height(form.role) * numberShare <= room.height()
            && std::all_of(cells.begin(), cells.end(), [&](const HeatmapCell* cell) {
                   return metrics.width(cellText(*cell, form.text), form.role) + beside <= room.width();
               });
    };
    for (const CellText text : {CellText::Words, CellText::Unit, CellText::Number}) {
        if (text == CellText::Number && units.size() > 1) {
            break; // numbers of different units beside each other would be read as one
        }
        for (const TextRole role : {TextRole::Value, TextRole::Small}) {
            const CellForm form{text, role};
            if ((role == TextRole::Small || state == HeatmapCell::State::Value) && fits(form)) {
                return form;
            }
        }
    }
    return {};
}

HeatmapChart::CellText HeatmapChart::placeCells(HeatmapGeometry& g, double column, double row,
                                                const TextMetrics& metrics) const
{
    const double gapX = column > 12 ? 1.5 : 0.5;
    const double gapY = row > 12 ? 1.5 : 0.5;
    const QSizeF room(column - 2 * gapX, row - 2 * gapY);
    const CellForm values = formOf(HeatmapCell::State::Value, room, metrics);
    const CellForm shortfalls = formOf(HeatmapCell::State::OutOfMemory, room, metrics);
    for (int y = 0; y < m_data.rows(); ++y) {
        for (int x = 0; x < m_data.columns(); ++x) {
            HeatmapGeometry::Cell cell;
            cell.index = {x, y};
            cell.rect = QRectF(g.grid.left() + column * x, g.grid.top() + row * y, column, row)
                            .adjusted(gapX, gapY, -gapX, -gapY);
            const HeatmapCell& held = m_data.at(cell.index);
            const double share = g.high > g.low ? std::clamp((held.value - g.low) / (g.high - g.low), 0.0, 1.0) : 1.0;
            cell.share = m_data.lowIsGood ? 1 - share : share;
            const CellForm& form = held.state == HeatmapCell::State::Value ? values : shortfalls;
            if (const QString text = cellText(held, form.text); !text.isEmpty()) {
                cell.label = {cell.rect, text, form.role, Qt::AlignCenter};
            }
            g.cells.push_back(cell);
        }
    }
    return shortfalls.text;
}

HeatmapGeometry HeatmapChart::geometry(const QRectF& area, const TextMetrics& metrics) const
{
    HeatmapGeometry g;
    if (m_data.columns() == 0 || m_data.rows() == 0) {
        return g;
    }
    std::tie(g.low, g.high) = valueRange();
    g.best = best();
    const double line = metrics.height(TextRole::Label);
    const double small = metrics.height(TextRole::Small);
    const QStringList ends{valueText(g.low), valueText((g.low + g.high) / 2), valueText(g.high)};
    auto states = statesThatOccur(m_data);
    if (std::any_of(m_data.cells.begin(), m_data.cells.end(), [](const HeatmapCell& cell) {
            return cell.state == HeatmapCell::State::Value && !cell.beyond.isEmpty();
        })) {
        states.emplace_back(HeatmapBeyondEntry, tr("beyond the stack"));
    }
    if (g.best) {
        states.emplace_back(HeatmapBestEntry, tr("best"));
    }
    if (m_data.current) {
        states.emplace_back(HeatmapCurrentEntry,
                            m_data.currentIsOther ? tr("place of the current") : tr("current layout"));
    }
    Frame frame;
    frame.scaleWidth =
        std::max({RampThickness + metrics.gap / 2 + widest(ends, TextRole::Small, metrics),
                  legendWidth(states, metrics), std::ceil(metrics.width(m_data.quantity, TextRole::Small))});
    frame.rowNames = std::min(area.width() * 0.3, widest(m_data.ys, TextRole::Label, metrics)) + metrics.gap * 0.75;
    frame.beside = area.width() - frame.rowNames - frame.scaleWidth - 2 * metrics.gap >= 46.0 * m_data.columns()
        && area.height() >= 150;
    const auto legend = frame.beside ? std::vector<LegendEntry>() : legendRows(states, area, metrics);
    frame.scaleHeight = (legend.empty() ? 0 : legendBottom(legend) - area.top() + metrics.gap / 2) + RampThickness
        + small + metrics.gap;
    frame.around = aroundCells(frame, area, m_data, metrics);
    const QRectF room = roomFor(frame, frame.around, area, metrics);
    const double column = std::max(2.0, std::min(room.width() / m_data.columns(), WidestCell * metrics.gap));
    const double row = std::max(2.0, std::min(room.height() / m_data.rows(), TallestCell * metrics.gap));
    g.grid = QRectF(room.left(), room.top(), column * m_data.columns(), row * m_data.rows());

    const CellText shortfalls = placeCells(g, column, row, metrics);
    placeNames(g, m_data, area.left(), metrics);
    if (frame.around == Around::Everything) {
        g.axes.push_back({QRectF(area.left(), area.top(), area.width() / 2, small),
                          m_data.yLabel + QStringLiteral(" ↓"), TextRole::Small});
        g.axes.push_back({QRectF(g.grid.left(), g.grid.bottom() + line + metrics.gap * 0.75, g.grid.width(), small),
                          metrics.elided(m_data.xLabel + QStringLiteral(" →"), TextRole::Small, g.grid.width()),
                          TextRole::Small, Qt::AlignCenter});
    }
    if (frame.beside) {
        placeRampBeside(g, m_data, area, ends, frame.scaleWidth, states, metrics);
    } else if (frame.around != Around::NamesOnly) {
        g.legend = legend;
        const double top = g.grid.bottom() + namesBelow(frame.around, metrics) + metrics.gap / 2;
        placeRampBelow(g, m_data, area, top, ends, metrics);
    }
    for (LegendEntry& entry : g.legend) {
        if (entry.category == static_cast<int>(HeatmapCell::State::OutOfMemory) && shortfalls != CellText::Number) {
            entry.label.text = tr("out of memory");
        }
    }
    return g;
}

} // namespace partita::ui
