// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/pipeline/schedule.h"

namespace partita {

// The release model: a micro-batch's activations are held from the start of its forward. A joint backward frees all of
// them at its end; of a split backward the input gradient frees half at its end and the weight gradient the rest.

/// What an input gradient frees when the weight gradient comes later (arXiv:2401.10241 counts M_B = M_W).
inline constexpr double releasedByInputGradient = 0.5;

struct ActivationPoint {
    double time = 0; ///< s
    double microBatches = 0; ///< of the whole stage, held from this time to the next point's

    bool operator==(const ActivationPoint&) const = default;
};

/// A stage's live activations over time, from 0 s; one point per change.
std::vector<ActivationPoint> liveActivations(const Timeline& timeline, int stage);

/// The most a stage holds at once, in any unit: weights [chunk] is what one micro-batch of a chunk holds there.
double peakActivations(const StageTimeline& stage, const std::vector<double>& weights);

/// The same with every chunk `share` of a stage, before the program has run: the order of a rank's ops alone decides.
double peakActivations(const std::vector<ScheduleOp>& program, double share);

} // namespace partita
