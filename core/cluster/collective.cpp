// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cluster/collective.h"

#include "core/cluster/collective_terms.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

namespace partita {

namespace {

/// A level as one group sees it: it joins `domains` shares of the level below, the emptiest of `rails` devices.
struct Hop {
    const Level* level = nullptr;
    double members = 1; ///< of the group inside one domain of this level
    double inner = 1; ///< largest share inside one domain of the level below
    double rails = 1; ///< smallest such share: so many devices carry what enters and leaves it
    double domains = 1; ///< shares that meet here
    double capacity = 1; ///< shares that the level can join
};

double domainOf(const Cluster& cluster, std::size_t level)
{
    const std::int64_t domain = cluster.levels[level].domain;
    return static_cast<double>(domain > 0 ? domain : cluster.devices());
}

/// The levels that a group crosses, innermost first; levels where nothing more meets are left out.
std::vector<Hop> hopsOf(const Cluster& cluster, const GroupSpan& group)
{
    std::vector<Hop> hops;
    std::int64_t inner = 1;
    double innerDomain = 1;
    const std::size_t levels = std::min(cluster.levels.size(), group.members.size());
    hops.reserve(levels);
    for (std::size_t i = 0; i < levels; ++i) {
        const bool outermost = i + 1 == levels;
        const std::int64_t members = outermost ? group.size() : std::min(group.members[i], group.size());
        const double domain = domainOf(cluster, i);
        if (members > inner) {
            const std::int64_t rest = members % inner;
            Hop hop;
            hop.level = &cluster.levels[i];
            hop.members = static_cast<double>(members);
            hop.inner = static_cast<double>(inner);
            hop.rails = static_cast<double>(rest == 0 ? inner : rest);
            hop.domains = static_cast<double>((members + inner - 1) / inner);
            hop.capacity = std::max(hop.domains, std::floor(domain / innerDomain));
            hops.push_back(hop);
            inner = members;
        }
        innerDomain = domain;
    }
    return hops;
}

/// Share of a device's bandwidth that the links between the domains of a hop give.
double linkShare(const Hop& hop)
{
    switch (hop.level->fabric) {
    case Fabric::Switched:
        return 1;
    case Fabric::Mesh:
        return (hop.domains - 1) / std::max(1.0, hop.capacity - 1);
    case Fabric::Ring:
        // Part of a ring is a chain, and its end has one neighbour.
        return hop.domains < hop.capacity ? 0.5 : 1;
    case Fabric::SharedBus:
        // Falls with the square of the devices: 20, 5 and 1.5 GB/s for 2, 4 and 8 L40S without peer access
        // (NCCL 2.27.3 tables of aiconfigurator).
        return 4 / (hop.domains * hop.domains);
    }
    return 1;
}

double rateOf(const Hop& hop)
{
    return hop.level->bandwidth * hop.level->efficiency * linkShare(hop);
}

double allToAllEfficiencyOf(const Level& level)
{
    return level.allToAllEfficiency > 0 ? level.allToAllEfficiency : level.efficiency;
}

double baseOf(const std::vector<Hop>& hops)
{
    double base = 0;
    for (const Hop& hop : hops) {
        base = std::max(base, hop.level->baseLatency);
    }
    return base;
}

void record(CollectiveTerms* terms, const WireTerm& term)
{
    if (terms != nullptr) {
        terms->levels.push_back(term);
    }
}

/// One pass (reduce-scatter or all-gather) of a ring through all members.
/// On the wire of the emptiest domain's rails: (n-1)/n of the tensor enters each domain.
double ringPass(const std::vector<Hop>& hops, double bytes, CollectiveTerms* terms = nullptr)
{
    const double size = hops.back().members;
    double pace = 0;
    double latency = 0;
    for (const Hop& hop : hops) {
        const double wire = (size - 1) / size * bytes / hop.rails;
        pace = std::max(pace, wireTime(wire, hop.level->halfSize, rateOf(hop)));
        latency += (hop.domains - 1) * hop.level->latency;
        record(terms, {hop.level, "ring", wire, rateOf(hop), hop.domains - 1, hop.level->halfSize});
    }
    return pace + latency;
}

/// All-reduce over the domains of a hop, every rail with its part of the tensor: wire bytes, rate and steps.
double ringStage(const Hop& hop, double part)
{
    return wireTime(2 * (hop.domains - 1) / hop.domains * part, hop.level->halfSize, rateOf(hop));
}

double inSwitchStage(const Hop& hop, double part)
{
    const Level& level = *hop.level;
    if (level.inSwitchReduction <= 0) {
        return std::numeric_limits<double>::infinity();
    }
    return wireTime(2 * part, level.halfSize, level.bandwidth * level.inSwitchReduction * linkShare(hop));
}

/// A double binary tree moves the tensor up and down once: log2 steps instead of n - 1, n/(n-1) of the ring's bytes.
bool treeApplies(const Hop& hop)
{
    return hop.level->fabric == Fabric::Switched && hop.domains > 2;
}

double treeStage(const Hop& hop, double part)
{
    return wireTime(2 * part, hop.level->halfSize, rateOf(hop));
}

/// Of the stage that runs: a ring or a tree, or the switch where it is faster.
WireTerm stageTerm(const Hop& hop, double part, bool asTree)
{
    const Level& level = *hop.level;
    const double stage = asTree ? treeStage(hop, part) : ringStage(hop, part);
    const double steps = 2 * (asTree ? std::ceil(std::log2(hop.domains)) : hop.domains - 1);
    if (inSwitchStage(hop, part) < stage) {
        return {&level, "in the switch", 2 * part, level.bandwidth * level.inSwitchReduction * linkShare(hop),
                steps,  level.halfSize};
    }
    return {&level,
            asTree ? "tree" : "ring",
            asTree ? 2 * part : 2 * (hop.domains - 1) / hop.domains * part,
            rateOf(hop),
            steps,
            level.halfSize};
}

double hierarchicalAllReduce(const std::vector<Hop>& hops, double bytes, CollectiveTerms* terms = nullptr)
{
    // Ring and tree differ in pace and in latency: the best of both everywhere, per level, is found for the
    // outermost level (where steps are dear); inside, rings run.
    double best = std::numeric_limits<double>::infinity();
    for (const bool tree : {false, true}) {
        double pace = 0;
        double latency = 0;
        for (std::size_t i = 0; i < hops.size(); ++i) {
            const Hop& hop = hops[i];
            const double part = bytes / hop.rails;
            const bool asTree = tree && i + 1 == hops.size() && treeApplies(hop);
            const double stage = asTree ? treeStage(hop, part) : ringStage(hop, part);
            pace = std::max(pace, std::min(stage, inSwitchStage(hop, part)));
            latency += 2 * (asTree ? std::ceil(std::log2(hop.domains)) : hop.domains - 1) * hop.level->latency;
        }
        if (pace + latency < best) {
            best = pace + latency;
            if (terms != nullptr) {
                terms->levels.clear();
                for (std::size_t i = 0; i < hops.size(); ++i) {
                    const bool asTree = tree && i + 1 == hops.size() && treeApplies(hops[i]);
                    record(terms, stageTerm(hops[i], bytes / hops[i].rails, asTree));
                }
            }
        }
    }
    return best;
}

} // namespace

int GroupSpan::outermostLevel() const
{
    int level = 0;
    for (std::size_t i = 0; i + 1 < members.size(); ++i) {
        if (members[i] < size()) {
            level = static_cast<int>(i) + 1;
        }
    }
    return level;
}

GroupSpan packedSpan(const Cluster& cluster, std::int64_t size)
{
    GroupSpan span;
    for (std::size_t i = 0; i < cluster.levels.size(); ++i) {
        const std::int64_t domain = cluster.levels[i].domain;
        const bool all = domain <= 0 || i + 1 == cluster.levels.size();
        span.members.push_back(all ? size : std::min(size, domain));
    }
    return span;
}

double wireTime(double bytes, double halfSize, double rate)
{
    if (bytes <= 0) {
        return 0;
    }
    if (!(rate > 0)) {
        return std::numeric_limits<double>::infinity();
    }
    return (bytes + bytes * halfSize / (bytes + halfSize)) / rate;
}

double allReduceTime(const Cluster& cluster, const GroupSpan& group, double bytes)
{
    const std::vector<Hop> hops = hopsOf(cluster, group);
    if (hops.empty() || bytes <= 0) {
        return 0;
    }
    return baseOf(hops) + hierarchicalAllReduce(hops, bytes);
}

namespace {

/// Faster than the library where one level joins the group: peers are read directly, the fast protocol's start-up is
/// not paid.
struct DirectRead {
    std::string_view how;
    double rounds = 1;
    double wire = 0; ///< bytes of one device
    double seconds = 0;
};

std::optional<DirectRead> directRead(const std::vector<Hop>& hops, double bytes)
{
    if (hops.size() != 1 || bytes <= 0 || hops.front().level->directLatency <= 0) {
        return std::nullopt;
    }
    const Hop& hop = hops.front();
    const double peers = hop.members - 1;
    DirectRead oneShot{"one shot", 1, peers * bytes};
    DirectRead twoShot{"two shots", 2, 2 * peers / hop.members * bytes};
    for (DirectRead* way : {&oneShot, &twoShot}) {
        way->seconds = way->rounds * hop.level->directLatency + wireTime(way->wire, 0, rateOf(hop));
    }
    return oneShot.seconds <= twoShot.seconds ? oneShot : twoShot;
}

} // namespace

double directAllReduceTime(const Cluster& cluster, const GroupSpan& group, double bytes)
{
    const double library = allReduceTime(cluster, group, bytes);
    const std::optional<DirectRead> direct = directRead(hopsOf(cluster, group), bytes);
    return direct ? std::min(library, direct->seconds) : library;
}

double allGatherTime(const Cluster& cluster, const GroupSpan& group, double bytes)
{
    const std::vector<Hop> hops = hopsOf(cluster, group);
    return hops.empty() || bytes <= 0 ? 0 : baseOf(hops) + ringPass(hops, bytes);
}

double reduceScatterTime(const Cluster& cluster, const GroupSpan& group, double bytes)
{
    return allGatherTime(cluster, group, bytes);
}

namespace {

double allToAll(const Cluster& cluster, const std::vector<Hop>& hops, double bytes, double outside,
                CollectiveTerms* terms = nullptr)
{
    const double size = hops.back().members;
    double slowest = 0;
    for (const Hop& hop : hops) {
        const Level& level = *hop.level;
        // What leaves the node passes every level outside it; a device in the emptiest domain has most peers elsewhere.
        const bool inner = &level == &cluster.levels.front();
        const double away = inner ? hop.members - 1 : outside * (size - hop.rails);
        double wire = away / size * bytes;
        if (level.fabric == Fabric::Ring) {
            // Blocks hop through neighbours: n/4 hops on average in a ring of n, n/2 links' worth at a chain's middle.
            wire *= std::max(1.0, hop.domains * hop.domains / (4 * (hop.domains - 1)));
        }
        const double rate = level.bandwidth * allToAllEfficiencyOf(level) * linkShare(hop);
        slowest = std::max(slowest, wireTime(wire, level.halfSize, rate) + (hop.domains - 1) * level.latency);
        record(terms, {&level, "all to all", wire, rate, hop.domains - 1, level.halfSize});
    }
    return baseOf(hops) + slowest;
}

} // namespace

double allToAllTime(const Cluster& cluster, const GroupSpan& group, double bytes, double outside)
{
    const std::vector<Hop> hops = hopsOf(cluster, group);
    return hops.empty() || bytes <= 0 ? 0 : allToAll(cluster, hops, bytes, outside);
}

CollectiveTerms allReduceTerms(const Cluster& cluster, const GroupSpan& group, double bytes)
{
    CollectiveTerms terms;
    const std::vector<Hop> hops = hopsOf(cluster, group);
    if (!hops.empty() && bytes > 0) {
        terms.base = baseOf(hops);
        hierarchicalAllReduce(hops, bytes, &terms);
    }
    return terms;
}

CollectiveTerms directAllReduceTerms(const Cluster& cluster, const GroupSpan& group, double bytes)
{
    const std::vector<Hop> hops = hopsOf(cluster, group);
    const std::optional<DirectRead> direct = directRead(hops, bytes);
    if (!direct || allReduceTime(cluster, group, bytes) <= direct->seconds) {
        return allReduceTerms(cluster, group, bytes);
    }
    const Hop& hop = hops.front();
    CollectiveTerms terms;
    terms.base = direct->rounds * hop.level->directLatency;
    record(&terms, {hop.level, direct->how, direct->wire, rateOf(hop), 0, 0});
    return terms;
}

CollectiveTerms allGatherTerms(const Cluster& cluster, const GroupSpan& group, double bytes)
{
    CollectiveTerms terms;
    const std::vector<Hop> hops = hopsOf(cluster, group);
    if (!hops.empty() && bytes > 0) {
        terms.base = baseOf(hops);
        ringPass(hops, bytes, &terms);
    }
    return terms;
}

CollectiveTerms allToAllTerms(const Cluster& cluster, const GroupSpan& group, double bytes, double outside)
{
    CollectiveTerms terms;
    const std::vector<Hop> hops = hopsOf(cluster, group);
    if (!hops.empty() && bytes > 0) {
        terms.base = baseOf(hops);
        allToAll(cluster, hops, bytes, outside, &terms);
    }
    return terms;
}

double pointToPointRate(const Cluster& cluster, std::size_t level)
{
    Hop hop;
    hop.level = &cluster.levels[level];
    hop.domains = 2;
    hop.capacity = std::max(2.0, std::floor(domainOf(cluster, level) / (level > 0 ? domainOf(cluster, level - 1) : 1)));
    return hop.level->bandwidth * allToAllEfficiencyOf(*hop.level) * linkShare(hop);
}

double pointToPointTime(const Cluster& cluster, int level, double bytes)
{
    if (level < 0 || static_cast<std::size_t>(level) >= cluster.levels.size() || bytes <= 0) {
        return 0;
    }
    const auto index = static_cast<std::size_t>(level);
    const Level& link = cluster.levels[index];
    return link.baseLatency + link.latency + wireTime(bytes, link.halfSize, pointToPointRate(cluster, index));
}

} // namespace partita
