// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/layout/rank_grid.h"
#include "core/serving/experts.h"
#include "core/serving/step_record.h"
#include "core/serving/weight_bytes.h"
#include "core/training/report.h"

#include <memory>
#include <vector>

namespace partita {

/// Seconds of a step through all stages of the pipeline.
struct StepTime {
    TimeBreakdown parts; ///< of the stages one after the other, hops between them as PpExposed
    double slowestStage = 0; ///< s of the stage that takes longest, its hop included

    double total() const { return parts.total(); }
    /// With batches in flight, a batch comes around again when it has passed all stages and all others have passed the
    /// slowest one (or all of them, where stages wait for each other).
    double round(int inFlight, bool overlapped) const
    {
        return overlapped ? std::max(total(), inFlight * slowestStage) : inFlight * total();
    }
};

/// Prices steps of a scenario; everything that does not depend on the step is found once.
class StepModel {
public:
    explicit StepModel(const Scenario& scenario);
    ~StepModel();
    StepModel(const StepModel&) = delete;
    StepModel& operator=(const StepModel&) = delete;

    /// record: filled with how the step was priced.
    StepTime time(const StepWork& work, StepRecord* record = nullptr) const;
    /// What no software can beat: bytes over the memory's peak rate or FLOPs over the peak, whichever is longer,
    /// through all stages; no communication, no host.
    double floor(const StepWork& work) const;
    /// FLOPs of a device that the floor counts: products of the tokens with active weights.
    double floorFlops(const StepWork& work) const;
    const ServingLayout& layout() const { return m_layout; }
    const ServingStages& stages() const { return m_stages; }

private:
    struct Kind;
    struct Tally;

    void addMixer(Tally& tally, const Kind& kind, const StepWork& work) const;
    void addDecodeCore(Tally& tally, const Kind& kind, const StepWork& work) const;
    void addPrefillCore(Tally& tally, const Kind& kind, const StepWork& work) const;
    void addFeedForward(Tally& tally, const Kind& kind, const StepWork& work) const;
    void addExperts(Tally& tally, const Kind& kind, const MoeFfn& moe, const StepWork& work) const;
    void addHead(Tally& tally, const StepWork& work) const;
    StepBlock finished(Tally&& tally, const StepWork& work) const;

    const Scenario& m_scenario;
    ServingLayout m_layout;
    RankGrid m_grid;
    ServingStages m_stages;
    std::vector<std::unique_ptr<Kind>> m_kinds;
};

} // namespace partita
