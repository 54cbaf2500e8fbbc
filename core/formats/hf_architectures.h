// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One function an architecture, in one table a family. Internal to core/formats.

#include "core/formats/hf_dimensions.h"

#include <span>

namespace partita {

struct Architecture {
    std::string_view modelType; ///< of config.json
    void (*read)(HfFields& fields, Model& model);
};

std::span<const Architecture> llamaArchitectures(); ///< RMS norm, gated feed-forward, rotary positions, and close kin
std::span<const Architecture> gptArchitectures(); ///< LayerNorm, biases, two-matrix feed-forward
std::span<const Architecture> remoteArchitectures(); ///< first published with code of their own
std::span<const Architecture> expertArchitectures(); ///< mixtures of experts over plain attention
std::span<const Architecture> latentArchitectures(); ///< multi-head latent attention
std::span<const Architecture> hybridArchitectures(); ///< state spaces and linear attention, alone or mixed

/// nullptr where there is none.
const Architecture* findArchitecture(std::string_view modelType);
/// The model type whose class an entry of "architectures" ("LlamaForCausalLM") belongs to; empty when none does.
std::string_view modelTypeOfClass(std::string_view className);
/// The known model type closest to a misspelt one; empty when none is close.
std::string_view closestModelType(std::string_view modelType);
/// What stands in the way of a known type that is not covered; empty for the types nobody has heard of.
std::string_view whyNotCovered(std::string_view modelType);

/// Routed experts as the file states them, defaults for what it leaves out (0: the file must say).
struct ExpertDefaults {
    int experts = 0;
    int topK = 0;
    int width = 0;
};
MoeFfn readExperts(HfFields& fields, const ExpertDefaults& defaults,
                   HfFields::Keys widthKeys = {"moe_intermediate_size"});
/// Of DeepSeek-V3's kind: groups of experts, shared experts of the same width, a correction bias of the router.
MoeFfn readGroupedExperts(HfFields& fields, const ExpertDefaults& defaults, int shared, int groups, int chosenGroups,
                          std::string_view method);

} // namespace partita
