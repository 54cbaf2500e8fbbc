// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/pipeline/pipeline_figures.h"
#include "core/pipeline/schedule.h"

#include <cstdint>
#include <vector>

namespace partita {

/// A schedule sorted once so that it can be run many times with other times, when only the ends count: the same as
/// simulate(), at a few nanoseconds an op. Ranks that hold equal chunks share a row of times.
///
/// Between filling and draining, ranks repeat a block of ops: long schedules are drawn up with few micro-batches, and
/// the block is run as often as the others need. Once all that later ops look back at has grown by the same since one
/// or more blocks ago, so does everything that follows, and no further block is run. Before that, ends that each grow
/// evenly go on growing so until an op's input that has come early comes too late; up to there blocks are multiplied.
class DrawnSchedule {
public:
    /// rows[rank]: the rank's row in the times that ends() is given. Numbers as checkSchedule accepts them; more
    /// micro-batches may do for others, too.
    DrawnSchedule(ScheduleKind kind, int stages, int microBatches, int chunks, const std::vector<int>& rows);

    std::size_t ops() const { return m_ops.size(); } ///< drawn up
    /// Whether what is drawn up for so many micro-batches is this one.
    bool runs(std::int64_t microBatches) const;
    /// When the last rank of every row ends its last op, of micro-batches that it runs. Not to be called from two
    /// threads at once.
    void ends(const StageTimes& times, std::int64_t microBatches, std::vector<double>& byRow);
    /// The same in room that many schedules can share.
    void ends(const StageTimes& times, std::int64_t microBatches, std::vector<double>& byRow,
              std::vector<double>& room);
    /// All that counts of such a run: what figuresOf(simulate()) is, to rounding, or why it cannot be simulated. Every
    /// rank must have a row of its own, in their order.
    Result<PipelineFigures> figures(const StageTimes& times, std::int64_t microBatches);

private:
    /// Other ops by how far they come before this one; 0 = there is none.
    struct Op {
        std::uint32_t before = 0; ///< on the same rank
        std::uint32_t forward = 0; ///< on another rank, whose output this one needs
        std::uint32_t backward = 0; ///< on another rank, whose input gradient this one needs
        std::uint32_t seconds = 0; ///< place in m_seconds

        bool operator==(const Op&) const = default;
    };
    struct Kind {
        ScheduleOp op; ///< any op of its kind and chunks
        int row = 0;
    };
    /// Ops that repeat, as often as there are micro-batches beyond those drawn up.
    struct Steady {
        std::size_t begin = 0; ///< from here on every op is as the one a block before it, or begins the first block
        std::size_t end = 0; ///< where the block is repeated: it ends here
        std::size_t block = 0; ///< ops in it; 0 = nothing repeats
        std::size_t reach = 0; ///< how far back of it later ops look at most
        std::int64_t entries = 0; ///< micro-batches a block stands for
    };
    /// What transfers take, in s.
    struct Wire {
        double seconds = 0;
        double hold = 0; ///< of which the sender computes nothing
    };
    class Sorter;

    void draw(const Schedule& schedule, const std::vector<int>& rows);
    bool passes(std::size_t from, std::size_t to, std::size_t microBatches) const;
    bool repeat();
    bool repeatFrom(std::size_t begin, std::size_t next, std::size_t entries);
    void dropRepeats();
    void run(const StageTimes& times, std::size_t from, std::size_t to, std::size_t at);
    std::size_t runSteady(const StageTimes& times, std::int64_t repeats);
    std::int64_t jump(const StageTimes& times, std::size_t at, std::size_t known, std::int64_t left);
    bool growsAlike(std::size_t at, std::size_t cycle) const;
    std::int64_t evenBlocks(const StageTimes& times, std::size_t at, std::int64_t left);
    void putOff(std::size_t at, std::int64_t blocks, std::int64_t left);
    static Wire wireOf(const StageTimes& times);
    template <class EndOf> static double waited(const Op& op, bool held, const Wire& wire, const EndOf& endOf);
    double waitedAt(std::size_t drawn, std::size_t at, const Wire& wire) const;
    void addWaits(const StageTimes& times, std::size_t from, std::size_t to, std::size_t at);
    void addWaitsAlike(const StageTimes& times, std::size_t at, std::int64_t blocks, std::int64_t left);
    void addWaitsEven(const StageTimes& times, std::size_t at, std::int64_t blocks);
    std::vector<double> countKinds(std::int64_t microBatches) const;
    void addPeaks(std::vector<RankFigures>& ranks) const;
    std::size_t rowOf(const Op& op) const { return static_cast<std::size_t>(m_kinds[op.seconds].row); }
    double tolerance(std::size_t at) const { return 1e-14 * m_ends[at - 1]; } ///< s, of rounding

    std::int64_t m_microBatches = 0; ///< drawn up
    Placement m_placement;
    int m_rows = 0;
    std::vector<Op> m_ops;
    std::vector<Kind> m_kinds; ///< what takes equally long
    std::vector<std::uint8_t> m_beforeSends; ///< by op: whether the one before holds the rank up while it sends
    std::vector<std::size_t> m_entries; ///< ops that bring a new micro-batch in
    std::vector<std::size_t> m_last; ///< [rank] its last op
    std::vector<int> m_rowOf; ///< [rank]
    std::int64_t m_period; ///< micro-batches after which what repeats does so
    std::int64_t m_fewest =
        0; ///< micro-batches that are not drawn up in full, so that ends depend on their number alone
    Steady m_steady;
    std::size_t m_doubtful = 0; ///< op of a block, from its end, that changed its ways last
    std::vector<double> m_seconds; ///< by kind
    std::vector<double> m_ends; ///< by op, as often as it is run
    std::vector<double> m_waits; ///< by row, s; empty where nobody asks
};

} // namespace partita
