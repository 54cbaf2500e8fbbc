// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/advice/memory_floor.h"

#include "core/base/format.h"
#include "core/model/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace partita {

MemoryFloor memoryFloor(const Scenario& scenario)
{
    MemoryFloor floor;
    floor.parameters = parameters(scenario.model).total();
    floor.devices = std::max<std::int64_t>(1, scenario.cluster.devices());
    floor.perParameter = stateBytes(scenario.workload, scenario.stack);
    floor.perParameter.optimizer *= 1 - scenario.workload.offloadedStates;
    floor.perParameter.weight = std::min(floor.perParameter.weight, layerWeightBytes(scenario.workload));
    if (scenario.workload.training != Training::Full) {
        floor.perParameter.gradient = floor.perParameter.optimizer = 0; // adapters are small; frozen weights have none
    } else if (scenario.stack.fp32Parameters) {
        floor.perParameter.weight = 0; // under ZeRO-3 the master copy is the parameter
    }
    floor.bytes =
        floor.perParameter.total() * static_cast<double>(floor.parameters) / static_cast<double>(floor.devices);
    floor.limit = scenario.cluster.accelerator.memoryBytes;
    return floor;
}

std::int64_t MemoryFloor::leastDevices() const
{
    return limit > 0 ? static_cast<std::int64_t>(std::ceil(bytes * static_cast<double>(devices) / limit)) : 0;
}

std::string describe(const MemoryFloor& floor)
{
    const std::string sum =
        fmt::format("{:g} bytes × {} parameters / {} devices = {} of {} a device, activations not counted",
                    floor.perParameter.total(), formatCount(floor.parameters), formatCount(floor.devices),
                    formatBytes(floor.bytes), formatBytes(floor.limit));
    return floor.fits()
        ? sum + "."
        : fmt::format("{}: no layout fits. {} devices could hold the states.", sum, formatCount(floor.leastDevices()));
}

} // namespace partita
