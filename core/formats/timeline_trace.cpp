// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/timeline_trace.h"

#include "core/pipeline/live_activations.h"

#include <fmt/format.h>
#include <iterator>

namespace partita {

namespace {

constexpr double microseconds = 1e6;

// Written by hand, not through a JSON tree: half a million ops would take gigabytes there. All strings are ours and
// need no escapes, all numbers are finite.
class Trace {
public:
    template <class... Arguments> void event(fmt::format_string<Arguments...> format, Arguments&&... arguments)
    {
        fmt::format_to(std::back_inserter(m_text), "{}{{", m_first ? "\n" : ",\n");
        m_first = false;
        fmt::format_to(std::back_inserter(m_text), format, std::forward<Arguments>(arguments)...);
        m_text.push_back('}');
    }

    std::string take()
    {
        return fmt::format("{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[{}\n]}}\n", fmt::to_string(m_text));
    }

private:
    fmt::memory_buffer m_text;
    bool m_first = true;
};

void addOp(Trace& trace, const Timeline& timeline, int stage, const TimelineOp& op)
{
    std::string arguments;
    if (isPipelineOp(op.kind)) {
        const Placement& placement = timeline.placement;
        arguments = fmt::format("\"microBatch\":{},\"chunk\":{},\"modelChunk\":{},", op.microBatch, op.chunk,
                                placement.link(stage, op.chunk).modelChunk);
        if (op.kind == OpKind::ForwardBackward) {
            arguments += fmt::format("\"backwardMicroBatch\":{},\"backwardChunk\":{},\"backwardModelChunk\":{},",
                                     op.partner, op.partnerChunk, placement.link(stage, op.partnerChunk).modelChunk);
        }
    }
    const ExposedExchange exposed = timeline.exposedIn(stage, op);
    for (const Name<ExchangeGroup>& group : Names<ExchangeGroup>::table) {
        if (exposed[group.value] > 0) {
            arguments += fmt::format("\"{}Exposed\":{},", group.key, exposed[group.value] * microseconds);
        }
    }
    trace.event("\"name\":\"{}\",\"cat\":\"{}\",\"ph\":\"X\",\"pid\":0,\"tid\":{},\"ts\":{},\"dur\":{},"
                "\"args\":{{{}\"transferWait\":{}}}",
                opText(op), keyOf(op.kind), stage, op.start * microseconds, (op.end - op.start) * microseconds,
                arguments, op.transferWait * microseconds);
}

} // namespace

std::string timelineTrace(const Timeline& timeline)
{
    Trace trace;
    trace.event("\"name\":\"process_name\",\"ph\":\"M\",\"pid\":0,\"tid\":0,\"args\":{{\"name\":\"pipeline\"}}");
    for (std::size_t i = 0; i < timeline.stages.size(); ++i) {
        const int stage = static_cast<int>(i);
        trace.event("\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":{0},\"args\":{{\"name\":\"stage {0}\"}}",
                    stage);
        trace.event("\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":0,\"tid\":{0},\"args\":{{\"sort_index\":{0}}}",
                    stage);
        for (const TimelineOp& op : timeline.stages[i].ops) {
            addOp(trace, timeline, stage, op);
        }
        for (const TimelineOp& op : timeline.stages[i].after) {
            addOp(trace, timeline, stage, op);
        }
        for (const ActivationPoint& point : liveActivations(timeline, stage)) {
            trace.event(
                "\"name\":\"held by stage {}\",\"ph\":\"C\",\"pid\":0,\"ts\":{},\"args\":{{\"micro-batches\":{}}}",
                stage, point.time * microseconds, point.microBatches);
        }
    }
    return trace.take();
}

} // namespace partita
