// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/schedule.h"

#include "core/pipeline/orders.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>

namespace partita {

namespace {

constexpr int mostOps = 1 << 20; // of one kind: a fraction of a second and of a gigabyte, far from overflow
constexpr int mostChunks = std::numeric_limits<decltype(ScheduleOp::chunk)>::max();

orders::Programs programsOf(ScheduleKind kind, int stages, int microBatches, int chunks)
{
    switch (kind) {
    case ScheduleKind::GPipe:
        return orders::gpipe(stages, microBatches);
    case ScheduleKind::OneFOneB:
        return orders::oneFOneB(stages, microBatches);
    case ScheduleKind::Interleaved:
        return orders::interleaved(stages, microBatches, chunks);
    case ScheduleKind::OneFOneBOverlap:
        return orders::oneFOneBOverlap(stages, microBatches, chunks);
    case ScheduleKind::BreadthFirst:
        return orders::breadthFirst(stages, microBatches, chunks);
    case ScheduleKind::ZbH1:
        return orders::zbH1(stages, microBatches);
    case ScheduleKind::ZbH2:
        return orders::zbH2(stages, microBatches);
    case ScheduleKind::ZbV:
        return orders::zbV(stages, microBatches);
    case ScheduleKind::VHalf:
        return orders::vHalf(stages, microBatches);
    case ScheduleKind::VMin:
        return orders::vMin(stages, microBatches);
    case ScheduleKind::DualPipe:
        return orders::dualPipe(stages, microBatches);
    case ScheduleKind::DualPipeV:
        return orders::dualPipeV(stages, microBatches);
    }
    return {};
}

/// Without writing its sentences every time.
const ScheduleFacts& factsOf(ScheduleKind kind)
{
    static const auto table = [] {
        std::array<ScheduleFacts, Names<ScheduleKind>::table.size()> facts;
        for (const auto& name : Names<ScheduleKind>::table) {
            facts[static_cast<std::size_t>(name.value)] = describe(name.value);
        }
        return facts;
    }();
    return table[static_cast<std::size_t>(kind)];
}

} // namespace

Placement placementOf(ScheduleKind kind, int stages, int chunks)
{
    switch (kind) {
    case ScheduleKind::ZbV:
    case ScheduleKind::VHalf:
    case ScheduleKind::VMin:
    case ScheduleKind::DualPipeV:
        return vPlacement(stages);
    case ScheduleKind::DualPipe:
        return bidirectionalPlacement(stages);
    default:
        return loopedPlacement(stages, chunks);
    }
}

Problems checkSchedule(ScheduleKind kind, int stages, int microBatches, int chunks)
{
    const ScheduleFacts& facts = factsOf(kind);
    const auto name = [kind] { return std::string(labelOf(kind)); };
    Problems problems;
    if (stages < 1) {
        problems.push_back({"layout.pp", fmt::to_string(stages), "a pipeline has at least one stage", "try 1"});
    } else if (facts.evenStages && stages % 2 != 0) {
        problems.push_back({"layout.pp", fmt::to_string(stages),
                            name() + " feeds the pipeline from both ends and needs an even number of stages",
                            stages == 1 ? "try 2" : fmt::format("try {} or {}", stages - 1, stages + 1)});
    }
    if (facts.chunks != 0 && chunks != facts.chunks) {
        problems.push_back(
            {"layout.vpp", fmt::to_string(chunks),
             fmt::format("{} has {} model chunk{} per rank", name(), facts.chunks, facts.chunks == 1 ? "" : "s"),
             fmt::format("try {}", facts.chunks)});
    } else if (chunks < facts.minChunks) {
        problems.push_back({"layout.vpp", fmt::to_string(chunks),
                            fmt::format("{} needs at least {} model chunk{} per rank", name(), facts.minChunks,
                                        facts.minChunks == 1 ? "" : "s"),
                            fmt::format("try {}", facts.minChunks)});
    } else if (chunks > mostChunks) {
        problems.push_back({"layout.vpp", fmt::to_string(chunks), "is more model chunks than a rank can number",
                            fmt::format("try {}", mostChunks)});
    }
    const int fewest = std::max(1, facts.microBatchesPerStage * std::max(stages, 1));
    const auto count = [](std::int64_t n) { return fmt::format("{} micro-batch{}", n, n == 1 ? "" : "es"); };
    if (microBatches < fewest) {
        problems.push_back({"layout.global_batch", count(microBatches),
                            fewest == 1 ? std::string("a step has at least one micro-batch")
                                        : fmt::format("{} needs at least {} micro-batches per stage", name(),
                                                      facts.microBatchesPerStage),
                            "try " + count(fewest)});
    } else if (facts.evenMicroBatches && microBatches % 2 != 0) {
        problems.push_back({"layout.global_batch", count(microBatches),
                            name() + " sends half of the micro-batches each way and needs an even number",
                            microBatches > fewest
                                ? fmt::format("try {} or {}", microBatches - 1, count(std::int64_t{microBatches} + 1))
                                : "try " + count(std::int64_t{microBatches} + 1)});
    }
    if (problems.empty() && std::int64_t{stages} * chunks > std::int64_t{mostOps} / microBatches) {
        problems.push_back(
            {"layout.global_batch", count(microBatches),
             fmt::format("on {} stages with {} model chunk{} are more than the {} forwards a schedule is drawn up for",
                         stages, chunks, chunks == 1 ? "" : "s", mostOps),
             "try " + count(std::max<std::int64_t>(1, mostOps / (std::int64_t{stages} * chunks)))});
    }
    return problems;
}

Result<Schedule> makeSchedule(ScheduleKind kind, int stages, int microBatches, int chunks)
{
    if (Problems problems = checkSchedule(kind, stages, microBatches, chunks); !problems.empty()) {
        return problems;
    }
    Schedule schedule;
    schedule.kind = kind;
    schedule.microBatches = microBatches;
    schedule.placement = placementOf(kind, stages, chunks);
    schedule.order = programsOf(kind, stages, microBatches, chunks);
    return schedule;
}

} // namespace partita
