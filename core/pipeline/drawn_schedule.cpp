// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/drawn_schedule.h"

#include "core/pipeline/op_rules.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace partita {

/// Puts the ops of all ranks into one order in which every op comes after what it needs.
class DrawnSchedule::Sorter {
public:
    Sorter(DrawnSchedule& drawn, const Schedule& schedule)
        : m_drawn(drawn)
        , m_schedule(schedule)
        , m_placement(schedule.placement)
        , m_next(schedule.order.size(), 0)
    {
        const std::size_t results = m_placement.links.size() * static_cast<std::size_t>(schedule.microBatches);
        m_forward.assign(results, 0);
        m_backward.assign(results, 0);
    }

    void run()
    {
        bool moved = true;
        while (moved) {
            moved = false;
            for (std::size_t rank = 0; rank < m_next.size(); ++rank) {
                moved = advance(rank) || moved;
            }
        }
    }

private:
    std::uint32_t& result(const Need& need)
    {
        std::vector<std::uint32_t>& results = need.kind == OpKind::Forward ? m_forward : m_backward;
        return results[m_placement.slot(need.site) * static_cast<std::size_t>(m_schedule.microBatches)
                       + static_cast<std::size_t>(need.microBatch)];
    }

    /// Runs a rank until an input is missing; whether it got anywhere.
    bool advance(std::size_t rankIndex)
    {
        const auto rank = static_cast<std::int32_t>(rankIndex);
        const std::vector<ScheduleOp>& program = m_schedule.order[rankIndex];
        const std::size_t begun = m_next[rankIndex];
        std::array<Need, 3> needs;
        for (std::size_t& next = m_next[rankIndex]; next < program.size(); ++next) {
            const ScheduleOp& op = program[next];
            Op sorted;
            sorted.before = m_drawn.m_last[rankIndex];
            const int count = needsOf(m_placement, rank, op, needs);
            bool ready = true;
            for (int i = 0; i < count && ready; ++i) {
                const Need& need = needs[static_cast<std::size_t>(i)];
                const std::uint32_t giver = result(need);
                ready = giver != 0;
                if (need.site.rank != rank) { // what the rank itself has given came before anyway
                    (need.kind == OpKind::Forward ? sorted.forward : sorted.backward) = giver;
                }
            }
            if (!ready) {
                break;
            }
            const bool held = next > 0 && sendsResult(m_placement, rank, program[next - 1]);
            append(rankIndex, op, sorted, held);
        }
        return m_next[rankIndex] != begun;
    }

    void append(std::size_t rank, const ScheduleOp& op, Op sorted, bool held)
    {
        sorted.seconds = kindOf(m_drawn.m_rowOf[rank], op);
        const auto index = static_cast<std::uint32_t>(m_drawn.m_ops.size());
        m_drawn.m_ops.push_back(sorted);
        m_drawn.m_beforeSends.push_back(held);
        m_drawn.m_last[rank] = index;
        const auto self = static_cast<std::int32_t>(rank);
        if (hasForward(op.kind)) {
            result({OpKind::Forward, {self, op.chunk}, op.microBatch}) = index;
        }
        if (hasInputGradient(op.kind)) {
            result({OpKind::BackwardInput, {self, backwardChunk(op)}, backwardMicroBatch(op)}) = index;
        }
    }

    std::uint32_t kindOf(int row, const ScheduleOp& op)
    {
        const auto key = std::tuple(row, op.kind, op.chunk, op.partnerChunk);
        const auto [at, isNew] = m_kinds.try_emplace(key, static_cast<std::uint32_t>(m_drawn.m_kinds.size()));
        if (isNew) {
            m_drawn.m_kinds.push_back({op, row});
        }
        return at->second;
    }

    DrawnSchedule& m_drawn;
    const Schedule& m_schedule;
    const Placement& m_placement;
    std::vector<std::size_t> m_next; ///< [rank]
    std::vector<std::uint32_t> m_forward; ///< [slot][micro-batch] who gives it; 0 = nobody yet
    std::vector<std::uint32_t> m_backward;
    std::map<std::tuple<int, OpKind, std::int16_t, std::int16_t>, std::uint32_t> m_kinds;
};

DrawnSchedule::DrawnSchedule(const Schedule& schedule, const std::vector<int>& rows)
    : m_placement(schedule.placement)
    , m_rows(*std::max_element(rows.begin(), rows.end()) + 1)
    , m_ops(1)
    , m_beforeSends(1, false)
    , m_last(rows.size(), 0)
    , m_rowOf(rows)
{
    Sorter(*this, schedule).run();
    m_seconds.resize(m_kinds.size());
    m_ends.resize(m_ops.size());
}

void DrawnSchedule::ends(const StageTimes& times, std::vector<double>& byRow)
{
    for (std::size_t i = 0; i < m_kinds.size(); ++i) {
        m_seconds[i] = secondsOf(times, static_cast<std::size_t>(m_kinds[i].row), m_placement, m_kinds[i].op);
    }
    const double* seconds = m_seconds.data();
    double* ends = m_ends.data();
    ends[0] = 0;
    const std::size_t count = m_ops.size();
    for (std::size_t i = 1; i < count; ++i) {
        const Op& op = m_ops[i];
        const double wired = std::max(ends[op.forward], ends[op.backward]);
        const double arrived = (op.forward | op.backward) != 0 ? wired + times.transfer : 0;
        const double free = ends[op.before] + (times.blockingTransfer && m_beforeSends[i] ? times.transfer : 0);
        ends[i] = std::max(free, arrived) + seconds[op.seconds];
    }
    byRow.assign(static_cast<std::size_t>(m_rows), 0);
    for (std::size_t rank = 0; rank < m_last.size(); ++rank) {
        double& latest = byRow[static_cast<std::size_t>(m_rowOf[rank])];
        latest = std::max(latest, ends[m_last[rank]]);
    }
}

} // namespace partita
