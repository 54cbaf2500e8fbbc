// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/pipeline/timeline.h"

#include <vector>

namespace partita::ui {

/// A part of the time axis, on the scale of its neighbours: s and px.
struct GanttStretch {
    double t0 = 0;
    double t1 = 0;
    double left = 0;
    double right = 0;

    double span() const { return t1 - t0; }
    double xOf(double time) const { return left + (time - t0) / span() * (right - left); }
    double timeAt(double x) const { return t0 + (x - left) / (right - left) * span(); }
};

/// What of a step is drawn where all of it would be too narrow to read: how the pipeline fills, some of its steady
/// phase and how it drains, on one scale, as much of each as `width` px hold legibly; breaks of `gap` px between them.
/// Empty where the whole step is legible, or would be cut by next to nothing. left = 0 is the start of the axis.
/// Timelines that share the axis, at least one, are cut at the same times: where the last of them has filled, and the
/// first begins to drain.
std::vector<GanttStretch> legibleStretches(const std::vector<const Timeline*>& timelines, double end, double width,
                                           double gap);

} // namespace partita::ui
