// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/pipeline/schedule.h"

#include <cstdint>
#include <vector>

namespace partita {

/// A schedule sorted once so that it can be run many times with other times, when only the ends count: the same as
/// simulate(), at a few nanoseconds an op. Ranks that hold equal chunks share a row of times.
class DrawnSchedule {
public:
    /// The schedule must be able to run. rows[rank]: the rank's row in the times that ends() is given.
    DrawnSchedule(const Schedule& schedule, const std::vector<int>& rows);

    std::size_t ops() const { return m_ops.size(); }
    /// When the last rank of every row ends its last op. Not to be called from two threads at once.
    void ends(const StageTimes& times, std::vector<double>& byRow);

private:
    /// Index 0 is no op: it has ended at 0.
    struct Op {
        std::uint32_t before = 0; ///< on the same rank
        std::uint32_t forward = 0; ///< on another rank, whose output this one needs
        std::uint32_t backward = 0; ///< on another rank, whose input gradient this one needs
        std::uint32_t seconds = 0; ///< place in m_seconds
    };
    struct Kind {
        ScheduleOp op; ///< any op of its kind and chunks
        int row = 0;
    };
    class Sorter;

    Placement m_placement;
    int m_rows = 0;
    std::vector<Op> m_ops;
    std::vector<Kind> m_kinds; ///< what takes equally long
    std::vector<bool> m_beforeSends; ///< by op: whether the one before holds the rank up while it sends
    std::vector<std::uint32_t> m_last; ///< [rank] its last op
    std::vector<int> m_rowOf; ///< [rank]
    std::vector<double> m_seconds; ///< by kind
    std::vector<double> m_ends; ///< by op
};

} // namespace partita
