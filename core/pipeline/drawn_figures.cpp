// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pipeline/drawn_schedule.h"
#include "core/pipeline/live_activations.h"
#include "core/pipeline/op_rules.h"

#include <algorithm>
#include <cmath>

// What DrawnSchedule counts beside the ends, when asked for figures.

namespace partita {

namespace {

/// The sum over `count` cycles of what begins beyond `first` and changes by as much each cycle, never more than `most`.
double cappedSum(double first, double change, double most, double count)
{
    const auto sum = [&](double from, double cycles) { // of cycles that nothing caps
        return cycles * (first + change * (from + (cycles + 1) / 2));
    };
    if (change == 0) {
        return count * std::min(first, most);
    }
    const double reached = std::clamp(std::floor((most - first) / change), 0.0, count); // the last one on this side
    return change > 0 ? sum(0, reached) + (count - reached) * most : reached * most + sum(reached, count - reached);
}

} // namespace

DrawnSchedule::Wire DrawnSchedule::wireOf(const StageTimes& times)
{
    return {times.transfer, times.blockingTransfer ? times.transfer : 0};
}

/// s that an op starts later than its rank could compute. endOf: when the op ended that comes so far before it.
template <class EndOf> double DrawnSchedule::waited(const Op& op, bool held, const Wire& wire, const EndOf& endOf)
{
    const auto end = [&](std::uint32_t distance) { return distance != 0 ? endOf(distance) : -wire.seconds; };
    const double free = (op.before != 0 ? endOf(op.before) : 0) + (held ? wire.hold : 0);
    return std::max(0.0, std::max(end(op.forward), end(op.backward)) + wire.seconds - free);
}

/// s that an op, drawn at `drawn` and run at `at`, waits for transfers: while what it needs is on the wire, once its
/// rank could compute, and while its rank itself sends.
double DrawnSchedule::waitedAt(std::size_t drawn, std::size_t at, const Wire& wire) const
{
    const bool held = m_beforeSends[drawn] != 0;
    const double late = waited(m_ops[drawn], held, wire, [&](std::uint32_t distance) { return m_ends[at - distance]; });
    return (held ? wire.hold : 0) + std::min(wire.seconds, late);
}

void DrawnSchedule::addWaits(const StageTimes& times, std::size_t from, std::size_t to, std::size_t at)
{
    const Wire wire = wireOf(times);
    for (std::size_t i = from; i < to && wire.seconds > 0; ++i, ++at) {
        m_waits[rowOf(m_ops[i])] += waitedAt(i, at, wire);
    }
}

/// Of blocks that are `left` after `at`, where they repeat the last so many in turn.
void DrawnSchedule::addWaitsAlike(const StageTimes& times, std::size_t at, std::int64_t blocks, std::int64_t left)
{
    const Wire wire = wireOf(times);
    for (std::int64_t each = 0; each < blocks && wire.seconds > 0; ++each) {
        const std::size_t begin = at - static_cast<std::size_t>(blocks - each) * m_steady.block;
        const auto count = static_cast<double>(left / blocks + (each < left % blocks ? 1 : 0));
        for (std::size_t i = 0; i < m_steady.block; ++i) {
            const std::size_t drawn = m_steady.end - m_steady.block + i;
            m_waits[rowOf(m_ops[drawn])] += count * waitedAt(drawn, begin + i, wire);
        }
    }
}

/// Of so many blocks after `at`, where what every op waits changes by as much from block to block until it takes all
/// the time on the wire, or none.
void DrawnSchedule::addWaitsEven(const StageTimes& times, std::size_t at, std::int64_t blocks)
{
    const Wire wire = wireOf(times);
    const std::size_t block = m_steady.block;
    const double noise = tolerance(at);
    for (std::size_t back = 1; back <= block && wire.seconds > 0; ++back) {
        const std::size_t drawn = m_steady.end - back;
        const bool held = m_beforeSends[drawn] != 0;
        const Op& op = m_ops[drawn];
        const auto later = [&](double blocksOn) {
            return waited(op, held, wire, [&](std::uint32_t distance) {
                const std::size_t other = at - back - distance;
                const bool run = other + block < at; // the next block's has been run
                const std::size_t last = run ? other + block : other;
                return m_ends[last] + (blocksOn - (run ? 1 : 0)) * (m_ends[last] - m_ends[last - block]);
            });
        };
        const double next = later(1);
        const double grows = later(2) - next;
        const double change = std::abs(grows) > noise ? grows : 0;
        const auto count = static_cast<double>(blocks);
        m_waits[rowOf(op)] += count * (held ? wire.hold : 0) + cappedSum(next - change, change, wire.seconds, count);
    }
}

/// How often each kind of op is run.
std::vector<double> DrawnSchedule::countKinds(std::int64_t microBatches) const
{
    std::vector<double> counts(m_kinds.size(), 0);
    for (std::size_t i = 1; i < m_ops.size(); ++i) {
        ++counts[m_ops[i].seconds];
    }
    if (microBatches > m_microBatches) {
        const auto repeats = static_cast<double>((microBatches - m_microBatches) / m_steady.entries);
        for (std::size_t i = m_steady.end - m_steady.block; i < m_steady.end; ++i) {
            counts[m_ops[i].seconds] += repeats;
        }
    }
    return counts;
}

/// What is repeated frees as much as it takes, so that what is drawn shows the most.
void DrawnSchedule::addPeaks(std::vector<RankFigures>& ranks) const
{
    std::vector<std::vector<ScheduleOp>> programs(ranks.size());
    for (std::size_t i = 1; i < m_ops.size(); ++i) {
        programs[rowOf(m_ops[i])].push_back(m_kinds[m_ops[i].seconds].op);
    }
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        ranks[rank].peakActivations = peakActivations(programs[rank], m_placement.stageShare());
    }
}

Result<PipelineFigures> DrawnSchedule::figures(const StageTimes& times, std::int64_t microBatches)
{
    if (Problems problems = checkTimes(times, m_placement); !problems.empty()) {
        return problems;
    }
    PipelineFigures figures;
    figures.ranks.resize(m_last.size());
    std::vector<double> ended;
    m_waits.assign(figures.ranks.size(), 0);
    ends(times, microBatches, ended);
    for (std::size_t rank = 0; rank < ended.size(); ++rank) {
        figures.ranks[rank].end = ended[rank];
        figures.ranks[rank].transferWait = m_waits[rank];
    }
    m_waits.clear();
    const std::vector<double> counts = countKinds(microBatches);
    for (std::size_t kind = 0; kind < counts.size(); ++kind) {
        const auto row = static_cast<std::size_t>(m_kinds[kind].row);
        const ScheduleOp& op = m_kinds[kind].op;
        figures.ranks[row].busy += counts[kind] * m_seconds[kind];
        if (op.kind == OpKind::ForwardBackward) {
            figures.ranks[row].hidden +=
                counts[kind] * times.hidden(row, m_placement.chunks, op.chunk, op.partnerChunk);
        }
    }
    addPeaks(figures.ranks);
    return figures;
}

} // namespace partita
