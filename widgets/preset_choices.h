// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.h"
#include "core/model/model.h"
#include "core/scenario/stack.h"

#include <vector>

namespace partita::ui {

/// What the preset lists of the scenario panel offer, in the order shown.
struct PresetChoices {
    std::vector<Model> models;
    std::vector<Accelerator> accelerators;
    std::vector<Cluster> clusters;
    std::vector<Stack> stacks;
};

} // namespace partita::ui
