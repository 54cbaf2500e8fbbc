// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/pipeline/schedule.h"
#include "core/scenario/scenario.h"

namespace partita {

/// The scenario under another schedule. Virtual stages change only where a schedule asks for a number of its own;
/// stated layers per stage are dropped where they no longer match.
Scenario withSchedule(const Scenario& scenario, ScheduleKind kind);

/// Every reason why withSchedule() cannot run.
Problems checkTimelineWith(const Scenario& scenario, ScheduleKind kind);

/// The step's pipeline under another schedule, on the same model, devices and batch: the times of a layer stay the
/// same.
Result<Timeline> timelineWith(const Scenario& scenario, ScheduleKind kind);

} // namespace partita
