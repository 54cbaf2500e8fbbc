// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace partita::ui {

/// The part of a timeline a Gantt chart shows: seconds, and whole lanes.
struct GanttView {
    double t0 = 0;
    double t1 = 1;
    int firstLane = 0;
    int lanes = 1;

    double span() const { return t1 - t0; }
    bool operator==(const GanttView&) const = default;
};

/// What there is to show.
struct GanttExtent {
    double makespan = 1; ///< s
    int lanes = 1;
};

GanttView fitted(const GanttExtent& extent);
/// The nearest view that lies inside the extent. Never narrower than a millionth of the whole.
GanttView clamped(GanttView view, const GanttExtent& extent);
/// factor > 1 shows less time; the time `about` stays where it is on screen as long as the extent allows.
GanttView zoomed(const GanttView& view, double factor, double about, const GanttExtent& extent);
GanttView panned(const GanttView& view, double seconds, const GanttExtent& extent);
GanttView scrolled(const GanttView& view, int lanes, const GanttExtent& extent);

} // namespace partita::ui
