// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What exchanges take, from their bytes and the links they cross. Internal to core/explain.

#include "core/explain/ledger.h"
#include "core/training/layer_ops.h"

namespace partita {

/// A collective as it runs.
struct CollectiveWork {
    CollectiveKind kind = CollectiveKind::AllReduce;
    GroupSpan span;
    double bytes = 0; ///< as collective.h counts them
    double outside = 1; ///< share of the copies for other nodes that is sent
    bool direct = false; ///< by the kernels of a serving engine: directAllReduceTime()
};

std::string_view labelOf(CollectiveKind kind);

/// From size, rate and latency of the levels it crosses.
void deriveCollective(Derivation& d, const Cluster& cluster, const CollectiveWork& work);
/// bytes: the term for what one device sends to another across a level.
void derivePointToPoint(Derivation& d, const Cluster& cluster, std::size_t level, Term bytes);

} // namespace partita
