// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/scenario_title.h"

#include "core/base/format.h"

#include <fmt/format.h>

namespace partita {

std::string modelOnDevices(const Scenario& scenario)
{
    return fmt::format("{} on {} × {}", scenario.model.name, formatCount(scenario.cluster.devices()),
                       scenario.cluster.accelerator.name);
}

std::string titleOf(const Scenario& scenario)
{
    return scenario.name.empty() ? modelOnDevices(scenario) : scenario.name;
}

} // namespace partita
