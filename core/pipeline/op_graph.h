// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/pipeline/timeline.h"

namespace partita {

/// An op of a Timeline: timeline.stages[stage].ops[index], or, from ops.size() on, those after the pipeline.
struct OpRef {
    int stage = -1;
    int index = -1;

    explicit operator bool() const { return stage >= 0; }
    bool operator==(const OpRef&) const = default;
};

/// How many ops of a stage an OpRef may name.
inline std::size_t opCount(const StageTimeline& stage)
{
    return stage.ops.size() + stage.after.size();
}

inline const TimelineOp& opAt(const StageTimeline& stage, std::size_t index)
{
    return index < stage.ops.size() ? stage.ops[index] : stage.after[index - stage.ops.size()];
}

/// Why a stage computed nothing right before an op.
struct IdleReason {
    double idle = 0; ///< s since the op before it ended, or since the step began
    double transfer = 0; ///< part of idle with the input, or the stage's own output, on the wire
    OpRef waitedFor; ///< the op whose result came last; none when nothing but the stage's own send delayed it

    bool operator==(const IdleReason&) const = default;
};

/// Which op needs which, looked up in constant time. Keeps a reference: the timeline must outlive it and stay
/// unchanged.
class OpGraph {
public:
    explicit OpGraph(const Timeline& timeline);

    const TimelineOp& at(OpRef op) const;

    /// Ops whose results this one uses: F of the previous model chunk, its own F, B of the next chunk, its B. Of ops
    /// after the pipeline the one before; the optimizer waits for all stages, whose gradient norms it needs, and so
    /// does the end of the step.
    std::vector<OpRef> dependencies(OpRef op) const;

    /// Ops that use this one's result.
    std::vector<OpRef> dependants(OpRef op) const;

    IdleReason whyIdle(OpRef op) const;

    /// The chain of ops, first to last, that sets the end of the step: each starts when the one before has ended on the
    /// same stage, or when its result (and the transfer) has arrived. Empty when nothing runs.
    std::vector<OpRef> criticalPath() const;

private:
    enum class Part { Forward, InputGradient, WeightGradient };

    std::size_t key(ChunkSite site, std::int32_t microBatch) const;
    OpRef find(Part part, ChunkSite site, std::int32_t microBatch) const;
    std::vector<OpRef> afterPipeline(OpRef op) const; ///< what an op of the whole step needs
    std::vector<OpRef> nextAfterPipeline(OpRef op) const; ///< ops of the whole step that need this one
    double arrival(OpRef from, OpRef to) const; ///< when from's result is on to's stage

    const Timeline& m_timeline;
    std::vector<std::int32_t> m_forward; ///< [slot][micro-batch] index in its stage's ops; -1 = never runs
    std::vector<std::int32_t> m_inputGradient;
    std::vector<std::int32_t> m_weightGradient;
};

} // namespace partita
