// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/formats/catalogue.h"
#include "core/scenario/scenario.h"

namespace partita {

inline const Catalogue& shippedPresets()
{
    static const Catalogue catalogue = loadCatalogue({PARTITA_SOURCE_DIR "/presets"});
    return catalogue;
}

/// A model on so many devices of a kind in usual nodes, served by vLLM unless told otherwise.
inline Scenario served(const char* model, const char* accelerator, int tp, int pp = 1, int dp = 1)
{
    const Catalogue& catalogue = shippedPresets();
    Scenario scenario;
    scenario.model = *catalogue.model(model);
    scenario.stack = *catalogue.stack("vllm");
    scenario.layout.tp = tp;
    scenario.layout.pp = pp;
    scenario.layout.dp = dp;
    scenario.layout.globalBatch = dp;
    const Accelerator& device = *catalogue.accelerator(accelerator);
    const std::int64_t devices = scenario.layout.devices();
    const std::int64_t perNode = std::min(devices, typicalDevicesPerNode(device, catalogue));
    scenario.cluster = makeCluster(device, devices / perNode, perNode, catalogue);
    return scenario;
}

} // namespace partita
