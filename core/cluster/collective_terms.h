// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/collective.h"

#include <string_view>
#include <vector>

namespace partita {

/// What one level carries of a collective: wireTime(wire, halfSize, rate) and steps * level->latency.
struct WireTerm {
    const Level* level = nullptr;
    std::string_view how; ///< "ring", "tree", "in the switch", "all to all", "one shot"
    double wire = 0; ///< bytes of one device
    double rate = 0; ///< bytes/s
    double steps = 0;
    double halfSize = 0; ///< bytes; the level's, or 0 where peers are read directly
};

/// The algorithm that a collective's time is of. All-reduce and all-gather: base + the slowest wire + all steps'
/// latencies; all-to-all: base + the slowest wire with its own steps. No levels: it takes no time.
struct CollectiveTerms {
    double base = 0; ///< s once
    std::vector<WireTerm> levels; ///< innermost first
};

CollectiveTerms allReduceTerms(const Cluster& cluster, const GroupSpan& group, double bytes);
CollectiveTerms directAllReduceTerms(const Cluster& cluster, const GroupSpan& group, double bytes);
CollectiveTerms allGatherTerms(const Cluster& cluster, const GroupSpan& group, double bytes); ///< and reduce-scatter
CollectiveTerms allToAllTerms(const Cluster& cluster, const GroupSpan& group, double bytes, double outside = 1);

} // namespace partita
