// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explain/collective_values.h"

#include "core/cluster/collective_terms.h"

#include <fmt/format.h>

namespace partita {

namespace {

CollectiveTerms termsOf(const Cluster& cluster, const CollectiveWork& work)
{
    switch (work.kind) {
    case CollectiveKind::AllReduce:
        return work.direct ? directAllReduceTerms(cluster, work.span, work.bytes)
                           : allReduceTerms(cluster, work.span, work.bytes);
    case CollectiveKind::AllToAll:
        return allToAllTerms(cluster, work.span, work.bytes, work.outside);
    case CollectiveKind::AllGather:
    case CollectiveKind::ReduceScatter:
        break;
    }
    return allGatherTerms(cluster, work.span, work.bytes);
}

void addSource(Derivation& d, const Level& level)
{
    if (!level.source.empty()) {
        d.sources.push_back(fmt::format("{}: {}", level.name, level.source));
    }
}

} // namespace

std::string_view labelOf(CollectiveKind kind)
{
    switch (kind) {
    case CollectiveKind::AllReduce:
        return "all-reduce";
    case CollectiveKind::AllGather:
        return "all-gather";
    case CollectiveKind::ReduceScatter:
        return "reduce-scatter";
    case CollectiveKind::AllToAll:
        return "all-to-all";
    }
    return {};
}

void deriveCollective(Derivation& d, const Cluster& cluster, const CollectiveWork& work)
{
    const CollectiveTerms terms = termsOf(cluster, work);
    std::vector<double> wire, rate, half, steps, latency;
    std::vector<std::string> names;
    for (const WireTerm& term : terms.levels) {
        names.push_back(fmt::format("{}, {}", term.level->name, term.how));
        wire.push_back(term.wire);
        rate.push_back(term.rate);
        half.push_back(term.halfSize);
        steps.push_back(term.steps);
        latency.push_back(term.level->latency);
        addSource(d, *term.level);
    }
    if (wire.empty()) {
        d.formula = "0";
        d.assumptions.emplace_back("Nobody to exchange with, or nothing to exchange.");
        return;
    }
    d.formula = work.kind == CollectiveKind::AllToAll ? "b + max((w + w*h/(w + h))/r + k*a)"
                                                      : "b + max((w + w*h/(w + h))/r) + sum(k*a)";
    d.terms = {given("b", "start of a collective", Measure::Seconds, terms.base,
                     "cluster levels: base_latency, or direct_latency of every round"),
               givenList("w", "bytes of a device on the wire", Measure::Bytes, wire, names,
                         fmt::format("{} of {} over {} devices", labelOf(work.kind),
                                     formatMeasure(work.bytes, Measure::Bytes), work.span.size())),
               givenList("h", "bytes at which half the rate is lost", Measure::Bytes, half, names,
                         "cluster levels: half_size"),
               givenList("r", "rate", Measure::BytesPerSecond, rate, names, "cluster levels: bandwidth x efficiency"),
               givenList("k", "steps", Measure::Count, steps, names, "algorithm"),
               givenList("a", "latency of a step", Measure::Seconds, latency, names, "cluster levels: latency")};
    if (work.outside < 1) {
        d.assumptions.push_back(fmt::format(
            "A token goes to a node once, whatever experts it has there: {:.0f} % of the copies for other nodes "
            "are sent.",
            100 * work.outside));
    }
    d.assumptions.emplace_back(
        "The fastest of the algorithms that apply; stages of a hierarchy work at the same time.");
}

void derivePointToPoint(Derivation& d, const Cluster& cluster, std::size_t level, Term bytes)
{
    const Level& link = cluster.levels[level];
    bytes.symbol = "B";
    const std::string where = fmt::format("cluster level {}: ", link.name);
    d.formula = "b + a + (B + B*h/(B + h))/r";
    d.terms = {given("b", "start of a transfer", Measure::Seconds, link.baseLatency, where + "base_latency"),
               given("a", "latency", Measure::Seconds, link.latency, where + "latency"), std::move(bytes),
               given("h", "bytes at which half the rate is lost", Measure::Bytes, link.halfSize, where + "half_size"),
               given("r", "rate between two devices", Measure::BytesPerSecond, pointToPointRate(cluster, level),
                     where + "bandwidth x efficiency")};
    addSource(d, link);
}

} // namespace partita
