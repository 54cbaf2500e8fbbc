// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/formats/catalogue.h"
#include "core/scenario/scenario.h"

namespace partita::samples {

inline const Catalogue& presets()
{
    static const Catalogue catalogue = loadCatalogue({PARTITA_SOURCE_DIR "/presets"});
    return catalogue;
}

/// A model on nodes of a cluster, one device a replica; the presets must exist.
inline Scenario presetScenario(const char* model, const char* cluster, std::int64_t nodes, std::int64_t globalBatch,
                               const char* stack = "megatron-core")
{
    Scenario scenario;
    scenario.model = *presets().model(model);
    scenario.cluster = *presets().cluster(cluster);
    scenario.cluster.nodes = nodes;
    scenario.stack = *presets().stack(stack);
    scenario.workload.sequenceLength = 4096;
    scenario.layout.globalBatch = globalBatch;
    scenario.layout.dp = static_cast<int>(scenario.cluster.devices());
    return scenario;
}

} // namespace partita::samples
