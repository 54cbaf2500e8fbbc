// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/stage_plan.h"

namespace partita {

/// The part of a group that shares one ZeRO shard, and the part across which shards are copied (HSDP).
struct SplitSpan {
    GroupSpan inner;
    GroupSpan outer;
};

/// Bytes/s of host memory that one device's share of the host's cores reaches in an optimizer step: two sockets of
/// eight DDR4 channels (400 GB/s) over eight devices.
inline constexpr double hostMemoryBandwidth = 50e9;

SplitSpan splitSpan(const GroupSpan& span, double shards);

/// What data parallelism adds at the end of a step on one stage.
struct GradientExchange {
    double reduceScatter = 0; ///< s of gradients within shards that the last backward does not hide
    double allReduce = 0; ///< s, the same between shards
    double gather = 0; ///< s of updated weights that the next forward does not hide
    double optimizer = 0; ///< s of the update over the sharded states

    double gradients() const { return reduceScatter + allReduce; }
    double exposed() const { return gradients() + gather; }
};

/// ZeRO 0 reduces gradients; 1 and 2 scatter them and gather the updated weights (arXiv:1910.02054 §7); 3 has done so
/// already, layer by layer, but between shard groups. backward: s of the stage's last backward pass of all chunks;
/// forward: of its first forward pass.
GradientExchange gradientExchange(const Scenario& scenario, const StagePlan& stage, const RankGrid& grid,
                                  double forward, double backward);

} // namespace partita
