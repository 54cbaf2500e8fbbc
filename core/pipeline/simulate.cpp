// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/live_activations.h"
#include "core/pipeline/op_rules.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace partita {

namespace {

constexpr double unfinished = -1;

/// The program's op that gives the result, or nullptr.
const ScheduleOp* source(const std::vector<ScheduleOp>& program, const Need& need)
{
    const auto found = std::find_if(program.begin(), program.end(), [&](const ScheduleOp& op) {
        if (need.kind == OpKind::Forward) {
            return hasForward(op.kind) && op.microBatch == need.microBatch && op.chunk == need.site.chunk;
        }
        return hasInputGradient(op.kind) && backwardMicroBatch(op) == need.microBatch
            && backwardChunk(op) == need.site.chunk;
    });
    return found == program.end() ? nullptr : &*found;
}

/// Runs every rank as far as it can and goes on with the ranks whose missing input has arrived: each op is looked at
/// once, plus once for each time its rank had to stop before it.
class Run {
public:
    Run(const Schedule& schedule, const StageTimes& times)
        : m_schedule(schedule)
        , m_placement(schedule.placement)
        , m_times(times)
        , m_ranks(static_cast<std::size_t>(m_placement.stages))
    {
        const std::size_t results = m_placement.links.size() * static_cast<std::size_t>(schedule.microBatches);
        m_forwardEnd.assign(results, unfinished);
        m_backwardEnd.assign(results, unfinished);
        m_weightGiven.assign(results, 0);
    }

    Result<Timeline> run();

private:
    struct Rank {
        std::size_t next = 0; ///< op to run next
        double free = 0; ///< when it can compute again
        double computedUntil = 0; ///< before `free` when its own send keeps the rank from computing
        bool queued = true;
    };

    std::size_t index(ChunkSite site, std::int32_t microBatch) const
    {
        return m_placement.slot(site) * static_cast<std::size_t>(m_schedule.microBatches)
            + static_cast<std::size_t>(microBatch);
    }
    double& end(const Need& need)
    {
        std::vector<double>& ends = need.kind == OpKind::Forward ? m_forwardEnd : m_backwardEnd;
        return ends[index(need.site, need.microBatch)];
    }

    bool advance(std::int32_t rank);
    bool finish(std::int32_t rank, const ScheduleOp& op, TimelineOp& done);
    void wake(std::int32_t rank, const Need& result);
    bool finished(std::int32_t rank) const
    {
        const auto r = static_cast<std::size_t>(rank);
        return m_ranks[r].next == m_schedule.order[r].size();
    }
    const ScheduleOp& blocked(std::int32_t rank) const
    {
        const auto r = static_cast<std::size_t>(rank);
        return m_schedule.order[r][m_ranks[r].next];
    }
    Problem cycle() const;
    Timeline collect();

    const Schedule& m_schedule;
    const Placement& m_placement;
    const StageTimes& m_times;
    std::vector<Rank> m_ranks;
    std::vector<std::int32_t> m_ready; ///< ranks that may be able to go on
    std::vector<double> m_forwardEnd; ///< [slot][micro-batch]
    std::vector<double> m_backwardEnd;
    std::vector<std::uint8_t> m_weightGiven; ///< whether
    std::vector<Need> m_missing; ///< [rank] what stopped it
    Timeline m_timeline;
    Problems m_problems;
};

/// Runs the rank until an input is missing. False on an op that is not legal at all.
bool Run::advance(std::int32_t rankIndex)
{
    const auto r = static_cast<std::size_t>(rankIndex);
    Rank& rank = m_ranks[r];
    const std::vector<ScheduleOp>& program = m_schedule.order[r];
    std::array<Need, 3> inputs;
    for (; rank.next < program.size(); ++rank.next) {
        const ScheduleOp& op = program[rank.next];
        const int count = needsOf(m_placement, rankIndex, op, inputs);
        double produced = 0; // when the input that comes last was computed
        double arrived = 0; // and when it was here
        for (int i = 0; i < count; ++i) {
            const Need& need = inputs[static_cast<std::size_t>(i)];
            const double ended = end(need);
            if (ended < 0) {
                m_missing[r] = need;
                return true;
            }
            const double wire = need.site.rank == rankIndex ? 0 : m_times.transfer;
            if (ended + wire > arrived) {
                produced = ended;
                arrived = ended + wire;
            }
        }
        TimelineOp done;
        done.kind = op.kind;
        done.microBatch = op.microBatch;
        done.chunk = op.chunk;
        done.partner = op.partner;
        done.partnerChunk = op.partnerChunk;
        done.start = std::max(rank.free, arrived);
        done.end = done.start + secondsOf(m_times, r, m_placement, op);
        // On the wire: the input from the moment the last one was computed, and before that the rank's own output.
        const double sent = rank.free - rank.computedUntil;
        done.transferWait = sent + std::max(0.0, done.start - std::max(produced, rank.free));
        if (!finish(rankIndex, op, done)) {
            return false;
        }
    }
    return true;
}

bool Run::finish(std::int32_t rankIndex, const ScheduleOp& op, TimelineOp& done)
{
    Rank& rank = m_ranks[static_cast<std::size_t>(rankIndex)];
    bool repeated = false;
    const auto give = [&](std::vector<double>& ends, ChunkSite own, std::int32_t microBatch) {
        double& ended = ends[index(own, microBatch)];
        repeated = repeated || ended >= 0;
        ended = done.end;
    };
    const auto pass = [&](ChunkSite to, const Need& result) {
        if (to && to.rank != rankIndex) {
            wake(to.rank, result);
        }
    };
    if (hasForward(op.kind)) {
        const ChunkSite own{rankIndex, op.chunk};
        give(m_forwardEnd, own, op.microBatch);
        pass(m_placement.link(rankIndex, op.chunk).next, {OpKind::Forward, own, op.microBatch});
    }
    const ChunkSite own{rankIndex, backwardChunk(op)};
    if (hasInputGradient(op.kind)) {
        give(m_backwardEnd, own, backwardMicroBatch(op));
        pass(m_placement.link(rankIndex, own.chunk).previous, {OpKind::BackwardInput, own, backwardMicroBatch(op)});
    }
    if (hasWeightGradient(op.kind)) {
        std::uint8_t& given = m_weightGiven[index(own, backwardMicroBatch(op))];
        repeated = repeated || given != 0;
        given = 1;
    }
    if (repeated) {
        m_problems.push_back({"schedule", opText(op), fmt::format("is twice in the program of stage {}", rankIndex),
                              "run every micro-batch once"});
        return false;
    }
    StageTimeline& stage = m_timeline.stages[static_cast<std::size_t>(rankIndex)];
    stage.busy += done.end - done.start;
    stage.transferWait += done.transferWait;
    stage.ops.push_back(done);
    rank.computedUntil = done.end;
    rank.free = done.end + (m_times.blockingTransfer && sendsResult(m_placement, rankIndex, op) ? m_times.transfer : 0);
    return true;
}

/// Lets the rank go on if this result is what it stopped for.
void Run::wake(std::int32_t rankIndex, const Need& result)
{
    Rank& rank = m_ranks[static_cast<std::size_t>(rankIndex)];
    const Need& missing = m_missing[static_cast<std::size_t>(rankIndex)];
    if (!rank.queued && missing == result) {
        rank.queued = true;
        m_ready.push_back(rankIndex);
    }
}

/// Follows what each stopped rank waits for until a rank comes round again, or a result nobody computes.
Problem Run::cycle() const
{
    const auto onStage = [](const ScheduleOp& op, std::int32_t rank) {
        return fmt::format("{} on stage {}", opText(op), rank);
    };
    std::int32_t rank = 0;
    while (finished(rank)) {
        ++rank;
    }
    std::vector<std::int32_t> path;
    while (std::find(path.begin(), path.end(), rank) == path.end()) {
        path.push_back(rank);
        const Need& need = m_missing[static_cast<std::size_t>(rank)];
        if (source(m_schedule.order[static_cast<std::size_t>(need.site.rank)], need) == nullptr) {
            return {"schedule", onStage(blocked(rank), rank),
                    fmt::format("needs the {} of micro-batch {}, chunk {}, which stage {} never runs",
                                need.kind == OpKind::Forward ? "forward" : "backward", need.microBatch, need.site.chunk,
                                need.site.rank),
                    "add it to that stage's program"};
        }
        rank = need.site.rank;
    }
    path.erase(path.begin(), std::find(path.begin(), path.end(), rank));
    std::string text = "cannot run: ";
    for (std::int32_t r : path) {
        const Need& need = m_missing[static_cast<std::size_t>(r)];
        const ScheduleOp* op = source(m_schedule.order[static_cast<std::size_t>(need.site.rank)], need);
        text += fmt::format("{} needs {}, which comes after ", onStage(blocked(r), r), onStage(*op, need.site.rank));
    }
    const std::string first = onStage(blocked(path.front()), path.front());
    return {"schedule", first, text + first, "change the order on one of these stages"};
}

Timeline Run::collect()
{
    Timeline& timeline = m_timeline;
    timeline.placement = m_placement;
    timeline.microBatches = m_schedule.microBatches;
    timeline.transfer = m_times.transfer;
    timeline.blockingTransfer = m_times.blockingTransfer;
    timeline.exchange = m_times.exchange;
    timeline.hiddenInPair = m_times.hiddenInPair;
    for (std::size_t rank = 0; rank < timeline.stages.size(); ++rank) {
        StageTimeline& stage = timeline.stages[rank];
        stage.weightCopies = m_placement.weightCopies();
        stage.peakActivations = peakActivations(m_schedule.order[rank], m_placement.stageShare());
        timeline.makespan = std::max(timeline.makespan, stage.ops.empty() ? 0 : stage.ops.back().end);
        timeline.ideal = std::max(timeline.ideal, stage.busy);
    }
    for (StageTimeline& stage : timeline.stages) {
        stage.idle = timeline.makespan - stage.busy;
    }
    return std::move(timeline);
}

Result<Timeline> Run::run()
{
    m_timeline.stages.resize(m_ranks.size());
    m_missing.resize(m_ranks.size());
    for (std::size_t rank = m_ranks.size(); rank-- > 0;) {
        m_timeline.stages[rank].ops.reserve(m_schedule.order[rank].size());
        m_ready.push_back(static_cast<std::int32_t>(rank));
    }
    while (!m_ready.empty()) {
        const std::int32_t rank = m_ready.back();
        m_ready.pop_back();
        m_ranks[static_cast<std::size_t>(rank)].queued = false;
        if (!advance(rank)) {
            return m_problems;
        }
    }
    for (std::int32_t rank = 0; rank < m_placement.stages; ++rank) {
        if (!finished(rank)) {
            return cycle();
        }
    }
    return collect();
}

/// Sizes and ranges; what only a run can show is left to the run.
Problems checkInput(const Schedule& schedule, const StageTimes& times)
{
    const Placement& placement = schedule.placement;
    Problems problems;
    const auto inside = [&](std::int32_t microBatch, std::int16_t chunk) {
        return microBatch >= 0 && microBatch < schedule.microBatches && chunk >= 0 && chunk < placement.chunks;
    };
    if (placement.links.size() != placement.slot(placement.stages, 0)
        || schedule.order.size() != static_cast<std::size_t>(placement.stages)) {
        return {{"schedule", fmt::format("{} programs", schedule.order.size()), "does not match the placement",
                 fmt::format("{} programs", placement.stages)}};
    }
    for (std::size_t rank = 0; rank < schedule.order.size(); ++rank) {
        for (const ScheduleOp& op : schedule.order[rank]) {
            if (!isPipelineOp(op.kind) || !inside(op.microBatch, op.chunk)
                || (op.kind == OpKind::ForwardBackward && !inside(op.partner, op.partnerChunk))) {
                problems.push_back({"schedule", opText(op),
                                    fmt::format("on stage {} has no such micro-batch or chunk", rank),
                                    fmt::format("micro-batches 0 to {}, chunks 0 to {}", schedule.microBatches - 1,
                                                placement.chunks - 1)});
            }
        }
    }
    for (Problem& problem : checkTimes(times, placement)) {
        problems.push_back(std::move(problem));
    }
    return problems;
}

} // namespace

StageTimes equalStageTimes(const Placement& placement, double forward, double backwardInput, double backwardWeight)
{
    const auto table = [&](double seconds) {
        const std::vector<double> row(static_cast<std::size_t>(placement.chunks), seconds * placement.stageShare());
        return std::vector<std::vector<double>>(static_cast<std::size_t>(placement.stages), row);
    };
    StageTimes times;
    times.forward = table(forward);
    times.backwardInput = table(backwardInput);
    times.backwardWeight = table(backwardWeight);
    return times;
}

Result<Timeline> simulate(const Schedule& schedule, const StageTimes& times)
{
    if (Problems problems = checkInput(schedule, times); !problems.empty()) {
        return problems;
    }
    return Run(schedule, times).run();
}

} // namespace partita
