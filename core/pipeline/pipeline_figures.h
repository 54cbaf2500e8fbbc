// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <vector>

namespace partita {

struct Timeline;

/// What a rank has done once all its pipeline ops have run.
struct RankFigures {
    double end = 0; ///< s from the start of the step to the end of its last op
    double busy = 0; ///< s
    double transferWait = 0; ///< s, as StageTimeline has it; so peakActivations
    double hidden = 0; ///< s of expert all-to-all that its pairs hide
    double peakActivations = 0;
};

/// A step's pipeline without its ops: all that memory and the parts of the step take from it.
struct PipelineFigures {
    std::vector<RankFigures> ranks;

    double bubbleFraction() const; ///< as Timeline has it
};

PipelineFigures figuresOf(const Timeline& timeline);

/// s that ranks are idle, of all their s until the last op ends; 0 when nothing runs, or only rounding is left.
double idleShare(double idle, double makespan, std::size_t ranks);

} // namespace partita
