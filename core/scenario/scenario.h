// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.h"
#include "core/layout/layout.h"
#include "core/model/model.h"
#include "core/scenario/serving.h"
#include "core/scenario/stack.h"
#include "core/scenario/workload.h"

namespace partita {

/// Everything a report depends on. A value: compared, copied, stored, undone.
struct Scenario {
    std::string name;
    Model model;
    Cluster cluster;
    Layout layout;
    Workload workload;
    Serving serving; ///< the same model, devices and layout, asked for latency
    Stack stack;

    bool operator==(const Scenario&) const = default;
};

} // namespace partita
