// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/serving/serving_report.h"

#include <cstdint>
#include <string>
#include <vector>

namespace partita {

/// A layout at a batch size, and what it serves.
struct ServingPoint {
    Layout layout;
    std::int64_t batch = 1;
    double tpot = 0; ///< s
    double ttft = 0; ///< s
    double tokensPerSecond = 0;
    double tokensPerSecondPerDevice = 0;
    double requestsPerSecond = 0;
    double costPerMillionTokens = 0; ///< USD; 0 = no price known
    bool fits = false; ///< weights and every sequence of the batch
    bool meets = false; ///< the limits, and fits

    bool operator==(const ServingPoint&) const = default;
};

/// Every split of the cluster's devices at every batch of a ladder.
struct ServingSearch {
    std::vector<ServingPoint> points; ///< by tp, pp, ep, batch; those that do not fit end the batches of their layout
    std::vector<std::size_t> front; ///< points no other beats in both tokens/s/device and TPOT, fastest token first
    std::int64_t layouts = 0; ///< legal
    std::int64_t fitting = 0; ///< layouts that hold at least one request

    /// The best point for a purpose: most tokens/s/device of those that meet the limits; nullptr when none does.
    const ServingPoint* best() const;
};

/// tp, pp and ep; cp as it is, dp what is left. Only splits that the model and the cluster allow.
ServingSearch searchServing(const Scenario& scenario);

/// The largest batch that fits and meets the limits, with what it serves; batch 0 when none does, and then
/// fits says whether one sequence has room.
ServingPoint bestBatch(const Scenario& scenario);

/// One engine of all tensor ranks or several of fewer: the devices of a replica of the scenario, split into 1, 2, 4,
/// ... replicas, each at its best batch.
std::vector<ServingPoint> replicasOrWider(const Scenario& scenario);

} // namespace partita
