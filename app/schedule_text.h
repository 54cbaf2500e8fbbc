// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/layout/layout.h"
#include "core/pipeline/timeline.h"

#include <string>

namespace partita {

/// A simulated pipeline for the terminal: its numbers, a table of stages and, where every op gets a column in
/// ganttColumns, its Gantt chart. Ends in a newline. formatTime writes a time with its unit.
std::string scheduleText(const Timeline& timeline, ScheduleKind kind, std::string (*formatTime)(double));

/// The chart alone, one line a stage; empty when it does not fit.
std::string ganttText(const Timeline& timeline);

inline constexpr int ganttColumns = 120;

} // namespace partita
