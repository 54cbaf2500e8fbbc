// SPDX-License-Identifier: GPL-3.0-or-later
// Prints the CPU time that orders and simulations take: every schedule at 32 stages and 128 micro-batches, then
// interleaved ones of growing size, to show that time is linear in ops.
#include "core/pipeline/schedule.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <limits>

using namespace partita;

namespace {

/// CPU time of this program: what else the machine does leaves it alone.
double milliseconds()
{
    return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Best of five.
void measure(ScheduleKind kind, int stages, int microBatches, int chunks)
{
    double order = std::numeric_limits<double>::infinity();
    double run = order;
    std::size_t ops = 0;
    for (int i = 0; i < 5; ++i) {
        const double start = milliseconds();
        const Result<Schedule> schedule = makeSchedule(kind, stages, microBatches, chunks);
        const double ordered = milliseconds();
        if (!schedule) {
            fmt::print("{}: {}\n", labelOf(kind), describe(schedule.problems.front()));
            return;
        }
        const Result<Timeline> timeline = simulate(*schedule, equalStageTimes(schedule->placement, 1, 1, 1));
        const double ran = milliseconds();
        if (!timeline) {
            fmt::print("{}: {}\n", labelOf(kind), describe(timeline.problems.front()));
            return;
        }
        ops = 0;
        for (const StageTimeline& stage : timeline->stages) {
            ops += stage.ops.size();
        }
        order = std::min(order, ordered - start);
        run = std::min(run, ran - ordered);
    }
    fmt::print("{:<18} p={:<3} m={:<5} v={} {:>8} ops  order {:8.3f} ms  simulate {:8.3f} ms  {:6.1f} ns/op\n",
               labelOf(kind), stages, microBatches, chunks, ops, order, run,
               1e6 * (order + run) / static_cast<double>(ops));
}

} // namespace

int main()
{
    for (const Name<ScheduleKind>& name : Names<ScheduleKind>::table) {
        const ScheduleFacts facts = describe(name.value);
        measure(name.value, 32, 128, facts.chunks != 0 ? facts.chunks : std::max(2, facts.minChunks));
    }
    for (int microBatches : {64, 128, 256, 512, 1024, 2048}) {
        measure(ScheduleKind::Interleaved, 64, microBatches, 4);
    }
}
