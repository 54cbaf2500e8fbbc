// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/trace_import.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace {

void require(bool truth)
{
    if (!truth) {
        std::abort();
    }
}

void checkLane(const partita::TraceLane& lane, const partita::ImportedTrace& trace)
{
    require(!lane.name.empty() && !lane.spans.empty());
    double before = 0;
    for (const partita::TraceSpan& span : lane.spans) {
        require(span.start >= before && span.duration >= 0);
        require(std::isfinite(span.start) && span.start + span.duration <= trace.duration);
        require(span.kind.has_value() == trace.hasPipelineOps);
        require(span.microBatch >= -1 && span.chunk >= -1 && span.partner >= -1 && span.partnerChunk >= -1);
        before = span.start;
    }
}

} // namespace

/// Whatever the bytes: lanes of spans in order and inside the trace, or at least one reason.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const partita::Result<partita::ImportedTrace> trace = partita::readTrace(text);
    require(trace.value.has_value() == trace.problems.empty());
    if (trace) {
        require(!trace->lanes.empty());
        for (const partita::TraceLane& lane : trace->lanes) {
            checkLane(lane, *trace);
        }
    }
    return 0;
}
