// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"
#include "core/scenario/scenario.h"

namespace partita {

/// A layout as a serving engine reads it. Experts are always divided by the tensor ranks: where ep is below tp, the
/// rest of tp cuts inside an expert (moe_tp * moe_ep = tp in TensorRT-LLM). An ep beyond tp joins data-parallel ranks
/// into one engine whose attention is data-parallel and whose experts are spread over all of them (DeepSeek-V3 decode).
struct ServingLayout {
    int tp = 1;
    int cp = 1; ///< splits prompts alone
    int pp = 1;
    int attentionRanks = 1; ///< data-parallel ranks of one engine, which step together
    int replicas = 1; ///< engines
    int ep = 1;
    int etp = 1;
    int decodeContext = 1;
    int inFlight = 1; ///< batches in a replica's pipeline at once

    int devicesPerReplica() const { return tp * cp * pp * attentionRanks; }
    bool operator==(const ServingLayout&) const = default;
};

/// Needs a scenario without problems (checkServing()).
ServingLayout servingLayout(const Scenario& scenario);

/// Every reason why the layout cannot serve this model on this cluster. What only training asks for (batches,
/// schedules, sharded states) is not looked at.
Problems checkServing(const Scenario& scenario);

/// The degrees of a layout that serves, on one line: "tp 4 · dp 2".
std::string servingText(const Layout& layout);

/// A layout that trains, split as one that serves is; what only training asks for stays as it is where it can.
Layout splitForServing(const Layout& training, const Layout& serving);

/// The scenario as training rules see it, with what only training asks for set to what never stands in the way.
Scenario withoutTraining(const Scenario& scenario);

} // namespace partita
