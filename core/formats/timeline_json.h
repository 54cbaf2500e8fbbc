// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/layout/layout.h"
#include "core/pipeline/timeline.h"

#include <string>
#include <string_view>

namespace partita {

/// What `bubble_fraction` counts, in words.
inline constexpr std::string_view bubbleDefinition = "idle time of all stages / (stages * makespan)";

/// What `partita schedule --json` prints: makespan, ideal, bubble_fraction and its definition, what every stage does
/// and holds; with `ops` every op in order of stage, then time. Times are in the timeline's own unit, which `timeUnit`
/// names. chunks counts those of one copy of the model on a rank, as layout.vpp does.
std::string writeTimeline(const Timeline& timeline, ScheduleKind kind, std::string_view timeUnit, bool ops);

} // namespace partita
