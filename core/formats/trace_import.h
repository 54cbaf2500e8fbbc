// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"
#include "core/pipeline/timeline.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

/// A named piece of time. Times in s from the first span that was kept.
struct TraceSpan {
    std::string name;
    double start = 0;
    double duration = 0;
    std::optional<OpKind> kind; ///< of the pipeline op it is; nothing = the trace has no pipeline ops
    std::int32_t microBatch = -1; ///< -1 here and below: the trace does not say
    std::int16_t chunk = -1;
    std::int32_t partner = -1; ///< micro-batch of the backward when kind is ForwardBackward
    std::int16_t partnerChunk = -1;

    bool operator==(const TraceSpan&) const = default;
};

struct TraceLane {
    std::string name; ///< of the thread, else of the process, else "process 1, thread 2"
    std::int32_t stage = -1; ///< as the lane's or a span's name says ("stage 3", "rank 3")
    std::vector<TraceSpan> spans; ///< in order of start; of equal ones the longer first

    bool operator==(const TraceLane&) const = default;
};

/// The pipeline lanes of a trace, in order of stage, then of process and thread.
struct ImportedTrace {
    std::vector<TraceLane> lanes;
    double duration = 0; ///< s from the first start to the last end
    bool hasPipelineOps = false; ///< whether spans are pipeline ops: then all are, and none lies inside another
    std::vector<std::string> ignored; ///< what was left out, one line a reason

    bool operator==(const ImportedTrace&) const = default;
};

/// Larger texts are refused.
inline constexpr std::size_t mostTraceBytes = std::size_t{512} << 20;

/// Whether a text is to be read as a trace: a list, or an object that has a "traceEvents" list.
bool looksLikeTrace(std::string_view text);

/// Reads a Chrome trace (Trace Event Format: the object format or a bare array; complete events and begin/end pairs;
/// times in µs), e.g. of timelineTrace, of torch.profiler or of Megatron's timers. Where names or categories tell
/// forwards from backwards only those spans are kept, else all. Linear in the text; never holds more than the kept
/// spans.
Result<ImportedTrace> readTrace(std::string_view text);

} // namespace partita
