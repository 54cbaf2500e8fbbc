// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/layout/layout.h"
#include "core/pipeline/timeline.h"

#include <string>
#include <string_view>

namespace partita {

/// What `bubble_fraction` counts, in words.
inline constexpr std::string_view bubbleDefinition = "idle time of all stages / (stages * makespan)";

/// What `makespan` spans, in words.
inline constexpr std::string_view makespanDefinition =
    "from the start of the step to the end of the last pipeline op; gradient exchange, optimizer and parameter gather "
    "(step_ops) come after it";

/// What `partita schedule --json` prints: makespan, ideal, bubble_fraction and its definition, what every stage does
/// and holds; with `ops` every op of the pipeline, then every op of the whole step, in order of stage, then time.
/// step_end is the end of the last of them all. Times are in the timeline's own unit, which `timeUnit` names. chunks
/// counts those of one copy of the model on a rank, as layout.vpp does.
std::string writeTimeline(const Timeline& timeline, ScheduleKind kind, std::string_view timeUnit, bool ops);

} // namespace partita
