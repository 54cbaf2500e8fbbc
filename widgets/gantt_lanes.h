// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/pipeline/timeline.h"

#include <array>
#include <cstddef>
#include <vector>

namespace partita::ui {

inline constexpr std::size_t OpKinds = Names<OpKind>::table.size();

/// How a stretch of a lane was spent, in seconds.
struct LaneShare {
    std::array<double, OpKinds> busy{}; ///< by OpKind
    double idle = 0;
    std::size_t ops = 0; ///< that run at least partly in the stretch
    std::array<std::size_t, OpKinds> counts{}; ///< of those, by OpKind

    double busyTotal() const;
    LaneShare& operator+=(const LaneShare& other);
};

/// Ops drawn as one block: a single op, or neighbours too narrow to tell apart.
struct LaneRun {
    std::size_t first = 0;
    std::size_t count = 1;
    double start = 0;
    double end = 0;
};

/// What keeps a lane of many ops quick to draw: totals and extremes of every 32 ops. Made for one lane, used with the
/// same.
class LaneSums {
public:
    LaneSums() = default;
    explicit LaneSums(const std::vector<TimelineOp>& ops);

    /// Busy seconds by kind of ops [first, first + count).
    std::array<double, OpKinds> busy(const std::vector<TimelineOp>& ops, std::size_t first, std::size_t count) const;
    /// How many of them there are, by kind.
    std::array<std::size_t, OpKinds> counts(const std::vector<TimelineOp>& ops, std::size_t first,
                                            std::size_t count) const;
    /// Of the time from t0 to t1, ops at the borders counted in part.
    LaneShare share(const std::vector<TimelineOp>& ops, double t0, double t1) const;

    /// The blocks that show a lane from t0 to t1, in order. Ops shorter than `narrow` seconds fold with their
    /// neighbours as long as the gaps are as short, up to about `widest` seconds. Costs O(blocks + ops in view / 32).
    /// No op is lost: counts add up to the ops that lie at least partly in (t0, t1).
    std::vector<LaneRun> visibleRuns(const std::vector<TimelineOp>& ops, double t0, double t1, double narrow,
                                     double widest) const;

private:
    static constexpr std::size_t Stride = 32;

    struct Block {
        double end = 0;
        double longest = 0; ///< op
        double widestGap = 0; ///< before one of its ops
    };

    template <class Sums, class Value>
    Sums sum(const std::vector<Sums>& before, std::size_t first, std::size_t count, Value value) const;

    /// One past the last op that folds with op `first`.
    std::size_t foldEnd(const std::vector<TimelineOp>& ops, std::size_t first, std::size_t last, double narrow,
                        double widest) const;

    std::vector<std::array<double, OpKinds>> m_before; ///< busy seconds before op Stride * i
    std::vector<std::array<std::size_t, OpKinds>> m_countsBefore;
    std::vector<Block> m_blocks; ///< of ops Stride * i to Stride * (i + 1)
};

/// Index of the first op that ends after t.
std::size_t firstOpAfter(const std::vector<TimelineOp>& ops, double t);

} // namespace partita::ui
