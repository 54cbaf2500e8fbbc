// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/heatmap_data.h"

#include "core/base/format.h"
#include "core/layout/layout_text.h"
#include "core/scenario/rules.h"
#include "core/scenario/stack_offer.h"
#include "widgets/figures.h"
#include "widgets/labels.h"
#include "widgets/text.h"

#include <QCoreApplication>

#include <algorithm>

namespace partita::ui {

namespace {

HeatmapFormat formatOf(PlaneQuantity quantity)
{
    return isShare(quantity)                    ? HeatmapFormat::Percent
        : quantity == PlaneQuantity::StepTime   ? HeatmapFormat::Seconds
        : quantity == PlaneQuantity::PeakMemory ? HeatmapFormat::Bytes
                                                : HeatmapFormat::Number;
}

bool lowIsGood(PlaneQuantity quantity)
{
    return quantity == PlaneQuantity::StepTime || quantity == PlaneQuantity::PeakMemory
        || quantity == PlaneQuantity::Bubble || quantity == PlaneQuantity::Exposed || quantity == PlaneQuantity::Cost;
}

QStringList names(PlaneAxis axis, const std::vector<std::int64_t>& stops)
{
    QStringList names;
    for (const std::int64_t stop : stops) {
        names += stopText(axis, stop);
    }
    return names;
}

/// Dollars where the device has a price.
double priceIn(const Scenario& scenario, PlaneQuantity quantity)
{
    const double price = scenario.cluster.accelerator.pricePerHour;
    return quantity == PlaneQuantity::Cost && price > 0 ? price : 1;
}

QString quantityName(const Scenario& scenario, PlaneQuantity quantity)
{
    if (quantity != PlaneQuantity::Cost) {
        return labelText(quantity);
    }
    return costUnitText(scenario.cluster.accelerator.pricePerHour > 0);
}

/// How the degrees that are not on the axes were chosen; empty where they are the scenario's.
QString restText(const Plane& plane)
{
    if (plane.rest == PlaneRest::Kept) {
        return {};
    }
    const std::string limits = describe(plane.limits);
    return limits.empty() ? labelText(plane.rest)
                          : QStringLiteral("%1 within %2").arg(labelText(plane.rest), QString::fromStdString(limits));
}

HeatmapCell heatmapCell(const PlaneCell& cell, PlaneQuantity quantity, double price)
{
    HeatmapCell shown;
    switch (cell.state) {
    case CellState::Pending:
        break;
    case CellState::Fits:
        shown.state = HeatmapCell::State::Value;
        break;
    case CellState::OutOfMemory:
        shown.state = HeatmapCell::State::OutOfMemory;
        break;
    case CellState::Illegal:
        shown.state = HeatmapCell::State::Illegal;
        break;
    }
    shown.value = cell[quantity] * price;
    shown.shortfall = cell.lacks;
    shown.stage = cell.state == CellState::OutOfMemory ? cell.stage : -1;
    shown.reason = QString::fromStdString(cell.reason);
    return shown;
}

QString tr(const char* text)
{
    return QCoreApplication::translate("partita::ui", text);
}

/// Why a search found nothing legal at a place: what the rules say of the scenario's own layout there, if anything.
QString whyNothing(const Scenario& scenario, const Plane& plane, std::size_t place)
{
    const std::string limits = describe(plane.limits);
    const QString said = limits.empty() ? tr("No layout is legal there.")
                                        : tr("No layout is legal there within %1.").arg(toText(limits));
    const Result<Scenario> moved = scenarioAt(scenario, plane.rowAxis, plane.rows[place / plane.columns.size()],
                                              plane.columnAxis, plane.columns[place % plane.columns.size()]);
    const Problems problems = moved ? checkLayout(*moved) : moved.problems;
    return problems.empty() ? said : tr("%1 With the rest kept: %2").arg(said, toText(describe(problems.front())));
}

std::optional<int> positionOf(const std::vector<std::int64_t>& stops, std::int64_t value)
{
    const auto at = std::find(stops.begin(), stops.end(), value);
    return at == stops.end() ? std::nullopt : std::optional(static_cast<int>(at - stops.begin()));
}

} // namespace

QString stopText(PlaneAxis axis, std::int64_t stop)
{
    const auto value = static_cast<double>(stop);
    return axis == PlaneAxis::ModelSize ? QString::fromStdString(formatScaled(value))
                                        : QStringLiteral("%1 %2").arg(labelText(axis), countText(value));
}

HeatmapData heatmapData(const Plane& plane, const Scenario& scenario, PlaneQuantity quantity, const Report* report)
{
    HeatmapData data;
    data.xLabel = labelText(plane.columnAxis);
    data.yLabel = labelText(plane.rowAxis);
    data.quantity = quantityName(scenario, quantity);
    data.rest = restText(plane);
    data.format = formatOf(quantity);
    data.lowIsGood = lowIsGood(quantity);
    data.xs = names(plane.columnAxis, plane.columns);
    data.ys = names(plane.rowAxis, plane.rows);
    const bool searched = plane.rest == PlaneRest::Searched;
    Scenario there = scenario;
    for (const PlaneCell& cell : plane.cells) {
        HeatmapCell shown = heatmapCell(cell, quantity, priceIn(scenario, quantity));
        if (searched && (cell.state == CellState::Fits || cell.state == CellState::OutOfMemory)) {
            shown.reason = QString::fromStdString(layoutText(cell.layout));
        } else if (searched && cell.state == CellState::Illegal) {
            shown.reason = whyNothing(scenario, plane, data.cells.size());
        }
        if (cell.state == CellState::Fits || cell.state == CellState::OutOfMemory) {
            there.layout = cell.layout;
            for (const std::string& sentence : beyondOffer(there)) {
                shown.beyond +=
                    (shown.beyond.isEmpty() ? QString() : QStringLiteral(" ")) + QString::fromStdString(sentence);
            }
        }
        data.cells.push_back(std::move(shown));
    }
    const std::optional<int> x = positionOf(plane.columns, valueOn(scenario, plane.columnAxis));
    const std::optional<int> y = positionOf(plane.rows, valueOn(scenario, plane.rowAxis));
    if (x && y) {
        const std::size_t place = plane.index(static_cast<std::size_t>(*y), static_cast<std::size_t>(*x));
        data.current = HeatmapCellIndex{*x, *y};
        // The best layout of a place is seldom the one that is shown elsewhere.
        data.currentIsOther = searched && plane.cells[place].layout != scenario.layout;
        if (data.currentIsOther && report != nullptr && report->legal() && report->fits) {
            data.currentValue = quantityOf(*report, quantity) * priceIn(scenario, quantity);
        }
    }
    return data;
}

} // namespace partita::ui
