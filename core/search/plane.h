// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/names.h"
#include "core/search/plane_axis.h"
#include "core/training/report.h"

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace partita {

/// What a cell of a plane shows.
enum class PlaneQuantity { Mfu, StepTime, PeakMemory, Bubble, TokensPerDevice, Exposed, Cost };

template <> struct Names<PlaneQuantity> {
    static constexpr std::array table{
        Name<PlaneQuantity>{PlaneQuantity::Mfu, "mfu", "MFU"},
        Name<PlaneQuantity>{PlaneQuantity::StepTime, "step-time", "step time"},
        Name<PlaneQuantity>{PlaneQuantity::PeakMemory, "peak-memory", "peak memory"},
        Name<PlaneQuantity>{PlaneQuantity::Bubble, "bubble", "bubble"},
        Name<PlaneQuantity>{PlaneQuantity::TokensPerDevice, "tokens-per-device", "tokens/s/device"},
        Name<PlaneQuantity>{PlaneQuantity::Exposed, "exposed", "exposed communication"},
        Name<PlaneQuantity>{PlaneQuantity::Cost, "cost", "cost of tokens"},
    };
};

/// Where a report has it: "mfu.causal"; cost in dollars where devices are priced.
std::string_view pathOf(PlaneQuantity quantity, bool priced);
/// The same of the scenario's report.
std::string_view pathOf(PlaneQuantity quantity, const Scenario& scenario);
/// Whether it is a part of a whole, to be written in percent.
constexpr bool isShare(PlaneQuantity quantity)
{
    return quantity == PlaneQuantity::Mfu || quantity == PlaneQuantity::Bubble || quantity == PlaneQuantity::Exposed;
}
/// In the quantity's own unit: MFU (causal), bubble and exposed communication as shares, s, bytes, tokens/s,
/// device-hours for a billion tokens.
double quantityOf(const Report& report, PlaneQuantity quantity);

enum class CellState { Pending, Fits, OutOfMemory, Illegal };

/// One layout of a plane, reduced to what can be shown of it.
struct PlaneCell {
    CellState state = CellState::Pending;
    std::array<double, Names<PlaneQuantity>::table.size()> values{}; ///< by PlaneQuantity; also when out of memory
    double lacks = 0; ///< bytes missing on the fullest stage; 0 unless out of memory
    int stage = 0; ///< the fullest
    std::string reason; ///< why it is illegal
    Layout layout; ///< of the place; unless illegal

    double operator[](PlaneQuantity quantity) const { return values[static_cast<std::size_t>(quantity)]; }
    bool operator==(const PlaneCell&) const = default;
};

/// Every combination of two axes' stops: with the other degrees kept and dp re-solved, or with the fastest layout that
/// fits. Cells in rows.
struct Plane {
    PlaneAxis rowAxis = PlaneAxis::Tp;
    PlaneAxis columnAxis = PlaneAxis::Pp;
    PlaneRest rest = PlaneRest::Kept;
    std::vector<std::int64_t> rows; ///< ascending values of rowAxis
    std::vector<std::int64_t> columns;
    std::vector<PlaneCell> cells; ///< rows.size() * columns.size(), all Pending until swept
    SearchSpace limits; ///< of what is searched; places outside them are illegal

    std::size_t index(std::size_t row, std::size_t column) const { return row * columns.size() + column; }
    bool operator==(const Plane&) const = default;
};

/// The scenario moved to a place of a plane: both values set, dp re-solved, what they make illegal moved to the nearest
/// legal value. The global batch follows the number of micro-batches (micro-batch and dp kept) unless it is the other
/// axis; the sizes of models are those of scaledModels(). A place that cannot exist (devices do not divide) is a
/// Problem.
Result<Scenario> scenarioAt(const Scenario& scenario, PlaneAxis rowAxis, std::int64_t row, PlaneAxis columnAxis,
                            std::int64_t column);

/// The scenario a cell shows: where the rest is searched, with the layout that was found.
Result<Scenario> scenarioOf(const Scenario& scenario, const Plane& plane, std::size_t row, std::size_t column);

/// A plane around a scenario with its stops chosen and no cell computed. The axes must differ.
Plane planeAround(const Scenario& scenario, PlaneAxis rowAxis, PlaneAxis columnAxis, PlaneRest rest = PlaneRest::Kept,
                  const SearchSpace& limits = {});

/// Computes every cell, those nearest to the scenario first, and hands each to the sink (index into cells) until stop
/// says so. With several threads both are called from any of them, the sink by one at a time. What cells show does not
/// depend on threads.
void sweep(const Scenario& scenario, const Plane& plane, const std::function<bool()>& stop,
           const std::function<void(std::size_t, PlaneCell)>& sink, int threads = 1);

/// What a slider's stop would cost.
struct StopMark {
    std::int64_t value = 0;
    CellState state = CellState::Pending;
    double lacks = 0; ///< bytes missing when out of memory
    int stage = 0; ///< the fullest
    std::string reason; ///< why it is illegal
    double stepTime = 0; ///< s; 0 when illegal, so the next two
    double mfu = 0;
    double peakMemory = 0; ///< bytes

    bool operator==(const StopMark&) const = default;
};

/// A mark for every legal stop of a field, the other degrees kept and dp re-solved; shorter when stop said so.
std::vector<StopMark> markStops(const Scenario& scenario, LayoutField field, const std::function<bool()>& stop);

} // namespace partita
