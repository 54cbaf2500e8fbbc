// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/gantt_lanes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace partita::ui {

namespace {

std::size_t firstStartingAt(const std::vector<TimelineOp>& ops, double t)
{
    const auto found = std::partition_point(ops.begin(), ops.end(), [t](const TimelineOp& op) { return op.start < t; });
    return static_cast<std::size_t>(found - ops.begin());
}

} // namespace

double LaneShare::busyTotal() const
{
    return std::accumulate(busy.begin(), busy.end(), 0.0);
}

LaneShare& LaneShare::operator+=(const LaneShare& other)
{
    for (std::size_t kind = 0; kind < OpKinds; ++kind) {
        busy[kind] += other.busy[kind];
        counts[kind] += other.counts[kind];
    }
    idle += other.idle;
    ops += other.ops;
    return *this;
}

LaneSums::LaneSums(const std::vector<TimelineOp>& ops)
{
    std::array<double, OpKinds> sums{};
    std::array<std::size_t, OpKinds> counts{};
    double before = 0; // end of the op before
    for (std::size_t i = 0; i < ops.size(); ++i) {
        if (i % Stride == 0) {
            m_before.push_back(sums);
            m_countsBefore.push_back(counts);
            m_blocks.emplace_back();
        }
        const double length = ops[i].end - ops[i].start;
        sums[static_cast<std::size_t>(ops[i].kind)] += length;
        ++counts[static_cast<std::size_t>(ops[i].kind)];
        Block& block = m_blocks.back();
        block.end = ops[i].end;
        block.longest = std::max(block.longest, length);
        block.widestGap = std::max(block.widestGap, ops[i].start - before);
        before = ops[i].end;
    }
    if (ops.size() % Stride == 0) {
        m_before.push_back(sums);
        m_countsBefore.push_back(counts);
    }
}

/// Of ops [first, first + count), by kind: value(op index) each, whole strides looked up.
template <class Sums, class Value>
Sums LaneSums::sum(const std::vector<Sums>& before, std::size_t first, std::size_t count, Value value) const
{
    Sums sums{};
    const std::size_t last = first + count;
    const std::size_t low = (first + Stride - 1) / Stride;
    const std::size_t high = last / Stride;
    const bool strides = low < high; // at least one whole one
    for (std::size_t i = first; i < (strides ? low * Stride : last); ++i) {
        value(sums, i);
    }
    for (std::size_t kind = 0; strides && kind < OpKinds; ++kind) {
        sums[kind] += before[high][kind] - before[low][kind];
    }
    for (std::size_t i = strides ? high * Stride : last; i < last; ++i) {
        value(sums, i);
    }
    return sums;
}

std::array<double, OpKinds> LaneSums::busy(const std::vector<TimelineOp>& ops, std::size_t first,
                                           std::size_t count) const
{
    return sum(m_before, first, count, [&](std::array<double, OpKinds>& sums, std::size_t i) {
        sums[static_cast<std::size_t>(ops[i].kind)] += ops[i].end - ops[i].start;
    });
}

std::array<std::size_t, OpKinds> LaneSums::counts(const std::vector<TimelineOp>& ops, std::size_t first,
                                                  std::size_t count) const
{
    return sum(m_countsBefore, first, count, [&](std::array<std::size_t, OpKinds>& sums, std::size_t i) {
        ++sums[static_cast<std::size_t>(ops[i].kind)];
    });
}

LaneShare LaneSums::share(const std::vector<TimelineOp>& ops, double t0, double t1) const
{
    LaneShare share;
    const std::size_t first = firstOpAfter(ops, t0);
    const std::size_t last = std::max(first, firstStartingAt(ops, t1));
    share.ops = last - first;
    if (share.ops > 0) {
        share.busy = busy(ops, first, share.ops);
        share.counts = counts(ops, first, share.ops);
        share.busy[static_cast<std::size_t>(ops[first].kind)] -= std::max(0.0, t0 - ops[first].start);
        share.busy[static_cast<std::size_t>(ops[last - 1].kind)] -= std::max(0.0, ops[last - 1].end - t1);
    }
    share.idle = std::max(0.0, t1 - t0 - share.busyTotal());
    return share;
}

std::size_t firstOpAfter(const std::vector<TimelineOp>& ops, double t)
{
    const auto found = std::partition_point(ops.begin(), ops.end(), [t](const TimelineOp& op) { return op.end <= t; });
    return static_cast<std::size_t>(found - ops.begin());
}

std::size_t LaneSums::foldEnd(const std::vector<TimelineOp>& ops, std::size_t first, std::size_t last, double narrow,
                              double widest) const
{
    double end = ops[first].end;
    // Folds end on a grid in time, so that they do not flicker while the view pans.
    double limit = (std::floor(ops[first].start / widest) + 1) * widest;
    limit += limit - ops[first].start < narrow ? widest : 0;
    std::size_t next = first + 1;
    while (next < last && end < limit) {
        const Block& block = m_blocks[next / Stride];
        const bool whole = next % Stride == 0 && next + Stride <= last && block.end <= limit;
        if (whole && block.longest < narrow && block.widestGap < narrow) {
            next += Stride;
            end = block.end;
            continue;
        }
        const TimelineOp& op = ops[next];
        if (op.end - op.start >= narrow || op.start - end >= narrow) {
            break;
        }
        ++next;
        end = op.end;
    }
    return next;
}

std::vector<LaneRun> LaneSums::visibleRuns(const std::vector<TimelineOp>& ops, double t0, double t1, double narrow,
                                           double widest) const
{
    std::vector<LaneRun> runs;
    const std::size_t last = firstStartingAt(ops, t1);
    for (std::size_t i = firstOpAfter(ops, t0); i < last;) {
        const bool wide = ops[i].end - ops[i].start >= narrow;
        const std::size_t next = wide ? i + 1 : foldEnd(ops, i, last, narrow, widest);
        runs.push_back({i, next - i, ops[i].start, ops[next - 1].end});
        i = next;
    }
    return runs;
}

} // namespace partita::ui
