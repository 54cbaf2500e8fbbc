// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/timeline_with.h"

#include "core/model/check_model.h"
#include "core/scenario/rules.h"
#include "core/training/stage_times.h"
#include "core/training/step_tail.h"

#include <algorithm>

namespace partita {

Scenario withSchedule(const Scenario& scenario, ScheduleKind kind)
{
    Scenario other = scenario;
    Layout& layout = other.layout;
    const ScheduleFacts facts = describe(kind);
    layout.schedule = kind;
    layout.vpp = facts.chunks > 0 ? facts.chunks : std::max(facts.minChunks, layout.vpp);
    if (layout.layersPerStage.size() != static_cast<std::size_t>(layout.pp) * static_cast<std::size_t>(layout.vpp)) {
        layout.layersPerStage.clear();
    }
    return other;
}

Problems checkTimelineWith(const Scenario& scenario, ScheduleKind kind)
{
    const Scenario other = withSchedule(scenario, kind);
    Problems problems = checkModel(other.model);
    if (problems.empty()) {
        problems = checkLayout(other);
    }
    if (problems.empty()) {
        problems =
            checkSchedule(kind, other.layout.pp, static_cast<int>(other.layout.microBatches()), other.layout.vpp);
    }
    return problems;
}

Result<Timeline> timelineWith(const Scenario& scenario, ScheduleKind kind)
{
    if (Problems problems = checkTimelineWith(scenario, kind); !problems.empty()) {
        return problems;
    }
    const Scenario other = withSchedule(scenario, kind);
    const Layout& layout = other.layout;
    const Result<Schedule> schedule =
        makeSchedule(kind, layout.pp, static_cast<int>(layout.microBatches()), layout.vpp);
    if (!schedule) {
        return schedule.problems;
    }
    const RankGrid grid(layout, other.cluster);
    const std::vector<StagePlan> plans = planStages(other, schedule->placement, grid);
    Result<Timeline> timeline = simulate(*schedule, stageTimes(other, plans, grid));
    if (timeline) {
        addStepTail(*timeline, stepTail(figuresOf(*timeline), other, plans, grid), other.stack.stepOverhead);
    }
    return timeline;
}

} // namespace partita
