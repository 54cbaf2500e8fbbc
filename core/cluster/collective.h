// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.h"

#include <cstdint>
#include <vector>

namespace partita {

/// How a communication group lies on the levels of a cluster. members[i] = how many of the group share one domain of
/// level i (largest such share); members.back() = size. A TP-8 group inside an 8-device node of a two-level cluster: {8, 8}.
struct GroupSpan {
    std::vector<std::int64_t> members;

    std::int64_t size() const { return members.empty() ? 1 : members.back(); }
    /// Index of the outermost level the group crosses; 0 when it stays innermost.
    int outermostLevel() const;
    bool operator==(const GroupSpan&) const = default;
};

/// Times in s of a collective on a group, best of the algorithms that apply (ring, tree, hierarchical, in-switch, one-shot).
/// bytes: the full tensor (what every member ends with for all-reduce and all-gather, starts with for reduce-scatter).
double allReduceTime(const Cluster& cluster, const GroupSpan& group, double bytes);
double allGatherTime(const Cluster& cluster, const GroupSpan& group, double bytes);
double reduceScatterTime(const Cluster& cluster, const GroupSpan& group, double bytes);
/// bytes: what one member holds before the exchange; (n-1)/n of it leaves the device.
double allToAllTime(const Cluster& cluster, const GroupSpan& group, double bytes);
/// bytes from one device to a peer across a level.
double pointToPointTime(const Cluster& cluster, int level, double bytes);

} // namespace partita
