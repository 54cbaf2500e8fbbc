// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/group_slowdown.h"

#include "core/model/parameters.h"

namespace partita {

namespace {

constexpr double bytesPerValue = 2; // activations travel in 16 bits

/// Bytes of the activations of one micro-batch on one context rank.
double activationBytes(const Scenario& scenario)
{
    const Layout& layout = scenario.layout;
    return bytesPerValue * static_cast<double>(layout.microBatch)
        * static_cast<double>(scenario.workload.sequenceLength) / layout.cp
        * static_cast<double>(scenario.model.hidden);
}

double gradientBytes(const Scenario& scenario)
{
    return bytesPerElement(scenario.stack.gradientType) * static_cast<double>(parameters(scenario.model).total())
        / (static_cast<double>(scenario.layout.tp) * scenario.layout.pp);
}

double timeOf(const Scenario& scenario, const GroupSpan& span, GroupKind kind)
{
    const Cluster& cluster = scenario.cluster;
    switch (kind) {
    case GroupKind::Tensor:
    case GroupKind::ExpertTensor:
        return allReduceTime(cluster, span, activationBytes(scenario));
    case GroupKind::Context:
        return allGatherTime(cluster, span, activationBytes(scenario));
    case GroupKind::Expert:
        return allToAllTime(cluster, span, activationBytes(scenario));
    case GroupKind::Pipeline:
        return 0; // joins pairs, see below
    case GroupKind::Data:
    case GroupKind::Gradient:
    case GroupKind::ExpertData:
        return allReduceTime(cluster, span, gradientBytes(scenario));
    }
    return 0;
}

} // namespace

double groupSlowdown(const Scenario& scenario, const RankGrid& grid, GroupKind kind)
{
    if (kind == GroupKind::Pipeline) {
        const double bytes = activationBytes(scenario);
        return grid.pipelineLevel() == 0 ? 1
                                         : pointToPointTime(scenario.cluster, grid.pipelineLevel(), bytes)
                / pointToPointTime(scenario.cluster, 0, bytes);
    }
    const GroupSpan& span = grid.span(kind);
    if (span.outermostLevel() == 0) {
        return 1;
    }
    const GroupSpan inside{std::vector<std::int64_t>(span.members.size(), span.size())};
    return timeOf(scenario, span, kind) / timeOf(scenario, inside, kind);
}

} // namespace partita
