// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/timeline.h"

#include <fmt/format.h>

namespace partita {

namespace {

char letterOf(OpKind kind)
{
    switch (kind) {
    case OpKind::Forward:
    case OpKind::ForwardBackward:
        break;
    case OpKind::Backward:
        return 'B';
    case OpKind::BackwardInput:
        return 'I';
    case OpKind::BackwardWeight:
        return 'W';
    }
    return 'F';
}

} // namespace

std::string opText(OpKind kind, std::int32_t microBatch, std::int16_t chunk, std::int32_t partner,
                   std::int16_t partnerChunk)
{
    std::string text = fmt::format("{}{}", letterOf(kind), microBatch);
    if (chunk != 0) {
        text += fmt::format(".{}", chunk);
    }
    if (kind == OpKind::ForwardBackward) {
        text += "|" + opText(OpKind::Backward, partner, partnerChunk, -1, -1);
    }
    return text;
}

double Timeline::bubbleFraction() const
{
    double idle = 0;
    for (const StageTimeline& stage : stages) {
        idle += stage.idle;
    }
    const double total = makespan * static_cast<double>(stages.size());
    return total > 0 ? idle / total : 0;
}

} // namespace partita
