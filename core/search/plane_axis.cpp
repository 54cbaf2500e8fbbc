// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/plane_axis.h"

#include "core/model/parameters.h"
#include "core/model/scaled_model.h"
#include "core/scenario/split_limits.h"

#include <algorithm>
#include <utility>

namespace partita {

namespace {

/// Where layouts and searches keep what an axis varies; empty where it is no part of them.
struct AxisPlaces {
    PlaneAxis axis;
    std::optional<LayoutField> field;
    int Layout::*degree = nullptr;
    std::int64_t Layout::*amount = nullptr;
    Bounds SearchSpace::*bounds = nullptr;
};

constexpr std::array places{
    AxisPlaces{PlaneAxis::Tp, LayoutField::Tp, &Layout::tp, nullptr, &SearchSpace::tp},
    AxisPlaces{PlaneAxis::Pp, LayoutField::Pp, &Layout::pp, nullptr, &SearchSpace::pp},
    AxisPlaces{PlaneAxis::Cp, LayoutField::Cp, &Layout::cp, nullptr, &SearchSpace::cp},
    AxisPlaces{PlaneAxis::Ep, LayoutField::Ep, &Layout::ep, nullptr, &SearchSpace::ep},
    AxisPlaces{PlaneAxis::Dp, LayoutField::Dp, &Layout::dp, nullptr, &SearchSpace::dp},
    AxisPlaces{PlaneAxis::Vpp, LayoutField::Vpp, &Layout::vpp, nullptr, &SearchSpace::vpp},
    AxisPlaces{PlaneAxis::Etp, LayoutField::Etp, &Layout::etp, nullptr, &SearchSpace::etp},
    AxisPlaces{PlaneAxis::MicroBatch, LayoutField::MicroBatch, nullptr, &Layout::microBatch, &SearchSpace::microBatch},
    AxisPlaces{PlaneAxis::MicroBatches, {}, nullptr, nullptr, &SearchSpace::microBatches},
    AxisPlaces{PlaneAxis::GlobalBatch, LayoutField::GlobalBatch, nullptr, &Layout::globalBatch, nullptr},
    AxisPlaces{PlaneAxis::Devices, {}},
    AxisPlaces{PlaneAxis::Sequence, {}},
    AxisPlaces{PlaneAxis::ModelSize, {}},
};

constexpr bool inTheOrderOfAxes()
{
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (static_cast<std::size_t>(places[i].axis) != i) {
            return false;
        }
    }
    return places.size() == Names<PlaneAxis>::table.size();
}
static_assert(inTheOrderOfAxes());

const AxisPlaces& placesOf(PlaneAxis axis)
{
    return places[static_cast<std::size_t>(axis)];
}

/// Halvings and doublings of a value, the value among them; only whole numbers.
std::vector<std::int64_t> octavesAround(std::int64_t value, int below, int above)
{
    std::vector<std::int64_t> stops;
    for (int octave = below; octave > 0; --octave) {
        const std::int64_t divisor = std::int64_t{1} << octave;
        if (value % divisor == 0) {
            stops.push_back(value / divisor);
        }
    }
    for (int octave = 0; octave <= above; ++octave) {
        stops.push_back(value << octave);
    }
    return stops;
}

/// At most `count` stops: the current value, then powers of two, then the rest in ascending order.
std::vector<std::int64_t> thinned(std::vector<std::int64_t> stops, std::int64_t current, std::size_t count)
{
    const auto rank = [current](std::int64_t value) {
        return value == current ? 0 : (value & (value - 1)) == 0 ? 1 : 2;
    };
    std::stable_sort(stops.begin(), stops.end(), [&](std::int64_t a, std::int64_t b) { return rank(a) < rank(b); });
    stops.resize(std::min(stops.size(), count));
    std::sort(stops.begin(), stops.end());
    return stops;
}

void setDevices(Scenario& scenario, std::int64_t devices)
{
    scenario.cluster.nodes =
        std::max<std::int64_t>(1, devices / std::max<std::int64_t>(1, scenario.cluster.devicesPerNode));
    scenario.layout = withField(scenario, LayoutField::Tp, scenario.layout.tp);
}

/// The model of that many parameters takes the place of the scenario's. False where the family has none.
bool setModel(Scenario& scenario, std::int64_t size)
{
    for (Model& model : scaledModels(scenario.model)) {
        if (parameters(model).total() == size) {
            if (model.layers.size() != scenario.model.layers.size()) {
                scenario.layout.layersPerStage.clear(); // counts of the layers there were
            }
            scenario.model = std::move(model);
            return true;
        }
    }
    return false;
}

} // namespace

std::optional<LayoutField> layoutField(PlaneAxis axis)
{
    return placesOf(axis).field;
}

Bounds SearchSpace::*boundsOn(PlaneAxis axis)
{
    return placesOf(axis).bounds;
}

bool movesLayoutOnly(PlaneAxis axis)
{
    return axis == PlaneAxis::MicroBatches || layoutField(axis).has_value();
}

void setField(Layout& layout, PlaneAxis axis, std::int64_t value)
{
    const AxisPlaces& at = placesOf(axis);
    if (at.degree != nullptr) {
        layout.*at.degree = static_cast<int>(value);
    } else if (at.amount != nullptr) {
        layout.*at.amount = value;
    }
}

std::int64_t valueOn(const Scenario& scenario, PlaneAxis axis)
{
    const Layout& layout = scenario.layout;
    const AxisPlaces& at = placesOf(axis);
    if (at.degree != nullptr) {
        return layout.*at.degree;
    }
    if (at.amount != nullptr) {
        return layout.*at.amount;
    }
    switch (axis) {
    case PlaneAxis::MicroBatches:
        return layout.microBatch > 0 && layout.dp > 0 ? layout.microBatches() : 0;
    case PlaneAxis::Devices:
        return scenario.cluster.devices();
    case PlaneAxis::Sequence:
        return scenario.workload.sequenceLength;
    default:
        return parameters(scenario.model).total();
    }
}

bool setSurroundings(Scenario& scenario, PlaneAxis axis, std::int64_t value)
{
    if (axis == PlaneAxis::Devices) {
        setDevices(scenario, value);
    } else if (axis == PlaneAxis::Sequence) {
        scenario.workload.sequenceLength = value;
    } else if (axis == PlaneAxis::ModelSize) {
        return setModel(scenario, value);
    }
    return true;
}

std::vector<std::int64_t> stopsOf(const Scenario& scenario, PlaneAxis axis, PlaneAxis other, PlaneRest rest)
{
    constexpr std::size_t most = 9;
    const std::int64_t current = valueOn(scenario, axis);
    if (axis == PlaneAxis::Devices) {
        std::vector<std::int64_t> stops;
        for (const std::int64_t nodes : octavesAround(scenario.cluster.nodes, 4, 4)) {
            stops.push_back(nodes * scenario.cluster.devicesPerNode);
        }
        return stops;
    }
    if (axis == PlaneAxis::GlobalBatch || axis == PlaneAxis::MicroBatches || axis == PlaneAxis::Sequence) {
        return octavesAround(std::max<std::int64_t>(1, current), 4, 4);
    }
    if (axis == PlaneAxis::ModelSize) {
        std::vector<std::int64_t> stops;
        for (const Model& model : scaledModels(scenario.model)) {
            stops.push_back(parameters(model).total());
        }
        return stops;
    }
    if (axis == PlaneAxis::MicroBatch && rest == PlaneRest::Searched) { // few replicas leave room for many
        return thinned(divisors(scenario.layout.globalBatch, scenario.layout.globalBatch), current, most);
    }
    Scenario roomy = scenario;
    const std::optional<LayoutField> field = layoutField(other);
    // A single stage has one chunk, so that other stages do not come of room for chunks.
    if (field && other != PlaneAxis::GlobalBatch && axis != PlaneAxis::Vpp) {
        roomy.layout = withField(roomy, *field, 1);
    }
    for (const LayoutField varied :
         {LayoutField::Tp, LayoutField::Cp, LayoutField::Pp, LayoutField::Ep, LayoutField::Etp}) {
        const bool roomForChunks = axis == PlaneAxis::Vpp && varied == LayoutField::Pp;
        if (rest == PlaneRest::Searched && !roomForChunks) {
            roomy.layout = withField(roomy, varied, 1);
        }
    }
    std::vector<std::int64_t> stops = legalStops(roomy, *layoutField(axis));
    if (std::find(stops.begin(), stops.end(), current) == stops.end()) {
        stops.push_back(current);
    }
    return thinned(std::move(stops), current, most);
}

} // namespace partita
