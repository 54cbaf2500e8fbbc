// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/pipeline/schedule.h"

#include <QtTest>

#include <algorithm>

namespace partita::test {

/// Chunks a schedule is tested with where it takes any number.
inline int usualChunks(ScheduleKind kind)
{
    const ScheduleFacts facts = describe(kind);
    return facts.chunks != 0 ? facts.chunks : std::max(2, facts.minChunks);
}

inline std::string problemsText(const Problems& problems)
{
    std::string text;
    for (const Problem& problem : problems) {
        text += describe(problem) + "\n";
    }
    return text;
}

/// The schedule run with equal stages; an empty Timeline (and a failed check) when it cannot.
inline Timeline runEqual(ScheduleKind kind, int stages, int microBatches, int chunks, double forward,
                         double backwardInput, double backwardWeight, double transfer = 0)
{
    const Result<Schedule> schedule = makeSchedule(kind, stages, microBatches, chunks);
    if (!schedule) {
        QTest::qFail(problemsText(schedule.problems).c_str(), __FILE__, __LINE__);
        return {};
    }
    StageTimes times = equalStageTimes(schedule->placement, forward, backwardInput, backwardWeight);
    times.transfer = transfer;
    const Result<Timeline> timeline = simulate(*schedule, times);
    if (!timeline) {
        QTest::qFail(problemsText(timeline.problems).c_str(), __FILE__, __LINE__);
        return {};
    }
    return *timeline;
}

inline double peak(const Timeline& timeline)
{
    double most = 0;
    for (const StageTimeline& stage : timeline.stages) {
        most = std::max(most, stage.peakActivations);
    }
    return most;
}

/// The longest time any stage takes from its first op to its last.
inline double longestSpan(const Timeline& timeline)
{
    double longest = 0;
    for (const StageTimeline& stage : timeline.stages) {
        longest = std::max(longest, stage.ops.back().end - stage.ops.front().start);
    }
    return longest;
}

} // namespace partita::test
