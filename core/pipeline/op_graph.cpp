// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/op_graph.h"

#include <algorithm>

namespace partita {

namespace {

/// Whether all stages start the op together.
bool joinsStages(OpKind kind)
{
    return kind == OpKind::Optimizer || kind == OpKind::Host;
}

} // namespace

OpGraph::OpGraph(const Timeline& timeline)
    : m_timeline(timeline)
{
    const std::size_t size = timeline.placement.links.size() * static_cast<std::size_t>(timeline.microBatches);
    m_forward.assign(size, -1);
    m_inputGradient.assign(size, -1);
    m_weightGradient.assign(size, -1);
    for (std::size_t stage = 0; stage < timeline.stages.size(); ++stage) {
        const auto rank = static_cast<std::int32_t>(stage);
        std::int32_t index = 0;
        for (const TimelineOp& op : timeline.stages[stage].ops) {
            const std::size_t backward = key({rank, backwardChunk(op)}, backwardMicroBatch(op));
            if (hasForward(op.kind)) {
                m_forward[key({rank, op.chunk}, op.microBatch)] = index;
            }
            if (hasInputGradient(op.kind)) {
                m_inputGradient[backward] = index;
            }
            if (hasWeightGradient(op.kind)) {
                m_weightGradient[backward] = index;
            }
            ++index;
        }
    }
}

const TimelineOp& OpGraph::at(OpRef op) const
{
    return opAt(m_timeline.stages[static_cast<std::size_t>(op.stage)], static_cast<std::size_t>(op.index));
}

std::size_t OpGraph::key(ChunkSite site, std::int32_t microBatch) const
{
    return m_timeline.placement.slot(site) * static_cast<std::size_t>(m_timeline.microBatches)
        + static_cast<std::size_t>(microBatch);
}

OpRef OpGraph::find(Part part, ChunkSite site, std::int32_t microBatch) const
{
    if (!site) {
        return {};
    }
    const std::vector<std::int32_t>& table = part == Part::Forward ? m_forward
        : part == Part::InputGradient                              ? m_inputGradient
                                                                   : m_weightGradient;
    const std::int32_t index = table[key(site, microBatch)];
    return index < 0 ? OpRef{} : OpRef{site.rank, index};
}

std::vector<OpRef> OpGraph::afterPipeline(OpRef ref) const
{
    if (!joinsStages(at(ref).kind)) {
        return ref.index > 0 ? std::vector<OpRef>{{ref.stage, ref.index - 1}} : std::vector<OpRef>{};
    }
    std::vector<OpRef> refs;
    for (std::size_t i = 0; i < m_timeline.stages.size(); ++i) {
        const StageTimeline& stage = m_timeline.stages[i];
        const auto same = std::find_if(stage.after.begin(), stage.after.end(),
                                       [&](const TimelineOp& op) { return op.kind == at(ref).kind; });
        const auto before = static_cast<int>(stage.ops.size()) + static_cast<int>(same - stage.after.begin()) - 1;
        if (same != stage.after.end() && before >= 0) {
            refs.push_back({static_cast<int>(i), before});
        }
    }
    return refs;
}

std::vector<OpRef> OpGraph::nextAfterPipeline(OpRef ref) const
{
    const OpRef next{ref.stage, ref.index + 1};
    const auto count = [this](int stage) { return opCount(m_timeline.stages[static_cast<std::size_t>(stage)]); };
    if (static_cast<std::size_t>(next.index) >= count(ref.stage) || isPipelineOp(at(next).kind)) {
        return {};
    }
    if (!joinsStages(at(next).kind)) {
        return {next};
    }
    std::vector<OpRef> refs;
    for (int stage = 0; stage < static_cast<int>(m_timeline.stages.size()); ++stage) {
        for (auto i = static_cast<int>(m_timeline.stages[static_cast<std::size_t>(stage)].ops.size());
             i < static_cast<int>(count(stage)); ++i) {
            if (at({stage, i}).kind == at(next).kind) {
                refs.push_back({stage, i});
            }
        }
    }
    return refs;
}

std::vector<OpRef> OpGraph::dependencies(OpRef ref) const
{
    if (!isPipelineOp(at(ref).kind)) {
        return afterPipeline(ref);
    }
    std::vector<OpRef> refs;
    const auto add = [&](OpRef found) {
        if (found && std::find(refs.begin(), refs.end(), found) == refs.end()) {
            refs.push_back(found);
        }
    };
    const TimelineOp& op = at(ref);
    const Placement& placement = m_timeline.placement;
    if (hasForward(op.kind)) {
        add(find(Part::Forward, placement.link(ref.stage, op.chunk).previous, op.microBatch));
    }
    const ChunkSite own{ref.stage, backwardChunk(op)};
    if (hasInputGradient(op.kind)) {
        add(find(Part::Forward, own, backwardMicroBatch(op)));
        add(find(Part::InputGradient, placement.link(ref.stage, own.chunk).next, backwardMicroBatch(op)));
    } else if (hasWeightGradient(op.kind)) {
        add(find(Part::InputGradient, own, backwardMicroBatch(op)));
    }
    return refs;
}

std::vector<OpRef> OpGraph::dependants(OpRef ref) const
{
    std::vector<OpRef> refs = nextAfterPipeline(ref);
    const auto add = [&](OpRef found) {
        if (found && found != ref && std::find(refs.begin(), refs.end(), found) == refs.end()) {
            refs.push_back(found);
        }
    };
    const TimelineOp& op = at(ref);
    if (!isPipelineOp(op.kind)) {
        return refs;
    }
    const Placement& placement = m_timeline.placement;
    if (hasForward(op.kind)) {
        add(find(Part::Forward, placement.link(ref.stage, op.chunk).next, op.microBatch));
        add(find(Part::InputGradient, {ref.stage, op.chunk}, op.microBatch));
    }
    if (hasInputGradient(op.kind)) {
        const ChunkSite own{ref.stage, backwardChunk(op)};
        add(find(Part::InputGradient, placement.link(ref.stage, own.chunk).previous, backwardMicroBatch(op)));
        add(find(Part::WeightGradient, own, backwardMicroBatch(op)));
    }
    return refs;
}

double OpGraph::arrival(OpRef from, OpRef to) const
{
    return at(from).end + (from.stage == to.stage || !isPipelineOp(at(to).kind) ? 0 : m_timeline.transfer);
}

IdleReason OpGraph::whyIdle(OpRef ref) const
{
    const TimelineOp& op = at(ref);
    const double before = ref.index > 0 ? at({ref.stage, ref.index - 1}).end : 0;
    IdleReason reason;
    reason.idle = op.start - before;
    reason.transfer = op.transferWait;
    double last = before;
    for (OpRef dependency : dependencies(ref)) {
        if (arrival(dependency, ref) > last) {
            last = arrival(dependency, ref);
            reason.waitedFor = dependency;
        }
    }
    if (last < op.start) {
        reason.waitedFor = {}; // its input was here; the stage was still sending
    }
    return reason;
}

std::vector<OpRef> OpGraph::criticalPath() const
{
    OpRef next;
    for (std::size_t stage = 0; stage < m_timeline.stages.size(); ++stage) {
        const OpRef last{static_cast<int>(stage), static_cast<int>(opCount(m_timeline.stages[stage])) - 1};
        if (last.index >= 0 && (!next || at(last).end > at(next).end)) {
            next = last;
        }
    }
    std::vector<OpRef> path;
    while (next) {
        path.push_back(next);
        // What the op started right after: an input, or else the op before it on the stage.
        OpRef cause = whyIdle(next).waitedFor;
        if (!cause && next.index > 0) {
            cause = {next.stage, next.index - 1};
        }
        next = cause;
    }
    std::reverse(path.begin(), path.end());
    return path;
}

} // namespace partita
