// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/cluster/cluster.h"

#include <cstdint>
#include <vector>

namespace partita {

/// How a communication group lies on the levels of a cluster. members[i] = how many of the group share one domain of
/// level i (largest such share); members.back() = size. A TP-8 group inside an 8-device node of a two-level cluster:
/// {8, 8}. Members beyond a multiple of the share below them are one fuller and one emptier domain: 12 over nodes of 8
/// is {8, 12}.
struct GroupSpan {
    std::vector<std::int64_t> members;

    std::int64_t size() const { return members.empty() ? 1 : members.back(); }
    /// Index of the outermost level the group crosses; 0 when it stays innermost.
    int outermostLevel() const;
    bool operator==(const GroupSpan&) const = default;
};

/// A group of a size that fills domain after domain, as consecutive ranks do.
GroupSpan packedSpan(const Cluster& cluster, std::int64_t size);

/// Times in s of a collective on a group, best of the algorithms that apply (ring, tree, hierarchical, in-switch,
/// one-shot). bytes: the full tensor (what every member ends with for all-reduce and all-gather, starts with for
/// reduce-scatter). The stages of a hierarchy work on chunks at the same time: the slowest level sets the pace, the
/// latencies add up. 0 for a group of one, for no bytes and on a cluster without levels; infinite over a level without
/// bandwidth.
double allReduceTime(const Cluster& cluster, const GroupSpan& group, double bytes);
double allGatherTime(const Cluster& cluster, const GroupSpan& group, double bytes);
double reduceScatterTime(const Cluster& cluster, const GroupSpan& group, double bytes);
/// All-reduce as serving engines run it: allReduceTime(), or where it is faster and one level joins the group, a custom
/// kernel that reads the peers directly (one-shot, or two-shot: a part each, then all parts; Level::directLatency a
/// round).
double directAllReduceTime(const Cluster& cluster, const GroupSpan& group, double bytes);
/// bytes: what one member holds before the exchange; (n-1)/n of it leaves the device. outside: share of the bytes for
/// other domains of the innermost level that is sent (rows wanted by several members of a domain may be sent once).
double allToAllTime(const Cluster& cluster, const GroupSpan& group, double bytes, double outside = 1);
/// bytes from one device to a peer across a level.
double pointToPointTime(const Cluster& cluster, int level, double bytes);
/// Bytes/s between two devices across a level that exists, when all of a domain send at once.
double pointToPointRate(const Cluster& cluster, std::size_t level);

/// s that bytes need on a wire of a rate, w = bytes and h = halfSize: (w + w * h / (w + h)) / rate. Small messages run
/// at half the rate without the start-up of the fast protocol, large ones pay that start-up (h / rate) once.
double wireTime(double bytes, double halfSize, double rate);

} // namespace partita
